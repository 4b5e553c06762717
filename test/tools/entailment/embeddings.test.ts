import { expect, test } from "vitest";
import { contentTerms } from "../../../src/text/tokens.js";
import type { Embeddings } from "../../../src/tools/embeddings/port.js";
import { embeddingsEntailment } from "../../../src/tools/entailment/embeddings.js";
import { localEntailment } from "../../../src/tools/entailment/local.js";
import { entailmentContract } from "../../contract/entailment.js";

/** Real vectors of a simple kind: how often a text has terms of each of 64 kinds. Texts that share terms are near. */
const hashed: Embeddings = {
  identity: "hashed",
  embed: async (texts, { signal }) => {
    signal?.throwIfAborted();
    return texts.map((text) => {
      const counts = new Array<number>(64).fill(0.01);
      for (const term of contentTerms(text)) {
        const kind = [...term].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 64, 7);
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      const length = Math.hypot(...counts);
      return counts.map((count) => count / length);
    });
  },
};

entailmentContract("the form with embeddings", async () => embeddingsEntailment({ embeddings: hashed }));

test.each([
  ["The office opens at nine and the canteen at noon.", "The office opens at nine. The canteen opens at noon."],
  ["办公室在九点开门，食堂在中午供应热汤。", "办公室九点开门。食堂中午供应热汤和米饭。"],
])("moves the local score by how near the claim's worst part comes: %s", async (claim, source) => {
  const near = (cosine: number): Embeddings => ({
    identity: "fixed",
    embed: async (texts) =>
      texts.map((text) => (source.includes(text) ? [1, 0] : [cosine, Math.sqrt(1 - cosine ** 2)])),
  });
  const pairs = [{ claim, sources: [source] }];
  const [plain = 0] = await localEntailment().score(pairs);
  const [close = 0] = await embeddingsEntailment({ embeddings: near(0.95) }).score(pairs);
  const [far = 0] = await embeddingsEntailment({ embeddings: near(0.05) }).score(pairs);
  expect(close).toBeGreaterThan(far);
  expect(far).toBeLessThan(plain);
});

test("embeds each text once in a call, and no more than twelve sentences a claim", async () => {
  const asked: string[] = [];
  const counting: Embeddings = {
    identity: "counting",
    embed: (texts, options) => {
      asked.push(...texts);
      return hashed.embed(texts, options);
    },
  };
  const source = Array.from({ length: 300 }, (_, i) => `Room ${i} is on floor ${i % 7}.`).join(" ");
  const pairs = [1, 2, 2].map((room) => ({ claim: `Room ${room} is on floor ${room}.`, sources: [source] }));
  await embeddingsEntailment({ embeddings: counting }).score(pairs);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.length).toBeLessThanOrEqual(2 * 13);
});

test("passes on what the endpoint fails with", async () => {
  const failing: Embeddings = { identity: "failing", embed: () => Promise.reject(new Error("endpoint down")) };
  const scores = embeddingsEntailment({ embeddings: failing }).score([{ claim: "A door.", sources: ["A door."] }]);
  await expect(scores).rejects.toThrow("endpoint down");
});
