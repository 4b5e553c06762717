import { expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { EndpointError } from "../../src/errors.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import type { Reranker } from "../../src/tools/reranker/port.js";
import type { Decision } from "../../src/types/events.js";

/** Twelve passages with the same words, which a search cannot tell apart; eight of them are read. */
const PASSAGES = Array.from({ length: 12 }, (_, i) =>
  fakePassage(`rule ${i}`, `Rule ${i} says who approves travel abroad.`),
);

async function read(rank: Reranker["rank"]) {
  const seen: string[][] = [];
  const { grader, ...rest } = localReasoners();
  const agent = createAgent({
    encoder: "off",
    tools: {
      documents: inMemoryDocuments(PASSAGES),
      reranker: { identity: "fake", rank },
      ...rest,
      grader: {
        async grade(task, call) {
          seen.push(task.evidence.map(({ id }) => id));
          return grader.grade(task, call);
        },
      },
    },
  });
  const decisions: Decision[] = [];
  for await (const event of agent.stream("Who approves travel abroad?"))
    if (event.type === "decision") decisions.push(event.decision);
  await agent.close();
  return { ids: seen[0] ?? [], faults: decisions.find(({ step }) => step === "retrieve")?.faults ?? [] };
}

test("a reranker decides which of the found passages are read, and in which order", async () => {
  const asked: string[] = [];
  const { ids, faults } = await read(async (question, passages) => {
    asked.push(question);
    return passages.map((text) => Number(/Rule (\d+)/.exec(text)?.[1]) / 12);
  });
  expect(asked).toEqual(["Who approves travel abroad?"]);
  expect(ids).toEqual([11, 10, 9, 8, 7, 6, 5, 4].map((i) => `rule ${i}`));
  expect(faults).toEqual([]);
});

test("if a reranker fails, the order of the search stays and the log says why", async () => {
  const without = await read(async (_, passages) => passages.map(() => 0.5));
  const { ids, faults } = await read(async () => {
    throw new EndpointError("No reranker endpoint answers.");
  });
  expect(ids).toEqual(without.ids);
  expect(faults).toEqual([{ part: "reranker", name: "EndpointError", message: "No reranker endpoint answers." }]);
});
