import type { AIMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, test, vi } from "vitest";
import { type AgentOptions, createAgent } from "../src/agent.js";
import { EndpointError, StoreUnavailableError } from "../src/errors.js";
import { askEmend } from "../src/evaluate/ask.js";
import { agentRetriever } from "../src/langchain.js";
import { localReasoners } from "../src/reading/local-reasoners.js";
import type { Tools } from "../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools, inMemoryDocuments, inMemoryKnowledge } from "../src/testing/index.js";
import type { Fault } from "../src/types/fault.js";
import { fakeEncoder } from "./encoder.js";
import { trusting } from "./trusting.js";

// A part that fails is never passed off as documents that say nothing.

const passages = [fakePassage("office", "The Lisbon office opens at eight.")];
const OPENS = "When does the Lisbon office open?";
const UNKNOWN = "Who waters the garden of the Lisbon office?";
const SECRET = "connect ECONNREFUSED postgres://admin:hunter2@db.internal/docs, see /home/anna/keys";
class StoreDown extends Error {}
const throwing = (error: unknown) => async (): Promise<never> => {
  throw error;
};
const failing = throwing(new EndpointError("No chat endpoint answers at http://127.0.0.1:9/v1."));
const deadModel = trusting({ standalone: failing, generator: { generate: failing }, checker: { check: failing } });
const brokenEncoder = localReasoners({
  encoder: { ...fakeEncoder({}), judge: throwing(new Error("Cannot find package 'tokenizers'")) },
});
const silent = { grader: fakeGrader({ relevance: 0.1, answerability: "none" }) };
const web = (search: () => Promise<never>): Partial<Tools> => ({
  webSearch: { search },
  pageReader: { read: throwing(new Error("down")), close: async () => {} },
});

const OUTAGES: readonly (readonly [string, string, string, Partial<Tools>])[] = [
  ["a store that is down", "retriever", "StoreDown", { documents: broken("search", new StoreDown(SECRET)) }],
  ["a store that throws no error", "retriever", "Error", { documents: broken("search", Object.create(null)) }],
  [
    "a store that throws as an endpoint does",
    "retriever",
    "EndpointError",
    { documents: broken("search", new EndpointError(SECRET)) },
  ],
  ["an empty store", "retriever", "EmptyStoreError", { documents: inMemoryDocuments() }],
  ["a dead chat model", "chat_model", "EndpointError", deadModel],
  ["an encoder that lacks a module", "encoder", "Error", brokenEncoder],
  ["a grader that fails", "grader", "TypeError", { grader: { grade: throwing(new TypeError(SECRET)) } }],
];

function broken(method: "search", thrown: unknown): Tools["documents"] {
  return { ...inMemoryDocuments(passages), [method]: throwing(thrown) };
}

const agentWith = (parts: Partial<Tools>, options: Omit<AgentOptions, "tools"> = {}) => {
  const { knowledge: _, ...fakes } = fakeTools({ passages });
  return createAgent({ ...options, tools: { ...fakes, ...localReasoners(), ...parts } });
};

describe.each(OUTAGES)("an outage: %s", (_name, part, name, parts) => {
  test.each([
    ["in English", UNKNOWN, /Not found/],
    ["in Chinese", "谁给里斯本办公室的花园浇水？", /找到的内容都没有|里没有找到/],
  ])("is told apart from documents that say nothing, %s", async (_language, question, never) => {
    const told: [Fault, Error][] = [];
    const agent = agentWith(parts, { onFault: (fault, error) => void told.push([fault, error]) });
    const { status, text, faults, failures } = await agent.ask(question);
    expect(status).toBe("unavailable");
    expect(faults).toContainEqual({ part, name, message: expect.stringMatching(/\S/) });
    expect(told.map(([fault]) => fault)).toEqual(faults);
    expect(failures.length).toBeGreaterThan(0);
    expect(text).not.toMatch(never);
    expect(JSON.stringify([text, faults, failures])).not.toMatch(/hunter2|anna/);
  });

  test("is no right abstention", async () => {
    const reply = await askEmend(agentWith(parts), {})({ question: UNKNOWN, history: [] } as never);
    expect(reply).toMatchObject({ failed: true, refused: false });
  });

  test("is an error of a LangChain retriever, which would else have found nothing", async () => {
    await expect(agentRetriever(agentWith(parts)).invoke(UNKNOWN)).rejects.toThrow(/look this up|no documents/);
  });
});

test("a question that cannot be read is not answered with the question before it", async () => {
  const checkpointer = new MemorySaver();
  const tools = fakeTools({ passages });
  const before = await createAgent({ tools, checkpointer }).ask(OPENS, { threadId: "t" });
  expect(before.status).toBe("answered");
  const understand = () => throwing(new Error("Cannot find package 'eld'"));
  const agent = createAgent({ tools, checkpointer, graph: { nodes: { understand } } });
  for (const question of ["Where is the Porto office?", "波尔图办公室在哪里？"])
    expect(await agent.ask(question, { threadId: "t" })).toMatchObject({
      status: "unavailable",
      claims: [],
      faults: [{ part: "query_understanding", name: "Error", message: "Cannot find package 'eld'" }],
      text: expect.stringMatching(question.startsWith("W") ? /ask again later/ : /请稍后再问一次/),
    });
});

describe("a fault that an answer did without", () => {
  test("is in the answer all the same, and in its message", async () => {
    const agent = agentWith({ ...deadModel });
    const { messages, answer } = await agent.graph.invoke({ question: OPENS });
    expect(answer).toMatchObject({ status: "answered", faults: [{ part: "chat_model", name: "EndpointError" }] });
    const { emend } = (messages.at(-1) as AIMessage).additional_kwargs as { emend: { faults: Fault[] } };
    expect(emend.faults).toEqual(answer?.faults);
  });

  test("is told in a refusal, if it is another source", async () => {
    const parts = { ...silent, ...web(throwing(new EndpointError("The engine is down."))) };
    const { status, text, faults } = await agentWith(parts).ask(UNKNOWN);
    expect(status).toBe("refused");
    expect(faults).toContainEqual({ part: "web_search", name: "EndpointError", message: "The engine is down." });
    expect(text).toContain("The web could not be searched: The engine is down.");
  });

  test("is told where something is missing", async () => {
    const generator: Tools["generator"] = {
      generate: async ({ evidence: [first] }) => ({
        claims: [
          { text: passages[0]?.text ?? "", citations: [{ evidenceId: first?.id ?? "", quote: first?.text ?? "" }] },
        ],
        missing: "who waters the garden",
      }),
    };
    const knowledge = { ...inMemoryKnowledge(), facts: throwing(new StoreUnavailableError("It is gone.")) };
    const { status, text, faults } = await agentWith({
      ...{ generator, knowledge, grader: fakeGrader({ answerability: "partial" }) },
    }).ask(OPENS);
    expect([status, faults.map(({ part }) => part)]).toEqual(["partial", ["knowledge_graph"]]);
    expect(text).toContain("The knowledge graph could not be searched: It is gone.");
  });

  test("an answer without one has none, and a refusal of documents that were read stays one", async () => {
    expect(await agentWith({}).ask(OPENS)).toMatchObject({ status: "answered", faults: [] });
    expect(await agentWith(silent).ask(UNKNOWN)).toMatchObject({ status: "refused", faults: [] });
  });
});

test("a listener that throws or rejects changes nothing, and hears of a fault once, though it recurs", async () => {
  const parts = { grader: { grade: throwing(new Error("broken")) } };
  const usual = await agentWith(parts).ask(UNKNOWN);
  for (const thrown of [throwing(new Error("listener")), () => JSON.parse("{")]) {
    const onFault = vi.fn(thrown);
    const { status, text, faults } = await agentWith(parts, { onFault }).ask(UNKNOWN);
    expect([status, text]).toEqual([usual.status, usual.text]);
    expect(onFault).toHaveBeenCalledExactlyOnceWith(faults[0], expect.any(Error));
  }
});

test("an outage does not wait for a reply in a thread: the next question is a new one", async () => {
  let isDown = true;
  const documents = inMemoryDocuments(passages);
  const search: typeof documents.search = (...given) =>
    isDown ? Promise.reject(new StoreDown("down")) : documents.search(...given);
  const agent = agentWith({ documents: { ...documents, search } }, { checkpointer: new MemorySaver() });
  expect((await agent.ask(UNKNOWN, { threadId: "t" })).status).toBe("unavailable");
  isDown = false;
  expect(await agent.ask(OPENS, { threadId: "t" })).toMatchObject({ status: "answered", faults: [] });
  const { turns } = await agent.conversation("t");
  expect(turns.map(({ status }) => status)).toEqual(["unavailable", "answered"]);
});
