import { z } from "zod";
import { exactly } from "../../options.js";
import { costOf, type Price } from "../../types/price.js";
import type { RunTotals } from "../../types/run.js";
import type { Runs } from "./port.js";

/**
 * The metrics that a rule may watch: a value from `totals` and the price of tokens, and the number of cases that it
 * averages.
 */
const METRICS = {
  runs: ({ runs }) => ({ value: runs, cases: Number.POSITIVE_INFINITY }),
  refused: ({ refused, runs }) => ratio(refused, runs),
  unavailable: ({ unavailable, runs }) => ratio(unavailable, runs),
  partial: ({ partial, runs }) => ratio(partial, runs),
  unsure: ({ unsure, runs }) => ratio(unsure, runs),
  faults: ({ faults, runs }) => ratio(faults, runs),
  followUps: ({ followUps, runs }) => ratio(followUps, runs),
  quotedClaims: ({ quoted, drafted }) => ratio(quoted, drafted),
  droppedClaims: ({ dropped, drafted }) => ratio(dropped, drafted),
  thumbsDown: ({ down, up }) => ratio(down, up + down),
  calls: ({ calls, runs }) => ratio(calls, runs),
  tokens: ({ inputTokens, outputTokens, runs }) => ratio(inputTokens + outputTokens, runs),
  cost: (totals, price) => ratio(costOf(totals, price), totals.runs),
  seconds: ({ milliseconds, runs }) => ratio(milliseconds / 1000, runs),
} satisfies Record<string, (totals: RunTotals, price: Price) => { value: number; cases: number }>;

export type AlertMetric = keyof typeof METRICS;

const ratio = (sum: number, cases: number) => ({ value: cases > 0 ? sum / cases : 0, cases });

/**
 * Watches a metric over the last hours: above or below a bound, above a multiple of its value in the weeks before, or
 * below a share of it.
 */
export const AlertRule = exactly({
  metric: z.enum(Object.keys(METRICS) as [AlertMetric, ...AlertMetric[]]),
  above: z.number().optional(),
  below: z.number().optional(),
  timesUsual: z
    .number()
    .gt(0)
    .refine((times) => times !== 1, { error: "must be above 1, or a share below 1" })
    .optional(),
  hours: z.number().min(0.1).max(2160).default(24),
  /** The fewest cases that raise or end an alert: runs, claims or ratings, depending on the metric. */
  least: z.number().int().min(1).default(20),
}).refine(({ above, below, timesUsual }) => [above, below, timesUsual].filter((x) => x !== undefined).length === 1, {
  error: 'needs one of "above", "below" and "timesUsual"',
});
export type AlertRule = z.infer<typeof AlertRule>;

/** The state of a rule. `raised` is undefined if there were too few cases. */
export interface AlertState {
  rule: AlertRule;
  value: number;
  /** The value is compared with this: the bound, or the multiple or share of the usual value. */
  bound: number;
  raised: boolean | undefined;
}

/** The number of weeks before the rule's hours that determine the usual value. */
const WEEKS = 4;
const HOUR = 3_600_000;

/**
 * Evaluates the rules on the runs up to `now`.
 * @param price what a million tokens cost, for the metric `cost`. Default: nothing.
 * @throws StoreUnavailableError if the store cannot be read.
 */
export async function alertStates(
  runs: Pick<Runs, "totals">,
  rules: readonly AlertRule[],
  price: Price = { input: 0, output: 0 },
  now = Date.now(),
): Promise<AlertState[]> {
  const between = async ({ metric }: AlertRule, since: number, until: number) =>
    METRICS[metric](await runs.totals({ since: new Date(since), until: new Date(until) }), price);
  return Promise.all(
    rules.map(async (rule) => {
      const since = now - rule.hours * HOUR;
      const { value, cases } = await between(rule, since, now);
      const { above, below, timesUsual, least } = rule;
      const state = (bound: number, isKnown: boolean) => {
        const isPast = isUpward(rule) ? value > bound : value < bound;
        return { rule, value, bound, raised: isKnown ? isPast : undefined };
      };
      const bound = above ?? below;
      if (bound !== undefined) return state(bound, cases >= least);
      const usual = await between(rule, since - WEEKS * 7 * 24 * HOUR, since);
      const scale = rule.metric === "runs" ? rule.hours / (WEEKS * 7 * 24) : 1;
      return state(usual.value * scale * (timesUsual ?? 1), Math.min(cases, usual.cases) >= least);
    }),
  );
}

/** True if the alert is raised above its bound, false if below. */
const isUpward = ({ above, timesUsual = 0 }: AlertRule) => above !== undefined || timesUsual > 1;

/** Names a rule. Rules with the same name are the same alert. */
export function alertName(rule: AlertRule): string {
  const { metric, above, below, timesUsual, hours } = rule;
  const bound = timesUsual === undefined ? (above ?? below) : `${timesUsual} times the usual`;
  return `${metric} ${isUpward(rule) ? "above" : "below"} ${bound} over ${hours} h`;
}

/** Describes an alert, such as `refused above 0.3 over 24 h: it is 0.42`. */
export function alertInWords({ rule, value, bound }: AlertState): string {
  const usual = rule.timesUsual === undefined ? "" : `, the usual is ${short(bound / rule.timesUsual)}`;
  return `${alertName(rule)}: it is ${short(value)}${usual}`;
}

const short = (value: number) => String(Number(value.toPrecision(3)));
