import { languageOf } from "../../../text/language.js";
import { names } from "../../../text/names.js";
import { negations } from "../../../text/negation.js";
import { acceptableRewrite } from "../../../text/rewrite.js";
import { chineseWords, contentTerms, plain } from "../../../text/tokens.js";
import type { Rewriter, Task } from "../port.js";
import { standalone } from "./standalone.js";

export interface LocalRewriterOptions {
  /** How many passages of the corpus hold a term; words that none holds are dropped. Default: nothing is known. */
  vocabulary?: (term: string) => Promise<number>;
}

/** Says a question differently without a model: fewer words, then words that stand beside them in what was found. */
export function localRewriter({ vocabulary }: LocalRewriterOptions = {}): Rewriter {
  return {
    standalone: async (question, history) => standalone(question, history),

    async rewrite(task) {
      const words = searchWords(task.question);
      const known = vocabulary ? await Promise.all(words.map((word) => isKnown(word, vocabulary))) : undefined;
      const kept = words.filter((word, i) => known?.[i] !== false || mustStay(word));
      const found = companions(task);
      const options = [kept, ...found.map((_, i) => [...kept, ...found.slice(0, i + 1)])].map((list) => list.join(" "));
      const acceptable = options.filter((query) => acceptableRewrite(task.question, query));
      return acceptable.find((query) => !task.queries.includes(query)) ?? acceptable.at(-1) ?? task.question;
    },
  };
}

const COMPANIONS = 3;
const WORTH_READING = 0.3;

const mustStay = (word: string) => /\p{N}/u.test(word) || negations(word) > 0 || names(`, ${word}`).length > 0;

async function isKnown(word: string, vocabulary: (term: string) => Promise<number>): Promise<boolean> {
  const counts = await Promise.all(contentTerms(word).map(vocabulary));
  return counts.length === 0 || counts.some((count) => count > 0);
}

/** The words of a question that are worth searching for, as it writes them. */
function searchWords(question: string): string[] {
  const pieces = question.match(/\p{Script=Han}+|[^\s\p{Script=Han}]+/gu) ?? [];
  const words = pieces.flatMap((piece) =>
    /\p{Script=Han}/u.test(piece) ? chineseWords(piece) : [piece.replace(/^[^\p{L}\p{N}$€£¥]+|[^\p{L}\p{N}%]+$/gu, "")],
  );
  return [...new Set(words.filter((word) => negations(word) > 0 || contentTerms(word).length > 0))];
}

/** Pseudo-relevance feedback: the words that the best strips share and the rest of the evidence seldom has. */
function companions({ question, evidence }: Task): string[] {
  const asked = new Set(contentTerms(question));
  const strips = evidence.flatMap((piece) =>
    piece.strips.map((strip) => ({ ...strip, words: wordsOf(piece.text.slice(strip.start, strip.end)) })),
  );
  const best = strips
    .filter(({ relevance }) => relevance >= WORTH_READING)
    .toSorted((a, b) => b.relevance - a.relevance)
    .slice(0, 3);
  const language = languageOf(question);
  const score = (word: string) => {
    const here = best.filter(({ words }) => words.has(word)).length / Math.max(1, best.length);
    const everywhere = strips.filter(({ words }) => words.has(word)).length / Math.max(1, strips.length);
    return here * (1 - everywhere / 2);
  };
  return [...new Set(best.flatMap(({ words }) => [...words]))]
    .filter((word) => languageOf(word) === language && negations(word) === 0 && !/\p{N}/u.test(word))
    .filter((word) => !contentTerms(word).some((term) => asked.has(term)))
    .map((word) => ({ word, score: score(word) }))
    .toSorted((a, b) => b.score - a.score || b.word.length - a.word.length)
    .slice(0, COMPANIONS)
    .map(({ word }) => word);
}

function wordsOf(text: string): ReadonlySet<string> {
  const pieces = plain(text).match(/\p{Script=Han}+|[\p{L}\p{N}-]+/gu) ?? [];
  const words = pieces.flatMap((piece) => (/\p{Script=Han}/u.test(piece) ? chineseWords(piece) : [piece]));
  return new Set(words.filter((word) => word.length > 1 && contentTerms(word).length > 0));
}
