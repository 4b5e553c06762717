import { SMALL_WORDS } from "../text/lexicon.js";
import { overlap } from "../text/spans.js";
import { cells, withUnits } from "../text/tables.js";
import { quantities } from "./numbers.js";
import { conflicts, stated } from "./stated.js";
import { signsBesideAmounts, type Word, wordsOf } from "./words.js";

/**
 * Compares a claim with one row of a table. The claim has to name the row by its first filled cell and a column by its
 * heading: the cell then supports it, in any unit, or contradicts it with another amount, which is returned beside the
 * claim's. Undefined if the claim says more.
 */
export function cellSays(
  claim: string,
  { head, row, leads }: { head: string; row: string; leads: readonly string[] },
): "supported" | { cell: string; claim: string } | undefined {
  const [names, values] = [cells(head), withUnits(head, row)];
  const subject = values.findIndex((value) => value !== "");
  const label = wordsOf(values[subject] ?? "");
  const said = wordsOf(claim);
  if (label.length === 0 || !hasAll(said, label)) return undefined;
  const corner = wordsOf(names[subject] ?? "");
  // Such a claim does not tell which row is the head. A part of a heading is not enough: it may be a part of a cell.
  const hasBoth = corner.length > 0 && hasAll(said, corner);
  const context = [...label, ...corner, ...leads.flatMap(wordsOf)];
  const own = quantities(claim).filter(
    (amount) => !said.some((token) => isOf(token, context) && overlap(token, amount)),
  );
  for (const [i, value] of values.entries()) {
    const heading = wordsOf(names[i] ?? "").filter(counts);
    const cell = wordsOf(value);
    const isHeaded = heading.some((token) => isOf(token, said)) && (!hasBoth || hasAll(said, heading));
    if (i === subject || cell.length === 0 || !isHeaded) continue;
    // The A of "Ticket A" is not an article.
    const isLetter = ({ start, end }: Word) => start > 0 && /^[A-Z]$/.test(claim.slice(start, end));
    const rest = said.filter((token) => (counts(token) || isLetter(token)) && !isOf(token, [...context, ...heading]));
    if (hasAll(said, cell) && hasAll(cell, rest) && signsBesideAmounts(claim) === signsBesideAmounts(value))
      return "supported";
    const there = quantities(value);
    const [mine, theirs] = [own[0], there[0]];
    if (mine && theirs && own.length === 1 && there.length === 1 && hasAll(said, heading) && rest.length === 1) {
      if (stated(mine, there) === "no" && conflicts(mine, theirs)) return { cell: value, claim: mine.text };
    }
  }
  return undefined;
}

const isOf = ({ key }: Word, some: readonly Word[]) => some.some((other) => other.key === key);
const hasAll = (some: readonly Word[], wanted: readonly Word[]) => wanted.every((token) => isOf(token, some));
const counts = ({ key }: Word) => !SMALL_WORDS.has(key) && !["in", "for", "at"].includes(key);
