import assert from "node:assert/strict";
import type { Reranker } from "../tools/reranker/port.js";
import { type ContractTest, contractOf, type Promises, stops } from "./contract.js";

/** What every adapter of Reranker promises. `open` returns one over a model that works. */
export const rerankerContract = (open: () => Promise<Reranker>): ContractTest[] =>
  contractOf(PROMISES, async (promise) => promise(await open()));

const PROMISES: Promises<Reranker> = {
  "names its model": async ({ identity }) => {
    assert.notEqual(identity, "");
  },

  "returns no scores for no passages": async (reranker) => {
    assert.deepEqual(await reranker.rank(QUESTION, []), []);
  },

  "returns one score from 0 to 1 per passage, in their order": async (reranker) => {
    const scores = await reranker.rank(QUESTION, PASSAGES);
    assert.equal(scores.length, PASSAGES.length);
    for (const score of scores) assert.ok(score >= 0 && score <= 1, `${score}`);
    // Whatever the model thinks of the others, the answer comes first, wherever it stands.
    assert.equal(scores.indexOf(Math.max(...scores)), ANSWER);
    const turned = await reranker.rank(QUESTION, PASSAGES.toReversed());
    assert.equal(turned.indexOf(Math.max(...turned)), PASSAGES.length - 1 - ANSWER);
  },

  "stops when aborted": (reranker) => stops((signal) => reranker.rank(QUESTION, PASSAGES, { signal })),
};

const QUESTION = "When does the office open?";
const PASSAGES = ["Bananas are rich in potassium.", "The office opens at nine.", "Lunch is at noon."];
const ANSWER = 1;
