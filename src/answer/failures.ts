import type { Context } from "../state/context.js";
import type { State } from "../state/state.js";
import { type Failure, type FailureTag, holds, type StopReason } from "../types/answer.js";
import { type Fault, hidesAnswers, isOfReader, isOwn } from "../types/fault.js";
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
      (graded > 0 || (evidence.length === 0 && !BUDGET.has(stop) && failed.every(({ part }) => part !== "retriever"))),
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

/** The limits of a run. */
export const BUDGET: ReadonlySet<StopReason> = new Set(["calls_spent", "tokens_spent", "time_spent", "steps_spent"]);

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
  const { attempts, decisions, evidence, spend } = state;
  const graded = new Set(attempts.flatMap(({ evidenceIds }) => evidenceIds));
  const rejected = attempts.flatMap(({ report }) => report?.claims.filter((claim) => !holds(claim)) ?? []);
  return {
    ...searchedIn(state),
    graded: graded.size,
    read: decisions.reduce((sum, { read = 0 }) => sum + read, 0),
    isFiltered: context.filter.length > 0,
    relevance: Math.max(0, ...attempts.map(({ verdict }) => verdict.relevance)),
    rank: rankOfBest(evidence, context),
    fault: faultsIn(state).find(isOfReader),
    dropped: new Set(rejected.map(({ text }) => text)).size,
    hasModel: spend.calls > 0,
  };
}

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
  const faultsOf = (part: string) => decisions.flatMap(({ faults }) => faults.filter((fault) => fault.part === part));
  const retrieved = faultsOf("retriever");
  const isEmpty = !found("document") && retrieved.some(isOfEmptiness);
  const web = faultsOf("web_search");
  const down = [
    retrieved.filter((fault) => !isOfEmptiness(fault)),
    found("table") ? [] : faultsOf("tables"),
    found("graph") ? [] : faultsOf("knowledge_graph"),
    // One for each query that failed.
    web.length >= webQueries.length ? web : [],
  ];
  const failed = down.flatMap(([first]) => first ?? []);
  const places = PLACES.filter((place, i) => {
    if (down[i]?.length) return false;
    return place === "document"
      ? decisions.every(({ step }) => step !== "retrieve") || !isEmpty
      : found(place) || (place === "web" && webQueries.length > 0);
  });
  return { places, failed, isEmpty };
}

/** Returns the faults of a run, each once. */
export function faultsIn({ decisions }: Pick<State, "decisions">): Fault[] {
  const all = decisions.flatMap(({ faults }) => faults).filter(({ part }) => part !== "");
  return [...new Map(all.map((fault) => [JSON.stringify(fault), fault])).values()];
}

/**
 * True if it is unknown whether the documents answer: they, or what reads them, failed. A store without documents is a
 * fault only where nothing else was searched.
 */
export function isUnknown(state: State): boolean {
  const { places } = searchedIn(state);
  const isElsewhere = places.length > 0 || state.decisions.some(({ step }) => isOwn(step));
  return faultsIn(state).some((fault) => hidesAnswers(fault) && !(isOfEmptiness(fault) && isElsewhere));
}

/**
 * Returns the faults that matter where something is missing: of each part the first, of a source only if it could not be
 * searched at all. That a page cannot be read is usual.
 */
export function faultsToTell(state: State): Fault[] {
  const { failed } = searchedIn(state);
  const others = faultsIn(state).filter(({ part }) => !SOURCES.has(part) && part !== "page_reader");
  return [...failed, ...new Map(others.toReversed().map((fault) => [fault.part, fault])).values()];
}

const SOURCES: ReadonlySet<string> = new Set(["retriever", "tables", "knowledge_graph", "web_search"]);

const PLACES = ["document", "table", "graph", "web"] as const;

const placeOf = (id: string): SourceKind =>
  PLACES.find((place) => place !== "document" && id.startsWith(`${place}:`)) ?? "document";

const isOfEmptiness = ({ name }: Fault) => name === "EmptyStoreError";
