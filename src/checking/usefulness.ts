import type { Encoder } from "../tools/encoder/port.js";
import type { Call } from "../tools/reasoner/port.js";
import { type CheckedClaim, holds } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";

/**
 * How probable it is, 0 to 1, that the claims which hold, taken together and under the titles and headings of their sources,
 * answer the question (usefulness in Self-RAG, arXiv 2310.11511). Undefined where none holds, or where
 * the encoder fails, which is told.
 */
export async function usefulnessOf(
  question: string,
  claims: readonly CheckedClaim[],
  evidence: readonly Evidence[],
  { encoder, call }: { encoder: Encoder; call: Pick<Call, "signal" | "fault"> },
): Promise<number | undefined> {
  const held = claims.filter(holds);
  if (held.length === 0) return undefined;
  const cited = new Set(held.flatMap(({ quotes }) => quotes.map(({ evidenceId }) => evidenceId)));
  const heads = evidence
    .filter(({ id }) => cited.has(id))
    .map(({ title, section }) => [title, section].filter((part) => part !== "").join(" › "));
  const passage = [...new Set(heads), ...held.map(({ text }) => text)].join("\n");
  try {
    const [judged] = await encoder.judge([{ text: question, passage }], { signal: call.signal });
    return judged?.answerability;
  } catch (error) {
    if (call.signal.aborted) throw error;
    call.fault(error instanceof Error ? error : new Error(String(error)));
    return undefined;
  }
}

/** Below, what is supported is beside the point: it is not shown as the answer. */
export const BESIDE_THE_POINT = 0.05;

export const besideThePoint = (claims: readonly CheckedClaim[]): CheckedClaim[] =>
  claims.map((claim) => (holds(claim) ? { ...claim, verdict: "unsupported", reason: REASON } : claim));

const REASON = "Its source says it, and it does not answer the question.";
