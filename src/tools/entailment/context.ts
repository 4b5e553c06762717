import type { Claim, Token } from "./claim.js";
import type { Ground } from "./ground.js";

/**
 * Whether each word of the claim has its company in the sources: a right name in the wrong place stands there among other
 * words than in the claim.
 */
export function contextSigns(claim: Claim, ground: Ground): Record<string, number> {
  const weights = new Map(claim.tokens.map(({ term }) => [term, ground.weight(term)]));
  const kinds = new Map(claim.tokens.map((token) => [token.term, token.kind]));
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const found: { kind: Token["kind"]; company: number; weight: number }[] = [];
  for (const [term, weight] of weights) {
    const places = ground.places.get(term);
    if (!places) continue;
    const rest = all - weight;
    const company = rest > 0 ? companyOf(term, places, weights, ground) / rest : 1;
    found.push({ kind: kinds.get(term) ?? "word", company, weight });
  }
  const sorted = found.map(({ company }) => company).toSorted((a, b) => a - b);
  const most = sorted.at(-1) ?? 0;
  const least = (kind: Token["kind"]) =>
    Math.min(1, ...found.filter((one) => one.kind === kind).map(({ company }) => company / (most || 1)));
  const rare = found.filter(({ weight }) => weight * found.length >= all * 0.8);
  return {
    company: most,
    leastCompany: sorted[0] ?? 0,
    secondLeastCompany: sorted[1] ?? sorted[0] ?? 0,
    meanCompany: sorted.reduce((sum, value) => sum + value, 0) / (sorted.length || 1),
    rareCompany: Math.min(1, ...rare.map(({ company }) => company / (most || 1))),
    nameCompany: least("name"),
    numberCompany: least("number"),
    lonely: found.filter(({ company }) => company < most / 2).length / (found.length || 1),
  };
}

/** The weight of the claim's other terms around the place of a term where it is greatest; the first places of a frequent term. */
function companyOf(
  term: string,
  places: readonly number[],
  weights: ReadonlyMap<string, number>,
  ground: Ground,
): number {
  let best = 0;
  for (const place of places.slice(0, MOST_PLACES)) {
    const seen = new Set([term]);
    let sum = 0;
    for (let i = Math.max(0, place - AROUND); i <= place + AROUND; i++) {
      const other = ground.terms[i];
      if (other === undefined || seen.has(other)) continue;
      seen.add(other);
      sum += weights.get(other) ?? 0;
    }
    best = Math.max(best, sum);
  }
  return best;
}
const AROUND = 12;
const MOST_PLACES = 50;
