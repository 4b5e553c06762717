import { leans } from "../../../text/leaning.js";
import { plainWords } from "../../../text/plain-words.js";
import { type Sentence, sentences } from "../../../text/sentences.js";
import { readRow } from "../../../text/tables.js";
import type { DraftClaim } from "../../../types/answer.js";
import type { Evidence } from "../../../types/evidence.js";

/** A sentence that may be said, with what belongs to it. */
export interface Unit extends Sentence {
  evidence: Evidence;
  /** Where the quote starts: before the sentence when that begins with a word for the one before it. */
  from: number;
  /** The first row of the table it is a row of. */
  header: Sentence | undefined;
  isHeader: boolean;
}

/** The sentences of a piece of evidence, each with the sentence or the table head that it cannot be understood without. */
export function unitsOf(evidence: Evidence): Unit[] {
  const all = sentences(evidence.text);
  let header: Sentence | undefined;
  return all.map((sentence, i) => {
    const before = all[i - 1];
    if (sentence.kind !== "row") header = undefined;
    const isHeader = sentence.kind === "row" && header === undefined;
    if (isHeader) header = sentence;
    const isLeaning =
      sentence.kind === "prose" &&
      before?.kind === "prose" &&
      // What stands in another paragraph may be by another hand.
      !PARAGRAPH.test(evidence.text.slice(before.end, sentence.start)) &&
      leans(evidence.text.slice(sentence.start, sentence.start + 40));
    return {
      ...sentence,
      evidence,
      header: isHeader ? undefined : header,
      isHeader,
      from: isLeaning && before ? before.start : sentence.start,
    };
  });
}

const PARAGRAPH = /\n[^\S\n]*\n/;

/** What is said, in plain words, and the source's own characters it rests on. */
export function claimOf({ evidence, from, start, end, header }: Unit): DraftClaim {
  const quote = evidence.text.slice(from, end);
  if (!header) return { text: plainWords(quote), citations: [{ evidenceId: evidence.id, quote }] };
  const row = evidence.text.slice(start, end);
  const head = evidence.text.slice(header.start, header.end);
  return {
    text: plainWords(readRow(head, row)),
    citations: [row, head].map((part) => ({ evidenceId: evidence.id, quote: part })),
  };
}
