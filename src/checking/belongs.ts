import { chineseNames } from "../facts/chinese-names.js";
import { mentions, names } from "../facts/names.js";
import { type Quantity, quantities } from "../facts/numbers.js";
import { approached, stated } from "../facts/stated.js";
import { memoize } from "../text/memoize.js";
import { simplified } from "../text/simplified.js";
import { contentTerms } from "../text/tokens.js";
import type { ClaimReason } from "../types/claim-reason.js";
import type { SourceUnit } from "./source-units.js";

/**
 * Says why the amounts and names of a claim cannot come from this text and its places, however similar the words are:
 * an amount is missing or has another unit, or two values are in different rows or items and nowhere together.
 * Undefined if there is no such reason.
 */
export function misplaced(claim: string, text: string, places: readonly SourceUnit[]): ClaimReason | undefined {
  const amounts = quantities(claim);
  const all = amounts.length > 0 ? quantities(text) : [];
  for (const amount of amounts) {
    const how = stated(amount, all);
    // A cell may take its unit from its heading.
    if (how === "yes" || places.some(({ text: said }) => stated(amount, quantities(said)) === "yes")) continue;
    if (how === "loosely" && !unitFollows(amount, text, all)) return { code: "other_unit", words: amount.text };
    if (how === "no" && !isCounted(amount) && !approached(amount, all))
      return { code: "not_mentioned", missing: [amount.text] };
  }
  const values = valuesOf(claim, amounts);
  const apart = valuesFromDifferentRows([...values, ...cellsIn(claim, places)].slice(0, MAX_VALUES), places);
  return apart && { code: "apart", first: apart[0].text, second: apart[1].text };
}

/** True if the text has the number with the unit a few words after it: "25 vacation days", 三十（30）日. */
function unitFollows(amount: Quantity, text: string, all: readonly Quantity[]): boolean {
  const unit = /[\p{L}%]+$/u.exec(amount.text)?.[0] ?? "";
  const [term = unit] = contentTerms(unit);
  const isUnit = (behind: string) =>
    /^\p{Script=Han}/u.test(unit) ? behind.slice(0, 4).includes(unit) : contentTerms(behind).slice(0, 3).includes(term);
  return unit !== "" && all.some(({ value, end }) => value === amount.value && isUnit(text.slice(end, end + 40)));
}

/** True for "two friends" and "the latter", which count what the source only lists. */
const isCounted = ({ kind, text }: Quantity) => kind === "ordinal" || (kind === "number" && !/\d/.test(text));

/** An amount, a name or a cell of a claim. */
interface Value {
  text: string;
  /** True for an amount, an identifier and a whole cell, which tell rows and items apart. */
  firm: boolean;
  isIn: (place: SourceUnit) => boolean;
}

function valuesOf(claim: string, amounts: readonly Quantity[]): Value[] {
  return [
    ...amounts.map((amount) => {
      const isIn = (place: SourceUnit) => stated(amount, quantities(place.text)) === "yes";
      return { text: amount.text, firm: true, isIn };
    }),
    ...names(claim).map((text) => ({
      text,
      firm: /\d/.test(text),
      isIn: (place: SourceUnit) => mentions(place.text, text),
    })),
    ...chineseNames(claim).map(({ name: text }) => {
      return { text, firm: false, isIn: (place: SourceUnit) => simplified(place.text).includes(simplified(text)) };
    }),
  ].slice(0, MAX_VALUES);
}

/** Returns the cells of the places whose words are all in the claim. */
function cellsIn(claim: string, places: readonly SourceUnit[]): Value[] {
  const said = termsOf(claim);
  const all = new Set(places.flatMap(({ cells }) => cells));
  return [...all].flatMap((cell): Value[] => {
    const wanted = termsOf(cell);
    if (wanted.size === 0 || !wanted.isSubsetOf(said)) return [];
    return [{ text: cell, firm: true, isIn: ({ text }) => termsOf(text).isSupersetOf(wanted) }];
  });
}

/** Memoised, since every place is compared with every value. */
const termsOf = memoize((text): ReadonlySet<string> => new Set(contentTerms(text)));

/** No real sentence has so many values. */
const MAX_VALUES = 20;

/** Finds a firm and another value in different rows of one table, or items of one list, and nowhere together. */
function valuesFromDifferentRows(
  values: readonly Value[],
  places: readonly SourceUnit[],
): readonly [Value, Value] | undefined {
  const listed = places.filter(({ kind }) => kind === "row" || kind === "item");
  for (const [i, one] of values.entries()) {
    if (!one.firm) continue;
    const groups = new Set(listed.filter(one.isIn).map(({ group }) => group));
    for (const other of values) {
      if (groups.size === 0 || other === one || places.some((place) => one.isIn(place) && other.isIn(place))) continue;
      if (listed.some((place) => groups.has(place.group) && other.isIn(place)))
        return values.indexOf(other) < i ? [other, one] : [one, other];
    }
  }
  return undefined;
}
