/** How many of the best are ranked again or fused: with more the order of the first ten no longer changes. */
export const CANDIDATES = 30;

/**
 * Candidates again, those first where words of the query also stand side by side. BM25 counts words wherever they are;
 * each pair of neighbouring terms that a passage has adds once the inverse frequency, among the candidates, of the commoner
 * of the two (sequential dependence, Metzler and Croft, SIGIR 2005). Ties go by id, so that a result is the same twice.
 */
export function favourPhrases<T extends Candidate>(query: readonly string[], candidates: readonly T[]): T[] {
  const looked = query.slice(0, LOOKED_AT);
  // Looked for as text: cutting thirty passages into their terms takes longer than all else.
  const texts = candidates.map(({ terms }) => ` ${terms} `);
  const weights = inverseFrequencies(new Set(looked), texts);
  const pairs = new Map<string, number>();
  for (const [i, second] of looked.slice(1).entries()) {
    const first = looked[i] ?? "";
    pairs.set(` ${first} ${second} `, Math.min(weights.get(first) ?? 0, weights.get(second) ?? 0));
  }
  const phraseScore = (text: string) =>
    pairs.entries().reduce((sum, [pair, weight]) => (text.includes(pair) ? sum + weight : sum), 0);
  return candidates
    .map((candidate, i) => ({ ...candidate, score: candidate.score + phraseScore(texts[i] ?? "") }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** Terms of the query: enough for a page of text. */
const LOOKED_AT = 256;

interface Candidate {
  id: string;
  score: number;
  /** In the order of the text, with a space between any two. */
  terms: string;
}

/** As in BM25, over the candidates: a term that all of them have tells nothing about their order. */
const inverseFrequencies = (wanted: ReadonlySet<string>, texts: readonly string[]): ReadonlyMap<string, number> =>
  new Map(
    [...wanted].map((term) => {
      const n = texts.filter((text) => text.includes(` ${term} `)).length;
      return [term, Math.log(1 + (texts.length - n + 0.5) / (n + 0.5))];
    }),
  );
