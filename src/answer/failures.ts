import type { Context } from "../state/context.js";
import type { State } from "../state/state.js";
import { type Failure, type FailureTag, holds, type StopReason } from "../types/answer.js";
import type { StepFault } from "../types/events.js";
import { messagesIn } from "./messages/index.js";
import type { Searched, Seen, SourceKind } from "./messages/terms.js";

/** Finds from the state of a run why it did not end well, most serious reason first. */
export function failuresOf(state: State, stop: StopReason, context: FailureContext): Failure[] {
  const seen = seenIn(state, context);
  const say = messagesIn(state.understood?.language ?? "en").failure;
  return TAGS.filter(({ applies }) => applies(state, seen, stop)).map(({ tag }) => ({ tag, ...say[tag](seen) }));
}

type FailureContext = Pick<Context, "generateAt" | "rewriteBelow" | "filter">;

const TAGS: readonly { tag: FailureTag; applies: (state: State, seen: Seen, stop: StopReason) => boolean }[] = [
  { tag: "SOURCE_FAIL", applies: (_, { failed }) => failed.length > 0 },
  {
    tag: "PROMPT_FAIL",
    applies: (state, { fault }) => fault !== undefined || (saidNothing(state) && wroteByModel(state)),
  },
  {
    tag: "NO_RECALL",
    // Documents that were not searched are not to blame.
    applies: ({ attempts, evidence }, { graded, failed }, stop) =>
      attempts.every(({ verdict }) => verdict.grade === "incorrect") &&
      (graded > 0 || (evidence.length === 0 && !BUDGET.has(stop) && failed.every(({ place }) => place !== "document"))),
  },
  { tag: "BAD_RERANK", applies: (_, { rank }) => rank > FIRST },
  { tag: "OVERGEN", applies: (_, { dropped }) => dropped > 0 },
  {
    tag: "NEED_CONTENT",
    applies: (state) =>
      state.attempts.some(({ verdict }) => verdict.grade !== "incorrect") &&
      (state.attempts.at(-1)?.verdict.answerability !== "full" || (saidNothing(state) && !wroteByModel(state))),
  },
];

const BUDGET: ReadonlySet<StopReason> = new Set(["calls_spent", "tokens_spent", "time_spent", "steps_spent"]);

/** The last rank at which a good ranking has a relevant passage. Set by hand. */
const FIRST = 4;

/** True if there was a draft, but none with a claim. */
export const draftedNothing = ({ attempts }: Pick<State, "attempts">) => {
  const drafts = attempts.flatMap(({ draft }) => draft ?? []);
  return drafts.length > 0 && drafts.every(({ claims }) => claims.length === 0);
};

/** The same if the evidence of every draft was graded as an answer. */
export const saidNothing = (state: Pick<State, "attempts">) =>
  draftedNothing(state) && state.attempts.every(({ draft, verdict }) => !draft || verdict.grade === "correct");

/** The local form makes no call. */
const wroteByModel = ({ decisions }: State) => decisions.some(({ step, calls }) => step === "generate" && calls > 0);

function seenIn(state: State, context: FailureContext): Seen {
  const { attempts, evidence, decisions, spend } = state;
  const graded = new Set(attempts.flatMap(({ evidenceIds }) => evidenceIds));
  // A step without a call used no model, so its fault came from the embeddings.
  const faults = decisions
    .filter(({ step, calls }) => REASONING.has(step) && calls > 0)
    .flatMap((decision) => decision.faults);
  const rejected = attempts.flatMap(({ report }) => report?.claims.filter((claim) => !holds(claim)) ?? []);
  return {
    ...searchedIn(state),
    graded: graded.size,
    isFiltered: context.filter.length > 0,
    relevance: Math.max(0, ...attempts.map(({ verdict }) => verdict.relevance)),
    rank: rankOfBest(evidence, context),
    fault: faults.find(({ name }) => MODEL_FAULTS.has(name)),
    dropped: new Set(rejected.map(({ text }) => text)).size,
    hasModel: spend.calls > 0,
  };
}

const REASONING = new Set(["understand", "grade", "rewriteQuery", "generate", "checkAnswer"]);
const MODEL_FAULTS = new Set(["EndpointError", "MalformedReplyError"]);

/**
 * Returns the rank of the most relevant evidence, from 1. Also 1 unless it is good enough to answer and most of what
 * ranks above it is irrelevant.
 */
function rankOfBest(evidence: State["evidence"], { generateAt, rewriteBelow }: FailureContext): number {
  const best = Math.max(0, ...evidence.map(({ relevance }) => relevance));
  const at = evidence.findIndex(({ relevance }) => relevance === best);
  const above = evidence.slice(0, Math.max(0, at));
  const isBelow = above.filter(({ relevance }) => relevance < rewriteBelow).length * 2 > above.length;
  return best >= generateAt && isBelow ? at + 1 : 1;
}

export function searchedIn({ decisions, attempts, webQueries }: State): Searched {
  const found = (place: SourceKind) =>
    attempts.some(({ evidenceIds }) => evidenceIds.some((id) => placeOf(id) === place));
  const faultsOf = (step: string) => decisions.filter((one) => one.step === step).map(({ faults }) => faults);

  const retrieved = faultsOf("retrieve");
  const isEmpty = !found("document") && retrieved.flat().some(({ name }) => name === EMPTY);
  const failed: Searched["failed"] = [];
  const note = (place: SourceKind, faults: readonly StepFault[], isDown: boolean) => {
    const [first] = faults;
    if (isDown && first) failed.push({ place, why: first.message });
  };
  note(
    "document",
    retrieved.flat().filter(isGrave),
    retrieved.every((faults) => faults.some(isGrave)),
  );
  note("graph", faultsOf("queryGraph").flat().filter(isGrave), !found("graph"));
  // A web search logs one fault for each query that failed.
  const web = faultsOf("searchWeb");
  note(
    "web",
    web.flat(),
    web.every((faults) => faults.length >= webQueries.length),
  );
  const places = PLACES.filter((place) => {
    if (failed.some((one) => one.place === place)) return false;
    return place === "document"
      ? retrieved.length === 0 || !isEmpty
      : found(place) || (place === "web" && webQueries.length > 0);
  });
  return { places, failed, isEmpty };
}

const PLACES = ["document", "graph", "web"] as const;

const placeOf = (id: string): SourceKind =>
  id.startsWith("graph:") ? "graph" : id.startsWith("web:") ? "web" : "document";

const isGrave = ({ name }: StepFault) => !LESSER.has(name) && name !== EMPTY;

const EMPTY = "EmptyStoreError";

/** Faults after which the source was still searched: by words alone, or without a query written by a model. */
const LESSER = new Set(["EndpointError", "CypherError", "MalformedReplyError", "BudgetSpentError"]);
