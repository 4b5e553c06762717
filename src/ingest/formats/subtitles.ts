import { decode, visible } from "../../text/decode.js";
import type { Content, FormatReader } from "./content.js";

/** SubRip and WebVTT: about a minute of speech becomes a paragraph, whose place is the time at which it begins. */
export const subtitles: FormatReader = (bytes) => {
  const places: NonNullable<Content["places"]>[number][] = [];
  let text = "";
  let begun = Number.NEGATIVE_INFINITY;
  let shown: readonly string[] = [];
  for (const { at, time, lines } of cues(visible(decode(bytes)))) {
    // Scrolling captions repeat a line above the next one.
    const words = lines.filter((line) => !shown.includes(line)).join("\n");
    shown = lines;
    if (words === "") continue;
    const isNew = at - begun >= MINUTE || at < begun;
    if (isNew) {
      if (text !== "") text += "\n\n";
      places.push({ start: text.length, name: time });
      begun = at;
    }
    text += `${isNew ? "" : "\n"}${words}`;
  }
  return { title: "", reviewedAt: "", format: "text", text, places };
};

/** In seconds. */
const MINUTE = 60;

function* cues(text: string): Generator<{ at: number; time: string; lines: string[] }> {
  for (const block of text.replace(/\r\n?/g, "\n").split(/\n[ \t]*\n/)) {
    const lines = block.split("\n");
    const timing = lines.findIndex((line) => TIMING.test(line));
    const [, hours = "0", minutes = "0", seconds = "0"] = TIMING.exec(lines[timing] ?? "") ?? [];
    const words = lines
      .slice(timing + 1)
      .map((line) =>
        line
          .replace(/<([^<>]*)>|\{\\[^{}]*\}/g, (_, tag = "") => (VOICE.test(tag) ? `${tag.replace(VOICE, "")}: ` : ""))
          .replace(/&(?:amp|lt|gt|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
          .trim(),
      )
      .filter(Boolean);
    if (timing < 0) continue;
    const time = [hours, minutes, seconds].map((part) => part.padStart(2, "0")).join(":");
    yield { at: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds), time, lines: words };
  }
}

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": " " };
/** The beginning of a tag that names the speaker. */
const VOICE = /^v(?:\.\S*)?\s+/;
const TIMING = /^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}\s+-->/;
