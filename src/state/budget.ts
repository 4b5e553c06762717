import { asksToCompute } from "../tables/plan.js";
import type { LookUp, StopReason } from "../types/answer.js";
import { wasSearched } from "../types/events.js";
import { type Context, mostCalls, mostRounds } from "./context.js";
import type { State } from "./state.js";

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
const rounds = (state: State) =>
  sinceUnderstood(state).filter(({ step }, i, all) => step === "grade" && wasSearched(all.slice(0, i))).length;

/** True if a step was taken since the question was last understood. */
export const wasTaken = (state: State, step: string) => sinceUnderstood(state).some((taken) => taken.step === step);

const sinceUnderstood = ({ decisions }: State) =>
  decisions.slice(decisions.findLastIndex(({ step }) => step === "understand") + 1);

/** Counts how often a step was taken for this question, including the one just taken. */
export const visits = (state: State, step: string) =>
  state.decisions.filter((decision) => decision.step === step).length;

export const roundsLeft = (state: State, context: Context) => rounds(state) < mostRounds(context);

export const maySearchWeb = (state: State, { sources }: Context) => sources.web && !wasTaken(state, "searchWeb");
export const mayAskGraph = (state: State, { sources }: Context) => sources.graph && !wasTaken(state, "queryGraph");

/**
 * A model that leads may query the tables that it was shown as often as it may look for more. Without one, tables are asked
 * once, if the question asks for what has to be computed.
 */
export function mayQueryTables(state: State, context: Context): boolean {
  if (!context.sources.tables || !state.understood) return false;
  if (state.understood.modelLeads)
    return state.tables.length > 0 && visits(state, "queryTables") < mostRounds(context) - 1;
  return !wasTaken(state, "queryTables") && asksToCompute(state.understood.question, state.understood.language);
}

/** True for what is looked up in the documents. */
export const isInDocuments = ({ by }: LookUp) => by !== "query" && by !== "graph" && by !== "web";

/** Where a model that leads may still look before it answers. Nowhere in the last round, in which it has to answer. */
export function mayLookUp(state: State, context: Context) {
  const isLast = spentLimit(state, context) !== undefined || mostCalls(context) - state.spend.calls < CALLS_TO_FINISH;
  return {
    documents: !isLast && roundsLeft(state, context),
    tables: !isLast && mayQueryTables(state, context),
    graph: !isLast && mayAskGraph(state, context),
    web: !isLast && maySearchWeb(state, context),
  };
}

/** This call, one that answers with what was looked up, and one that checks the answer. */
const CALLS_TO_FINISH = 3;
