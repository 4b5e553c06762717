import { readRow } from "../../checking/facts/tables.js";
import { onOneLine, wordsAndCode } from "../../text/blocks.js";
import { underLead } from "../../text/lists.js";
import { asks, isAnaphoric, type Sentence, sentences } from "../../text/sentences.js";
import { hasWords } from "../../text/tokens.js";
import type { DraftClaim } from "../../types/answer.js";
import type { Evidence } from "../../types/evidence.js";

/** A sentence, table row or list item, with the context it depends on. */
export interface Unit extends Sentence {
  evidence: Evidence;
  /** Where its words start: at an earlier sentence of its item, or one that names what its first pronoun means. */
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
  /** The sentences that end with a colon above, outermost first: a list in a list has one of its own. */
  let leads: Sentence[] = [];
  /** Where what the sentence before is about was named. */
  let named = 0;
  return all.map((sentence, i) => {
    const { start, end, kind } = sentence;
    const before = all[i - 1];
    const words = text.slice(start, end);
    if (kind !== "row") header = undefined;
    const isHeader = kind === "row" && header === undefined;
    if (isHeader) header = sentence;
    leads =
      kind === "item" ? leads.filter((one) => one.kind !== "item" || indent(text, one) < indent(text, sentence)) : [];
    const lead = leads.at(-1);
    if (/[:：]\s*$/.test(words)) leads.push(sentence);
    const isSameItem = kind === "item" && before?.kind === "item" && !/\S/.test(text.slice(before.end, start));
    const isLeaning =
      kind === "prose" &&
      before?.kind === "prose" &&
      // Another paragraph may have another author.
      !PARAGRAPH.test(text.slice(before.end, start)) &&
      isAnaphoric(text.slice(start, start + 40));
    if (!(isLeaning || isSameItem) || !before) named = start;
    else if (end - named > LONGEST_RUN) named = before.start;
    return {
      ...sentence,
      evidence,
      header: isHeader ? undefined : header,
      lead,
      states: kind !== "heading" && !isHeader && !asks(words) && hasWords(words.replace(LINK, " ")),
      from: named,
    };
  });
}

/** Returns how far the line of a sentence is indented, in characters. */
const indent = (text: string, { start }: Sentence) =>
  /^[^\S\n]*/.exec(text.slice(text.lastIndexOf("\n", start) + 1, start))?.[0].length ?? 0;

/** In characters. "It arrived in May. It holds two tons." says of what only with the sentence before both. */
const LONGEST_RUN = 500;

/** True if a list's introduction may only be repeated here: a quote of it with its items would be verbatim in no file. */
const isRepeated = (lead: Sentence, { id }: Evidence) => lead.start === 0 && /#[1-9]\d*$/.test(id);

const LINK = /!?\[[^\][\n]{1,300}\]\([^()\s]{0,500}(?:\s+"[^"\n]{0,200}")?\)|https?:\/\/[^\s<>|]+/gu;

const PARAGRAPH = /\n[^\S\n]*\n/;

/** Makes a claim of a unit: its text without markup but that of code, and verbatim quotes. A list item is quoted with the list before it. */
export function claimOf({ evidence, from, start, end, header, lead, kind }: Unit): DraftClaim {
  const { id: evidenceId, text } = evidence;
  const quote = text.slice(from, end);
  if (kind === "code") return { text: asCode(quote), citations: [{ evidenceId, quote }] };
  if (lead && end - lead.start <= LONGEST_RUN && !isRepeated(lead, evidence)) {
    const led = underLead(wordsAndCode(text.slice(lead.start, lead.end)), wordsAndCode(quote));
    return { text: led, citations: [{ evidenceId, quote: text.slice(lead.start, end) }] };
  }
  if (!header) return { text: wordsAndCode(quote), citations: [{ evidenceId, quote }] };
  const row = text.slice(start, end);
  const head = text.slice(header.start, header.end);
  return {
    text: wordsAndCode(readRow(head, row)),
    citations: [row, head].map((part) => ({ evidenceId, quote: part })),
  };
}

/** Writes lines of code as inline code, if they are short and have no mark that would end it. */
const asCode = (quote: string) => (/^[^`|\\]{1,500}$/.test(quote) ? `\`${onOneLine(quote)}\`` : wordsAndCode(quote));
