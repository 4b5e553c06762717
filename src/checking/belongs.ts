import { chineseNames } from "../language/chinese-names.js";
import { mentions, names } from "../language/names.js";
import { approached, type Quantity, quantities, stated } from "../language/numbers.js";
import { remembered } from "../language/remembered.js";
import { contentTerms } from "../language/tokens.js";
import type { Place } from "./places.js";

/**
 * Why the amounts and names of a claim cannot be what this text and its places say, however alike the words are: none
 * has the amount in its unit, or two of them stand in different rows or entries and nowhere together. Undefined where
 * nothing of the kind shows.
 */
export function misplaced(claim: string, text: string, places: readonly Place[]): string | undefined {
  const amounts = quantities(claim);
  const all = amounts.length > 0 ? quantities(text) : [];
  for (const amount of amounts) {
    const how = stated(amount, all);
    if (how === "loosely") return `Its sources have the number of ${amount.text}, not the unit.`;
    if (how === "no" && !isCounted(amount) && !approached(amount, all))
      return `Its sources do not have ${amount.text}.`;
  }
  const values = valuesOf(claim, amounts);
  const torn = apart([...values, ...cellsIn(claim, places)].slice(0, MOST), places);
  return torn && `Its sources have ${torn[0].text} and ${torn[1].text} in different places.`;
}

/** "Two friends", "the latter": who retells counts what the source only lists. */
const isCounted = ({ kind, text }: Quantity) => kind === "ordinal" || (kind === "number" && !/\d/.test(text));

/** An amount or a name, and where it is found. */
interface Value {
  text: string;
  /** An amount, an identifier, the whole of a cell: what tells rows and entries apart. */
  firm: boolean;
  isIn: (place: Place) => boolean;
}

function valuesOf(claim: string, amounts: readonly Quantity[]): Value[] {
  return [
    ...amounts.map((amount) => ({
      text: amount.text,
      firm: true,
      isIn: (place: Place) => stated(amount, quantities(place.text)) === "yes",
    })),
    ...names(claim).map((text) => ({
      text,
      firm: /\d/.test(text),
      isIn: (place: Place) => mentions(place.text, text),
    })),
    ...chineseNames(claim).map(({ name: text }) => ({
      text,
      firm: false,
      isIn: (place: Place) => place.text.includes(text),
    })),
  ].slice(0, MOST);
}

/** What stands in a cell of its own, word for word in the claim. */
function cellsIn(claim: string, places: readonly Place[]): Value[] {
  const said = termsOf(claim);
  const all = new Set(places.flatMap(({ cells }) => cells));
  return [...all].flatMap((cell): Value[] => {
    const wanted = termsOf(cell);
    if (wanted.size === 0 || !wanted.isSubsetOf(said)) return [];
    return [{ text: cell, firm: true, isIn: ({ text }) => termsOf(text).isSupersetOf(wanted) }];
  });
}

/** Held against every value of a claim. */
const termsOf = remembered((text): ReadonlySet<string> => new Set(contentTerms(text)));

/** No sentence has so many; what is made to be slow may. */
const MOST = 20;

/** What is firm and another value in different rows of one table, or entries of one list, and nowhere together. */
function apart(values: readonly Value[], places: readonly Place[]): readonly [Value, Value] | undefined {
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
