import { MemorySaver } from "@langchain/langgraph";
import { expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { transcript } from "../../src/cli/transcript.js";
import type { Tools } from "../../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools, inMemoryDocuments, inMemoryKnowledge } from "../../src/testing/index.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { Triple } from "../../src/tools/knowledge/port.js";

const LEAVE = fakePassage("leave", "Employees get 27 days of annual leave.");
const PHONE = fakePassage("phone", "Joost van Rees answers the phone.");
const CLUSTER = fakePassage("cluster", "生产环境使用 cluster 集群。", { language: "zh" });
const tools = (parts: Partial<Tools> = {}) => fakeTools({ passages: [LEAVE, PHONE, CLUSTER], ...parts });

test.each([
  ["How many days of anual leave do I get?", "anual", "annual", "annual leave", "I read “anual” as “annual”."],
  ["生产环境使用 clustr 集群吗？", "clustr", "cluster", "集群", "已将“clustr”理解为“cluster”。"],
])(
  "a misspelt question is answered as corrected, and the answer says so: %s",
  async (question, written, read, fact, note) => {
    const answer = await createAgent({ tools: tools() }).ask(question);
    expect(answer.status).toBe("answered");
    expect(answer.text).toContain(fact);
    expect(answer.text.split("\n\n").at(-1)).toBe(note);
    expect(answer.misspelt).toEqual([{ written, read }]);
    expect(answer.queries.map(({ text }) => text)).toEqual([question.replace(written, read)]);
  },
);

test("a refusal names the corrected spelling too", async () => {
  const grader = fakeGrader({ answerability: "none", relevance: 0.1 });
  const answer = await createAgent({ tools: tools({ grader }) }).ask("How many days of anual leave do I get?");
  expect(answer.status).toBe("refused");
  expect(answer.text).toContain("I read “anual” as “annual”.");
});

test("the thread keeps the original spelling, and the terminal shows the note once", async () => {
  const agent = createAgent({ tools: tools(), checkpointer: new MemorySaver() });
  const question = "How many days of anual leave do I get?";
  let printed = "";
  const show = transcript({ width: 80, paint: (_, text) => text, write: (text) => (printed += text) }, question);
  for await (const event of agent.stream(question, { threadId: "t" })) show(event);
  const { values } = await agent.graph.getState({ configurable: { thread_id: "t" } });
  expect(values.question).toBe(question);
  expect(values.messages[0].text).toBe(question);
  expect(values.messages.at(-1).text).toContain("I read “anual” as “annual”.");
  expect(printed.split("I read “anual” as “annual”.")).toHaveLength(2);
});

test.each([
  ["right", "How many days of annual leave do I get?", {}],
  ["in another passage", "What about anual leave?", { documents: "Our server is called anual." }],
  ["in the knowledge graph", "What about anual leave?", { knowledge: "anual" }],
])(
  "a word that is %s is not corrected",
  async (_, question, { documents = "", knowledge = "" }: { documents?: string; knowledge?: string }) => {
    const source = { id: "g", documentId: "g", title: "g", uri: "g", section: "", reviewedAt: "", hash: "" };
    const triple: Triple = {
      subject: { name: knowledge || "Nobody", type: "Person", aliases: [] },
      predicate: "answers",
      object: { name: "letters", type: "Thing", aliases: [] },
      quote: "",
    };
    const graph = inMemoryKnowledge([{ source, triples: [triple] }]);
    const other = fakePassage("other", documents || "Nothing.");
    const parts = tools({ documents: inMemoryDocuments([LEAVE, PHONE, other]), knowledge: graph });
    const answer = await createAgent({ tools: parts }).ask(question, { context: { passages: 1 } });
    expect(answer.misspelt).toBeUndefined();
    expect(answer.text).not.toContain("I read “");
  },
);

test("the question is searched as written if looking up a word fails", async () => {
  const stored = inMemoryDocuments([LEAVE]);
  const documents: Documents = {
    ...stored,
    search: async (query, limit) => {
      if (query.text === "anual") throw new Error("down");
      return stored.search(query, limit);
    },
  };
  const answer = await createAgent({ tools: tools({ documents }) }).ask("How many days of anual leave do I get?");
  expect(answer.misspelt).toBeUndefined();
  expect(answer.queries.map(({ text }) => text)).toEqual(["How many days of anual leave do I get?"]);
});
