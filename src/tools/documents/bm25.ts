/** How often the terms of a query occur in a store. */
export interface TermCounts {
  /** The number of passages that contain each term. */
  passages: ReadonlyMap<string, number>;
  /** The number of all passages. */
  total: number;
  /** The mean number of terms of a passage. */
  usualLength: number;
}

/** The inverse document frequency of BM25. */
export const inverseFrequencyIn = ({ passages, total }: TermCounts) => {
  return (term: string): number => {
    const count = passages.get(term) ?? 0;
    return Math.log(1 + (total - count + 0.5) / (count + 0.5));
  };
};

/** Scores texts, given as their terms, by BM25 (Robertson and Zaragoza 2009; k1 1.2, b 0.75). */
export function bm25(query: readonly string[], texts: readonly (readonly string[])[], counts: TermCounts): number[] {
  const weight = inverseFrequencyIn(counts);
  const weights = new Map(query.map((term) => [term, weight(term)]));
  return texts.map((terms) => {
    const found = new Map<string, number>();
    for (const term of terms) if (weights.has(term)) found.set(term, (found.get(term) ?? 0) + 1);
    const room = K1 * (1 - B + (B * terms.length) / (counts.usualLength || 1));
    let score = 0;
    for (const [term, times] of found) score += ((weights.get(term) ?? 0) * times * (K1 + 1)) / (times + room);
    return score;
  });
}

const K1 = 1.2;
const B = 0.75;

/**
 * Returns the terms that select the candidates of a search, rarest first. Common terms are left out once the rarer ones
 * occur in `MOST_READ` passages, so that they do not slow down searches in a large store. They still count in the
 * score.
 */
export function rarest(query: readonly string[], { passages }: TermCounts): string[] {
  const known = query.filter((term) => passages.has(term));
  known.sort((a, b) => (passages.get(a) ?? 0) - (passages.get(b) ?? 0) || (a < b ? -1 : 1));
  let read = 0;
  return known.filter((term, i) => {
    const isWanted = i === 0 || read < MOST_READ;
    read += passages.get(term) ?? 0;
    return isWanted;
  });
}

/**
 * In passages. On 736 passages of XQuAD and CMRC (1,691 questions), R@1 is .947 both with all of them and with a
 * twentieth, and .946 with a fiftieth.
 */
const MOST_READ = 5_000;
