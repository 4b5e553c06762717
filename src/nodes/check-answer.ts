import { anchored } from "../checking/anchored.js";
import { checkClaims, reportOn } from "../checking/cascade.js";
import {
  answersAll,
  answersBefore,
  answersSome,
  besideThePoint,
  isBesideThePoint,
  usefulnessOf,
  withoutGuesses,
} from "../checking/usefulness.js";
import { evidenceToRead } from "../state/evidence.js";
import type { Node, Run } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { type Draft, holds, type Report } from "../types/answer.js";
import { isUnsure } from "../types/evidence.js";

type Checking = Pick<Tools, "checker" | "encoder" | "aliases" | "knowledge">;

/**
 * Checks every claim of the draft by the cascade. What a model wrote is checked for what its sources state, and whether it
 * answers is the model's own word. Quotes state what their source states, so they are checked for whether they answer.
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

async function draftChecked(
  { claims, missing }: Draft,
  state: State,
  { checker, encoder, knowledge }: Checking,
  { context, call }: Run,
): Promise<Report> {
  const { question = "", language = "en" } = state.understood ?? {};
  const evidence = evidenceToRead(state);
  const tools = {
    ...(checker && { checker }),
    // The judge was trained on English and Chinese.
    ...(encoder && language !== "other" && { encoder }),
    ...(knowledge && context.sources.graph && { knowledge }),
  };
  const checked = await checkClaims({ question, language, evidence, claims }, tools, call);
  const shown = tools.encoder ? await anchored(checked.claims, evidence, tools.encoder, call) : checked.claims;
  const isAnswered = shown.some(holds);
  const contextSufficiency = !isAnswered ? "insufficient" : missing === "" ? "sufficient" : "partial";
  const lacks = isAnswered ? "" : state.verdict?.missing;
  return reportOn({ ...checked, claims: shown }, language, { contextSufficiency, missing: missing || lacks || "" });
}

async function quotesChecked(
  draft: Draft,
  state: State,
  { encoder, aliases, knowledge }: Checking,
  { context, call }: Run,
): Promise<Report> {
  const { question = "", language = "en", before } = state.understood ?? {};
  const { verdict } = state;
  const evidence = evidenceToRead(state);
  const judge = language === "other" ? undefined : encoder;
  const tools = {
    ...(judge && { encoder: judge }),
    ...(knowledge && context.sources.graph && { knowledge }),
  };
  const checked = await checkClaims({ question, language, evidence, claims: draft.claims }, tools, call);
  const rested = judge ? await anchored(checked.claims, evidence, judge, call) : checked.claims;
  let claims = judge ? withoutGuesses(rested, verdict) : rested;
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

const SUFFICIENCY = { full: "sufficient", partial: "partial", none: "insufficient", unknown: "partial" } as const;

/** A first draft completes the attempt that grading began; a repaired one is an attempt of its own. */
function withReport(state: State, draft: Draft, report: Report): State["attempts"] {
  const last = state.attempts.at(-1);
  if (!last) return state.attempts;
  const repair = last.report !== undefined;
  const attempt = { ...last, repair, draft, report, spend: state.spend };
  return repair ? [...state.attempts, attempt] : [...state.attempts.slice(0, -1), attempt];
}
