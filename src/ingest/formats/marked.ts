import { languageOf } from "../../text/language.js";
import { struckOut, superscript } from "../../text/marks.js";
import { inLine } from "./content.js";

// What the readers of office formats share: text of several appearances, and comments.

/** Text of one appearance. */
export interface Run {
  text: string;
  isStruck?: boolean;
  isRaised?: boolean;
  isLowered?: boolean;
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
  const topic = about === "" ? "" : inLine(about);
  if (languageOf(text) === "zh")
    return `> ${isResolved ? "已解决的批注" : "批注"}${by && `（${by}）`}：${text}${topic && `（${topic}）`}`;
  return `> ${isResolved ? "Resolved comment" : "Comment"}${by && ` by ${by}`}: ${text}${topic && ` (${topic})`}`;
}
