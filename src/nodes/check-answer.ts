import { type Checked, checkClaims } from "../checking/cascade.js";
import type { State } from "../graph/state.js";
import type { Node } from "../graph/step.js";
import type { Tools } from "../tools/tools.js";
import type { Draft, Report } from "../types/answer.js";

/** Checks every claim of the draft, cheapest ways first; what is still in doubt then goes to the checker in one call. */
export const checkAnswer =
  ({ checker, entailment, knowledge }: Pick<Tools, "checker" | "entailment" | "knowledge">): Node =>
  async (state, { context, call }) => {
    const { understood, evidence } = state;
    const draft = state.draft ?? { claims: [], missing: "" };
    if (!understood) return {};
    const { question, language } = understood;
    const tools = {
      checker,
      ...(entailment && { entailment }),
      ...(knowledge && context.sources.graph && { knowledge }),
    };
    const checked = await checkClaims({ question, language, evidence, claims: draft.claims }, tools, call);
    const report = reportOf(checked, draft, state);
    return { report, attempts: withReport(state, draft, report) };
  };

function reportOf({ claims, stages }: Checked, draft: Draft, { verdict }: State): Report {
  const rejected = claims.filter((claim) => claim.verdict !== "supported");
  const sufficiency = { full: "sufficient", partial: "partial", none: "insufficient", unknown: "partial" } as const;
  return {
    hallucinationDetected: rejected.length > 0,
    claims,
    stages,
    contextSufficiency: sufficiency[verdict?.answerability ?? "none"],
    correctionSuggestion: rejected.map(({ text, reason }) => `“${text}”: ${reason}`).join("\n"),
    missing: draft.missing || (claims.length === 0 ? (verdict?.missing ?? "") : ""),
  };
}

/** A first draft completes the attempt that grading began; a repaired one is an attempt of its own. */
function withReport(state: State, draft: Draft, report: Report): State["attempts"] {
  const last = state.attempts.at(-1);
  if (!last) return state.attempts;
  const repair = last.report !== undefined;
  const attempt = { ...last, repair, draft, report, spend: state.spend };
  return repair ? [...state.attempts, attempt] : [...state.attempts.slice(0, -1), attempt];
}
