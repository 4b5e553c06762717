import { plainWords } from "../../../language/function-words.js";
import { leans, type Sentence, sentences } from "../../../language/sentences.js";
import { readRow } from "../../../language/tables.js";
import { hasWords } from "../../../language/tokens.js";
import type { DraftClaim } from "../../../types/answer.js";
import type { Evidence } from "../../../types/evidence.js";

/** A sentence, row or item, with what belongs to it. */
export interface Unit extends Sentence {
  evidence: Evidence;
  /** Where the quote starts: before the sentence when that begins with a word for the one before it. */
  from: number;
  /** The first row of the table it is a row of. */
  header: Sentence | undefined;
  /** The sentence that introduces the list it is an item of. */
  lead: Sentence | undefined;
  /** Whether it states something: headings, heads of tables, questions and bare links only name or ask. */
  states: boolean;
}

/** The sentences of a piece of evidence, each with the sentence or the table head that it cannot be understood without. */
export function unitsOf(evidence: Evidence): Unit[] {
  const { text } = evidence;
  const all = sentences(text);
  let header: Sentence | undefined;
  let lead: Sentence | undefined;
  return all.map((sentence, i) => {
    const before = all[i - 1];
    const words = text.slice(sentence.start, sentence.end);
    if (sentence.kind !== "row") header = undefined;
    if (sentence.kind !== "item") lead = /[:：]\s*$/.test(words) ? sentence : undefined;
    const isHeader = sentence.kind === "row" && header === undefined;
    if (isHeader) header = sentence;
    const isLeaning =
      sentence.kind === "prose" &&
      before?.kind === "prose" &&
      // What stands in another paragraph may be by another hand.
      !PARAGRAPH.test(text.slice(before.end, sentence.start)) &&
      leans(text.slice(sentence.start, sentence.start + 40));
    return {
      ...sentence,
      evidence,
      header: isHeader ? undefined : header,
      lead: sentence.kind === "item" ? lead : undefined,
      states: sentence.kind !== "heading" && !isHeader && !asks(words) && hasWords(words.replace(LINK, " ")),
      from: isLeaning && before ? before.start : sentence.start,
    };
  });
}

/** Whether a sentence asks. One that ends with what somebody asked ("Who?") states that. */
const asks = (sentence: string) => /[?？][\s*_)）]*$/u.test(sentence);

const LINK = /!?\[[^\][\n]{1,300}\]\([^()\s]{0,500}(?:\s+"[^"\n]{0,200}")?\)|https?:\/\/[^\s<>|]+/gu;

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
