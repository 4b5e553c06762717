import type { Span } from "../types/evidence.js";
import { type Block, blocks } from "./blocks.js";
import { languageOf } from "./language.js";
import { among, POINTERS } from "./lexicon.js";
import { memoize } from "./memoize.js";
import { proseSentences } from "./prose.js";
import { simplified } from "./simplified.js";
import { hasWords, RUN } from "./tokens.js";

/** In characters: about a thousand passages. */
const REMEMBERED = 1_000_000;

/** A sentence, or in Markdown also a heading, a table row or a group of code lines. */
export type Sentence = Span & { kind: Block["kind"] };

/**
 * Cuts a text into sentences: trimmed, in order, never overlapping, each with at least one letter or digit. No sentence
 * reaches across a Markdown heading, list item, table row or group of code lines.
 */
export const sentences: (text: string) => readonly Sentence[] = memoize(
  (text) =>
    blocks(text)
      .flatMap((block) => {
        const whole = block.kind === "heading" || block.kind === "row" || block.kind === "code";
        const spans = whole ? [trimmed(text, block)] : proseSentences(text, block);
        return spans.map(({ start, end }) => ({ start, end, kind: block.kind }));
      })
      .flatMap((sentence) => shortened(text, sentence))
      .filter((sentence) => hasWords(text.slice(sentence.start, sentence.end))),
  REMEMBERED,
);

/** The level of a heading: its number of `#` marks, or 1 or 2 by what underlines it. */
export const depthOf = (text: string, { start, end }: Span): number =>
  /#*(?=[ \t]*$)/.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ||
  (/^[ \t]*\n[ \t]*=/.test(text.slice(end, end + 20)) ? 1 : 2);

/** True for a question, but not for a statement that ends with a quoted one ("Who?"). */
export const asks = (sentence: string): boolean => /[?？][\s*_)）]*$/u.test(sentence);

/** Returns the words of each sentence. */
export const sentenceTexts = (text: string): string[] =>
  sentences(text).map(({ start, end }) => text.slice(start, end));

/**
 * Groups consecutive sentences into strips that are judged one by one: about 3 sentences, 60 words or 120 Chinese
 * characters. A heading opens a strip. Together the strips hold every sentence, in order.
 */
export const strips: (text: string) => readonly Span[] = memoize((text) => {
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
/** A longer sentence (a log, a minified file) is cut, at a space if there is one. */
const SENTENCE_CHARACTERS = 1200;

/** Rows and items count half, since they are shorter; a heading only names what follows. */
const weightOf = (sentence: Sentence) =>
  sentence.kind === "heading" ? 0 : sentence.kind === "row" || sentence.kind === "item" ? 0.5 : 1;

/** Counts words; two characters of a script without spaces, such as Chinese, count as one. */
export const sizeOf = (text: string) =>
  (text.match(IN_RUN)?.length ?? 0) / 2 + (text.replace(IN_RUN, " ").match(/[\p{L}\p{N}]+/gu)?.length ?? 0);

const IN_RUN = new RegExp(`[${RUN}]`, "gu");

function shortened(text: string, sentence: Sentence): Sentence[] {
  const parts: Sentence[] = [];
  let start = sentence.start;
  while (sentence.end - start > SENTENCE_CHARACTERS) {
    const window = text.slice(start, start + SENTENCE_CHARACTERS);
    const cut = Math.max(window.lastIndexOf(" "), window.lastIndexOf("\n"), window.lastIndexOf("，") + 1);
    let end = start + (cut > SENTENCE_CHARACTERS / 2 ? cut : SENTENCE_CHARACTERS);
    if (/[\udc00-\udfff]/.test(text.charAt(end))) end -= 1;
    parts.push({ ...trimmed(text, { start, end }), kind: sentence.kind });
    start = trimmed(text, { start: end, end: sentence.end }).start;
  }
  return [...parts, { start, end: sentence.end, kind: sentence.kind }];
}

/** Returns the span without white space at its edges; a span of nothing else is empty. */
function trimmed(text: string, { start, end }: Span): Span {
  const words = text.slice(start, end).trimStart();
  return { start: end - words.length, end: end - words.length + words.trimEnd().length };
}

/** True if a sentence begins with an anaphora, and says little without the sentence before it. */
export const isAnaphoric = (sentence: string) =>
  languageOf(sentence) !== "other" && LEANS.test(simplified(sentence.slice(0, 40)));

const LEANS = new RegExp(
  `^["“*_]*(?:(?:${among(POINTERS.en)}|such|both|the (?:former|latter|same)|here|there)\\b(?! (?:is|are|was|were) no\\b)|${among(POINTERS.zh)}|两者|前者|后者)`,
  "i",
);
