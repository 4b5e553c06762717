import { inForce } from "../text/marks.js";
import { onOneLine, wordsAndCode } from "../text/markup.js";
import { LONGEST_RUN, type OutlineUnit, outlineOf, underLead } from "../text/outline.js";
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
 * True if a list's introduction may be a repetition at the start of a passage: a quote of it with its items would then
 * appear in no file.
 */
const isRepeated = (lead: OutlineUnit, { id }: Evidence) => lead.start === 0 && /#[1-9]\d*$/.test(id);

/**
 * Makes a claim from a unit: its text without markup other than that of code, and verbatim quotes. A list item is
 * quoted with the list before it.
 */
export function claimOf({ evidence, from, end, text, head, lead, kind }: Unit): DraftClaim {
  const quoted = (...quotes: string[]) => quotes.map((quote) => ({ evidenceId: evidence.id, quote }));
  const words = evidence.text.slice(from, end);
  if (kind === "code") return { text: asCode(words), citations: quoted(words) };
  if (lead && end - lead.start <= LONGEST_RUN && !isRepeated(lead, evidence)) {
    const led = underLead(wordsAndCode(lead.text), wordsAndCode(words));
    return { text: led, citations: quoted(evidence.text.slice(lead.start, end)) };
  }
  if (!head) return { text: wordsAndCode(words), citations: quoted(words) };
  return { text: wordsAndCode(readRow(head.text, text)), citations: quoted(text, head.text) };
}

/** Writes lines of code as inline code, if they are short and have no character that would end it. */
const asCode = (quote: string) => (/^[^`|\\]{1,500}$/.test(quote) ? `\`${onOneLine(quote)}\`` : wordsAndCode(quote));
