/**
 * Several rankings as one, best first: an item scores the sum of 1 / (60 + rank) over the rankings it is in
 * (reciprocal rank fusion, Cormack et al., SIGIR 2009). Scores of the rankings themselves are not compared;
 * of two that tie, the first ranking's comes first.
 */
export function fuse<T extends { id: string; score: number }>(...rankings: readonly (readonly T[])[]): T[] {
  const fused = new Map<string, T>();
  for (const ranking of rankings)
    for (const [i, item] of ranking.entries()) {
      const score = (fused.get(item.id)?.score ?? 0) + 1 / (SMOOTHING + i + 1);
      fused.set(item.id, { ...item, score });
    }
  return [...fused.values()].sort((a, b) => b.score - a.score);
}

const SMOOTHING = 60;
