import { languageOf } from "../../text/language.js";
import { struckOut, superscript } from "../../text/marks.js";
import { inLine } from "./content.js";

// What the readers of office formats share: text of several appearances, and comments.

/** Text of one appearance. */
export interface Run {
  text: string;
  isStruck?: boolean | undefined;
  isRaised?: boolean | undefined;
  isLowered?: boolean | undefined;
}

/** Joins runs, with marks around struck-out text and with superscripts. */
export function marked(runs: readonly Run[]): string {
  if (!runs.some(({ isStruck, isRaised, isLowered }) => isStruck || isRaised || isLowered)) return textOf(runs);
  return grouped(runs, (run) => run.isStruck)
    .map((group) => {
      const raised = grouped(group, (run) => (run.isRaised ? 1 : run.isLowered ? -1 : 0));
      const text = raised.reduce((before, part) => before + placed(part, before), "");
      return group[0]?.isStruck ? struckOut(text) : text;
    })
    .join("");
}

const textOf = (runs: readonly Run[]) => runs.map(({ text }) => text).join("");

function placed(runs: readonly Run[], before: string): string {
  const text = textOf(runs);
  if (runs[0]?.isRaised) return superscript(text);
  // CO2 stays, but the 2 of 101₂ must not become a digit of the number.
  if (!runs[0]?.isLowered || !/\d$/.test(before)) return text;
  return text.replace(/\d/g, (digit) => String.fromCodePoint(0x2080 + Number(digit)));
}

/** Cuts runs where a property changes. Runs without text change nothing. */
function grouped(runs: readonly Run[], property: (run: Run) => unknown): Run[][] {
  const groups: Run[][] = [];
  let last: unknown;
  for (const run of runs) {
    if (run.text === "") continue;
    const value = property(run) || false;
    const group = value === last ? groups.at(-1) : undefined;
    if (group) group.push(run);
    else groups.push([run]);
    last = value;
  }
  return groups;
}

/** Returns the alternative text of a picture on one line; empty if it is only the name of its file. */
export const alternativeText = (text = ""): string =>
  /^\S{0,200}\.(?:png|jpe?g|gif|bmp|tiff?|webp|svg|[ew]mf)$/i.test(text.trim()) ? "" : inLine(text);

/** True for a line that begins with a check box and has no other: an entry of a list of tasks. */
export const isTask = (line: string): boolean => /^\s*[☐☑☒](?=[^☐☑☒]*[\p{L}\p{N}])[^☐☑☒]*$/u.test(line);

/** Writes a comment as a block of its own; empty if it has no words. @param about what it is about, if that is not beside it. */
export function comment({
  author = "",
  words,
  isResolved = false,
  about = "",
}: {
  author?: string | undefined;
  words: string;
  isResolved?: boolean;
  about?: string;
}): string {
  const by = inLine(author);
  // Excel begins a comment with the name of its author.
  const text = inLine(
    by !== "" && words.trimStart().startsWith(`${by}:`) ? words.trimStart().slice(by.length + 1) : words,
  );
  if (text === "") return "";
  const topic = inLine(about.slice(0, LONGEST_TOPIC));
  if (languageOf(text) === "zh")
    return `> ${isResolved ? "已解决的批注" : "批注"}${by && `（${by}）`}：${text}${topic && `（${topic}）`}`;
  return `> ${isResolved ? "Resolved comment" : "Comment"}${by && ` by ${by}`}: ${text}${topic && ` (${topic})`}`;
}

/** In characters. */
const LONGEST_TOPIC = 100;
