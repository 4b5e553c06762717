import { coverage, dot, inverseFrequency } from "../../language/similarity.js";
import type { Language } from "../../types/evidence.js";
import { queryTerms } from "./terms.js";

/**
 * What was found by words and what was found by meaning, as one ranking, by scores that mean the same for every question
 * (a convex combination: Bruch et al., arXiv 2210.11934).
 *
 * Meaning: by how much a passage is nearer to the question than passages in its language usually are. Cosines alone will
 * not do: two texts that have nothing in common are nearer in one language than a question and its answer in two, so that
 * in a store of both languages the answer in the other one would come after everything else. A passage that has no vector
 * yet is taken to be as near as its words say.
 *
 * Words: the score as a share of the best, times the share of the question's words that the best has, squared: a few
 * words in common say little, as where the answer is in another language; most of them in one passage say much.
 */
export function fuse<T extends Found>({ question, vector, words, meanings, means }: Both<T>): T[] {
  const best = words[0]?.score ?? 1;
  const texts = words.map(({ terms }) => new Set(terms.split(" ")));
  const covered = coverage(queryTerms(question), texts[0] ?? new Set(), inverseFrequency(texts));
  const shares = new Map(words.map(({ id, score }) => [id, (score / best) * covered]));
  const usual = new Map(
    [...Map.groupBy(meanings, ({ language }) => language)].map(([language, found]) => {
      const vectors = means.get(language);
      return [language, vectors ? dot(vector, vectors) : mean(found.map(({ cosine = 0 }) => cosine))];
    }),
  );
  const nearer = ({ cosine, language }: T) =>
    cosine === undefined ? undefined : cosine - (usual.get(language) ?? cosine);
  const nearest = Math.max(0, ...meanings.map((one) => nearer(one) ?? 0));
  const found = new Map<string, T>([...words, ...meanings].map((one) => [one.id, one]));
  return [...found.values()]
    .map((one) => {
      const share = shares.get(one.id) ?? 0;
      return { ...one, score: WORDS * share ** 2 + (1 - WORDS) * (nearer(one) ?? share * nearest) };
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/**
 * An answer is nearer by 0.05 to 0.13 than usual passages (multilingual E5), and its share squared is 0.3 to 1. Between
 * 0.1 and 0.2 nothing changes by more than one question in a hundred.
 */
const WORDS = 0.15;

interface Both<T> {
  question: string;
  vector: readonly number[];
  words: readonly (T & { terms: string })[];
  meanings: readonly T[];
  means: LanguageMeans;
}

interface Found {
  id: string;
  score: number;
  language: Language;
  /** -1 to 1; undefined where there is no vector. */
  cosine?: number | undefined;
}

/** The mean of each language's vectors. Its dot product with a question is the mean cosine of those passages. */
export type LanguageMeans = ReadonlyMap<Language, readonly number[]>;

/** A language with few passages here is left out: the nearest that are found of it are most of those there are. */
export function languageMeans(sample: readonly { language: Language; vector: readonly number[] }[]): LanguageMeans {
  const languages = [...Map.groupBy(sample, ({ language }) => language)].filter(([, { length }]) => length >= FEW);
  return new Map(
    languages.map(([language, all]) => [
      language,
      all[0]?.vector.map((_, i) => mean(all.map(({ vector }) => vector[i] ?? 0))) ?? [],
    ]),
  );
}

const FEW = 16;

const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
