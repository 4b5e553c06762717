import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import { expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { fakePassage, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import type { Documents } from "../../src/tools/documents/port.js";

const passages = [fakePassage("hours", "The Lisbon office opens at eight. It closes at six.")];

/** Writes down each run as "parent > name". */
class Runs extends BaseCallbackHandler {
  readonly name = "runs";
  readonly seen: string[] = [];
  readonly failed: string[] = [];
  readonly #names = new Map<string, string>();

  override handleChainStart(...[, , id, parent, , , , name = ""]: Parameters<Started>): void {
    this.#names.set(id, name);
    this.seen.push(`${this.#names.get(parent ?? "") ?? ""} > ${name}`);
  }

  override handleChainError(_error: Error, id: string): void {
    this.failed.push(this.#names.get(id) ?? "");
  }
}
type Started = (
  chain: Serialized,
  inputs: unknown,
  id: string,
  parent?: string,
  tags?: string[],
  metadata?: Record<string, unknown>,
  type?: string,
  name?: string,
) => void;

test("each call of a part is a run of its own name, below the node that makes it", async () => {
  const runs = new Runs();
  await createAgent({ tools: fakeTools({ passages }) }).ask("When does the Lisbon office open?", { callbacks: [runs] });
  for (const run of ["retrieve > search documents", "grade > grade evidence", "generate > generate claims"])
    expect(runs.seen).toContain(run);
});

test("a part that fails is a failed run, and the same fault as without tracing", async () => {
  const runs = new Runs();
  const documents: Documents = {
    ...inMemoryDocuments(),
    search: async () => {
      throw new Error("The disk is gone.");
    },
  };
  const faults: string[] = [];
  const agent = createAgent({ tools: fakeTools({ documents }) });
  for await (const event of agent.stream("When does the Lisbon office open?", { callbacks: [runs] }))
    if (event.type === "decision") faults.push(...event.decision.faults);
  expect(runs.failed).toContain("search documents");
  expect(faults).toContain("Error: The disk is gone.");
});

test("a part may be frozen", async () => {
  const documents = Object.freeze(inMemoryDocuments(passages));
  const { status } = await createAgent({ tools: fakeTools({ documents }) }).ask("When does the Lisbon office open?");
  expect(status).toBe("answered");
});

test("a part may be an instance of a class with private fields", async () => {
  class Kept implements Documents {
    readonly #inner = inMemoryDocuments(passages);
    search: Documents["search"] = (...asked) => this.#inner.search(...asked);
    upsert: Documents["upsert"] = (...given) => this.#inner.upsert(...given);
    remove: Documents["remove"] = (ids) => this.#inner.remove(ids);
    get(ids: readonly string[]) {
      return this.#inner.get(ids);
    }
    neighbours(id: string, distance?: number) {
      return this.#inner.neighbours(id, distance);
    }
    list() {
      return this.#inner.list();
    }
    isEmpty() {
      return this.#inner.isEmpty();
    }
    close() {
      return this.#inner.close();
    }
  }
  const { status } = await createAgent({ tools: fakeTools({ documents: new Kept() }) }).ask(
    "When does the Lisbon office open?",
  );
  expect(status).toBe("answered");
});
