import { type ScoredRow, Scores } from "./score.js";
import { bootstrap, calibrationError, type Interval, mean, quantile, type Scored, samples } from "./statistics.js";

/**
 * A figure for the answers of one system. Metrics that RAGAS has keep its names; docs/evaluation.md has the formulas.
 */
interface Metric {
  name: string;
  /** True if less is better. */
  falls?: boolean;
  /** Measures the rows at these indices, which may repeat. Null if the metric is not defined for them. */
  over: (rows: readonly ScoredRow[]) => (places: Iterable<number>) => number | null;
}

/** @param value null for rows for which the metric is not defined. */
const by =
  <T>(value: (row: ScoredRow) => T | null, fold: (values: T[]) => number | null): Metric["over"] =>
  (rows) => {
    const values = rows.map(value);
    return (places) => {
      const some: T[] = [];
      for (const place of places) {
        const one = values[place];
        if (one !== undefined && one !== null) some.push(one);
      }
      return fold(some);
    };
  };

const seconds = (row: ScoredRow) => row.seconds;

export const METRICS: readonly Metric[] = [
  ...Scores.keyof().options.map((name) => ({
    name,
    falls: name.endsWith("wrongly"),
    over: by(({ scores }) => scores[name], mean),
  })),
  { name: "calibration_error", falls: true, over: by(confidenceIn, calibrationError) },
  { name: "failures", falls: true, over: by(({ outcome }) => Number(outcome === "failed"), mean) },
  { name: "calls", falls: true, over: by(({ usage }) => usage.calls, mean) },
  { name: "tokens", falls: true, over: by(({ usage }) => usage.inputTokens + usage.outputTokens, mean) },
  { name: "cost", falls: true, over: by(({ cost }) => cost, mean) },
  { name: "seconds_p50", falls: true, over: by(seconds, (values) => quantile(values, 0.5)) },
  { name: "seconds_p95", falls: true, over: by(seconds, (values) => quantile(values, 0.95)) },
];

/** The confidence of a definite answer, and whether it was right; null for any other reply. */
function confidenceIn({ confidence, outcome }: Pick<ScoredRow, "confidence" | "outcome">): Scored | null {
  const isAnswer = outcome === "right" || outcome === "wrong" || outcome === "answeredUnanswerable";
  return confidence !== null && isAnswer ? { score: confidence, positive: outcome === "right" } : null;
}

/** The answers of one system, by a name for people. */
export interface Answers {
  name: string;
  rows: readonly ScoredRow[];
}

export interface Compared {
  measured: Answers;
  /** What it is compared with. */
  beside?: Answers | undefined;
}

export interface Figure {
  name: string;
  falls: boolean;
  value: number | null;
  interval: Interval | null;
  beside: number | null;
  /** The measured value minus the other one, over the questions that both were asked. */
  difference: number | null;
  /** The interval of the difference, which is more than chance if 0 lies outside it. */
  differenceInterval: Interval | null;
}

/**
 * Measures the answers, with 95 % intervals; two systems are compared on the questions that both were asked (paired
 * bootstrap).
 */
export function figures({ measured, beside }: Compared): Figure[] {
  const pairs = pairsOf(measured.rows, beside?.rows ?? []);
  const [drawn, drawnPairs] = [samples(measured.rows.length), samples(pairs.length)];
  return METRICS.flatMap(({ name, falls = false, over }) => {
    const now = over(measured.rows);
    const [ofMeasured, ofBeside] = [over(pairs.map(([row]) => row)), over(pairs.map(([, row]) => row))];
    const gap = (places: Iterable<number>) => less(ofMeasured(places), ofBeside(places));
    const value = now(measured.rows.keys());
    const other = beside ? over(beside.rows)(beside.rows.keys()) : null;
    if (value === null && other === null) return [];
    const figure: Figure = {
      name,
      falls,
      value,
      beside: other,
      interval: bootstrap(drawn, now),
      difference: gap([...pairs.keys()]),
      differenceInterval: bootstrap(drawnPairs, gap),
    };
    return [figure];
  });
}

export type MeasuredPair = readonly [measured: ScoredRow, beside: ScoredRow];

export function pairsOf(measured: readonly ScoredRow[], beside: readonly ScoredRow[]): MeasuredPair[] {
  const others = new Map(beside.map((row) => [row.id, row]));
  return measured.flatMap((row): MeasuredPair[] => {
    const other = others.get(row.id);
    return other ? [[row, other]] : [];
  });
}

const less = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b);

/** The limits that a file demands, by the name of the metric. */
export interface Thresholds {
  minimum: Readonly<Record<string, number>>;
  maximum: Readonly<Record<string, number>>;
}

export interface Demand {
  name: string;
  value: number | null;
  /** Such as "at least 0.95". */
  demand: string;
  isMet: boolean;
}

/** Compares figures with the demands. A demand on a figure that is not defined is not met. */
export function checkDemands(found: readonly Figure[], { minimum, maximum }: Thresholds): Demand[] {
  const measured = (name: string) => found.find((figure) => figure.name === name)?.value ?? null;
  const each = (demands: Thresholds["minimum"], words: string, isMet: (value: number, limit: number) => boolean) =>
    Object.entries(demands).map(([name, limit]) => {
      const value = measured(name);
      return { name, value, demand: `${words} ${limit}`, isMet: value !== null && isMet(value, limit) };
    });
  return [
    ...each(minimum, "at least", (value, limit) => value >= limit),
    ...each(maximum, "at most", (value, limit) => value <= limit),
  ];
}
