import { FakeListChatModel, FakeRetriever } from "@langchain/core/utils/testing";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../src/config.js";
import {
  agentNode,
  agentTool,
  cite,
  createAgent,
  createGraph,
  ingest,
  ingestDocuments,
  judgeClaim,
  judgePassages,
  loadFiles,
  onnxEncoder,
  openDatabase,
  readPage,
  removeDocuments,
  sqlDocuments,
  sqlRuns,
  sqlThreads,
  UsageError,
  verify,
} from "../src/index.js";
import { exactly, nearest } from "../src/options.js";
import { createServer } from "../src/server/app.js";
import { fakePassage, fakeTools } from "../src/testing/index.js";

const tools = fakeTools({ passages: [fakePassage("a", "The Lisbon office opens at eight.")] });
const agent = createAgent({ tools });
const database = openDatabase("unused");
const QUESTION = "When does the Lisbon office open?";

/** Gives a function of this program something that its types forbid. */
const call = async (work: (given: never) => unknown, given: unknown) => work(given as never);

describe("a misspelt option is an error that names the nearest one", () => {
  const asked = (context: unknown) => call((given) => agent.ask(QUESTION, { context: given }), context);

  test.each<[string, (given: never) => unknown, unknown, string]>([
    ["createAgent", createAgent, { retreiver: 1 }, "Unknown option `retreiver`. Did you mean `retriever`?"],
    [
      "createAgent",
      createAgent,
      { context: { budget: { second: 5 } } },
      "`context.budget.second`. Did you mean `seconds`?",
    ],
    ["createAgent", createAgent, { model: { modle: "m" } }, "`model.modle`. Did you mean `model`?"],
    [
      "createAgent",
      createAgent,
      { model: { model: "m", baseUrl: "http://x" } },
      "`model.baseUrl`. Did you mean `baseURL`?",
    ],
    ["createAgent", createAgent, { tools: { webSerach: {} } }, "`tools.webSerach`. Did you mean `webSearch`?"],
    ["createAgent", createAgent, { graph: { rung: {} } }, "`graph.rung`. Did you mean `rungs`?"],
    ["createAgent", createAgent, { web: { engine: "brave", apikey: "k" } }, "`web.apikey`. Did you mean `apiKey`?"],
    [
      "createAgent",
      createAgent,
      { neo4j: { url: "neo4j://h", username: "u", password: "p" } },
      "`neo4j.url`. Did you mean `uri`?",
    ],
    ["createAgent", createAgent, JSON.parse('{"__proto__": {"store": "x"}}'), "Unknown option `__proto__`."],
    ["createAgent", createAgent, { constructor: 1 }, "Unknown option `constructor`."],
    ["ask", (given) => agent.ask(QUESTION, given), { treadId: "t" }, "`treadId`. Did you mean `threadId`?"],
    [
      "ask",
      (given) => agent.ask(QUESTION, given),
      { history: [{ question: "Q?", anser: "A." }] },
      "`history[0].anser`. Did you mean `answer`?",
    ],
    [
      "stream",
      (given) => agent.stream(QUESTION, given)[Symbol.asyncIterator]().next(),
      { sginal: 1 },
      "`sginal`. Did you mean `signal`?",
    ],
    ["a context", asked, { nope: 1 }, "Unknown option `context.nope`. The options are `generateAt`, "],
    ["a context", asked, { budget: { second: 5 } }, "`context.budget.second`. Did you mean `seconds`?"],
    ["a context", asked, { generate_at: 0.5 }, "`context.generate_at`. Did you mean `generateAt`?"],
    ["a context", asked, { top_k: 0.5 }, "`context.top_k`. Did you mean `topP`?"],
    ["a context", asked, { filter: [{ key: "a", value: ["b"] }] }, "`context.filter[0].value`. Did you mean `values`?"],
    ["a context", asked, { thread_id: "t" }, "Unknown option `context.thread_id`."],
    ["loadSettings", (given) => loadSettings(given, {}), { stor: "x" }, "`stor`. Did you mean `store`?"],
    [
      "createGraph",
      (given) => createGraph(tools, given),
      { checkpoiter: 1 },
      "`checkpoiter`. Did you mean `checkpointer`?",
    ],
    ["createGraph", createGraph, { ...tools, documens: tools.documents }, "`documens`. Did you mean `documents`?"],
    ["createServer", createServer, { agent, token: ["t"] }, "`token`. Did you mean `tokens`?"],
    ["verify", (given) => verify("A.", [{ text: "A." }], given), { tool: {} }, "`tool`. Did you mean `tools`?"],
    [
      "verify",
      (given) => verify("A.", given),
      [{ text: "A.", titel: "B" }],
      "`sources[0].titel`. Did you mean `title`?",
    ],
    ["cite", (given) => cite("A.", [{ text: "A." }], given), { cals: 1 }, "`cals`. Did you mean `calls`?"],
    ["judgeClaim", (given) => judgeClaim("A.", ["A."], given), { encodr: {} }, "`encodr`. Did you mean `encoder`?"],
    [
      "judgePassages",
      (given) => judgePassages("A?", ["A."], given),
      { encodr: {} },
      "`encodr`. Did you mean `encoder`?",
    ],
    ["agentTool", (given) => agentTool(agent, given), { nane: "x" }, "`nane`. Did you mean `name`?"],
    ["agentNode", (given) => agentNode(agent, given), { bugdet: {} }, "`context.bugdet`. Did you mean `budget`?"],
    [
      "sqlDocuments",
      (given) => sqlDocuments(database, given),
      { embedding: {} },
      "`embedding`. Did you mean `embeddings`?",
    ],
    ["sqlRuns", (given) => sqlRuns(database, given), { day: 1 }, "`day`. Did you mean `days`?"],
    ["sqlThreads", (given) => sqlThreads(database, given), { step: 1 }, "`step`. Did you mean `steps`?"],
    ["openDatabase", (given) => openDatabase("x", given), { onwait: () => {} }, "`onwait`. Did you mean `onWait`?"],
    ["onnxEncoder", onnxEncoder, { thread: 1 }, "`thread`. Did you mean `threads`?"],
    ["ingest", (given) => ingest(["x"], given), { documents: tools.documents, cdw: "." }, "`cdw`. Did you mean `cwd`?"],
    [
      "ingestDocuments",
      (given) => ingestDocuments([], given),
      { document: tools.documents },
      "`document`. Did you mean `documents`?",
    ],
    [
      "removeDocuments",
      (given) => removeDocuments(["a"], given),
      { documents: tools.documents, knowlege: tools.knowledge },
      "`knowlege`. Did you mean `knowledge`?",
    ],
    [
      "ingestDocuments",
      (given) => ingestDocuments([], given),
      { documents: tools.documents, witin: "wiki" },
      "`witin`. Did you mean `within`?",
    ],
    ["loadFiles", (given) => loadFiles(["x"], given), { cdw: "." }, "`cdw`. Did you mean `cwd`?"],
    ["readPage", (given) => readPage("<p>", "http://x", given), { memry: 1 }, "`memry`. Did you mean `memory`?"],
  ])("%s: %#", async (_, work, given, said) => {
    const failed = call(work, given);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(said);
  });

  test("however many there are and however long they are, the message is short", () => {
    const given = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`${n}${"x".repeat(1_000)}`, n]));
    const [issue] = exactly({ name: exactly({}) }).safeParse(given).error?.issues ?? [];
    expect(issue?.message.length).toBeLessThan(1_000);
  });

  test("never shows a value, which may be a secret", async () => {
    const given = { apiKey: "sk-12345678", context: { budget: { token: "sk-12345678" } }, model: "sk-12345678" };
    const failed = call(createAgent, given);
    await expect(failed).rejects.toThrow(/`context.budget.token`. Did you mean `tokens`\?.*`apiKey`/s);
    await expect(failed).rejects.not.toThrow("sk-12345678");
  });
});

describe("an option of the wrong type is an error that names it", () => {
  test.each<[string, (given: never) => unknown, unknown, RegExp]>([
    [
      "createAgent",
      createAgent,
      { model: "gpt-4o" },
      /^model: must be an endpoint such as \{ model, apiKey, baseURL \}, or a chat model of LangChain/,
    ],
    ["createAgent", createAgent, { model: {} }, /^model\.model: /],
    ["createAgent", createAgent, { checkerModel: 4 }, /^checkerModel: must be an endpoint/],
    ["createAgent", createAgent, { embeddings: "e5" }, /^embeddings: must be an endpoint/],
    ["createAgent", createAgent, { reranker: { model: "m" } }, /^reranker\.baseURL: /],
    ["createAgent", createAgent, { retriever: {} }, /^retriever: must be a retriever or a vector store/],
    ["createAgent", createAgent, { retriever: FakeRetriever }, /^retriever: must be/],
    ["createAgent", createAgent, { retriever: "docs" }, /^retriever: must be/],
    ["createAgent", createAgent, { searchTool: { name: "s", invoke: "x" } }, /^searchTool: .*`invoke`/],
    ["createAgent", createAgent, { tools: { webSearch: { search: "x" } } }, /^tools\.webSearch: .*`search`/],
    ["createAgent", createAgent, { tools: { documents: "docs" } }, /^tools\.documents: /],
    ["createAgent", createAgent, { tools: { encoder: async () => {} } }, /^tools\.encoder: /],
    ["createAgent", createAgent, { checkpointer: {} }, /^checkpointer: /],
    ["createAgent", createAgent, { scope: { department: "hr" } }, /`scope` is not a function/],
    ["createAgent", createAgent, { graph: { nodes: { grade: {} } } }, /^graph\.nodes\.grade: must be a function/],
    [
      "createAgent",
      createAgent,
      { graph: { rungs: { wiki: { helps: () => true } } } },
      /^graph\.rungs\.wiki\.node: must be a function/,
    ],
    ["createAgent", createAgent, { context: { sources: "web" } }, /^context\.sources: .*expected object/],
    ["createAgent", createAgent, { context: { sources: ["web"] } }, /^context\.sources: .*expected object/],
    ["createAgent", createAgent, { context: { sources: null } }, /^context\.sources: /],
    ["createAgent", createAgent, { context: { budget: { seconds: -1 } } }, /^context\.budget\.seconds: /],
    ["createAgent", createAgent, { context: { budget: { calls: Number.NaN } } }, /^context\.budget\.calls: /],
    ["createAgent", createAgent, { runs: "yes" }, /^runs: /],
    ["createAgent", createAgent, { runDays: -1 }, /^runDays: /],
    ["createAgent", createAgent, { encoderThreads: Number.NaN }, /^encoderThreads: /],
    ["createAgent", createAgent, { encoderPatience: "5" }, /^encoderPatience: /],
    ["createAgent", createAgent, { pageCache: -1 }, /^pageCache: /],
    ["createAgent", createAgent, { modelUse: "some" }, /^modelUse: /],
    ["createAgent", createAgent, { aliases: ["IT"] }, /^aliases\[0\]: /],
    ["createAgent", createAgent, { price: { input: -1, output: 1 } }, /^price\.input: /],
    ["createAgent", createAgent, { web: { engine: "google" } }, /^web.*: must be a search engine/],
    ["createAgent", createAgent, { web: "brave" }, /^web: must be/],
    ["createAgent", createAgent, "docs", /expected object, received string/],
    ["createAgent", createAgent, null, /expected object, received null/],
    ["ask", (given) => agent.ask(given), 5, /^question: /],
    ["ask", (given) => agent.ask(QUESTION, given), { signal: {} }, /^signal: must be an AbortSignal/],
    ["ask", (given) => agent.ask(QUESTION, given), { threadId: 5 }, /^threadId: /],
    ["ask", (given) => agent.ask(QUESTION, given), { history: "none" }, /^history: /],
    ["ask", (given) => agent.ask(QUESTION, given), { context: { sources: "web" } }, /^context\.sources: /],
    ["createServer", createServer, { agent: {} }, /^agent: /],
    ["createServer", createServer, { agent, perMinute: "five" }, /perMinute/],
    ["createServer", createServer, { agent, tokens: "secret-token-of-sixteen" }, /tokens/],
    ["agentTool", agentTool, {}, /^agent: .*`ask`/],
    ["agentTool", (given) => agentTool(agent, given), { name: 5 }, /^name: /],
    ["agentNode", (given) => agentNode(agent, given), { sources: "web" }, /^context\.sources: /],
    ["sqlDocuments", sqlDocuments, "store", /^database: /],
    ["sqlThreads", (given) => sqlThreads(database, given), { steps: 0 }, /^steps: /],
    ["sqlRuns", (given) => sqlRuns(database, given), { days: Number.NaN }, /^days: /],
    ["verify", (given) => verify("A.", [{ text: "A." }], given), { calls: -1 }, /^calls: /],
    ["verify", (given) => verify("A.", given), ["A."], /^sources\[0\]: /],
    ["verify", (given) => verify("A.", given), "A.", /^sources: /],
    ["judgeClaim", (given) => judgeClaim("A.", ["A."], given), {}, /^encoder: /],
    ["ingest", (given) => ingest(["x"], given), {}, /^documents: /],
    ["ingest", (given) => ingest(given, { documents: tools.documents }), "docs", /^paths: /],
    ["openDatabase", openDatabase, 5, /^place: /],
  ])("%s: %#", async (_, work, given, said) => {
    const failed = call(work, given);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(said);
  });
});

describe("what is understood passes", () => {
  test("LangChain's own parts, and undefined for what is left out", async () => {
    const given = createAgent({
      model: new FakeListChatModel({ responses: [] }),
      retriever: new FakeRetriever({ output: [] }),
      ...{ checkerModel: undefined, embeddings: undefined, neo4j: undefined, context: undefined },
      encoder: "off",
      checkpointer: new MemorySaver(),
    });
    await given.close();
  });

  test("a part that is an instance of a class, with fields of its own", async () => {
    class Search {
      readonly mine = 1;
      search = async () => [];
    }
    const given = createAgent({ tools: { ...tools, webSearch: new Search() } });
    expect(given.tools.webSearch).toBeInstanceOf(Search);
  });

  test.each([
    "thread_id",
    "checkpoint_ns",
    "run_id",
    "assistant_id",
    "graph_id",
    "langgraph_auth_user",
    "x-api-key",
    "user-agent",
    "__pregel_resuming",
    "langsmith-trace",
  ])("%s, which LangGraph's servers add to the context of a graph", async (name) => {
    const { answer } = await agent.graph.invoke({ question: QUESTION }, { context: { [name]: "x" } as never });
    expect(answer?.status).toBe("answered");
  });

  test("any name in `configurable`", async () => {
    const configurable = {
      thread_id: "t",
      nope: 1,
      "x-tenant": "a",
      langgraph_auth_user: { identity: "u", emend_scope: "all" },
    };
    const { answer } = await agent.graph.invoke({ question: QUESTION }, { configurable });
    expect(answer?.status).toBe("answered");
    expect((await agent.ask(QUESTION, { configurable })).status).toBe("answered");
  });
});

test.each([{ nope: 1 }, { budget: { second: 1 } }, { max_rounds: 3 }, { sources: "web" }, { generateAt: 7 }])(
  "a graph refuses the context %j in the same words, before anything is kept",
  async (context) => {
    const graph = createGraph(tools, { checkpointer: new MemorySaver() });
    const config = { context: context as never, configurable: { thread_id: "t" } };
    const inWords = await agent.ask(QUESTION, { context: context as never }).catch((error: Error) => error.message);
    const failed = graph.invoke({ question: QUESTION }, config);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(inWords as string);
    expect((await graph.getState(config)).values).toEqual({});
  },
);

test.each([
  ["retreiver", "retriever"],
  ["temp", "temperature"],
  ["EMEND_MODLE", "EMEND_MODEL"],
  ["STORE", "store"],
  ["wbe", "web"],
  ["nope", undefined],
  ["constructor", undefined],
  ["", undefined],
  ["é".repeat(100_000), undefined],
])("the name nearest to %.20s is %s", (name, meant) => {
  const known = ["retriever", "temperature", "EMEND_MODEL", "store", "web"];
  expect(nearest(name, known)).toBe(meant);
});
