import { sanitizeMarkdown } from "../citing/sanitize-markdown.js";
import { mismatchOf } from "../facts/mismatches.js";
import type { Context } from "../state/context.js";
import type { Attempt, State } from "../state/state.js";
import { asksForWork } from "../text/intent.js";
import { isAnaphoric } from "../text/prose.js";
import { jaccard } from "../text/similarity.js";
import { contentTerms, plain } from "../text/tokens.js";
import {
  type Answer,
  type CheckedClaim,
  FAULT_TAGS,
  type Failure,
  holds,
  type Report,
  type Segment,
  type StopReason,
} from "../types/answer.js";
import type { Language } from "../types/language.js";
import { foreignIn, staleIn, withConflicts } from "./caveats.js";
import { apart, composeAnswer, composeRefusal, notRead, numberSources } from "./compose.js";
import { confidenceOf } from "./confidence.js";
import {
  BUDGET,
  draftedNothing,
  failuresOf,
  faultsIn,
  faultsToTell,
  isUnknown,
  saidNothing,
  searchedIn,
} from "./failures.js";
import { messagesIn } from "./messages/index.js";
import { paragraph, withText } from "./segments.js";

/** Makes the answer of a finished run: the claims of its best attempt that hold, a refusal, or a question to the user. */
export function answerOf(
  state: State,
  ended: StopReason,
  { citing, staleAfter = 0, generateAt = 0.6, rewriteBelow = 0.3, filter = [] }: Partial<Context> = {},
): Answer {
  const {
    language = languageIn(state),
    question = state.question,
    intent = "other",
    misspelt,
  } = state.understood ?? {};
  const say = messagesIn(language);
  const context = { generateAt, rewriteBelow, filter };
  const best = bestOf(state.attempts);
  const report = best?.report ?? NO_REPORT;
  const kept = standing(report.claims);
  const isUnsure = report.unsure === true;
  // The run may have ended with another attempt than the one that is shown.
  const stopReason: StopReason = isUnsure ? "unsure" : ended === "unsure" ? "partly_supported" : ended;
  const distinct = withoutRepeats(inStreamedOrder(kept, state.streamed));
  const shown = withConflicts(isUnsure ? firstQuotes(distinct) : distinct, state.evidence, question);
  const { claims, references } = numberSources(shown.claims, state.evidence);
  const number = (claim: number) => claims[claim]?.citations[0]?.reference ?? 0;
  const disagreements = shown.conflicts.map(({ newer, older }) => ({ newer: number(newer), older: number(older) }));
  // A question about the past is answered from old sources.
  const stale = state.understood?.time?.isCertain ? [] : staleIn(claims, references, staleAfter);
  const { leftOut = [], unread = [] } = state;
  const foreign = foreignIn({ references, claims }, state.evidence, language);
  const common = {
    stopReason,
    language,
    claims,
    references,
    disagreements,
    ...(misspelt && { misspelt }),
    ...(unread.length > 0 && { unread }),
    ...(leftOut.length > 0 && { leftOut }),
    ...(stale.length > 0 && { stale }),
    confidence: confidenceOf(question, report.claims, best?.verdict, isUnsure),
    faults: faultsIn(state),
    report,
    spend: state.spend,
    queries: state.queries,
  };
  if (isUnsure && claims.length > 0) {
    const told = {
      ...common,
      claims: apart(claims),
      missing: "",
      faulty: sanitizeMarkdown(say.failed(faultsToTell(state))),
    };
    const segments = [paragraph(say.unsure), ...composeAnswer(told, intent, language, citing), ...forModel(state)];
    return { ...common, status: "unsure", ...withText(segments), missing: "", failures: [] };
  }
  if (claims.length > 0) {
    const dropped = report.claims.length - kept.length;
    const missing = report.missing || (dropped > 0 ? say.dropped(dropped) : "");
    const faulty = missing ? sanitizeMarkdown(say.failed(faultsToTell(state))) : "";
    const segments = composeAnswer({ ...common, foreign, missing, faulty }, intent, language, citing);
    const failures = missing ? failuresOf(state, stopReason, context) : [];
    return { ...common, status: missing ? "partial" : "answered", ...withText(segments), missing, failures };
  }
  const lacks = state.understood?.modelLeads ? report.missing || lackOf(state) : lackOf(state) || report.missing;
  const missing = notComputed(state) || lacks || say.nothingSaysIt;
  if (stopReason === "needs_clarification") {
    const texts = [questionBack(state), notRead(unread, language)].filter(Boolean);
    const segments = texts.map((text) => paragraph(text));
    return { ...common, status: "needs_clarification", ...withText(segments), missing, failures: [] };
  }
  if (isUnknown(state)) return { ...common, ...unavailable(state, stopReason, language, context), missing };
  const failures = failuresOf(state, stopReason, context);
  const nearest = (state.nearest ?? [])
    .slice(0, SHOWN_NEAREST)
    .map(({ title, uri, section, quote }) => ({ title, uri, section, quote }));
  const { places } = searchedIn(state);
  const failed = faultsToTell(state);
  const seen = { places, failed, misspelt, unread, leftOut, nearest };
  const why = hasModel(state)
    ? { ...toldByModel(state, stopReason, failures), missing }
    : toldByCode(state, stopReason, failures, filter);
  const segments = [...composeRefusal({ ...seen, ...why }, language), ...forModel(state)];
  return {
    ...common,
    status: "refused",
    ...withText(segments),
    missing,
    failures,
    ...(nearest.length > 0 && { nearest }),
  };
}

const hasModel = ({ understood, spend }: State) => understood?.modelLeads || spend.calls > 0;

/** Why a model found no answer: how the run ended, what else it searched for, and what would help. */
function toldByModel(state: State, stop: StopReason, failures: readonly Failure[]) {
  const say = messagesIn(state.understood?.language ?? "en");
  // What was asked is shown as it was asked, in whatever way it was read.
  const reworded = state.queries.filter(({ reason }) => reason.code !== "with_previous").map(({ text }) => text);
  const queries = [...new Set([...reworded, ...state.webQueries])].filter((text) => text !== state.question);
  const isTold = stop === "query_stagnation" && queries.length > 0;
  const hasNoClaim = SAYS_OF_DRAFT.has(stop) && draftedNothing(state);
  const end = hasNoClaim ? saidNothing(state) && say.silent : say.stopped[stop];
  return { queries, why: (!isTold && end) || "", remedies: remediesOf(failures) };
}

/** Without a model, only what its reader can act on: a limit that was reached, a filter, and what failed. */
function toldByCode(state: State, stop: StopReason, failures: readonly Failure[], filter: Context["filter"]) {
  const { stopped } = messagesIn(state.understood?.language ?? "en");
  const foundNone = state.attempts.every(({ evidenceIds }) => evidenceIds.length === 0);
  const isHidden = searchedIn(state).isEmpty || (foundNone && filter.length > 0);
  const mayAct = ({ tag }: Failure) => FAULT_TAGS.includes(tag) || (tag === "NO_RECALL" && isHidden);
  return { why: (BUDGET.has(stop) && stopped[stop]) || "", remedies: remediesOf(failures.filter(mayAct)) };
}

/** One remedy may be the end of another. */
function remediesOf(failures: readonly Failure[]): string[] {
  const all = [...new Set(failures.map(({ remedy }) => remedy))];
  return all.filter((remedy) => !all.some((other) => other !== remedy && other.includes(remedy)));
}

/** The most passages that a refusal shows. */
const SHOWN_NEAREST = 3;

/** The most quotes that are shown if the judge is not sure of them. */
const SHOWN_UNSURE = 3;

/** Returns the claims of the first quotes. A quote is whole: a list with the line above it, or a paragraph. */
function firstQuotes(claims: readonly CheckedClaim[]): CheckedClaim[] {
  let quotes = 0;
  return claims.filter((claim, i) => {
    if (!goesOn(claim, claims[i - 1])) quotes++;
    return quotes <= SHOWN_UNSURE;
  });
}

function goesOn(claim: CheckedClaim, before: CheckedClaim | undefined): boolean {
  if (!claim.form || !before?.form || claim.quotes[0]?.evidenceId !== before.quotes[0]?.evidenceId) return false;
  return isItem(claim) || claim.form.block === before.form.block;
}

/** What only a model can do, if that was asked: the tables that a figure needs, and a line that sets a model up. */
function forModel(state: State): Segment[] {
  const { understood } = state;
  if (!understood || hasModel(state)) return [];
  const tables = notComputed(state);
  const { needsModel } = messagesIn(understood.language);
  if (tables === "" && !asksForWork(understood.question)) return [];
  return [tables, needsModel, SET_UP].filter((text) => text !== "").map((text) => paragraph(text, "note"));
}

/** On a line of its own, so that a terminal of 80 columns does not break it. */
const SET_UP = "`OPENAI_BASE_URL=http://localhost:11434/v1 EMEND_MODEL=qwen3 npx emend chat`";

/** Names the tables that the question asks a figure of which needs a model; empty if there are none. */
const notComputed = ({ understood, tables }: State) =>
  !understood || understood.modelLeads || tables.length === 0
    ? ""
    : messagesIn(understood.language).notComputed(tables.map(placeOfTable));

/** By the name of its file, since tables of several files may be called the same. */
const placeOfTable = ({ uri, section, name }: State["tables"][number]) =>
  [...new Set([uri.split("/").at(-1) ?? "", section, name])].filter((part) => part !== "").join(" › ");

/** Returns what was missing in the round with the highest relevance; the latest of equals. */
const lackOf = ({ attempts, verdict }: State) =>
  attempts
    .map((attempt) => attempt.verdict)
    .reduce((best, next) => (best && best.relevance > next.relevance ? best : next), verdict)?.missing;

const SAYS_OF_DRAFT: ReadonlySet<StopReason> = new Set(["unsupported", "answer_stagnation"]);

/** What an answer tells of an outage: what failed, and what the user can do. */
function unavailable(state: State, ended: StopReason, language: Language, context: Parameters<typeof failuresOf>[2]) {
  const say = messagesIn(language);
  const { isEmpty } = searchedIn(state);
  const faults = faultsToTell(state);
  const [first, last] = isEmpty ? [say.nothingStored, ""] : [say.unavailable, say.askLater];
  const texts = [first, sanitizeMarkdown(say.failed(faults)), notRead(state.unread ?? [], language), last].filter(
    Boolean,
  );
  const stopReason: StopReason = BUDGET.has(ended) ? ended : isOfSources(state) ? "sources_failed" : "part_failed";
  const failures = failuresOf(state, stopReason, context).filter(
    ({ tag }) => FAULT_TAGS.includes(tag) || (isEmpty && tag === "NO_RECALL"),
  );
  return { status: "unavailable", stopReason, ...withText([paragraph(texts.join(say.gap))]), failures } as const;
}

const isOfSources = (state: State) => faultsIn(state).some(({ part }) => part === "retriever");

/** The language of a question that could not be read. */
const languageIn = ({ question }: State) => (/\p{Script=Han}/u.test(question) ? "zh" : "en");

/** Returns the question to the user. */
export const questionBack = ({ draft, verdict }: State) =>
  sanitizeMarkdown(draft?.clarification || verdict?.clarification || "");

/**
 * Returns the attempt with the most claims to show; of equals, the one that drops the fewest, then the latest. An attempt
 * whose quotes may not answer is taken only if no other has claims.
 */
const bestOf = (attempts: readonly Attempt[]) =>
  attempts
    .filter(({ report }) => report !== undefined)
    .reduce<Attempt | undefined>((best, next) => (isAsGood(next, best) ? next : best), undefined);

function isAsGood(next: Attempt, best: Attempt | undefined): boolean {
  const [here, there] = [next.report?.claims ?? [], best?.report?.claims ?? []];
  const [isAnswer, wasAnswer] = [isCertain(next), isCertain(best)];
  if (isAnswer !== wasAnswer) return isAnswer;
  const [more, fewer] = [standing(here).length, standing(there).length];
  return more !== fewer ? more > fewer : here.length - more <= there.length - fewer;
}

const isCertain = (attempt: Attempt | undefined) =>
  attempt?.report !== undefined && !attempt.report.unsure && standing(attempt.report.claims).length > 0;

/**
 * Returns the claims to show: those that hold, except those that refer to a claim that is left out ("It opens at
 * eight.").
 */
function standing(claims: readonly CheckedClaim[]): CheckedClaim[] {
  const kept: CheckedClaim[] = [];
  claims.forEach((claim, i) => {
    const before = claims[i - 1];
    const isOrphan = before !== undefined && !kept.includes(before) && isAnaphoric(claim.text);
    if (holds(claim) && !isOrphan) kept.push(claim);
  });
  return kept.filter((claim, i) => claim.form?.kind !== "lead" || isItem(kept[i + 1]));
}

/** The line above a list has no markers, and says nothing without its items. */
const isItem = (claim: CheckedClaim | undefined) => claim?.form?.kind === "bullet" || claim?.form?.kind === "step";

/** Orders claims: streamed ones first, in the order in which they were streamed. */
const inStreamedOrder = (claims: CheckedClaim[], streamed: readonly string[]) => {
  const place = ({ text }: CheckedClaim) => (streamed.includes(text) ? streamed.indexOf(text) : streamed.length);
  // A claim that refers to the one before it stays after it.
  const groups: CheckedClaim[][] = [];
  for (const claim of claims)
    if (isAnaphoric(claim.text) && groups.length > 0) groups.at(-1)?.push(claim);
    else groups.push([claim]);
  return groups.toSorted(([a], [b]) => (a && b ? place(a) - place(b) : 0)).flat();
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
 * Merges claims that repeat an earlier one into it, with their quotes. A repeat has a Jaccard similarity of content
 * terms above 0.85, and does not differ in an amount, a name, a denial, an opposite or an order.
 */
export function withoutRepeats(claims: readonly CheckedClaim[]): CheckedClaim[] {
  const kept: CheckedClaim[] = [];
  for (const claim of claims) {
    const at = kept.findIndex((earlier) => saysTheSame(earlier.text, claim.text));
    const earlier = kept[at];
    if (earlier) kept[at] = { ...earlier, quotes: mergeQuotes(earlier.quotes, claim.quotes) };
    else kept.push(claim);
  }
  return kept;
}

function saysTheSame(a: string, b: string): boolean {
  if (plain(a) === plain(b)) return true;
  const [here, there] = [new Set(contentTerms(a)), new Set(contentTerms(b))];
  // If each has a word that the other lacks, they may be about two things.
  if (!here.isSubsetOf(there) && !there.isSubsetOf(here)) return false;
  return jaccard(here, there) > ALIKE && !mismatchOf(a, [b]) && !mismatchOf(b, [a]);
}

/** Set by hand. */
const ALIKE = 0.85;

const mergeQuotes = (mine: CheckedClaim["quotes"], others: CheckedClaim["quotes"]) => [
  ...mine,
  ...others.filter((other) => !mine.some((q) => q.evidenceId === other.evidenceId && q.start === other.start)),
];
