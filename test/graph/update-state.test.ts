import { MemorySaver } from "@langchain/langgraph";
import { expect, test } from "vitest";
import { createGraph } from "../../src/graph/build.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { localReasoners } from "../../src/tools/models/local-reasoners.js";

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
