/** The weight of a term; higher for rarer ones. */
export type Weight = (term: string) => number;

/** Returns the share of the wanted terms, by weight, that a text has: 0 to 1; 0 if nothing is wanted. */
export function coverage(wanted: Iterable<string>, text: ReadonlySet<string>, weight: Weight = () => 1): number {
  let all = 0;
  let met = 0;
  for (const term of new Set(wanted)) {
    all += weight(term);
    if (text.has(term)) met += weight(term);
  }
  return all === 0 ? 0 : met / all;
}

/** Returns the cosine of two vectors of unit length: -1 to 1. */
export const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

/** Returns the Jaccard similarity of two sets: 0 to 1; 0 for two empty sets. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const together = a.union(b).size;
  return together === 0 ? 0 : a.intersection(b).size / together;
}

/** Returns the inverse document frequency of BM25 over these texts; never negative. */
export function inverseFrequency(texts: readonly Iterable<string>[]): Weight {
  const counts = new Map<string, number>();
  for (const text of texts) for (const term of new Set(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return (term) => {
    const count = counts.get(term) ?? 0;
    return Math.log(1 + (texts.length - count + 0.5) / (count + 0.5));
  };
}

/** Returns for each term the items that have it, in order. */
export function invertedIndex<T>(items: Iterable<readonly [item: T, terms: Iterable<string>]>): Map<string, T[]> {
  const index = new Map<string, T[]>();
  for (const [item, terms] of items) {
    for (const term of terms) {
      const holders = index.get(term);
      if (holders) holders.push(item);
      else index.set(term, [item]);
    }
  }
  return index;
}
