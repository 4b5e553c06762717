import { UsageError } from "../../errors.js";
import { coverage, dot, inverseFrequency } from "../../text/similarity.js";
import type { Language } from "../../types/language.js";
import { MAX_QUERY_TERMS, queryTerms } from "./terms.js";

/**
 * Returns how many candidates to rank for the best `limit`.
 * @throws UsageError if the limit is not 1 to 200.
 */
export function candidatesFor(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    throw new UsageError(`A search returns 1 to 200 passages, not ${limit}.`);
  return Math.max(limit, CANDIDATES);
}

/** More candidates no longer change the order of the first ten. */
const CANDIDATES = 30;

interface Ranked {
  id: string;
  score: number;
}

interface ByWords extends Ranked {
  /** In the order of the text, separated by spaces. */
  terms: string;
}

/** Sorts by descending score. Ties go by id, so that results are reproducible. */
export const bestFirst = (a: Ranked, b: Ranked) => b.score - a.score || (a.id < b.id ? -1 : 1);

/**
 * Reranks BM25 results by phrases (sequential dependence, Metzler and Croft, SIGIR 2005). Each pair of neighbouring query
 * terms that a passage contains adds the inverse frequency, among the candidates, of the more common term.
 */
export function favourPhrases<T extends ByWords>(query: readonly string[], candidates: readonly T[]): T[] {
  const wanted = query.slice(0, MAX_QUERY_TERMS);
  const pairs = new Map(
    wanted.slice(1).map((second, i) => [`${wanted[i]} ${second}`, [wanted[i] ?? "", second] as const]),
  );
  const present = candidates.map(({ terms }) => termsIn(terms, wanted));
  const weight = inverseFrequency(present);
  const phraseScore = (text = "", terms: ReadonlySet<string> = new Set()) => {
    let score = 0;
    for (const [pair, [first, second]] of pairs)
      if (terms.has(first) && terms.has(second) && timesIn(text, pair) > 0)
        score += Math.min(weight(first), weight(second));
    return score;
  };
  return candidates
    .map((candidate, i) => ({ ...candidate, score: candidate.score + phraseScore(candidate.terms, present[i]) }))
    .sort(bestFirst);
}

/**
 * Counts how often a text, given as its terms between spaces, has a term, or terms next to each other. For a question, this
 * takes a fifth of the time of splitting sixty Chinese passages into their terms; for a page as the question, a third more.
 */
export function timesIn(terms: string, wanted: string): number {
  let times = 0;
  for (let at = terms.indexOf(wanted); at >= 0; at = terms.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if ((at === 0 || terms[at - 1] === " ") && (end === terms.length || terms[end] === " ")) times += 1;
  }
  return times;
}

const SPACE = 32;

/** Returns those of some terms that a text has. */
const termsIn = (terms: string, wanted: readonly string[]): Set<string> =>
  new Set(wanted.filter((term) => timesIn(terms, term) > 0));

/** Returns the number of terms of a text. */
export function lengthOf(terms: string): number {
  let spaces = 0;
  for (let at = 0; at < terms.length; at++) if (terms.charCodeAt(at) === SPACE) spaces += 1;
  return spaces + 1;
}

/**
 * Merges the results of full-text and vector search into one ranking. The score is a convex combination (Bruch et al.,
 * arXiv 2210.11934) of two scores that are comparable between questions.
 * Meaning: the cosine minus the usual cosine of passages in the same language. Raw cosines are not comparable across
 * languages: unrelated texts in one language are closer than a question and its answer in two. A passage without a
 * vector is rated by its words.
 * Words: the score relative to the best, cubed, times the share of the query's words that the best passage contains. Among
 * passages that share words with the query, only the best say much. The very best counts up to twice, the more the further
 * it is ahead of the second.
 */
export function fuse<T extends Found>({ question, vector, words, meanings, means }: Results<T>): T[] {
  const [{ score: best } = { score: 1 }, { score: second } = { score: 0 }] = words;
  const asked = queryTerms(question).filter((term) => !CHARACTERS.test(term));
  const texts = words.map(({ terms }) => termsIn(terms, asked));
  const covered = coverage(asked, texts[0] ?? new Set(), inverseFrequency(texts));
  const shares = new Map(words.map(({ id, score }) => [id, score / best]));
  const usual = new Map(
    [...Map.groupBy(meanings, ({ language }) => language)].map(([language, found]) => {
      const center = means.get(language);
      return [language, center ? dot(vector, center) : mean(found.map(({ cosine = 0 }) => cosine))];
    }),
  );
  const nearer = ({ cosine, language }: T) =>
    cosine === undefined ? undefined : cosine - (usual.get(language) ?? cosine);
  const nearest = Math.max(0, ...meanings.map((one) => nearer(one) ?? 0));
  const found = new Map<string, T>([...words, ...meanings].map((one) => [one.id, one]));
  return [...found.values()]
    .map((one) => {
      const share = shares.get(one.id) ?? 0;
      const lead = share === 1 ? 1 - second / best : 0;
      const meaning = nearer(one) ?? share * covered * nearest;
      return { ...one, score: WORDS * covered * (share ** 3 + lead) + (1 - WORDS) * meaning };
    })
    .sort(bestFirst);
}

/**
 * The weight of words. A greater one ranks passages in another language than the question lower; a smaller one, Chinese
 * passages with the question's own words. Chosen among 0, .05, .1, .15 and .25 on five handbooks (research/RESULTS.md).
 */
const WORDS = 0.1;

/** Neighbouring characters, which are often no word: they are searched for, but a passage need not have them. */
const CHARACTERS = /^\p{Script=Han}{2,}$/u;

interface Results<T> {
  question: string;
  vector: readonly number[];
  /** Best first. */
  words: readonly (T & { terms: string })[];
  meanings: readonly T[];
  means: LanguageMeans;
}

interface Found extends Ranked {
  language: Language;
  /** -1 to 1; undefined without a vector. */
  cosine?: number | undefined;
}

/** The mean vector of each language. Its dot product with a question is the mean cosine of that language's passages. */
export type LanguageMeans = ReadonlyMap<Language, readonly number[]>;

/** Averages a sample of vectors by language. Leaves out languages with fewer than 16 vectors, which are too few. */
export function languageMeans(sample: readonly { language: Language; vector: readonly number[] }[]): LanguageMeans {
  const languages = [...Map.groupBy(sample, ({ language }) => language)].filter(([, { length }]) => length >= 16);
  return new Map(
    languages.map(([language, all]) => [
      language,
      all[0]?.vector.map((_, i) => mean(all.map(({ vector }) => vector[i] ?? 0))) ?? [],
    ]),
  );
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
