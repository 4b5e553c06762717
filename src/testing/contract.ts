import assert from "node:assert/strict";

/**
 * One promise of a port, for any test runner: `for (const { name, run } of contract) test(name, run)`. Each one opens
 * what it needs, so they can run in any order.
 */
export interface ContractTest {
  /** The promise, unique within its contract. */
  name: string;
  /** @throws AssertionError if the adapter breaks the promise. */
  run(): Promise<void>;
}

/** Promises by their names, each a function of what is under test. */
export type Promises<Tested> = Readonly<Record<string, (tested: Tested) => Promise<void>>>;

/** Opens what is under test for each promise. */
export const contractOf = <Tested>(
  promises: Promises<Tested>,
  during: (promise: (tested: Tested) => Promise<void>) => Promise<void>,
): ContractTest[] => Object.entries(promises).map(([name, promise]) => ({ name, run: () => during(promise) }));

/** Fails unless the work, begun with a signal that was aborted before, is rejected with the signal's reason. */
export async function stops(begin: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  await assert.rejects(async () => begin(AbortSignal.abort(new Error("the user left"))), /the user left/);
}
