import { MalformedReplyError } from "../../errors.js";

/**
 * Normalises vectors to unit length.
 * @throws MalformedReplyError unless there is one per text, all with the same dimensions.
 */
export function unitLengths(vectors: readonly number[][], texts: number, dimensions = vectors[0]?.length): number[][] {
  const norms = vectors.map((vector) => Math.hypot(...vector));
  const areVectors = norms.every((norm) => norm > 0 && Number.isFinite(norm));
  if (vectors.length !== texts || !areVectors || vectors.some(({ length }) => length !== dimensions))
    throw new MalformedReplyError("not one vector per text");
  return vectors.map((vector, i) => vector.map((x) => x / (norms[i] ?? 1)));
}

/** Returns the log odds of a probability, which is kept away from 0 and 1. */
export const logOdds = (p: number): number => Math.log(Math.max(1e-4, p) / Math.max(1e-4, 1 - p));

/** Returns the probability of log odds. */
export const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
