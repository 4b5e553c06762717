import type { Claim, Reference } from "../types/answer.js";

/**
 * Returns the numbers of the references of claims that cite only references older than this many days. The age of a
 * reference counts from its last review or, if later, from the first day on which it is valid. Without either date, it
 * is never old.
 */
export function staleIn(
  claims: readonly Claim[],
  references: readonly Reference[],
  days: number,
  now = Date.now(),
): number[] {
  if (days === 0) return [];
  const limit = new Date(now - days * DAY).toISOString().slice(0, "2026-01-31".length);
  const isOld = (number: number) => {
    const { date = "", validFrom = "" } = references.find((reference) => reference.number === number) ?? {};
    const newest = [date, validFrom]
      .filter((one) => DATE.test(one))
      .toSorted()
      .at(-1);
    return newest !== undefined && newest < limit;
  };
  const cited = claims.map(({ citations }) => citations.map(({ reference }) => reference));
  return [...new Set(cited.filter((numbers) => numbers.every(isOld)).flat())];
}

/** In milliseconds. */
const DAY = 86_400_000;
/**
 * A date with a time says when the source was retrieved, so it does not match. Nor does anything else that is not an
 * ISO date.
 */
const DATE = /^\d{4}-\d\d-\d\d$/;
