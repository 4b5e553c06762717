import { holds, type Report } from "../types/answer.js";
import type { Checked } from "./cascade.js";

/** What checking found, with what to change in words. */
export function reportOn(
  { claims, stages }: Checked,
  rest: Pick<Report, "contextSufficiency" | "missing" | "usefulness">,
): Report {
  const rejected = claims.filter((claim) => !holds(claim));
  return {
    hallucinationDetected: rejected.length > 0,
    claims,
    stages,
    correctionSuggestion: rejected.map(({ text, reason }) => `“${text}”: ${reason}`).join("\n"),
    ...rest,
  };
}
