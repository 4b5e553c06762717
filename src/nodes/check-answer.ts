import { checkClaims, reportOn } from "../checking/cascade.js";
import { verifyQuotesAlone } from "../checking/quotes-alone.js";
import {
  answersAll,
  answersBefore,
  answersSome,
  besideThePoint,
  isBesideThePoint,
  usefulnessOf,
  withoutGuesses,
} from "../checking/usefulness.js";
import { evidenceToRead } from "../reading/evidence.js";
import type { Node, Run } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { type Draft, holds, type Report } from "../types/answer.js";
import { isUnsure, type Language } from "../types/evidence.js";

type Checking = Pick<Tools, "checker" | "encoder" | "aliases" | "knowledge">;

/**
 * Checks every claim of the draft by the cascade. A model says itself whether its draft answers. Quotes state what their
 * source states, so the judge says whether they answer.
 */
export const checkAnswer =
  (tools: Checking): Node =>
  async (state, run) => {
    if (!state.understood) return {};
    const draft = state.draft ?? NOTHING;
    const report = await (draft.quoted ? quotesChecked : draftChecked)(draft, state, tools, run);
    return { report, attempts: withReport(state, draft, report) };
  };

const NOTHING: Draft = { claims: [], missing: "" };

async function draftChecked(draft: Draft, state: State, tools: Checking, run: Run): Promise<Report> {
  const { missing } = draft;
  const { language = "en" } = state.understood ?? {};
  const checked = await byCascade(draft, state, tools, run);
  const isAnswered = checked.claims.some(holds);
  const contextSufficiency = !isAnswered ? "insufficient" : missing === "" ? "sufficient" : "partial";
  const lacks = isAnswered ? "" : state.verdict?.missing;
  return reportOn(checked, language, { contextSufficiency, missing: missing || lacks || "" });
}

async function quotesChecked(
  draft: Draft,
  state: State,
  // No model wrote the quotes, so none is asked about them.
  { checker: _, ...tools }: Checking,
  run: Run,
): Promise<Report> {
  const { encoder, aliases } = tools;
  const { question = "", language = "en", before } = state.understood ?? {};
  const { verdict } = state;
  const { call } = run;
  const evidence = evidenceToRead(state);
  const judge = judgeOf(encoder, language);
  const checked = await byCascade(draft, state, tools, run);
  let claims = judge ? withoutGuesses(checked.claims, verdict) : checked.claims;
  const useful = async (asked = question) =>
    encoder && (await usefulnessOf(asked, claims, evidence, { encoder, aliases, call }));
  const usefulness = await useful();
  const isOfBefore = before !== undefined && answersBefore(await useful(state.question), await useful(before));
  const doubted = judge && !isUnsure(verdict) ? verdict : undefined;
  if (usefulness && (isOfBefore || isBesideThePoint(usefulness, doubted))) claims = besideThePoint(claims);
  const isAnswered = claims.some(holds);
  const unsure = isUnsure(verdict) && isAnswered;
  const isWhole = usefulness !== undefined && isAnswered && answersSome(usefulness) && answersAll(usefulness);
  const lacks = draft.claims.length === 0 ? verdict?.missing : "";
  return reportOn({ ...checked, claims }, language, {
    ...(usefulness && { usefulness: usefulness.some }),
    ...(unsure && { unsure }),
    contextSufficiency: SUFFICIENCY[verdict?.answerability ?? "none"],
    missing: isWhole || unsure ? "" : draft.missing || lacks || "",
  });
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
  const checked = await checkClaims({ question, language, evidence, claims }, tools, call);
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
