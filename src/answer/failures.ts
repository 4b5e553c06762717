import type { State } from "../graph/state.js";
import { type Failure, type FailureTag, holds } from "../types/answer.js";
import { phrases, type Seen } from "./phrases.js";

/** What kept a run from ending well, read off what it left behind; what weighs most comes first. Empty where nothing did. */
export function failuresOf(state: State): Failure[] {
  const seen = seenIn(state);
  const say = phrases(state.understood?.language ?? "en").failure;
  return TAGS.filter(({ applies }) => applies(state, seen)).map(({ tag }) => ({ tag, ...say[tag](seen) }));
}

const TAGS: readonly { tag: FailureTag; applies: (state: State, seen: Seen) => boolean }[] = [
  { tag: "PROMPT_FAIL", applies: (state, { fault }) => fault !== "" || saidNothing(state) },
  { tag: "NO_RECALL", applies: ({ attempts }) => attempts.every(({ verdict }) => verdict.grade === "incorrect") },
  { tag: "BAD_RERANK", applies: (_, { rank, relevance }) => relevance >= RELEVANT && rank > FIRST },
  { tag: "OVERGEN", applies: (_, { dropped }) => dropped > 0 },
  {
    tag: "NEED_CONTENT",
    applies: ({ attempts }) =>
      attempts.some(({ verdict }) => verdict.grade !== "incorrect") &&
      attempts.at(-1)?.verdict.answerability !== "full",
  },
];

/** From here on a passage bears on the question: the context's `generateAt`, by default. */
const RELEVANT = 0.6;
const IRRELEVANT = 0.3;
/** A good ranking has what bears on the question among its first. */
const FIRST = 4;

/** The grader found an answer, and no draft made a claim of it. */
const saidNothing = ({ attempts }: State) => {
  const drafted = attempts.filter(({ draft }) => draft !== undefined);
  return (
    drafted.length > 0 &&
    drafted.every(({ draft, verdict }) => draft?.claims.length === 0 && verdict.grade === "correct")
  );
};

function seenIn({ attempts, evidence, decisions }: State): Seen {
  const graded = new Set(attempts.flatMap(({ evidenceIds }) => evidenceIds));
  const faults = decisions.filter(({ step }) => REASONING.has(step)).flatMap((decision) => decision.faults);
  const rejected = attempts.flatMap(({ report }) => report?.claims.filter((claim) => !holds(claim)) ?? []);
  return {
    graded: graded.size,
    relevance: Math.max(0, ...attempts.map(({ verdict }) => verdict.relevance)),
    rank: rankOfBest(evidence),
    fault: faults.find((fault) => MODEL_FAULT.test(fault)) ?? "",
    dropped: new Set(rejected.map(({ text }) => text)).size,
  };
}

const REASONING = new Set(["understand", "grade", "rewriteQuery", "generate", "checkAnswer"]);
const MODEL_FAULT = /^(?:EndpointError|MalformedReplyError)\b/;

/** Counts only where most of what stands above it says nothing on the question. */
function rankOfBest(evidence: State["evidence"]): number {
  const best = Math.max(0, ...evidence.map(({ relevance }) => relevance));
  const at = evidence.findIndex(({ relevance }) => relevance === best);
  const above = evidence.slice(0, Math.max(0, at));
  return above.filter(({ relevance }) => relevance < IRRELEVANT).length * 2 > above.length ? at + 1 : 1;
}
