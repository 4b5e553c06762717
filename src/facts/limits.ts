import { type Quantity, quantities } from "./numbers.js";

/**
 * Reads a question's limit: "less than 50 euros", 超过一百元.
 * @returns a function that says whether an amount of a text keeps the limit, undefined if the text has no amount of
 * that unit, or is itself a range or a limit; undefined if the question has no limit.
 */
export function withinLimit(question: string): ((text: string) => boolean | undefined) | undefined {
  for (const limit of quantities(question)) {
    const keeps = limitAt(limit, question);
    const unit = unitOf(limit);
    const most = sizeIn(unit, limit);
    if (!keeps || most === undefined) continue;
    return (text) => {
      const amounts = quantities(text).filter((amount) => sizeIn(unit, amount) !== undefined);
      const isOpen = amounts.some((one, i) => isLimit(one, text) || isRangeTo(amounts[i + 1], one, text));
      const sizes = amounts.flatMap((amount) => sizeIn(unit, amount) ?? []);
      return sizes.length === 0 || isOpen ? undefined : sizes.some((size) => keeps(size, most));
    };
  }
  return undefined;
}

/**
 * Says whether an amount is within all limits and ranges of a text, as 4 years are within "at least 3 and under 6 years"; undefined if none of
 * them has its unit.
 */
export function isWithinLimits(amount: Quantity, text: string): boolean | undefined {
  const unit = unitOf(amount);
  const size = sizeIn(unit, amount);
  const found = quantities(text).filter((one) => sizeIn(unit, one) !== undefined);
  const kept = found.flatMap((one, i) => {
    const end = sizeIn(unit, one);
    const [before, keeps] = [found[i - 1], limitAt(one, text)];
    if (size === undefined || end === undefined) return [];
    if (keeps) return [keeps(size, end)];
    if (isRangeTo(found[i + 1], one, text)) return [size >= end];
    return before && isRangeTo(one, before, text) ? [size <= end] : [];
  });
  return kept.length === 0 ? undefined : kept.every(Boolean);
}

/** True if the words around an amount make it a limit. */
export const isLimit = (amount: Quantity, text: string) => limitAt(amount, text) !== undefined;

/** A limit: how an amount that keeps it compares with its own, and where it stands, its words included. */
export interface Limit {
  is: "<=" | ">=" | "<" | ">";
  start: number;
  end: number;
}

/** Returns the limit whose amount this is; undefined if the words around it make it none. */
export function limitOf({ start, end }: Quantity, text: string): Limit | undefined {
  const before = text.slice(Math.max(0, start - NEAR), start);
  for (const [ahead, behind, is] of LIMITS) {
    const [lead, tail] = [ahead.exec(before), behind?.exec(text.slice(end, end + NEAR))];
    if (lead) return { is, start: start - before.length + lead.index, end };
    if (tail) return { is, start, end: end + tail[0].length };
  }
  return undefined;
}

/** Returns which amounts keep the limit whose amount this is. */
function limitAt(amount: Quantity, text: string) {
  const limit = limitOf(amount, text);
  return limit && KEEPS[limit.is];
}

const KEEPS: Readonly<Record<Limit["is"], (amount: number, limit: number) => boolean>> = {
  "<=": (amount, limit) => amount <= limit,
  ">=": (amount, limit) => amount >= limit,
  "<": (amount, limit) => amount < limit,
  ">": (amount, limit) => amount > limit,
};

/** In characters. The words of a limit are shorter. */
const NEAR = 30;

/** The words of a limit before its amount, those after it, and what it is. The first that fits counts. */
const LIMITS: readonly [RegExp, RegExp | undefined, Limit["is"]][] = [
  [
    /(?:\bup to|\bat most|\bnot? (?:more|longer|higher) than|\bwithin|不超过?|不[多高大][过于]|至多|最多)\s*$/iu,
    /^.{0,4}?(?:or (?:less|fewer|below|younger)|以[下内])/iu,
    "<=",
  ],
  [
    /(?:\bat least|\bnot? (?:less|fewer|lower|shorter) than|不[少低小]于|至少|最少|(?<![不未])满)\s*$/iu,
    /^.{0,4}?(?:or (?:more|above|longer|older)|and (?:over|above)|以上)/iu,
    ">=",
  ],
  [
    /(?:\b(?:less|fewer|lower|cheaper|shorter|lighter|smaller) than|\bunder|\bbelow|[少低小]于|不[到足]|[不未]满)\s*$/iu,
    undefined,
    "<",
  ],
  [
    /(?:\b(?:more|later|higher|longer|heavier|larger|greater) than|\bover|\babove|[高大多]于|超过?)\s*$/iu,
    undefined,
    ">",
  ],
];

const isRangeTo = (end: Quantity | undefined, start: Quantity, text: string) =>
  end !== undefined && RANGE.test(text.slice(start.end, end.start));

const unitOf = ({ key }: Quantity) => sized(key).unit;
/** Returns an amount in a unit; undefined if it is a date or has another unit. In "3 to 6 years", 3 has that of 6. */
const sizeIn = (unit: string, { key, also = key, value }: Quantity) =>
  value === undefined ? undefined : [key, also].map(sized).find((one) => one.unit === unit)?.size;

/** Months are taken as seconds, so that 2 years are more than 30 days. */
function sized(key: string): { unit: string; size: number } {
  const [, unit = "", size] = /^(.*:)([^:]*)$/.exec(key) ?? [];
  return unit === MONTHS ? { unit: SECONDS, size: Number(size) * 2_629_746 } : { unit, size: Number(size) };
}

const MONTHS = "measure:month:";
const SECONDS = "measure:s:";

/** What stands between the ends of a range. */
export const RANGE = /^\s*(?:[-–—~～]|to|至|到)\s*$/u;
