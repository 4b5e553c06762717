import {
  isInDocuments,
  mayAskGraph,
  mayQueryTables,
  maySearchWeb,
  roundsLeft,
  spentLimit,
  visits,
  wasTaken,
} from "../state/budget.js";
import { type Context, mostCalls } from "../state/context.js";
import type { State } from "../state/state.js";
import { READING } from "../thresholds.js";
import { holds, type LookUp, type StopReason } from "../types/answer.js";
import type { Reason, ReasonCode } from "../types/events.js";
import { hasJudge, isUnsure } from "../types/evidence.js";

/** An edge, and why it is taken. `stop` is set where the run is about to end. */
export interface Route<To extends string> {
  to: To;
  reason: Reason;
  stop?: StopReason;
}

/** A source of your own: a rung of the ladder that a run climbs while its evidence does not answer. */
export interface Rung<To extends string = string> {
  to: To;
  /** Its label in the drawn graph and in the log, such as "ask the order system". */
  label: string;
  /** The rung that it comes before. Default: "searchWeb". "respond" is the end of the ladder. */
  before?: (typeof LADDER)[number];
  /**
   * True if it may know the answer. Default: always. It is climbed at most once for each question, within the budget.
   */
  helps?: (state: State, context: Context) => boolean;
}

/** The rungs, cheapest first. */
const LADDER = ["retrieve", "queryTables", "queryGraph", "rewriteQuery", "searchWeb", "respond"] as const;

export type AfterUnderstand = "retrieve" | "respond";
export type AfterGrade =
  | "generate"
  | "retrieve"
  | "queryTables"
  | "queryGraph"
  | "rewriteQuery"
  | "searchWeb"
  | "clarify"
  | "respond";
export type AfterRewrite = "retrieve" | "searchWeb" | "generate" | "respond";
export type AfterGenerate = "checkAnswer" | "retrieve" | "queryTables" | "queryGraph" | "searchWeb";
export type AfterCheck = "respond" | "generate" | "queryGraph" | "rewriteQuery" | "searchWeb" | "clarify";
export type AfterClarify = "understand" | "respond";

export const afterUnderstand = (state: State): Route<AfterUnderstand> => {
  if (!state.understood && failed(state)) return respond("question_failed", "part_failed");
  return state.understood?.smallTalk
    ? respond("small_talk", "small_talk")
    : { to: "retrieve", reason: { code: "search_first" } };
};
export const afterRetrieve = (state: State): Route<"grade"> => ({
  to: "grade",
  reason: { code: "passages_to_grade", count: state.evidence.length },
});
export const afterQueryTables = (state: State): Route<"grade"> => {
  const count = ungraded(state);
  if (count > 0) return { to: "grade", reason: { code: "results_to_grade", count } };
  return { to: "grade", reason: { code: failed(state) ? "query_failed" : "query_empty" } };
};

export const afterQueryGraph = (state: State): Route<"grade"> => {
  const count = ungraded(state);
  if (count > 0) return { to: "grade", reason: { code: "facts_to_grade", count } };
  return { to: "grade", reason: { code: failed(state) ? "graph_failed" : "graph_empty" } };
};

export const afterSearchWeb = (state: State): Route<"readPages"> => {
  const { webQueries: queries, webResults } = state;
  const to = "readPages";
  if (webResults.length > 0) return { to, reason: { code: "pages_found", count: webResults.length, queries } };
  if (failed(state)) return { to, reason: { code: "web_failed" } };
  return { to, reason: queries.length > 0 ? { code: "no_pages_found", queries } : { code: "no_query_approved" } };
};

export const afterReadPages = (state: State): Route<"grade"> => {
  const count = ungraded(state);
  if (count > 0) return { to: "grade", reason: { code: "page_sections_to_grade", count } };
  return { to: "grade", reason: { code: failed(state) ? "readable_pages_silent" : "pages_silent" } };
};

/** A model that asks for more gets it, as long as it may then still answer; else its draft is checked. */
export function afterGenerate(state: State, context: Context): Route<AfterGenerate> {
  const to = nextLookUp(state, context);
  if (to)
    return { to, reason: { code: "model_asks", queries: state.lookUps.map(({ by, words }) => `${by}: ${words}`) } };
  const count = state.draft?.claims.length ?? 0;
  return { to: "checkAnswer", reason: count > 0 ? { code: "claims_to_check", count } : { code: "draft_empty" } };
}

/** Where the model wants to look next, among the places that are left. */
function nextLookUp(
  state: State,
  context: Context,
): "retrieve" | "queryTables" | "queryGraph" | "searchWeb" | undefined {
  if (spentLimit(state, context)) return undefined;
  const wants = (by: LookUp["by"]) => state.lookUps.some((one) => one.by === by);
  if (state.lookUps.some(isInDocuments) && roundsLeft(state, context)) return "retrieve";
  if (wants("query") && mayQueryTables(state, context)) return "queryTables";
  if (wants("graph") && mayAskGraph(state, context)) return "queryGraph";
  return wants("web") && maySearchWeb(state, context) ? "searchWeb" : undefined;
}

export const afterRespond = ({ answer, answering }: State): Route<"END" | "understand"> =>
  answer || answering
    ? { to: "END", reason: { code: "done" } }
    : { to: "understand", reason: { code: "another_answer" } };

/** The edge after grading: answer if the evidence suffices, else climb the ladder, cheapest rung first. */
export function afterGrade<Own extends string = never>(
  state: State,
  context: Context,
  rungs: readonly Rung<Own>[] = [],
): Route<AfterGrade | Own> {
  const { verdict } = state;
  if (state.understood?.modelLeads && !state.report) return toRead(state, context, rungs);
  // Grading new evidence clears the report. If there still is one, nothing new was found, and the run goes on as after
  // the check.
  if (state.report) return afterCheck(state, context, rungs);
  // A row of a table is no count of its rows, however well it seems to answer.
  if (!spentLimit(state, context) && mayQueryTables(state, context))
    return { to: "queryTables", reason: { code: "compute" } };
  if (verdict?.grade === "correct") return { to: "generate", reason: { code: "evidence_answers" } };
  const limit = spentLimit(state, context);
  if (!limit) {
    if (verdict?.clarification && mayClarify(state) && !mayReread(state, context))
      return { to: "clarify", reason: { code: "ambiguous" } };
    if (everySourceFailed(state, context, rungs)) return refusal(state, context, rungs);
    const canLook = roundsLeft(state, context);
    const mayAnswer = isPartial(state, context) || isLikely(verdict);
    const canReword = mayReread(state, context) ? !mayAnswer : canLook && !queryStagnates(state);
    // Passages that a judge ranks lower do not answer either: of 50 questions that got more passages, only one was then
    // answered, and wrongly (160 questions over four sets).
    const isAmbiguous = verdict?.grade === "ambiguous" && !hasJudge(verdict);
    const canWiden = isAmbiguous && !isWidened(state) && !evidenceStagnates(state);
    const steps: Step<"retrieve" | "queryGraph" | "rewriteQuery" | "searchWeb">[] = [
      { to: "retrieve", code: "more_passages", helps: canLook && canWiden },
      { to: "queryGraph", code: "documents_silent", helps: mayAskGraph(state, context) },
      { to: "rewriteQuery", code: "rephrase", helps: canReword },
      { to: "searchWeb", code: "search_web", helps: maySearchWeb(state, context) },
    ];
    const rung = climbed(steps, rungs, "documents_silent", state, context);
    if (rung) return rung;
  }
  return atItsEnd(state, context, rungs);
}

/**
 * A model that leads reads whatever was found, once all that it asked for was looked up. It is not asked without anything
 * to read while another source is left, nor if the question asks nothing.
 */
function toRead<Own extends string>(
  state: State,
  context: Context,
  rungs: readonly Rung<Own>[],
): Route<AfterGrade | Own> {
  const { verdict, evidence } = state;
  if (onlyFaintFacts(state, context)) return refusal(state, context, rungs);
  // What is still to be looked up in the documents failed.
  const next = nextLookUp({ ...state, lookUps: state.lookUps.filter((one) => !isInDocuments(one)) }, context);
  if (next && next !== "retrieve")
    return { to: next, reason: { code: "model_asks", queries: state.lookUps.map(({ words }) => words) } };
  if (evidence.length === 0 && !spentLimit(state, context)) {
    const isOpen = mayReread(state, context);
    if (verdict?.clarification && mayClarify(state) && !isOpen) return { to: "clarify", reason: { code: "ambiguous" } };
    if (everySourceFailed(state, context, rungs)) return refusal(state, context, rungs);
    const code = "documents_silent";
    const steps: Step<"queryGraph" | "rewriteQuery" | "searchWeb">[] = [
      { to: "queryGraph", code, helps: mayAskGraph(state, context) },
      { to: "rewriteQuery", code, helps: isOpen },
      { to: "searchWeb", code, helps: maySearchWeb(state, context) },
    ];
    const rung = climbed(steps, rungs, code, state, context);
    if (rung) return rung;
  }
  return { to: "generate", reason: { code: "model_reads" } };
}

/**
 * True if the model found no answer, and all that was looked up since are facts that the judge does not find to answer
 * either: it would read everything again for them.
 */
function onlyFaintFacts({ attempts, evidence, verdict }: State, context: Context): boolean {
  const before = attempts.at(-2);
  if (before?.draft?.claims.length !== 0 || verdict?.grade === "correct") return false;
  const fresh = evidence.filter(({ id }) => !before.evidenceIds.includes(id));
  return fresh.length > 0 && fresh.every(({ fact, relevance }) => fact && relevance < context.generateAt);
}

/** At the end of the ladder: draft from evidence that answers in part or that may answer, else refuse. */
function atItsEnd(state: State, context: Context, rungs: readonly Rung[]): Route<"generate" | "respond"> {
  if (isPartial(state, context)) return { to: "generate", reason: { code: "evidence_answers_partly" } };
  if (isUnsure(state.verdict)) return { to: "generate", reason: { code: "evidence_may_answer" } };
  return refusal(state, context, rungs);
}

/** A built-in rung, and whether it can help now. */
interface Step<To extends string> {
  to: To;
  code: Lacking | "more_passages" | "rephrase" | "search_web";
  helps: boolean;
}

/** The reasons for climbing a rung that was added from outside. */
type Lacking = "documents_silent" | "no_new_wording" | "draft_open" | "draft_empty";

/** The first rung that helps, among the built-in steps and the added rungs between them. */
function climbed<To extends (typeof LADDER)[number], Own extends string>(
  steps: readonly Step<To>[],
  rungs: readonly Rung<Own>[],
  code: Lacking,
  state: State,
  context: Context,
): Route<To | Own> | undefined {
  const own = rungs.map((rung) => ({
    to: rung.to,
    reason: { code, label: rung.label },
    helps: mayClimb(rung, state, context),
    at: LADDER.indexOf(rung.before ?? "searchWeb"),
  }));
  const builtIn = steps.map(({ to, code, helps }) => ({ to, reason: { code }, helps, at: LADDER.indexOf(to) + 0.5 }));
  const first = [...own, ...builtIn].toSorted((a, b) => a.at - b.at).find(({ helps }) => helps);
  return first && { to: first.to, reason: first.reason };
}

const mayClimb = ({ to, helps }: Rung, state: State, context: Context) =>
  !wasTaken(state, to) && (helps?.(state, context) ?? true);

/** A query that says nothing new is not worth another retrieval. */
export function afterRewrite<Own extends string = never>(
  state: State,
  context: Context,
  rungs: readonly Rung<Own>[] = [],
): Route<AfterRewrite | Own> {
  if (!queryStagnates(state))
    return { to: "retrieve", reason: { code: "new_query", query: state.queries.at(-1)?.text ?? "" } };
  const code = "no_new_wording";
  const steps: Step<"searchWeb">[] = [{ to: "searchWeb", code, helps: maySearchWeb(state, context) }];
  const rung = spentLimit(state, context) ? undefined : climbed(steps, rungs, code, state, context);
  if (rung) return rung;
  return state.report ? withDraft(state, context) : atItsEnd(state, context, rungs);
}

/** The edge after checking: finish, or go back with the report. */
export function afterCheck<Own extends string = never>(
  state: State,
  context: Context,
  rungs: readonly Rung<Own>[] = [],
): Route<AfterCheck | Own> {
  const claims = state.report?.claims ?? [];
  const supported = claims.filter(holds).length;
  const isOpen = mayReread(state, context) && bestSupport(state) === 0 && !state.report?.unsure;
  const open = state.report?.missing ?? "";
  const unsure = state.report?.unsure ?? false;
  if (supported > 0 && supported === claims.length && !open && !unsure) {
    return respond(state.draft?.quoted ? "evidence_quoted" : "draft_supported", "supported");
  }
  const limit = spentLimit(state, context);
  const stuck = answerStagnates(state);
  const code = claims.length > 0 ? "draft_open" : "draft_empty";
  if (!limit) {
    if (supported === 0 && state.draft?.clarification && mayClarify(state) && !isOpen)
      return { to: "clarify", reason: { code: "ambiguous" } };
    // One call to repair it, and one to check it again.
    const isAffordable = mostCalls(context) - state.spend.calls >= 2;
    const mayRepair = !state.draft?.quoted && repairs(state) < context.repairs && isAffordable;
    if (!stuck && supported < claims.length && mayRepair) return { to: "generate", reason: { code: "repair" } };
    const lacks = open !== "" || supported === 0 || unsure;
    // A model that leads has said what to look for.
    const canLook =
      !state.understood?.modelLeads &&
      !stuck &&
      roundsLeft(state, context) &&
      !queryStagnates(state) &&
      !evidenceStagnates(state);
    // A source that was not asked yet can help even a draft that is stuck; another query to the same source cannot.
    const steps: Step<"queryGraph" | "rewriteQuery" | "searchWeb">[] = [
      { to: "queryGraph", code, helps: lacks && mayAskGraph(state, context) },
      { to: "rewriteQuery", code, helps: mayReread(state, context) ? isOpen : canLook },
      { to: "searchWeb", code, helps: lacks && maySearchWeb(state, context) },
    ];
    const rung = suffices(state) ? undefined : climbed(steps, lacks ? rungs : [], code, state, context);
    if (rung) return rung;
  }
  return withDraft(state, context);
}

/** The end of a run that has drafted. */
function withDraft(state: State, context: Context): Route<"respond"> {
  const [limit, stuck] = [spentLimit(state, context), answerStagnates(state)];
  const drafted = (state.report?.claims.length ?? 0) > 0;
  const stop = limit ?? (stuck ? "answer_stagnation" : undefined);
  if (state.report?.unsure) return respond("best_quotes_shown", "unsure");
  if (bestSupport(state) > 0) return respond("partly_supported", stop ?? "partly_supported");
  if (limit) return respond("budget_spent", limit);
  if (stuck) return respond(drafted ? "same_draft" : "draft_empty_again", "answer_stagnation");
  return respond(drafted ? "nothing_supported" : "draft_empty", "unsupported");
}

/** A person's reply starts the question again; without one, the run ends with the question back. */
export const afterClarify = (state: State): Route<AfterClarify> =>
  state.clarification
    ? { to: "understand", reason: { code: "details_added" } }
    : respond("nobody_to_ask", "needs_clarification");

function refusal(state: State, context: Context, rungs: readonly Rung[]): Route<"respond"> {
  const limit = spentLimit(state, context);
  if (limit) return respond("budget_spent", limit);
  if (everySourceFailed(state, context, rungs)) return respond(nothingSearched(state), "sources_failed");
  if (queryStagnates(state)) return respond("no_new_wording", "query_stagnation");
  if (evidenceStagnates(state)) return respond("nothing_new_found", "evidence_stagnation");
  if (!roundsLeft(state, context)) return respond("rounds_spent", "rounds_spent");
  return respond("nothing_answers", "unanswerable");
}

/** The end of a run, for a reason without parameters. */
const respond = <Code extends ReasonCode>(code: Code, stop: StopReason) =>
  ({ to: "respond", reason: { code }, stop }) as const;

/** True if the last two rounds graded the same evidence. */
const evidenceStagnates = (state: State) => {
  const [previous, last] = state.attempts.filter((attempt) => !attempt.repair).slice(-2);
  return previous !== undefined && last !== undefined && sameMembers(previous.evidenceIds, last.evidenceIds);
};

/** True if a rewrite gave no query that was not tried before. */
const queryStagnates = (state: State) =>
  state.queries.length < visits(state, "understand") + visits(state, "rewriteQuery");

/** True if the last draft says the same as an earlier one. */
const answerStagnates = (state: State) => {
  const drafts = state.attempts.flatMap(({ draft }) => (draft ? [draft.claims.map((claim) => claim.text)] : []));
  const last = drafts.at(-1);
  return last !== undefined && drafts.slice(0, -1).some((draft) => sameMembers(draft, last));
};

const isWidened = (state: State) =>
  state.attempts.filter((attempt) => !attempt.repair && attempt.query === state.queries.at(-1)?.text).length > 1;

/** True if the question of a conversation can also be read in another way: it is, before it is refused. */
const mayReread = (state: State, context: Context) =>
  state.understood?.otherwise !== undefined && roundsLeft(state, context);

const isPartial = ({ verdict }: State, context: Context) =>
  verdict?.answerability === "partial" && verdict.relevance >= context.generateAt;

/** True if a sentence may answer. A passage that is only on the topic is worth another reading of the question. */
const isLikely = (verdict: State["verdict"]) => isUnsure(verdict) && (verdict?.probability ?? 0) >= READING.speak;

/** The user is asked once, whether the reply came by a resume or as a message. */
const mayClarify = (state: State) => state.clarification === "" && visits(state, "clarify") === 0;

const repairs = (state: State) => {
  const lastRound = state.attempts.findLastIndex((attempt) => !attempt.repair);
  return state.attempts.length - 1 - lastRound;
};

const failed = ({ decisions }: State) => (decisions.at(-1)?.faults.length ?? 0) > 0;

const ungraded = ({ attempts, evidence }: State) =>
  evidence.filter(({ id }) => !attempts.at(-1)?.evidenceIds.includes(id)).length;

/** True if nothing was found because of a fault, and no other source is left to ask. */
const everySourceFailed = (state: State, context: Context, rungs: readonly Rung[]) => {
  const last = state.decisions.findLast((decision) => decision.step === "retrieve");
  return (
    state.evidence.length === 0 &&
    (last?.faults.length ?? 0) > 0 &&
    !mayAskGraph(state, context) &&
    !maySearchWeb(state, context) &&
    !rungs.some((rung) => mayClimb(rung, state, context))
  );
};

const nothingSearched = ({ decisions }: State) =>
  decisions.some(({ step, faults }) => step === "retrieve" && faults.some(({ name }) => name === "EmptyStoreError"))
    ? "no_documents"
    : "documents_failed";

/**
 * True if a claim holds and the evidence was graded as sufficient: what the draft still misses is not worth another
 * round.
 */
const suffices = (state: State) =>
  !state.understood?.modelLeads && state.verdict?.answerability === "full" && bestSupport(state) > 0;

const bestSupport = (state: State) =>
  Math.max(0, ...state.attempts.map((a) => a.report?.claims.filter(holds).length ?? 0));

const sameMembers = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && new Set([...a, ...b]).size === new Set(a).size;
