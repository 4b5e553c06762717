import { toError } from "../errors.js";
import { type Aliases, NO_ALIASES } from "../text/aliases.js";
import { headLine } from "../text/head-line.js";
import { outlineOf } from "../text/outline.js";
import { questionParts } from "../text/question-parts.js";
import { READING, USEFULNESS } from "../thresholds.js";
import type { Encoder } from "../tools/encoder/port.js";
import { type CheckedClaim, holds } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence, Verdict } from "../types/evidence.js";
import { isTimeUp } from "../waiting.js";

/** How probable it is that claims answer a question, 0 to 1 (usefulness in Self-RAG, arXiv 2310.11511). */
export interface Usefulness {
  /** The probability that they answer at least one part of the question. */
  some: number;
  /** The probability that they answer the part that they answer least. Equal to `some` if the question has one part. */
  all: number;
}

/**
 * Judges whether the claims that hold answer the question, together and under the titles and headings of their sources.
 * Undefined if none holds, or if the encoder fails, which is reported to `call.fault`.
 */
export async function usefulnessOf(
  question: string,
  claims: readonly CheckedClaim[],
  evidence: readonly Evidence[],
  {
    encoder,
    aliases = NO_ALIASES,
    call,
  }: { encoder: Encoder; aliases?: Aliases | undefined; call: Pick<Call, "signal" | "fault"> },
): Promise<Usefulness | undefined> {
  const held = claims.filter(holds);
  if (held.length === 0) return undefined;
  const quoted = held.flatMap(({ quotes }) => quotes);
  const heads = evidence.flatMap((piece) =>
    quoted
      .filter(({ evidenceId }) => evidenceId === piece.id)
      .map(({ start }) => headLine(piece, headingsAt(piece, start))),
  );
  const passage = [...new Set(heads), ...held.map(({ text }) => text)].join("\n");
  try {
    const pairs = questionParts(aliases.inWordsOf(passage, question)).map((text) => ({
      text,
      as: "question" as const,
      passage,
    }));
    const judged = await encoder.judge(pairs, { signal: call.signal });
    const each = judged.map(({ answerability }) => answerability);
    return { some: Math.max(0, ...each), all: Math.min(1, ...each) };
  } catch (error) {
    if (!isTimeUp(call.signal)) call.signal.throwIfAborted();
    call.fault(toError(error), "encoder");
    return undefined;
  }
}

/** Returns the headings within a piece of evidence that a place in it stands under: an answer may make sense under them alone. */
const headingsAt = ({ text }: Evidence, at: number) =>
  outlineOf(text).find(({ start, end }) => start <= at && at < end)?.headings;

/**
 * True if the claims that hold are not useful enough to be shown as the answer. If the judge doubts that the evidence
 * answers but a model drafted from it, they must be more likely than not to answer: a model can turn evidence in other
 * words into claims in the question's words.
 */
export const isBesideThePoint = ({ some }: Usefulness, verdict: Pick<Verdict, "probability"> | undefined): boolean =>
  some < ((verdict?.probability ?? 1) < READING.settled ? USEFULNESS.some : USEFULNESS.least);

/**
 * True if claims answer the previous question rather than the follow-up, when the judge sees both. Of 49 answers to
 * follow-ups, this removes six wrong ones and one right one.
 */
export const answersBefore = (asked: Usefulness | undefined, before: Usefulness | undefined): boolean =>
  asked !== undefined && before !== undefined && asked.some < USEFULNESS.doubtful && before.some >= USEFULNESS.some;

/** True if claims answer more likely than not. */
export const answersSome = (usefulness: Pick<Usefulness, "some"> | undefined): boolean =>
  (usefulness?.some ?? 0) >= USEFULNESS.some;

/**
 * True if the judge is sure that claims answer every part of the question, even if the draft says that something is
 * missing.
 */
export const answersAll = ({ all }: Usefulness): boolean => all >= USEFULNESS.all;

export const besideThePoint = (claims: readonly CheckedClaim[]): CheckedClaim[] =>
  claims.map((claim) => (holds(claim) ? { ...claim, verdict: "unsupported", reason: BESIDE } : claim));

const BESIDE = { code: "beside_the_point" } as const;

/** Rejects claims that are only likely, if it is doubtful too that the evidence answers: the two doubts multiply. */
export const withoutGuesses = (claims: readonly CheckedClaim[], verdict: Pick<Verdict, "probability"> | undefined) =>
  (verdict?.probability ?? 1) >= READING.doubtful
    ? [...claims]
    : claims.map(
        (claim): CheckedClaim =>
          claim.verdict === "likely" ? { ...claim, verdict: "unsupported", reason: BESIDE } : claim,
      );
