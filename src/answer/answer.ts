import type { Attempt, State } from "../graph/state.js";
import type { Answer, CheckedClaim, Report, StopReason } from "../types/answer.js";
import { cite } from "./cite.js";
import { composeAnswer, composeRefusal } from "./compose.js";
import { confidenceOf } from "./confidence.js";
import { withConflicts } from "./conflicts.js";
import { phrases } from "./phrases.js";

/**
 * The answer to a finished run: the supported claims of its best attempt, or a refusal that says what is missing, or the
 * question back to the user.
 */
export function answerOf(state: State, stopReason: StopReason): Answer {
  const language = state.understood?.language ?? "en";
  const question = state.understood?.question ?? state.question;
  const best = bestOf(state.attempts);
  const report = best?.report ?? NO_REPORT;
  const supported = inStreamedOrder(report.claims.filter(isSupported), state.streamed);
  const shown = withConflicts(supported, state.evidence);
  const { claims, references } = cite(shown.claims, state.evidence);
  const number = (claim: number) => claims[claim]?.citations[0]?.reference ?? 0;
  const disagreements = shown.conflicts.map(({ newer, older }) => ({ newer: number(newer), older: number(older) }));
  const common = {
    stopReason,
    language,
    claims,
    references,
    disagreements,
    confidence: confidenceOf(question, report.claims),
    report,
    spend: state.spend,
    queries: state.queries,
  };
  if (claims.length > 0) {
    const dropped = report.claims.length - supported.length;
    const missing = report.missing || (dropped > 0 ? phrases(language).dropped(dropped) : "");
    const intent = state.understood?.intent ?? "other";
    const text = composeAnswer({ claims, references, disagreements, missing }, intent, language);
    return { ...common, status: missing ? "partial" : "answered", text, missing };
  }
  const missing = state.verdict?.missing || report.missing || phrases(language).nothingSaysIt;
  if (stopReason === "needs_clarification" || stopReason === "sources_failed") {
    const text = questionBack(state);
    return { ...common, status: "needs_clarification", text, missing };
  }
  const tried = [...state.queries.map(({ text }) => text), ...state.webQueries];
  const searched = [...new Set(tried)].map((text) => ({ text, reason: "" }));
  const ids = state.attempts.flatMap(({ evidenceIds }) => evidenceIds);
  const places = PLACES.filter((place) => place === "document" || ids.some((id) => id.startsWith(`${place}:`)));
  return {
    ...common,
    status: "refused",
    text: composeRefusal({ queries: searched, places, missing }, language),
    missing,
  };
}

const PLACES = ["document", "graph", "web"] as const;

/** What to ask the user: what the question leaves open, or that no source could be searched, and why. */
export const questionBack = ({ verdict, understood, decisions }: State) => {
  const faults = decisions.findLast(({ step }) => step === "retrieve")?.faults ?? [];
  return verdict?.clarification || phrases(understood?.language ?? "en").sourcesFailed(faults);
};

/** The attempt with the most supported claims, the latest of equals: a later round never makes an answer worse. */
const bestOf = (attempts: readonly Attempt[]) =>
  attempts.reduce<Attempt | undefined>((best, next) => (support(next) >= support(best) ? next : best), undefined);

const support = (attempt: Attempt | undefined) => attempt?.report?.claims.filter(isSupported).length ?? 0;

const isSupported = (claim: CheckedClaim) => claim.verdict === "supported";

/** A reader who saw the first claims arrive finds them where they were. */
const inStreamedOrder = (claims: CheckedClaim[], streamed: readonly string[]) => {
  const place = ({ text }: CheckedClaim) => (streamed.includes(text) ? streamed.indexOf(text) : streamed.length);
  return claims.toSorted((a, b) => place(a) - place(b));
};

const NO_REPORT: Report = {
  hallucinationDetected: false,
  claims: [],
  contextSufficiency: "insufficient",
  correctionSuggestion: "",
  missing: "",
};
