import { answersPrevious, besideThePoint } from "../checking/answers-previous.js";
import { checkClaims, reportOn } from "../checking/cascade.js";
import { verifyQuotesAlone } from "../checking/quotes-alone.js";
import { evidenceToRead } from "../reading/evidence.js";
import type { Node, Run } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { asksForTotal } from "../tables/plan.js";
import { documentOf } from "../tools/runs/port.js";
import { type CheckedClaim, type Draft, holds, type Report } from "../types/answer.js";
import { isUnsure, type Verdict } from "../types/evidence.js";
import type { Language } from "../types/language.js";

type Checking = Pick<Tools, "checker" | "encoder" | "knowledge">;

/**
 * Checks every claim of the draft by the cascade. Whether the claims answer is said by the model that wrote them or, for
 * quotes, by the grade of their evidence, unless they answer the previous question.
 */
export const checkAnswer =
  (tools: Checking): Node =>
  async (state, run) => {
    const { understood, draft = NOTHING, verdict } = state;
    if (!understood) return {};
    // No model wrote the quotes, so none is asked about them.
    const { checker: _, ...withoutModel } = tools;
    const { claims: all, stages } = await byCascade(draft, state, draft.quoted ? withoutModel : tools, run);
    const claims = draft.quoted && (await areOfPrevious(all, state, tools, run)) ? besideThePoint(all) : all;
    const outcome = draft.quoted ? ofQuotes(draft, claims, state) : ofDraft(draft, claims, verdict);
    const report = reportOn({ claims, stages }, understood.language, outcome);
    return { report, attempts: withReport(state, draft, report) };
  };

const NOTHING: Draft = { claims: [], missing: "" };

/** True if the question continues a previous one, and the quotes answer that one instead. */
async function areOfPrevious(claims: readonly CheckedClaim[], state: State, { encoder }: Checking, { call }: Run) {
  const previous = state.understood?.before;
  if (!encoder || previous === undefined) return false;
  return answersPrevious({ question: state.question, previous }, claims, evidenceToRead(state), encoder, call);
}

type Outcome = Pick<Report, "contextSufficiency" | "missing" | "unsure">;

function ofDraft({ missing }: Draft, claims: readonly CheckedClaim[], verdict: Verdict | undefined): Outcome {
  if (!claims.some(holds)) return { contextSufficiency: "insufficient", missing: missing || verdict?.missing || "" };
  return { contextSufficiency: missing === "" ? "sufficient" : "partial", missing };
}

function ofQuotes(draft: Draft, claims: readonly CheckedClaim[], state: State): Outcome {
  const { verdict } = state;
  const contextSufficiency = SUFFICIENCY[verdict?.answerability ?? "none"];
  if ((isUnsure(verdict) || areRows(claims, state) || areRowsOfTotal(claims, state)) && claims.some(holds))
    return { contextSufficiency, missing: "", unsure: true };
  const lacks = draft.claims.length === 0 ? verdict?.missing : "";
  return { contextSufficiency, missing: draft.missing || lacks || "" };
}

/** True for several rows of a table that the question could not be computed from: they are no figure. */
function areRows(claims: readonly CheckedClaim[], { understood, tables }: State): boolean {
  // Where a model leads, they are what it could have queried.
  if (understood?.modelLeads) return false;
  const isRow = ({ quotes }: CheckedClaim) =>
    quotes.some(({ evidenceId }) => tables.some(({ documentId }) => documentOf(evidenceId) === documentId));
  return claims.filter((claim) => holds(claim) && isRow(claim)).length > 1;
}

/** True for rows of a table where a total or a mean was asked for, and no query could be made: none of them is known to be it. */
function areRowsOfTotal(claims: readonly CheckedClaim[], { understood, evidence }: State): boolean {
  if (!understood || !asksForTotal(understood.question, understood.language)) return false;
  return claims.some(({ quotes }) =>
    quotes.some(({ evidenceId, start }) => {
      const text = evidence.find(({ id, computed }) => id === evidenceId && !computed)?.text ?? "";
      return text.startsWith("|", text.lastIndexOf("\n", start) + 1);
    }),
  );
}

/** The claims of a draft by the cascade, each with the words that it rests on. */
async function byCascade(
  { claims }: Draft,
  state: State,
  { checker, encoder, knowledge }: Checking,
  { context, call }: Run,
) {
  const { question = "", language = "en" } = state.understood ?? {};
  const evidence = evidenceToRead(state);
  const judge = judgeOf(encoder, language);
  const tools = {
    ...(checker && { checker }),
    ...(judge && { encoder: judge }),
    ...(knowledge && context.sources.graph && { knowledge }),
  };
  const checked = await checkClaims({ question, language, evidence, claims, tables: state.tables }, tools, call);
  return judge ? { ...checked, claims: await verifyQuotesAlone(checked.claims, evidence, judge, call) } : checked;
}

/** The judge was trained on English and Chinese. */
const judgeOf = (encoder: Tools["encoder"], language: Language) => (language === "other" ? undefined : encoder);

const SUFFICIENCY = { full: "sufficient", partial: "partial", none: "insufficient", unknown: "partial" } as const;

/** A first draft completes the attempt that grading began; a repaired one is an attempt of its own. */
function withReport(state: State, draft: Draft, report: Report): State["attempts"] {
  const last = state.attempts.at(-1);
  if (!last) return state.attempts;
  const repair = last.report !== undefined;
  const attempt = { ...last, repair, draft, report, spend: state.spend };
  return repair ? [...state.attempts, attempt] : [...state.attempts.slice(0, -1), attempt];
}
