import { checkClaim, type SettledClaim } from "../answer/check.js";
import type { State } from "../graph/state.js";
import type { Node } from "../graph/step.js";
import type { Tools } from "../tools/tools.js";
import type { CheckedClaim, Draft, Report } from "../types/answer.js";

/**
 * Checks every claim of the draft: by code first, and what code leaves in doubt in one call to the checker. A claim that
 * nobody could settle counts as unsupported.
 */
export const checkAnswer =
  ({ checker }: Pick<Tools, "checker">): Node =>
  async (state, { call }) => {
    const { understood, evidence } = state;
    const draft = state.draft ?? { claims: [], missing: "" };
    if (!understood) return {};
    const settled = draft.claims.map((claim) => checkClaim(claim, evidence));
    const claims = await judged(settled);
    const report = reportOf(claims, draft, state);
    return { report, attempts: withReport(state, draft, report) };

    async function judged(claims: SettledClaim[]): Promise<CheckedClaim[]> {
      const doubts = claims.flatMap((claim, i) => (claim.inDoubt && draft.claims[i] ? [draft.claims[i]] : []));
      const verdicts = doubts.length > 0 ? await askChecker(doubts) : [];
      return claims.map(({ inDoubt, ...claim }) => ({ ...claim, ...(inDoubt && verdicts.shift()) }));
    }

    async function askChecker(doubts: Draft["claims"]) {
      if (!understood) return [];
      const { question, language } = understood;
      try {
        return await checker.check({ question, language, evidence, claims: doubts }, call);
      } catch (error) {
        call.fault(error instanceof Error ? error : new Error(String(error)));
        return [];
      }
    }
  };

function reportOf(claims: CheckedClaim[], draft: Draft, { verdict }: State): Report {
  const rejected = claims.filter((claim) => claim.verdict !== "supported");
  const sufficiency = { full: "sufficient", partial: "partial", none: "insufficient", unknown: "partial" } as const;
  return {
    hallucinationDetected: rejected.length > 0,
    claims,
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
