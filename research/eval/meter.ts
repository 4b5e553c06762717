import type { Cost } from "../../src/evaluate/ask.js";
import { mean, quantile } from "../../src/evaluate/statistics.js";
import { addUsage, NOTHING_SPENT, type Usage } from "../../src/types/answer.js";
import type { Call } from "../../src/types/call.js";

/** Runs the work of one item with a budget that no normal item reaches, and returns what it used. */
export async function metered<T>(work: (call: Call) => Promise<T>): Promise<{ value: T; cost: Cost }> {
  const faults: string[] = [];
  let usage: Usage = NOTHING_SPENT;
  const started = performance.now();
  const value = await work({
    signal: AbortSignal.timeout(ITEM_TIME),
    get calls() {
      return ITEM_CALLS - usage.calls;
    },
    spent: (more) => {
      usage = addUsage(usage, more);
    },
    fault: (error) => faults.push(`${error.name}: ${error.message}`),
  });
  return { value, cost: { usage, faults, seconds: (performance.now() - started) / 1000 } };
}

/** What a run used per item. Cached input tokens are counted apart from fresh ones. */
export function costs(all: readonly Cost[]) {
  const per = (of: (usage: Usage) => number) => mean(all.map((cost) => of(cost.usage)));
  const seconds = all.map((cost) => cost.seconds);
  return {
    callsPerItem: per((usage) => usage.calls),
    freshTokensPerItem: per((usage) => usage.inputTokens - usage.cachedTokens),
    cachedTokensPerItem: per((usage) => usage.cachedTokens),
    outputTokensPerItem: per((usage) => usage.outputTokens),
    secondsP50: quantile(seconds, 0.5),
    secondsP90: quantile(seconds, 0.9),
    faults: all.reduce((sum, cost) => sum + cost.faults.length, 0),
  };
}

const ITEM_CALLS = 100;
const ITEM_TIME = 600_000;
