import assert from "node:assert/strict";
import type { Embeddings } from "../tools/encoder/port.js";
import { type ContractTest, contractOf, type Promises, stops } from "./contract.js";

/** What every adapter of Embeddings promises. `open` returns one over a model that works. */
export const embeddingsContract = (open: () => Promise<Embeddings>): ContractTest[] =>
  contractOf(PROMISES, async (promise) => promise(await open()));

const PROMISES: Promises<Embeddings> = {
  "names its model": async ({ identity }) => {
    assert.notEqual(identity, "");
  },

  "returns no vectors for an empty list": async (embeddings) => {
    assert.deepEqual(await embeddings.embed([], { as: "passage" }), []);
  },

  "returns one unit vector per text, all with the same dimension": async (embeddings) => {
    const texts = ["The office opens at nine.", "办公室九点开门。", "42", "", " \n"];
    const vectors = await embeddings.embed(texts, { as: "passage" });
    assert.equal(vectors.length, 5);
    assert.equal(new Set(vectors.map((vector) => vector.length)).size, 1);
    for (const vector of vectors) assert.ok(isUnit(vector));
  },

  "keeps the order of many texts, and gives a text the same vector alone and in a batch": async (embeddings) => {
    const texts = Array.from({ length: 70 }, (_, i) => `Room ${i} is on floor ${i % 7}, 房间 ${i}.`);
    const vectors = await embeddings.embed(texts, { as: "passage" });
    for (const i of [0, 31, 32, 69]) {
      const [alone] = await embeddings.embed([texts[i] ?? ""], { as: "passage" });
      assert.ok(dot(vectors[i], alone) > 0.99, texts[i]);
    }
  },

  "places texts with shared words nearer than texts without": async (embeddings) => {
    const [question] = await embeddings.embed(["When does the office open?"], { as: "question" });
    const texts = ["The office opens at nine.", "Bananas are rich in potassium."];
    const [right, wrong] = await embeddings.embed(texts, { as: "passage" });
    assert.ok(dot(question, right) > dot(question, wrong));
  },

  "embeds the beginning of a text that is too long, and does not change the other vectors of the batch": async (
    embeddings,
  ) => {
    const long = `The office opens at nine. ${"And this goes on and on, 一直继续下去。".repeat(3_000)}`;
    const [before, cut, after] = await embeddings.embed(["first", long, "last"], { as: "passage" });
    const [first, last] = await embeddings.embed(["first", "last"], { as: "passage" });
    assert.ok(isUnit(cut));
    assert.ok(dot(before, first) > 0.99);
    assert.ok(dot(after, last) > 0.99);
  },

  "accepts texts that are not well-formed Unicode": async (embeddings) => {
    const vectors = await embeddings.embed(["\ud800", "a\u0000b", "🙂".repeat(10)], { as: "passage" });
    assert.equal(vectors.length, 3);
  },

  "stops when aborted": (embeddings) => stops((signal) => embeddings.embed(["a"], { as: "passage", signal })),
};

const isUnit = (vector: readonly number[] = []) => Math.abs(Math.hypot(...vector) - 1) < 5e-6;
const dot = (a: readonly number[] = [], b: readonly number[] = []) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
