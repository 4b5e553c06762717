import { MemorySaver } from "@langchain/langgraph";
import { expect, test } from "vitest";
import { z } from "zod";
import { buildGraph, createGraph } from "../../src/graph/build.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";

const documents = inMemoryDocuments([fakePassage("leave", "Full-time staff have 28 days of paid leave.")]);

test.each([
  ["verdict", { verdict: "good" }],
  ["evidence", { evidence: [{ id: 3 }] }],
  ["spend", { spend: null }],
  ["messages", { messages: 5 }],
])("a manual update of the state with a wrong %s is refused and changes nothing", async (field, update) => {
  const graph = createGraph({ documents, ...localReasoners() }, { checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: field } };
  await graph.invoke({ question: "How many days of paid leave do full-time staff have?" }, thread);
  const before = await graph.getState(thread);
  await expect(graph.updateState(thread, update as never, "grade")).rejects.toThrow(field);
  expect((await graph.getState(thread)).values).toEqual(before.values);
});

const tools = { documents, ...localReasoners() };
const checkpointer = new MemorySaver();
const state = { orders: z.array(z.string()).default([]) };
test.each([
  ["createGraph", createGraph(tools, { checkpointer, state })],
  ["buildGraph", buildGraph(tools, { state }).compile({ checkpointer })],
])("a manual update of a graph by %s names the fields that the state does not have", async (name, graph) => {
  const thread = { configurable: { thread_id: name } };
  await graph.invoke({ question: "How many days of paid leave do full-time staff have?" }, thread);
  const before = await graph.getState(thread);
  await expect(graph.updateState(thread, { evidnce: [], queries: [] }, "grade")).rejects.toThrow(
    /^The state has no field evidnce\. Its fields are .*\bevidence, .*\borders\.$/,
  );
  expect((await graph.getState(thread)).values).toEqual(before.values);
  await graph.updateState(thread, { queries: [], orders: ["A-1001"] }, "grade");
  expect((await graph.getState(thread)).values).toMatchObject({ queries: [], orders: ["A-1001"] });
  await graph.updateState(thread, null, "__copy__");
});
