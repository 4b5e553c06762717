import { inForce } from "../text/marks.js";
import { onOneLine, wordsAndCode } from "../text/markup.js";
import { type OutlineUnit, outlineOf, underLead } from "../text/outline.js";
import { readRow, underHead } from "../text/tables.js";
import type { DraftClaim } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";

/** A sentence, table row or list item of a piece of evidence. */
export interface Unit extends OutlineUnit {
  evidence: Evidence;
}

/**
 * Returns the units of a piece of evidence, in order. They are kept as long as the piece: every claim reads them, and the
 * memory of `outlineOf` may be too small for a long one.
 */
export const unitsOf: (evidence: Evidence) => readonly Unit[] = keptFor((evidence) =>
  outlineOf(evidence.text).map((unit) => ({ ...unit, evidence })),
);

/** Remembers the result for each piece of evidence, as long as the piece is in use. */
export function keptFor<T>(find: (evidence: Evidence) => T): (evidence: Evidence) => T {
  const known = new WeakMap<Evidence, T>();
  return (evidence) => {
    const there = known.get(evidence);
    if (there !== undefined) return there;
    const found = find(evidence);
    known.set(evidence, found);
    return found;
  };
}

/**
 * Returns what a unit states (`inForce`) with its context: table header, list introduction or the sentence that it
 * refers back to.
 */
export function textInContext({ evidence, from, end, text, head, lead }: Unit): string {
  if (head && !lead) return inForce(underHead(head.text, text));
  const words = inForce(evidence.text.slice(from, end));
  return lead ? underLead(inForce(lead.text), words) : words;
}

/**
 * Makes a claim from a unit: its text without markup other than that of code, and verbatim quotes. A sentence is quoted
 * with the one that it refers to, a row with the head of its table.
 */
export function claimOf({ evidence, from, end, text, head, ...unit }: Unit): DraftClaim {
  const quoted = (...quotes: string[]) => quotes.map((quote) => ({ evidenceId: evidence.id, quote }));
  if (head) return { text: wordsAndCode(readRow(head.text, text)), citations: quoted(text, head.text) };
  const start = beginsAnswer({ text }) ? unit.start : from;
  return claimOfRun([{ ...unit, evidence, from, text, head, start, end }]);
}

/** Makes a claim from sentences that follow each other, or from a group of code lines. */
export function claimOfRun(run: readonly Unit[]): DraftClaim {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last) return { text: "", citations: [] };
  const start = first.start + (ANSWER_MARK.exec(first.text)?.[0].length ?? 0);
  const quote = first.evidence.text.slice(start, last.end);
  const text = first.kind === "code" ? asCode(quote) : wordsAndCode(quote);
  return { text, citations: [{ evidenceId: first.evidence.id, quote, start }] };
}

/** True for a sentence that is marked as an answer: "A: Yes." */
export const beginsAnswer = ({ text }: Pick<Unit, "text">): boolean => ANSWER_MARK.test(text);

const ANSWER_MARK = /^(?:a|answer|答|答案|回答)\s*[:：]\s*/iu;

/** Writes lines of code as inline code, if they are short and have no character that would end it. */
const asCode = (quote: string) => (/^[^`|\\]{1,500}$/.test(quote) ? `\`${onOneLine(quote)}\`` : wordsAndCode(quote));
