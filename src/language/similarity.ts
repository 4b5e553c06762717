/** How much a term says; more for rarer ones. */
export type Weight = (term: string) => number;

/** The share of the wanted terms, by weight, that a text has: 0 to 1; 0 when nothing is wanted. */
export function coverage(wanted: Iterable<string>, text: ReadonlySet<string>, weight: Weight = () => 1): number {
  let all = 0;
  let met = 0;
  for (const term of new Set(wanted)) {
    all += weight(term);
    if (text.has(term)) met += weight(term);
  }
  return all === 0 ? 0 : met / all;
}

/** The similarity of two vectors of unit length: their cosine, -1 to 1. */
export const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

/** What two sets share, of all they hold together: 0 to 1; 0 for two empty sets. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const together = a.union(b).size;
  return together === 0 ? 0 : a.intersection(b).size / together;
}

/** Weighs terms by how few of these texts have them (the inverse document frequency of BM25; never negative). */
export function inverseFrequency(texts: readonly Iterable<string>[]): Weight {
  const counts = new Map<string, number>();
  for (const text of texts) for (const term of new Set(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return (term) => {
    const count = counts.get(term) ?? 0;
    return Math.log(1 + (texts.length - count + 0.5) / (count + 0.5));
  };
}
