import { type Quantity, quantities } from "./numbers.js";

/**
 * Reads a question's limit: "less than 50 euros", 超过一百元.
 * @returns a function that says whether an amount of a text keeps the limit, undefined if the text has no amount of
 * that unit, or is itself a range or a limit; undefined if the question has no limit.
 */
export function withinLimit(question: string): ((text: string) => boolean | undefined) | undefined {
  for (const limit of quantities(question)) {
    if (limit.value === undefined) continue;
    const before = question.slice(0, limit.start);
    const after = question.slice(limit.end);
    const keeps = LIMITS.find(([ahead, behind]) => ahead.test(before) || behind?.test(after))?.[2];
    if (!keeps) continue;
    return (text) => {
      const amounts = quantities(text).filter(
        (amount) => amount.value !== undefined && unitIn(amount) === unitIn(limit),
      );
      const isOpen = amounts.some((amount, i) => isLimit(amount, text) || isRangeTo(amounts[i + 1], amount, text));
      return amounts.length === 0 || isOpen
        ? undefined
        : amounts.some((amount) => keeps(sizeOf(amount), sizeOf(limit)));
    };
  }
  return undefined;
}

/** The words of a limit before its amount, those after it, and which amounts keep it. The first that fits counts. */
const LIMITS: readonly [RegExp, RegExp | undefined, (amount: number, limit: number) => boolean][] = [
  [
    /(?:\bup to|\bat most|\bnot? (?:more|longer|higher) than|\bwithin|不[超多高大][过于]|至多|最多)\s*$/iu,
    /^\s*(?:or (?:less|fewer|below)|以[下内])/iu,
    (amount, limit) => amount <= limit,
  ],
  [
    /(?:\bat least|\bnot? (?:less|fewer|lower|shorter) than|不[少低小]于|至少|最少)\s*$/iu,
    /^\s*(?:or (?:more|above|longer)|以上)/iu,
    (amount, limit) => amount >= limit,
  ],
  [
    /(?:\b(?:less|fewer|lower|cheaper|shorter|lighter|smaller) than|\bunder|\bbelow|[少低小]于|不[到足满])\s*$/iu,
    undefined,
    (amount, limit) => amount < limit,
  ],
  [
    /(?:\b(?:more|higher|longer|heavier|larger|greater) than|\bover|\babove|[高大多]于|超过)\s*$/iu,
    undefined,
    (amount, limit) => amount > limit,
  ],
];

const isRangeTo = (end: Quantity | undefined, start: Quantity, text: string) =>
  end !== undefined && RANGE.test(text.slice(start.end, end.start));

const unitIn = ({ key }: Quantity) => key.replace(/[^:]*$/, "");
const sizeOf = ({ key }: Quantity) => Number(/[^:]*$/.exec(key)?.[0]);

/** True if the words around an amount make it a limit. */
export const isLimit = ({ start, end }: Quantity, text: string) =>
  LIMIT.test(text.slice(Math.max(0, start - 20), start)) || PAST.test(text.slice(end, end + 8));
const LIMIT =
  /(?:up to|at (?:most|least)|(?:more|less|fewer|later) than|over|under|above|below|不[超足满多少到][过于]?|未满|[超高低大小多少]于|至[多少]|最[多少])\s*$/iu;
const PAST = /^.{0,4}?(?:or (?:more|less|fewer|older|younger)|and (?:over|above)|以[上下内])/u;

/** What stands between the ends of a range. */
export const RANGE = /^\s*(?:[-–—~～]|to|至|到)\s*$/u;
