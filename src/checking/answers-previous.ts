import { toError } from "../errors.js";
import { headLine } from "../text/head-line.js";
import { outlineOf } from "../text/outline.js";
import { PREVIOUS } from "../thresholds.js";
import type { Encoder } from "../tools/encoder/port.js";
import { type CheckedClaim, holds } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import { isTimeUp } from "../waiting.js";

/**
 * True if the claims that hold answer the previous question rather than the follow-up, when the judge reads them under
 * the titles and headings of their sources. False if none holds, or if the encoder fails, which is reported to
 * `call.fault`.
 */
export async function answersPrevious(
  { question, previous }: { question: string; previous: string },
  claims: readonly CheckedClaim[],
  evidence: readonly Evidence[],
  encoder: Encoder,
  call: Pick<Call, "signal" | "fault">,
): Promise<boolean> {
  const held = claims.filter(holds);
  if (held.length === 0) return false;
  const passage = [...new Set(headsOf(held, evidence)), ...held.map(({ text }) => text)].join("\n");
  try {
    const pairs = [question, previous].map((text) => ({ text, as: "question" as const, passage }));
    const [now, before] = await encoder.judge(pairs, { signal: call.signal });
    return now !== undefined && before !== undefined && isOfPrevious(now.answerability, before.answerability);
  } catch (error) {
    if (!isTimeUp(call.signal)) call.signal.throwIfAborted();
    call.fault(toError(error), "encoder");
    return false;
  }
}

const isOfPrevious = (now: number, before: number) => now < PREVIOUS.atMost && before >= PREVIOUS.atLeast;

/** The titles and headings that the quotes stand under. */
const headsOf = (claims: readonly CheckedClaim[], evidence: readonly Evidence[]) =>
  claims
    .flatMap(({ quotes }) => quotes)
    .flatMap(({ evidenceId, start: at }) => {
      const source = evidence.find(({ id }) => id === evidenceId);
      const unit = source && outlineOf(source.text).find(({ start, end }) => start <= at && at < end);
      return source ? headLine(source, unit?.headings) : [];
    });

export const besideThePoint = (claims: readonly CheckedClaim[]): CheckedClaim[] =>
  claims.map((claim) => (holds(claim) ? { ...claim, verdict: "unsupported", reason: BESIDE } : claim));

const BESIDE = { code: "beside_the_point" } as const;
