import { isLimit, RANGE } from "./limits.js";
import { digitsOf, isBare, type Quantity, quantities, UNITS } from "./numbers.js";

/**
 * Says whether a source states an amount ("yes"), has the bare number with another unit or none ("loosely"), or lacks
 * it.
 */
export function stated(
  { kind, key, also = key, value, text }: Quantity,
  source: readonly Quantity[],
): "yes" | "loosely" | "no" {
  const { keys, counts, bare, digits } = indexOf(source);
  if (keys.has(key) || keys.has(also) || keys.has(ofNoCurrency(key)) || digits.has(digitsOf(text))) return "yes";
  if (value === undefined) return "no";
  return kind === "number" && counts.has(value) ? "yes" : bare.has(value) ? "loosely" : "no";
}

/** The amounts of a source, indexed once for all claims that are compared with it. */
interface Index {
  /** For a date, also the keys of its less precise forms; for a sum of money, also that of no currency. */
  keys: ReadonlySet<string>;
  /** All numbers but ordinals, whatever they count: a bare number may mean any of them. */
  counts: ReadonlySet<number | undefined>;
  bare: ReadonlySet<number | undefined>;
  /** "2000" and "2,000" are equal: without a unit, a year cannot be told from a count. */
  digits: ReadonlySet<string | undefined>;
}

function indexOf(source: readonly Quantity[]): Index {
  const known = indexes.get(source);
  if (known) return known;
  const index = {
    keys: new Set(
      source.flatMap(({ kind, key, also = key }) =>
        kind === "date" ? [key, also, ...lessPrecise(key)] : [key, also, key.replace(/^money:[A-Z]+:/, "money::")],
      ),
    ),
    counts: new Set(source.filter(({ kind }) => kind !== "ordinal").map(({ value }) => value)),
    bare: new Set(source.filter(isBare).map(({ value }) => value)),
    digits: new Set(source.map(({ text }) => digitsOf(text)).filter((text) => text !== undefined)),
  };
  indexes.set(source, index);
  return index;
}

const indexes = new WeakMap<readonly Quantity[], Index>();

/**
 * Returns the less precise keys of a date: for "date:2024-03-05", "date:2024-03", "date:2024", "date:*-03-05" and
 * "date:*-03".
 */
function lessPrecise(key: string): string[] {
  const parts = dateParts(key);
  return parts.flatMap((_, i) => {
    const some = parts.slice(0, i + 1);
    return [`date:${some.join("-")}`, `date:${["*", ...some.slice(1)].join("-")}`];
  });
}

/**
 * True if a source comes close to an amount that it does not state: a date that is less precise or shares a part
 * ("March 5" and 2024 in different places), the same number of another kind (7 pm and 7), the number before rounding,
 * or the number with the other sign.
 */
export function approached(quantity: Quantity, source: readonly Quantity[]): boolean {
  return source.some((other) => {
    // "-5 %" and "a fall of 5 %": the words decide.
    if (unsigned(quantity.key) === unsigned(other.key)) return true;
    if (quantity.kind === "date" && other.kind === "date")
      return !conflicts(quantity, other) && sharesPart(quantity, other);
    const [own, theirs] = [magnitude(quantity), magnitude(other)];
    if (own === undefined || theirs === undefined) return false;
    if (own === theirs) return !UNITS.has(quantity.kind) || !UNITS.has(other.kind);
    return isComparable(quantity, other) && isRounding(own, theirs, isBare(other));
  });
}

/** Cents have no currency of their own: returns the key by which a sum of euros equals one of cents, and vice versa. */
const ofNoCurrency = (key: string) =>
  key.replace(/^money:([^:]*):/, (_, code) => (code === "cent" ? "money::" : "money:cent:"));

/** True if two amounts are equal however they are written: forty-eight and 48, 17:30 and 5:30 p.m., 80 cents and €0.80. */
export const isSameAmount = (a: Quantity, b: Quantity): boolean =>
  a.key === b.key || ([a, b].some(isInCents) && worth(a) !== undefined && worth(a) === worth(b));
const isInCents = ({ key }: Quantity) => key.startsWith("money:cent:");
const worth = ({ key }: Quantity) => /^money:[^:]*:(.*)$/.exec(key)?.[1];

/** True if two amounts exclude each other: they are comparable and not equal. */
export function conflicts(a: Quantity, b: Quantity): boolean {
  if (!isComparable(a, b) || isSameAmount(a, b)) return false;
  if (a.kind !== "date") return true;
  const [here, there] = [dateParts(a.key), dateParts(b.key)];
  return here.some((part, i) => part !== "*" && there[i] !== undefined && there[i] !== "*" && part !== there[i]);
}

/**
 * A weight and a length of time are not comparable, and 20 miles may be 32 km. But two sums of money are comparable, and
 * so is the same number with another unit, which mostly is a mistake.
 */
const isComparable = (a: Quantity, b: Quantity) => {
  if (UNITS.has(a.kind) && UNITS.has(b.kind))
    return isOfOneUnit(a, b) || (a.kind === "money" && b.kind === "money") || a.value === b.value;
  return a.kind === b.kind || (COUNTS.has(a.kind) && COUNTS.has(b.kind)) || (WHEN.has(a.kind) && WHEN.has(b.kind));
};

/**
 * True if a text may be about an amount, whether or not it states it: it has an amount of the same unit, a range that
 * contains it ("13 - 15" contains grade 14) or, for an amount that only counts, a limit ("fewer than 3 years" for the
 * second year).
 */
export function mayTellOf(amount: Quantity, text: string): boolean {
  const found = quantities(text);
  if (stated(amount, found) !== "no" || found.some((one) => isOfOneUnit(one, amount))) return true;
  if (isInRange(amount, text)) return true;
  return found.some((one) => isCounted(amount, one) && isLimit(one, text));
}

/**
 * True if a number without a unit may count what another amount limits. An ordinal may also count units, as in "second
 * year".
 */
const isCounted = (amount: Quantity, limit: Quantity) => amount.kind === "ordinal" || (isBare(amount) && isBare(limit));

/** True if a text has a range of numbers that contains the amount. */
export function isInRange({ value, text: asWritten }: Quantity, text: string): boolean {
  const number = value ?? Number.parseInt(asWritten, 10);
  const found = quantities(text);
  return found.some(({ value: to = Number.NaN, start }, i) => {
    const { value: from = Number.NaN, end = 0 } = found[i - 1] ?? {};
    const between = text.slice(end, start);
    const isRange =
      RANGE.test(between) || (/^\s*and\s*$/.test(between) && /\bbetween\s*\S{0,12}$/i.test(text.slice(0, end)));
    return from <= number && number <= to && isRange;
  });
}

/** True if two amounts have the same kind of unit: lengths of time, pounds, kilograms. */
const isOfOneUnit = (a: Quantity, b: Quantity) => UNITS.has(a.kind) && unitIn(a) === unitIn(b);

/** Returns the kind and the unit of an amount, as a prefix of its key; all lengths of time have one unit. */
export const unitIn = ({ key }: Pick<Quantity, "key">): string =>
  key.replace(/[^:]*$/, "").replace(/:(?:s|month|working day):$/, ":time:");

const COUNTS: ReadonlySet<string> = new Set(["number", "measure", "money", "percent", "ordinal"]);
const WHEN: ReadonlySet<string> = new Set(["date", "period"]);

/** True if the year, the month or the day is the same. */
const sharesPart = (a: Quantity, b: Quantity) => {
  const there = dateParts(b.key);
  return dateParts(a.key).some((part, i) => part !== "*" && part === there[i]);
};

const unsigned = (key: string) => key.replace(":-", ":");

/** The number without its sign and unit; for a time, the hour on a 12-hour clock. */
const magnitude = ({ value, key }: Quantity) =>
  value !== undefined ? Math.abs(value) : /^time:/.test(key) ? Number(key.slice(5, 7)) % 12 : undefined;

/**
 * True if `own` is `other` rounded to fewer digits (13.8 for 13.84). A bare number may be in thousands or millions, as
 * in tables: 8.2 million for 8,213.
 */
function isRounding(own: number, other: number, bare: boolean): boolean {
  const digits = (n: number) => n.toExponential().replace(/e.*|[.-]/g, "").length;
  const few = digits(own);
  const scales = bare ? [1, 1e3, 1e6] : [1];
  return few > 1 && scales.some((scale) => digits(other) >= few && own === Number((other * scale).toPrecision(few)));
}

/** The year, month and day that the text gives; "*" for a missing year. */
const dateParts = (key: string) => key.replace("date:", "").split("-");
