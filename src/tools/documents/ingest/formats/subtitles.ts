import { decode, visible } from "../../../../language/decode.js";
import type { Content, Loader } from "./content.js";

/** SubRip and WebVTT: about a minute of speech becomes a paragraph, whose place is the time at which it begins. */
export const subtitles: Loader = (bytes) => {
  const places: NonNullable<Content["places"]>[number][] = [];
  let text = "";
  let begun = Number.NEGATIVE_INFINITY;
  for (const { at, time, words } of cues(visible(decode(bytes)))) {
    // Captions that scroll show each line twice.
    if (text.endsWith(words)) continue;
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

function* cues(text: string): Generator<{ at: number; time: string; words: string }> {
  for (const block of text.split(/(?:\r?\n|\r)[ \t]*(?:\r?\n|\r)/)) {
    const lines = block.split(/\r\n?|\n/);
    const timing = lines.findIndex((line) => TIMING.test(line));
    const [, hours = "0", minutes = "0", seconds = "0"] = TIMING.exec(lines[timing] ?? "") ?? [];
    const words = lines
      .slice(timing + 1)
      .map((line) =>
        line
          .replace(/<v(?:\.[^ >]*)?\s+([^>]+)>/g, "$1: ")
          .replace(/<[^>]*>|\{\\[^}]*\}/g, "")
          .trim(),
      )
      .filter(Boolean)
      .join("\n");
    if (timing < 0 || words === "") continue;
    const time = [hours, minutes, seconds].map((part) => part.padStart(2, "0")).join(":");
    yield { at: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds), time, words };
  }
}

const TIMING = /^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}\s+-->/;
