import { checkClaims, reportOn } from "../checking/cascade.js";
import {
  answersAll,
  answersBefore,
  besideThePoint,
  isBesideThePoint,
  usefulnessOf,
  withoutAsides,
} from "../checking/usefulness.js";
import type { Tools } from "../graph/parts.js";
import type { State } from "../graph/state.js";
import type { Node } from "../graph/step.js";
import type { Draft, Report } from "../types/answer.js";
import { isUnsure } from "../types/evidence.js";
import { worthReading } from "./evidence.js";

/** Checks every claim of the draft, cheapest ways first; what is still in doubt then goes to the checker in one call. */
export const checkAnswer =
  ({ checker, encoder, aliases, knowledge }: Pick<Tools, "checker" | "encoder" | "aliases" | "knowledge">): Node =>
  async (state, { context, call }) => {
    const { understood } = state;
    const evidence = worthReading(state);
    const draft = state.draft ?? { claims: [], missing: "" };
    if (!understood) return {};
    const { question, language, before } = understood;
    const tools = {
      ...(checker && { checker }),
      ...(encoder && { encoder }),
      ...(knowledge && context.sources.graph && { knowledge }),
    };
    const all = await checkClaims({ question, language, evidence, claims: draft.claims }, tools, call);
    const held = { ...all, claims: withoutAsides(all.claims, evidence) };
    const usefulOf = async (asked: string) =>
      encoder && (await usefulnessOf(asked, held.claims, evidence, { encoder, aliases, call }));
    const usefulness = await usefulOf(question);
    const isOfBefore = before !== undefined && answersBefore(await usefulOf(state.question), await usefulOf(before));
    // The judge was trained on English and Chinese. In other languages its doubt says less. What it is unsure of is shown as such.
    const doubted = language === "other" || isUnsure(state.verdict) ? undefined : state.verdict;
    const isBeside = usefulness !== undefined && (isOfBefore || isBesideThePoint(usefulness, doubted));
    const isWhole = usefulness !== undefined && !isBeside && answersAll(usefulness);
    const lacks = draft.claims.length === 0 ? state.verdict?.missing : "";
    const checked = isBeside ? { ...held, claims: besideThePoint(held.claims) } : held;
    const report = reportOn(checked, {
      ...(usefulness && { usefulness: usefulness.some }),
      contextSufficiency: SUFFICIENCY[state.verdict?.answerability ?? "none"],
      missing: isWhole ? "" : draft.missing || lacks || "",
    });
    return { report, attempts: withReport(state, draft, report) };
  };

const SUFFICIENCY = { full: "sufficient", partial: "partial", none: "insufficient", unknown: "partial" } as const;

/** A first draft completes the attempt that grading began; a repaired one is an attempt of its own. */
function withReport(state: State, draft: Draft, report: Report): State["attempts"] {
  const last = state.attempts.at(-1);
  if (!last) return state.attempts;
  const repair = last.report !== undefined;
  const attempt = { ...last, repair, draft, report, spend: state.spend };
  return repair ? [...state.attempts, attempt] : [...state.attempts.slice(0, -1), attempt];
}
