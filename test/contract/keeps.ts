import { describe, test } from "vitest";
import type { ContractTest } from "../../src/testing/index.js";

/** Runs a contract as tests. */
export const keeps = (name: string, contract: readonly ContractTest[], timeout = 60_000) =>
  describe(`${name} keeps the promises of its port`, () => {
    for (const { name, run } of contract) test(name, { timeout }, run);
  });
