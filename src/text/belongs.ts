import { chineseNames } from "./chinese-names.js";
import { mentions, names } from "./names.js";
import { approached, conflicts, type Quantity, quantities, sameUnit, stated } from "./numbers.js";
import type { Place } from "./places.js";
import { contentTerms } from "./tokens.js";

/**
 * Why the amounts and names of a claim cannot be what these parts of its sources say, however alike the words are: none
 * has the amount in its unit; two of them stand in different rows or entries and nowhere together; or what the claim says
 * of one stands beside another one of its kind. Undefined where nothing of the kind shows.
 */
export function misplaced(claim: string, places: readonly Place[]): string | undefined {
  const amounts = quantities(claim);
  const all = places.flatMap((place) => place.amounts);
  for (const amount of amounts) {
    const how = stated(amount, all);
    if (how === "loosely") return `Its sources have the number of ${amount.text}, not the unit.`;
    if (how === "no" && !isCounted(amount) && !approached(amount, all))
      return `Its sources do not have ${amount.text}.`;
  }
  const values = valuesOf(claim, amounts);
  const torn = apart([...values, ...cellsIn(claim, places)].slice(0, MOST), places);
  if (torn) return `Its sources have ${torn[0].text} and ${torn[1].text} in different places.`;
  const stray = values.find((value) => belongsElsewhere(claim, value, places));
  return stray && `What it says of ${stray.text}, its sources say of something else.`;
}

/** "Two friends", "the latter": who retells counts what the source only lists. */
const isCounted = ({ kind, text }: Quantity) => kind === "ordinal" || (kind === "number" && !/\d/.test(text));

/** An amount or a name, and where it is found. */
interface Value {
  text: string;
  amount?: Quantity;
  /** An amount, an identifier, the whole of a cell: what tells rows and entries apart. */
  firm: boolean;
  isIn: (place: Place) => boolean;
}

function valuesOf(claim: string, amounts: readonly Quantity[]): Value[] {
  return [
    ...amounts.map((amount) => ({
      text: amount.text,
      amount,
      firm: true,
      isIn: (place: Place) => stated(amount, place.amounts) === "yes",
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
  const said = new Set(contentTerms(claim));
  const all = new Set(places.flatMap(({ cells }) => cells));
  return [...all].flatMap((cell): Value[] => {
    const wanted = contentTerms(cell);
    if (wanted.length === 0 || !wanted.every((term) => said.has(term))) return [];
    return [{ text: cell, firm: true, isIn: ({ terms }) => wanted.every((term) => terms.has(term)) }];
  });
}

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

/** Wherever the value stands, most of what the claim says of it stands beside another value of its kind, and nothing of it here. */
function belongsElsewhere(claim: string, value: Value, places: readonly Place[]): boolean {
  const rest = [...new Set(contentTerms(claim.replaceAll(value.text, "\n")))];
  const homes = places.filter(value.isIn).flatMap((place) => {
    const clauses = place.clauses.filter(value.isIn);
    return clauses.length > 0 ? clauses.map((clause) => [clause, place.clauses] as const) : [[place, places] as const];
  });
  if (homes.length === 0 || homes.length > MOST) return false;
  return homes.every(([home, among]) =>
    among.some((other) => {
      if (other.group !== home.group || value.isIn(other) || !hasRival(value, other)) return false;
      const theirs = rest.filter((term) => other.terms.has(term));
      return (
        theirs.length * 2 >= rest.length &&
        theirs.some((term) => !home.terms.has(term)) &&
        rest.every((term) => !home.terms.has(term) || other.terms.has(term))
      );
    }),
  );
}

const hasRival = ({ amount }: Value, { kind, text, amounts }: Place) =>
  kind === "row" ||
  (amount
    ? amounts.some((other) => sameUnit(other, amount) && conflicts(other, amount))
    : names(text).length > 0 || chineseNames(text).length > 0);
