import { MalformedReplyError } from "../../errors.js";

/** Normalises vectors to unit length. @throws MalformedReplyError unless there is one per text, all with the same dimensions. */
export function unitLengths(vectors: readonly number[][], texts: number, dimensions = vectors[0]?.length): number[][] {
  const norms = vectors.map((vector) => Math.hypot(...vector));
  const areVectors = norms.every((norm) => norm > 0 && Number.isFinite(norm));
  if (vectors.length !== texts || !areVectors || vectors.some(({ length }) => length !== dimensions))
    throw new MalformedReplyError("not one vector a text");
  return vectors.map((vector, i) => vector.map((x) => x / (norms[i] ?? 1)));
}
