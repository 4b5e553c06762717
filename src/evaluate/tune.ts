import { createHash } from "node:crypto";
import type { ContextInput } from "../state/context.js";
import { type Figure, figures, METRICS, RIGHT_LESS_WRONG, worth } from "./metrics.js";
import type { Question } from "./questions.js";
import type { ScoredRow } from "./score.js";
import { mean } from "./statistics.js";

/** The settings per question that are tried. */
export type Tuned = Pick<ContextInput, "generateAt" | "minRelevant" | "passages" | "rewriteBelow">;

/**
 * The settings to try, step by step. Each step starts from the best so far; of equals, the first is kept. With
 * `minRelevant` 1, `generateAt` alone decides from which probability an answer is given: .45 is a probability of .35,
 * .6 one of .5, and .95 one of .93.
 */
const STEPS: readonly (readonly Tuned[])[] = [
  [0.65, 0.7, 0.6, 0.75, 0.55, 0.8, 0.5, 0.85, 0.45, 0.9, 0.95].map((generateAt) => ({ generateAt, minRelevant: 1 })),
  [4, 12, 16].map((passages) => ({ passages })),
];
/** Below `rewriteBelow` the query is rewritten, which needs a chat model. */
const STEPS_OF_MODEL: typeof STEPS = [[0.15, 0.45].map((rewriteBelow) => ({ rewriteBelow }))];

/** The fewest questions that are enough, since half of them are held out. */
export const FEWEST_TUNED = 40;
/** The fewest questions with an answer, and the fewest without one. */
export const FEWEST_OF_A_KIND = 8;

export interface Tuning {
  /** The best settings on the training half; empty if none is better than those in force. */
  best: Tuned;
  /** The share of right answers minus twice that of wrong ones, on the training half. */
  training: { before: number; after: number; questions: number };
  /** The held-out half. */
  before: ScoredRow[];
  after: ScoredRow[];
  /** The figures of the held-out half after tuning, compared with before; `RIGHT_LESS_WRONG` first. */
  figures: Figure[];
  /** True if the held-out half is better too, by more than chance. */
  isBetter: boolean;
}

interface TuneOptions {
  /** Asks the questions with these settings merged over those in force. */
  ask: (questions: readonly Question[], settings: Tuned) => Promise<ScoredRow[]>;
  hasModel: boolean;
  /** Called before each run over one half, with the number of runs done and of all runs. */
  onRun?: (done: number, all: number) => void;
}

/**
 * Chooses settings on one half of the questions, and compares them with those in force on the other.
 * @throws as `ask` does.
 */
export async function tune(questions: readonly Question[], { ask, hasModel, onRun }: TuneOptions): Promise<Tuning> {
  const { training = [], heldOut = [] } = Object.groupBy(questions, ({ id }) =>
    isHeldOut(id) ? "heldOut" : "training",
  );
  const steps = hasModel ? [...STEPS, ...STEPS_OF_MODEL] : STEPS;
  const all = steps.flat().length + 3;
  let done = 0;
  const run = (half: readonly Question[], settings: Tuned) => {
    onRun?.(done++, all);
    return ask(half, settings);
  };
  const tried = async (settings: Tuned) => ({ settings, worth: mean((await run(training, settings)).map(worth)) ?? 0 });

  const inForce = await tried({});
  let best = inForce;
  for (const step of steps) {
    const { settings } = best;
    for (const change of step) {
      const found = await tried({ ...settings, ...change });
      if (found.worth > best.worth) best = found;
    }
  }
  const before = await run(heldOut, {});
  const after = best === inForce ? before : await run(heldOut, best.settings);
  const compared = { measured: { name: "after", rows: after }, beside: { name: "before", rows: before } };
  const found = figures(compared, [RIGHT_LESS_WRONG, ...METRICS.slice(0, OF_ANSWERS)]);
  return {
    best: best.settings,
    training: { before: inForce.worth, after: best.worth, questions: training.length },
    before,
    after,
    figures: found,
    isBetter: (found[0]?.differenceInterval?.low ?? 0) > 0,
  };
}

/** The number of metrics, at the start of `METRICS`, about what was answered and how. */
const OF_ANSWERS = 6;

const isHeldOut = (id: string) => createHash("sha256").update(id).digest().readUInt8() % 2 === 1;
