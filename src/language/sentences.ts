import type { Span } from "../types/evidence.js";
import { type Block, blocks } from "./blocks.js";
import { proseSentences } from "./prose.js";
import { remembered } from "./remembered.js";
import { simplified } from "./simplified.js";
import { hasWords } from "./tokens.js";

/** In characters: a thousand passages or so. */
const REMEMBERED = 1_000_000;

/** A sentence, or what stands in its place in Markdown: a heading, a table row, a group of code lines. */
export type Sentence = Span & { kind: Block["kind"] };

/**
 * The sentences of a text, as offsets: trimmed, in order, never overlapping, each with at least one letter or digit.
 * Markdown headings, list items, table rows and groups of code lines never share a sentence.
 */
export const sentences: (text: string) => readonly Sentence[] = remembered(
  (text) =>
    blocks(text)
      .flatMap((block) => {
        const whole = block.kind === "heading" || block.kind === "row" || block.kind === "code";
        const spans = whole ? [trimmed(text, block)] : proseSentences(text, block);
        return spans.map((span) => ({ start: span.start, end: span.end, kind: block.kind }));
      })
      .flatMap((sentence) => shortened(text, sentence))
      .filter((sentence) => hasWords(text.slice(sentence.start, sentence.end))),
  REMEMBERED,
);

/**
 * Consecutive sentences in groups small enough to be judged one by one: about 3 sentences, 60 words or 120 Chinese
 * characters. A heading opens a group. Together the groups hold every sentence, in order.
 */
export const strips: (text: string) => readonly Span[] = remembered((text) => {
  const groups: (Span & { sentences: number; size: number; headed: boolean })[] = [];
  for (const sentence of sentences(text)) {
    const size = sizeOf(text.slice(sentence.start, sentence.end));
    const heading = sentence.kind === "heading";
    const last = groups.at(-1);
    const fits = last && (last.size + size <= STRIP_WORDS || last.sentences === 0) && last.sentences < STRIP_SENTENCES;
    if (!last || !fits || (heading && !last.headed)) {
      groups.push({ start: sentence.start, end: sentence.end, sentences: weightOf(sentence), size, headed: heading });
      continue;
    }
    last.end = sentence.end;
    last.sentences += weightOf(sentence);
    last.size += size;
    last.headed &&= heading;
  }
  return groups.map(({ start, end }) => ({ start, end }));
}, REMEMBERED);

const STRIP_SENTENCES = 3;
const STRIP_WORDS = 60;
/** Text without sentence ends (a log, a minified file) is cut at this many characters, at a space where there is one. */
const SENTENCE_CHARACTERS = 1200;

/** Rows and items are shorter than sentences; a heading only names what follows. */
const weightOf = (sentence: Sentence) =>
  sentence.kind === "heading" ? 0 : sentence.kind === "row" || sentence.kind === "item" ? 0.5 : 1;

/** Size in English words; two Chinese characters count as one. */
export const sizeOf = (text: string) =>
  (text.match(/\p{Script=Han}/gu)?.length ?? 0) / 2 +
  (text.match(/(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu)?.length ?? 0);

function shortened(text: string, sentence: Sentence): Sentence[] {
  const parts: Sentence[] = [];
  let start = sentence.start;
  while (sentence.end - start > SENTENCE_CHARACTERS) {
    const window = text.slice(start, start + SENTENCE_CHARACTERS);
    const cut = Math.max(window.lastIndexOf(" "), window.lastIndexOf("\n"), window.lastIndexOf("，") + 1);
    let end = start + (cut > SENTENCE_CHARACTERS / 2 ? cut : SENTENCE_CHARACTERS);
    if (isLowSurrogate(text, end)) end -= 1;
    parts.push({ ...trimmed(text, { start, end }), kind: sentence.kind });
    start = trimmed(text, { start: end, end: sentence.end }).start;
  }
  return [...parts, { start, end: sentence.end, kind: sentence.kind }];
}

const isLowSurrogate = (text: string, at: number) => /[\udc00-\udfff]/.test(text.charAt(at));

/** The span without white space at its edges. */
function trimmed(text: string, { start, end }: Span): Span {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text.charAt(from))) from += 1;
  while (to > from && /\s/.test(text.charAt(to - 1))) to -= 1;
  return { start: from, end: to };
}

/** Whether a sentence begins with a word for what the sentence before it named, and says little without that one. */
export const leans = (sentence: string) => LEANS.test(simplified(sentence.slice(0, 40)));

const LEANS =
  /^["“*_]*(?:(?:it|its|they|their|these|those|this|that|he|his|she|her|such|both|the (?:former|latter|same)|here|there)\b(?! (?:is|are|was|were) no\b)|它|其|他|她|该|此|这|那|两者|前者|后者)/i;
