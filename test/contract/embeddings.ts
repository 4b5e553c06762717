import { describe, expect, test } from "vitest";
import type { Embeddings } from "../../src/tools/encoder/port.js";

/** Every adapter of Embeddings keeps these promises, with any model. */
export function embeddingsContract(name: string, open: () => Promise<Embeddings>) {
  describe(`${name} keeps the promises of Embeddings`, () => {
    test("names its model", async () => {
      expect((await open()).identity).not.toBe("");
    });

    test("returns no vectors for an empty list", async () => {
      expect(await (await open()).embed([], { as: "passage" })).toEqual([]);
    });

    test("returns one unit vector per text, all with the same dimension", async () => {
      const vectors = await (await open()).embed(["The office opens at nine.", "办公室九点开门。", "42", "", " \n"], {
        as: "passage",
      });
      expect(vectors).toHaveLength(5);
      expect(new Set(vectors.map((vector) => vector.length)).size).toBe(1);
      for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    });

    test("keeps the order of many texts, and gives a text the same vector alone and in a batch", async () => {
      const embeddings = await open();
      const texts = Array.from({ length: 70 }, (_, i) => `Room ${i} is on floor ${i % 7}, 房间 ${i}.`);
      const vectors = await embeddings.embed(texts, { as: "passage" });
      for (const i of [0, 31, 32, 69]) {
        const [alone = []] = await embeddings.embed([texts[i] ?? ""], { as: "passage" });
        expect(dot(vectors[i] ?? [], alone)).toBeGreaterThan(0.99);
      }
    });

    test("places texts with shared words nearer than texts without", async () => {
      const embeddings = await open();
      const [question = []] = await embeddings.embed(["When does the office open?"], { as: "question" });
      const [right = [], wrong = []] = await embeddings.embed(
        ["The office opens at nine.", "Bananas are rich in potassium."],
        { as: "passage" },
      );
      expect(dot(question, right)).toBeGreaterThan(dot(question, wrong));
    });

    test("embeds the beginning of a text that is too long, and does not change the other vectors of the batch", async () => {
      const embeddings = await open();
      const long = `The office opens at nine. ${"And this goes on and on, 一直继续下去。".repeat(3_000)}`;
      const [before = [], cut = [], after = []] = await embeddings.embed(["first", long, "last"], { as: "passage" });
      const [first = [], last = []] = await embeddings.embed(["first", "last"], { as: "passage" });
      expect(Math.hypot(...cut)).toBeCloseTo(1, 5);
      expect(dot(before, first)).toBeGreaterThan(0.99);
      expect(dot(after, last)).toBeGreaterThan(0.99);
    });

    test("accepts texts that are not well-formed Unicode", async () => {
      expect(await (await open()).embed(["\ud800", "a\u0000b", "🙂".repeat(10)], { as: "passage" })).toHaveLength(3);
    });

    test("stops when aborted", async () => {
      const signal = AbortSignal.abort(new Error("the user left"));
      await expect((await open()).embed(["a"], { as: "passage", signal })).rejects.toThrow("the user left");
    });
  });
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
