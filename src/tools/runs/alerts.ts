import { z } from "zod";
import type { RunTotals } from "../../types/run.js";
import type { Runs } from "./port.js";

/** The metrics that a rule may watch: a value from `totals`, and the number of cases that it averages. */
const METRICS = {
  runs: ({ runs }) => ({ value: runs, cases: Number.POSITIVE_INFINITY }),
  refused: ({ refused, runs }) => ratio(refused, runs),
  followUps: ({ followUps, runs }) => ratio(followUps, runs),
  quotedClaims: ({ quoted, drafted }) => ratio(quoted, drafted),
  droppedClaims: ({ dropped, drafted }) => ratio(dropped, drafted),
  thumbsDown: ({ down, up }) => ratio(down, up + down),
  calls: ({ calls, runs }) => ratio(calls, runs),
  tokens: ({ inputTokens, outputTokens, runs }) => ratio(inputTokens + outputTokens, runs),
  seconds: ({ milliseconds, runs }) => ratio(milliseconds / 1000, runs),
} satisfies Record<string, (totals: RunTotals) => { value: number; cases: number }>;

export type AlertMetric = keyof typeof METRICS;

const ratio = (sum: number, cases: number) => ({ value: cases > 0 ? sum / cases : 0, cases });

/**
 * Watches a metric over the last hours: above or below a bound, or above a multiple of its value in the weeks before.
 */
export const AlertRule = z
  .strictObject({
    metric: z.enum(Object.keys(METRICS) as [AlertMetric, ...AlertMetric[]]),
    above: z.number().optional(),
    below: z.number().optional(),
    timesUsual: z.number().gt(1).optional(),
    hours: z.number().min(0.1).max(2160).default(24),
    /** The fewest cases that raise or end an alert: runs, claims or ratings, depending on the metric. */
    least: z.number().int().min(1).default(20),
  })
  .refine(({ above, below, timesUsual }) => [above, below, timesUsual].filter((x) => x !== undefined).length === 1, {
    error: 'needs one of "above", "below" and "timesUsual"',
  });
export type AlertRule = z.infer<typeof AlertRule>;

/** The state of a rule. `raised` is undefined if there were too few cases. */
export interface AlertState {
  rule: AlertRule;
  value: number;
  /** The value is compared with this: the bound, or the multiple of the usual value. */
  bound: number;
  raised: boolean | undefined;
}

/** The number of weeks before the rule's hours that determine the usual value. */
const WEEKS = 4;
const HOUR = 3_600_000;

/** Evaluates the rules on the runs up to `now`. @throws StoreUnavailableError if the store cannot be read. */
export async function alertStates(
  runs: Pick<Runs, "totals">,
  rules: readonly AlertRule[],
  now = Date.now(),
): Promise<AlertState[]> {
  const between = async ({ metric }: AlertRule, since: number, until: number) =>
    METRICS[metric](await runs.totals({ since: new Date(since), until: new Date(until) }));
  return Promise.all(
    rules.map(async (rule) => {
      const since = now - rule.hours * HOUR;
      const { value, cases } = await between(rule, since, now);
      const { above, below, timesUsual, least } = rule;
      const isKnown = cases >= least;
      if (above !== undefined) return { rule, value, bound: above, raised: isKnown ? value > above : undefined };
      if (below !== undefined) return { rule, value, bound: below, raised: isKnown ? value < below : undefined };
      const usual = await between(rule, since - WEEKS * 7 * 24 * HOUR, since);
      const scale = rule.metric === "runs" ? rule.hours / (WEEKS * 7 * 24) : 1;
      const bound = usual.value * scale * (timesUsual ?? 1);
      return { rule, value, bound, raised: isKnown && usual.cases >= least ? value > bound : undefined };
    }),
  );
}

/** Names a rule. Rules with the same name are the same alert. */
export function alertName({ metric, above, below, timesUsual, hours }: AlertRule): string {
  const bound = timesUsual === undefined ? (above ?? below) : `${timesUsual} times the usual`;
  return `${metric} ${below === undefined ? "above" : "below"} ${bound} over ${hours} h`;
}

/** Describes an alert, such as `refused above 0.3 over 24 h: it is 0.42`. */
export function alertInWords({ rule, value, bound }: AlertState): string {
  const usual = rule.timesUsual === undefined ? "" : `, the usual is ${short(bound / rule.timesUsual)}`;
  return `${alertName(rule)}: it is ${short(value)}${usual}`;
}

const short = (value: number) => String(Number(value.toPrecision(3)));
