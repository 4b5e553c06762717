import { inert } from "../citing/inert.js";
import type { Citing } from "../citing/style.js";
import type { Attempt, State } from "../graph/state.js";
import { faultOf } from "../language/faults.js";
import { leans } from "../language/sentences.js";
import { jaccard } from "../language/similarity.js";
import { contentTerms, plain } from "../language/tokens.js";
import { type Answer, type CheckedClaim, holds, type Report, type StopReason } from "../types/answer.js";
import { composeAnswer, composeRefusal, numberSources } from "./compose.js";
import { confidenceOf } from "./confidence.js";
import { withConflicts } from "./conflicts.js";
import { failuresOf, saidNothing } from "./failures.js";
import { phrases } from "./phrases.js";
import { searchedIn } from "./searched.js";

/**
 * The answer to a finished run: the supported claims of its best attempt, or a refusal that says what is missing, or the
 * question back to the user.
 */
export function answerOf(state: State, stopReason: StopReason, citing?: Citing): Answer {
  const language = state.understood?.language ?? "en";
  const question = state.understood?.question ?? state.question;
  const best = bestOf(state.attempts);
  const report = best?.report ?? NO_REPORT;
  const kept = standing(report.claims);
  const shown = withConflicts(withoutRepeats(inStreamedOrder(kept, state.streamed)), state.evidence);
  const { claims, references } = numberSources(shown.claims, state.evidence);
  const number = (claim: number) => claims[claim]?.citations[0]?.reference ?? 0;
  const disagreements = shown.conflicts.map(({ newer, older }) => ({ newer: number(newer), older: number(older) }));
  const common = {
    stopReason,
    language,
    claims,
    references,
    disagreements,
    confidence: confidenceOf(question, report.claims, best?.verdict),
    report,
    spend: state.spend,
    queries: state.queries,
  };
  if (claims.length > 0) {
    const dropped = report.claims.length - kept.length;
    const missing = report.missing || (dropped > 0 ? phrases(language).dropped(dropped) : "");
    const intent = state.understood?.intent ?? "other";
    const text = composeAnswer({ claims, references, disagreements, missing }, intent, language, citing);
    const failures = missing ? failuresOf(state, stopReason) : [];
    return { ...common, status: missing ? "partial" : "answered", text, missing, failures };
  }
  const missing = lackOf(state) || report.missing || phrases(language).nothingSaysIt;
  if (stopReason === "needs_clarification" || stopReason === "sources_failed") {
    const text = questionBack(state);
    return { ...common, status: "needs_clarification", text, missing, failures: [] };
  }
  const tried = [...state.queries.map(({ text }) => text), ...state.webQueries];
  const searched = [...new Set(tried)].map((text) => ({ text, reason: "" }));
  const { places, failed } = searchedIn(state);
  const say = phrases(language);
  const why = (saidNothing(state) && SAYS_OF_DRAFT.has(stopReason) ? say.silent : say.stopped[stopReason]) ?? "";
  const failures = failuresOf(state, stopReason);
  const remedies = [...new Set(failures.map(({ remedy }) => remedy))];
  const nearest = (state.nearest ?? []).map(({ title, uri, section, quote }) => ({ title, uri, section, quote }));
  const refusal = { queries: searched, places, failed, why, missing, remedies, nearest };
  const text = composeRefusal(refusal, language);
  return { ...common, status: "refused", text, missing, failures, ...(nearest.length > 0 && { nearest }) };
}

/** What the round lacked that came nearest: a later one may have lost what an earlier one had. Of equals the latest. */
const lackOf = ({ attempts, verdict }: State) =>
  attempts
    .map((attempt) => attempt.verdict)
    .reduce((best, next) => (best && best.relevance > next.relevance ? best : next), verdict)?.missing;

const SAYS_OF_DRAFT: ReadonlySet<StopReason> = new Set(["unsupported", "answer_stagnation"]);

/** What to ask the user: what the question leaves open, or that there is nothing to search, or what could not be searched and why. */
export const questionBack = (state: State) => {
  const say = phrases(state.understood?.language ?? "en");
  const { failed, isEmpty } = searchedIn(state);
  const nothing = [...(isEmpty ? [say.nothingStored] : []), inert(say.notSearched(failed))].filter(
    (text) => text !== "",
  );
  return inert(state.verdict?.clarification ?? "") || nothing.join("\n");
};

/**
 * The attempt with the most claims to show; of equals the one that had to leave out fewest, then the latest. A later round
 * never makes an answer worse.
 */
const bestOf = (attempts: readonly Attempt[]) =>
  attempts
    .filter(({ report }) => report !== undefined)
    .reduce<Attempt | undefined>((best, next) => (isAsGood(next, best) ? next : best), undefined);

function isAsGood(next: Attempt, best: Attempt | undefined): boolean {
  const [here, there] = [next.report?.claims ?? [], best?.report?.claims ?? []];
  const [more, fewer] = [standing(here).length, standing(there).length];
  return more !== fewer ? more > fewer : here.length - more <= there.length - fewer;
}

/** The claims that may be shown: supported or likely, and not leaning on one before them that is left out ("It opens at eight."). */
function standing(claims: readonly CheckedClaim[]): CheckedClaim[] {
  const kept: CheckedClaim[] = [];
  claims.forEach((claim, i) => {
    const before = claims[i - 1];
    const isOrphan = before !== undefined && !kept.includes(before) && leans(claim.text);
    if (holds(claim) && !isOrphan) kept.push(claim);
  });
  return kept;
}

/** A reader who saw the first claims arrive finds them where they were. */
const inStreamedOrder = (claims: CheckedClaim[], streamed: readonly string[]) => {
  const place = ({ text }: CheckedClaim) => (streamed.includes(text) ? streamed.indexOf(text) : streamed.length);
  return claims.toSorted((a, b) => place(a) - place(b));
};

const NO_REPORT: Report = {
  hallucinationDetected: false,
  claims: [],
  stages: [],
  contextSufficiency: "insufficient",
  correctionSuggestion: "",
  missing: "",
};

/**
 * Claims that say the same as an earlier one are left out, and their quotes join that one's. The same means: words alike by
 * more than 0.85 as sets (Jaccard), and no other amount, name, denial or order.
 */
export function withoutRepeats(claims: readonly CheckedClaim[]): CheckedClaim[] {
  const kept: CheckedClaim[] = [];
  for (const claim of claims) {
    const at = kept.findIndex((earlier) => saysTheSame(earlier.text, claim.text));
    const earlier = kept[at];
    if (earlier) kept[at] = { ...earlier, quotes: joined(earlier.quotes, claim.quotes) };
    else kept.push(claim);
  }
  return kept;
}

function saysTheSame(a: string, b: string): boolean {
  if (plain(a) === plain(b)) return true;
  const alike = jaccard(new Set(contentTerms(a)), new Set(contentTerms(b)));
  return alike > ALIKE && !faultOf(a, [b]) && !faultOf(b, [a]);
}

const ALIKE = 0.85;

const joined = (mine: CheckedClaim["quotes"], others: CheckedClaim["quotes"]) => [
  ...mine,
  ...others.filter((other) => !mine.some((q) => q.evidenceId === other.evidenceId && q.start === other.start)),
];
