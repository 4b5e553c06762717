import type { GraphRow } from "../../../types/graph.js";

/** Works through rows for a query a few thousand at a time: one message and one UNWIND should not hold a whole import. */
export async function inBatches<T extends string | GraphRow>(
  all: readonly T[],
  work: (batch: T[]) => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < all.length; i += BATCH) await work(all.slice(i, i + BATCH));
}

const BATCH = 5_000;
