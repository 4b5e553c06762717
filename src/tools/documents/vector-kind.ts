import { UsageError } from "../../errors.js";

/** How the vectors of a store were made. */
export interface VectorKind {
  model: string;
  /** How many numbers each has. */
  dimensions: number;
}

/**
 * Compares the vectors of a store with those at hand; undefined stands for none. Dimensions that are not known yet are
 * not compared.
 * @throws UsageError when they are of different kinds, naming both.
 */
export function checkKind(
  stored: VectorKind | undefined,
  given: Partial<VectorKind> | undefined,
  { store, startAgain }: { store: string; startAgain: string },
): void {
  const isSame = stored?.model === given?.model && (given?.dimensions ?? stored?.dimensions) === stored?.dimensions;
  if (isSame) return;
  throw new UsageError(
    `${store} was made with other embeddings: ${told(stored)}, and now ${told(given)}. Set the same model again, or ${startAgain} and ingest the documents again.`,
  );
}

const told = (kind: Partial<VectorKind> | undefined) =>
  kind ? `${kind.model}${kind.dimensions ? ` (${kind.dimensions} dimensions)` : ""}` : "none";
