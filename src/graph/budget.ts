import { type Context, mostCalls } from "../state/context.js";
import type { State } from "../state/state.js";
import type { StopReason } from "../types/answer.js";
import { wasSearched } from "../types/events.js";

/**
 * Returns the limit that was reached, if any. Rounds are not among them: after its last round, a run may still answer.
 */
export function spentLimit({ spend, decisions }: State, context: Context): StopReason | undefined {
  const { budget } = context;
  const calls = mostCalls(context);
  if (spend.milliseconds >= budget.seconds * 1000) return "time_spent";
  if (calls > 0 && spend.calls >= calls) return "calls_spent";
  if (spend.inputTokens + spend.outputTokens >= budget.tokens) return "tokens_spent";
  if (decisions.length >= budget.steps) return "steps_spent";
  return undefined;
}

/**
 * Counts the rounds since the question was last understood. A round is a grading after a search of the documents. A
 * repaired draft does not start a round, nor does another source, since each source is asked once.
 */
export const rounds = (state: State) =>
  sinceUnderstood(state).filter(({ step }, i, all) => step === "grade" && wasSearched(all.slice(0, i))).length;

/** True if a step was taken since the question was last understood. */
export const wasTaken = (state: State, step: string) => sinceUnderstood(state).some((taken) => taken.step === step);

const sinceUnderstood = ({ decisions }: State) =>
  decisions.slice(decisions.findLastIndex(({ step }) => step === "understand") + 1);

/** Counts how often a step was taken for this question, including the one just taken. */
export const visits = (state: State, step: string) =>
  state.decisions.filter((decision) => decision.step === step).length;
