import { names } from "../text/names.js";
import { negations } from "../text/negation.js";
import { quantities } from "../text/numbers.js";
import { inOrder, jaccard } from "../text/similarity.js";
import { contentTerms, plain } from "../text/tokens.js";
import type { CheckedClaim } from "../types/answer.js";

/**
 * Claims that say the same as an earlier one are left out, and their quotes join that one's. The same means: the same
 * amounts and names, denied alike, and the words alike by more than 0.85, as sets (Jaccard) or as counts (cosine).
 */
export function withoutRepeats(claims: readonly CheckedClaim[]): CheckedClaim[] {
  const kept: CheckedClaim[] = [];
  for (const claim of claims) {
    const at = kept.findIndex((earlier) => saysTheSame(earlier.text, claim.text));
    const earlier = kept[at];
    if (earlier) kept[at] = { ...earlier, quotes: joined(earlier.quotes, claim.quotes) };
    else kept.push(claim);
  }
  return kept;
}

function saysTheSame(a: string, b: string): boolean {
  if (plain(a) === plain(b)) return true;
  const [here, there] = [contentTerms(a), contentTerms(b)];
  if (jaccard(new Set(here), new Set(there)) <= ALIKE && cosine(here, there) <= ALIKE) return false;
  return facts(a) === facts(b) && inOrder(here, there) > IN_ORDER;
}

const ALIKE = 0.85;
/** "Ann followed Bo" and "Bo followed Ann" have the same words. */
const IN_ORDER = 0.6;

/** What makes two sentences with the same words differ. */
const facts = (text: string) =>
  JSON.stringify([
    quantities(text)
      .map(({ key }) => key)
      .toSorted(),
    names(text).map(plain).toSorted(),
    negations(text) % 2,
  ]);

function cosine(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [counts(a), counts(b)];
  const dot = [...left].reduce((sum, [term, count]) => sum + count * (right.get(term) ?? 0), 0);
  const length = (vector: Map<string, number>) => Math.hypot(...vector.values());
  return dot === 0 ? 0 : dot / (length(left) * length(right));
}

function counts(terms: readonly string[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const term of terms) all.set(term, (all.get(term) ?? 0) + 1);
  return all;
}

const joined = (mine: CheckedClaim["quotes"], others: CheckedClaim["quotes"]) => [
  ...mine,
  ...others.filter((other) => !mine.some((q) => q.evidenceId === other.evidenceId && q.start === other.start)),
];
