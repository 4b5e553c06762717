import { faultOf } from "../language/faults.js";
import { jaccard } from "../language/similarity.js";
import { contentTerms, plain } from "../language/tokens.js";
import type { CheckedClaim } from "../types/answer.js";

/**
 * Claims that say the same as an earlier one are left out, and their quotes join that one's. The same means: words alike by
 * more than 0.85 as sets (Jaccard), and no other amount, name, denial or order.
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
  const alike = jaccard(new Set(contentTerms(a)), new Set(contentTerms(b)));
  return alike > ALIKE && !faultOf(a, [b]) && !faultOf(b, [a]);
}

const ALIKE = 0.85;

const joined = (mine: CheckedClaim["quotes"], others: CheckedClaim["quotes"]) => [
  ...mine,
  ...others.filter((other) => !mine.some((q) => q.evidenceId === other.evidenceId && q.start === other.start)),
];
