import { plainWords } from "../../../language/blocks.js";
import { leans, type Sentence, sentences } from "../../../language/sentences.js";
import { readRow } from "../../../language/tables.js";
import { hasWords } from "../../../language/tokens.js";
import type { DraftClaim } from "../../../types/answer.js";
import type { Evidence } from "../../../types/evidence.js";

/** A sentence, table row or list item, with the context it depends on. */
export interface Unit extends Sentence {
  evidence: Evidence;
  /** Where the quote starts: at an earlier sentence if this one begins with an anaphor for what it names. */
  from: number;
  /** The header of its table. */
  header: Sentence | undefined;
  /** The sentence that introduces its list. */
  lead: Sentence | undefined;
  /** False for headings, table headers, questions and bare links. */
  states: boolean;
}

/** Splits a piece of evidence into units, each with the sentence or table header that it needs to be understood. */
export function unitsOf(evidence: Evidence): Unit[] {
  const { text } = evidence;
  const all = sentences(text);
  let header: Sentence | undefined;
  let lead: Sentence | undefined;
  /** Where what the sentence before is about was named. */
  let named = 0;
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
      // Another paragraph may have another author.
      !PARAGRAPH.test(text.slice(before.end, sentence.start)) &&
      leans(text.slice(sentence.start, sentence.start + 40));
    if (!isLeaning || !before) named = sentence.start;
    else if (sentence.end - named > LONGEST_RUN) named = before.start;
    return {
      ...sentence,
      evidence,
      header: isHeader ? undefined : header,
      lead: sentence.kind === "item" ? lead : undefined,
      states: sentence.kind !== "heading" && !isHeader && !asks(words) && hasWords(words.replace(LINK, " ")),
      from: named,
    };
  });
}

/** In characters. "It arrived in May. It holds two tons." says of what only with the sentence before both. */
const LONGEST_RUN = 500;

/** True for a question, but not for a statement that ends with a quoted one ("Who?"). */
const asks = (sentence: string) => /[?？][\s*_)）]*$/u.test(sentence);

const LINK = /!?\[[^\][\n]{1,300}\]\([^()\s]{0,500}(?:\s+"[^"\n]{0,200}")?\)|https?:\/\/[^\s<>|]+/gu;

const PARAGRAPH = /\n[^\S\n]*\n/;

/** Makes a claim of a unit: its text without markup, and verbatim quotes. */
export function claimOf({ evidence, from, start, end, header, lead }: Unit): DraftClaim {
  const quote = evidence.text.slice(from, end);
  if (lead) {
    const led = evidence.text.slice(lead.start, lead.end);
    return {
      text: underLead(plainWords(led), plainWords(quote)),
      citations: [quote, led].map((part) => ({ evidenceId: evidence.id, quote: part })),
    };
  }
  if (!header) return { text: plainWords(quote), citations: [{ evidenceId: evidence.id, quote }] };
  const row = evidence.text.slice(start, end);
  const head = evidence.text.slice(header.start, header.end);
  return {
    text: plainWords(readRow(head, row)),
    citations: [row, head].map((part) => ({ evidenceId: evidence.id, quote: part })),
  };
}

/** Puts a list item behind the sentence that introduces its list. */
export const underLead = (lead: string, item: string) => `${lead}${lead.endsWith("：") ? "" : " "}${item}`;
