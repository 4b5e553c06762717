/** How many of the best are ranked again or fused: with more the order of the first ten no longer changes. */
export const CANDIDATES = 30;

/**
 * Candidates again, those first where words of the query also stand side by side. BM25 counts words wherever they are;
 * each pair of neighbouring terms that a passage has adds the inverse frequency, among the candidates, of the commoner
 * of the two (sequential dependence, Metzler and Croft, SIGIR 2005). Ties go by id, so that a result is the same twice.
 */
export function favourPhrases<T extends Candidate>(query: readonly string[], candidates: readonly T[]): T[] {
  const weigh = inverseFrequency(new Set(query), candidates);
  const pairs = new Map<string, Map<string, number>>();
  for (const [i, second] of query.slice(1).entries()) {
    const first = query[i] ?? "";
    const seconds = pairs.get(first) ?? new Map<string, number>();
    pairs.set(first, seconds.set(second, Math.min(weigh(first), weigh(second))));
  }
  return candidates
    .map((candidate) => ({ ...candidate, score: candidate.score + phraseScore(candidate.terms, pairs) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

interface Candidate {
  id: string;
  score: number;
  /** In the order of the text. */
  terms: readonly string[];
}

/** Each pair counts once, however often it occurs. */
function phraseScore(terms: readonly string[], pairs: ReadonlyMap<string, ReadonlyMap<string, number>>): number {
  const found = new Map<string, number>();
  for (let i = 1; i < terms.length; i++) {
    const [first = "", second = ""] = [terms[i - 1], terms[i]];
    const weight = pairs.get(first)?.get(second);
    if (weight !== undefined) found.set(`${first} ${second}`, weight);
  }
  return found.values().reduce((sum, weight) => sum + weight, 0);
}

/** As in BM25, over the candidates: a term that all of them have tells nothing about their order. */
function inverseFrequency(wanted: ReadonlySet<string>, candidates: readonly Candidate[]): (term: string) => number {
  const frequency = new Map<string, number>();
  for (const { terms } of candidates)
    for (const term of new Set(terms.filter((term) => wanted.has(term))))
      frequency.set(term, (frequency.get(term) ?? 0) + 1);
  return (term) => {
    const n = frequency.get(term) ?? 0;
    return Math.log(1 + (candidates.length - n + 0.5) / (n + 0.5));
  };
}
