import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { createGraph } from "../../src/graph/build.js";
import { restricted, type ScopeOf } from "../../src/graph/scope.js";
import { langchainDocuments } from "../../src/ingest/langchain.js";
import { agentTool } from "../../src/langchain.js";
import type { State } from "../../src/state/state.js";
import type { Tools } from "../../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools } from "../../src/testing/index.js";
import { fakeTable } from "../../src/testing/tables-sample.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Tables } from "../../src/tools/tables/port.js";
import type { Metadata } from "../../src/types/metadata.js";
import type { Table } from "../../src/types/table.js";

// Attempts to get around a scope: a user of the department hr asks for a secret that only the board may see.

const SECRET = /swordfish|剑鱼/;
const QUESTIONS = ["What is the password of the office?", "办公室的口令是什么？"];
const [QUESTION = ""] = QUESTIONS;

/** A user as the server's authentication describes them. */
const user = (...departments: string[]) => ({
  langgraph_auth_user: { identity: "somebody", emend_scope: [{ key: "department", values: departments }] },
});

const passage = (documentId: string, position: number, text: string, metadata?: Metadata) => {
  const { metadata: _, ...rest } = fakePassage(`${documentId}#${position}`, text, { documentId, position });
  return { ...rest, ...(metadata && { metadata }) };
};

const PASSAGES = [
  passage("hours", 0, "The office opens at eight. 办公室八点开门。", { department: "hr" }),
  // The neighbour of that passage has another department.
  passage("hours", 1, "The office password is swordfish. 办公室口令是剑鱼。", { department: "board" }),
  passage("board", 0, "The password of the office is swordfish. 办公室的口令是剑鱼。", { department: "board" }),
  passage("caps", 0, "The password of the office is swordfish, too. 口令也是剑鱼。", { department: "HR" }),
  passage("list", 0, "The office password: swordfish. 口令：剑鱼。", { department: "it\nboard" }),
  passage("none", 0, "Somebody's office password: swordfish. 口令：剑鱼。", {}),
  passage("old", 0, "The old office password: swordfish. 口令：剑鱼。"),
];
const source = (id: string, metadata?: Metadata) => ({
  ...{ id, documentId: id, title: id, uri: id, section: "", reviewedAt: "", hash: "" },
  ...(metadata && { metadata }),
});
const thing = (name: string, ...aliases: string[]) => ({ name, type: "Thing", aliases });
const OFFICE = thing("Office", "办公室");

let path: string;
let tools: Tools;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), "emend-scope-"));
  const documents = sqlDocuments(openDatabase(join(path, "documents")));
  const knowledge = sqlKnowledge(openDatabase(path));
  await documents.upsert(PASSAGES);
  const triples = [
    { subject: OFFICE, predicate: "password", object: thing("swordfish", "剑鱼"), quote: "" },
    { subject: thing("Depot", "Falcon"), predicate: "guards", object: thing("swordfish"), quote: "" },
  ];
  await knowledge.upsert([
    {
      source: source("hr", { department: "hr" }),
      triples: [{ subject: OFFICE, predicate: "opens", object: thing("eight"), quote: "" }],
    },
    { source: source("board", { department: "board" }), triples },
    { source: source("loaded"), triples },
  ]);
  tools = fakeTools({ documents, knowledge });
});
afterAll(() => rm(path, { recursive: true, force: true }));

/** The secrets in a text, rather than the long text, for short failure messages. */
const secretsIn = (text: string) => [...new Set(text.match(new RegExp(SECRET, "g")))];

/** Records what tracing sees. */
class Traces extends BaseCallbackHandler {
  readonly name = "traces";
  readonly seen: unknown[] = [];
  override handleChainStart(_: unknown, inputs: unknown) {
    this.seen.push(inputs);
  }
  override handleChainEnd(outputs: unknown) {
    this.seen.push(outputs);
  }
  override handleChainError(error: Error) {
    this.seen.push(error.message);
  }
}

interface Attempt {
  input?: object;
  context?: unknown;
  configurable?: object;
  parts?: Partial<Tools>;
  scope?: ScopeOf;
}

/** Everything that a run exposes: every state, event, update and trace, and the error that it ends with. */
async function shown({
  input = { question: QUESTION },
  context,
  configurable,
  parts,
  scope,
}: Attempt): Promise<string> {
  const graph = createGraph({ ...tools, ...parts }, scope ? { scope } : {});
  const traces = new Traces();
  const chunks: unknown[] = [];
  try {
    for await (const chunk of await graph.stream(input as never, {
      ...(context !== undefined && { context: context as never }),
      // A server overwrites the user that a client sends.
      configurable: { ...configurable },
      callbacks: [traces],
      streamMode: ["values", "updates", "custom"],
    }))
      chunks.push(chunk);
  } catch (error) {
    chunks.push(String(error));
  }
  return JSON.stringify([chunks, traces.seen]);
}

test.each(QUESTIONS)("users who may see everything get the secret: %s", async (question) => {
  const input = { question };
  const admin = { langgraph_auth_user: { identity: "admin", emend_scope: "all" } };
  for (const configurable of [{}, user("board"), admin])
    expect(secretsIn(await shown({ input, configurable }))).not.toEqual([]);
});

test.each(QUESTIONS)("a restricted user gets an answer from permitted passages only: %s", async (question) => {
  const all = await shown({ input: { question }, configurable: user("hr") });
  expect(secretsIn(all)).toEqual([]);
  expect(all.includes("The office opens at eight.")).toBe(true);
});

describe("a context", () => {
  const is = (key: unknown, ...values: unknown[]) => ({ filter: [{ key, values }] });
  const not = (key: string, ...values: string[]) => ({ filter: [{ key, values, not: true }] });
  test.each<[string, unknown]>([
    ["with an empty filter", { filter: [] }],
    ["without a filter", { filter: undefined }],
    ["with null for a filter", { filter: null }],
    ["with a word for a filter", { filter: "all" }],
    ["with a scope", { scope: "all", emend_scope: "all" }],
    ["that asks for the board", is("department", "board")],
    ["that asks for all there are", is("department", "hr", "board", "HR", "it")],
    ["that asks for what is not theirs", not("department", "hr")],
    ["that leaves nothing out", not("department")],
    ["in capitals", is("DEPARTMENT", "HR")],
    ["in wide letters", is("ｄｅｐａｒｔｍｅｎｔ", "board")],
    ["with a quote", is("department", "hr' OR '1'='1")],
    ["with brackets", is("department", "hr']) OR true OR array_has_any(metadata, ['x")],
    ["with a comment", is("department", "hr'] --", "board")],
    ["with a backslash", is("department", "hr\\' OR 1=1 //")],
    ["with the end of a text", is("department", "hr\0board")],
    ["with a new line", is("department", "hr\nboard")],
    ["with half a character", is("department", "\ud800")],
    ["with a quote in the key", is("department' OR ''='", "hr")],
    ["with a prototype", is("__proto__", "board")],
    ["with a prototype that is left out", not("__proto__", "board")],
    ["with a constructor that is left out", not("constructor", "board")],
    ["with a polluted object", JSON.parse('{"filter":[],"__proto__":{"filter":[]},"constructor":{"prototype":{}}}')],
    ["with other types", is("department", { $ne: "" }, ["board"], 1)],
    ["with no condition", { filter: [{}] }],
    ["with many conditions", { filter: Array.from({ length: 50 }, () => ({ key: "department", values: ["board"] })) }],
    ["that looks at the graph alone", { sources: { graph: true, web: false }, passages: 50, rewriteBelow: 0 }],
  ])("%s does not widen the scope", async (_, context) => {
    expect(secretsIn(await shown({ context, configurable: user("hr") }))).toEqual([]);
  });

  test("can narrow the scope", async () => {
    const context = { filter: [{ key: "department", values: ["HR"] }] };
    const all = await shown({ context, configurable: user("hr", "HR") });
    expect(all.includes("swordfish, too")).toBe(true);
    expect(all).not.toContain("opens at eight");
  });
});

describe("a user's scope", () => {
  test.each<[string, unknown]>([
    ["of no conditions", []],
    ["of no values", [{ key: "department", values: [] }]],
    [
      "of two departments at once",
      [
        { key: "department", values: ["hr"] },
        { key: "department", values: ["board"] },
      ],
    ],
    ["that is undefined", undefined],
    ["that is null", null],
    ["that is a star", "*"],
    ["in capitals", "ALL"],
    ["that is true", true],
    ["with an empty condition", [{}]],
    ["without values", [{ key: "department" }]],
    ["with a word for a list", [{ key: "department", values: "board" }]],
    ["in another form", { department: "board" }],
    ["with a prototype for a key", [{ key: "__proto__", values: ["x"], not: true }]],
    ["with more than a condition has", [{ key: "department", values: ["board"], or: true }]],
    [
      "of what a list would hold if it were joined",
      [{ key: "department", values: ["it, board", "it,board", "it\nboard"] }],
    ],
    ["that starts like the value", [{ key: "department", values: ["boar", "b%", "b*", "board "] }]],
  ])("%s shows nothing", async (_, emend_scope) => {
    const configurable = { langgraph_auth_user: { identity: "somebody", emend_scope } };
    const all = await shown({ configurable });
    expect(secretsIn(all)).toEqual([]);
    expect(secretsIn(await shown({ scope: () => emend_scope as never }))).toEqual([]);
  });

  test("that excludes departments hides passages without metadata", async () => {
    const all = await shown({ scope: () => [{ key: "department", values: ["board", "HR", "hr"], not: true }] });
    expect(all.includes("Somebody's office password")).toBe(true);
    expect(all).not.toMatch(/The (old )?(office )?password (of the office )?is|The old office/);
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a text", "admin"],
    ["a scope without an identity", { emend_scope: "all" }],
    ["a blank identity", { identity: " ", emend_scope: "all" }],
    ["an identity without a scope", { identity: "langgraph-studio-user", permissions: [], is_authenticated: true }],
    ["a misspelt scope", { identity: "admin", scope: "all", emendScope: "all" }],
  ])("of somebody who is %s shows nothing, in a graph or an agent", async (_, langgraph_auth_user) => {
    const configurable = { langgraph_auth_user };
    expect(secretsIn(await shown({ configurable }))).toEqual([]);
    const agent = createAgent({ tools });
    await expect(agent.ask(QUESTION, { configurable })).rejects.toThrow(/not known|missing or cannot be read/);
    await expect(agent.toolsFor(configurable)).rejects.toThrow(/not known|missing or cannot be read/);
  });

  test("and that of the agent's function both apply", async () => {
    const hr: ScopeOf = () => [{ key: "department", values: ["hr"] }];
    const admin = { langgraph_auth_user: { identity: "admin", emend_scope: "all" } };
    expect(secretsIn(await shown({ scope: hr, configurable: admin }))).toEqual([]);
    expect(secretsIn(await shown({ scope: () => "all", configurable: user("hr") }))).toEqual([]);
    expect(secretsIn(await shown({ scope: () => "all", configurable: admin }))).not.toEqual([]);
  });

  test.each([undefined, null, false, "", "all", [{ key: "department", values: ["hr"] }], {}])(
    "is not given as %j in place of a function",
    (scope) => {
      expect(() => createAgent({ tools, scope: scope as never })).toThrow(/`scope` is not a function/);
      expect(() => createGraph(tools, { scope: scope as never })).toThrow(/`scope` is not a function/);
    },
  );

  test("by a function among the additions to the graph applies to everything", async () => {
    const graph = { scope: () => [{ key: "department", values: ["hr"] }] };
    const { documents } = await createAgent({ tools, graph: graph as object }).toolsFor();
    expect(await documents.get(PASSAGES.map(({ id }) => id))).toMatchObject([{ id: "hours#0" }]);
  });

  test("that throws ends the run", async () => {
    const scope = () => {
      throw new Error("Who are you?");
    };
    const all = await shown({ scope });
    expect(all.includes('"Error: Who are you?"')).toBe(true);
    expect(all.includes('"step"')).toBe(false);
    await expect(createAgent({ tools, scope }).ask(QUESTION)).rejects.toThrow("Who are you?");
  });

  test.each([
    { scope: "all" },
    { emend_scope: "all" },
    { langgraph_auth_user_id: "admin", langgraph_auth_permissions: ["all"] },
    { filter: [], context: { filter: [] } },
  ])("is not taken from other values that a client sends: %j", async (sent) => {
    expect(secretsIn(await shown({ configurable: { ...sent, ...user("hr") } }))).toEqual([]);
  });

  test("can come from a function of the program", async () => {
    const scope: ScopeOf = ({ configurable }) => [{ key: "department", values: [String(configurable?.department)] }];
    const agent = createAgent({ tools, scope });
    const answer = async (department: string) => (await agent.ask(QUESTION, { configurable: { department } })).text;
    expect(await answer("board")).toMatch(SECRET);
    expect(await answer("hr")).toContain("opens at eight");
    expect(await answer("hr")).not.toMatch(SECRET);
  });
});

describe("a restricted source", () => {
  const filter = [{ key: "department", values: ["hr"] }];
  const within = (parts: Partial<Tools> = {}) => restricted({ ...tools, ...parts }, filter);

  test("returns no hidden passage by id, as a neighbour, or by excluding permitted ones", async () => {
    const { documents } = within();
    expect(await documents.get(PASSAGES.map(({ id }) => id))).toMatchObject([{ id: "hours#0" }]);
    for (const { id } of PASSAGES)
      expect(await documents.neighbours(id, 200)).not.toContainEqual(
        expect.objectContaining({ text: expect.stringMatching(SECRET) }),
      );
    const found = await documents.search({ text: "office password swordfish 口令", exclude: ["hours#0"] }, 200);
    expect(found).toEqual([]);
    expect(await documents.search({ text: "swordfish", mode: "fullText", filter: [] }, 1)).toEqual([]);
  });

  test("lists nothing and refuses changes", async () => {
    const { documents, knowledge } = within();
    expect(await documents.list()).toEqual([]);
    expect(await knowledge?.sources()).toEqual([]);
    expect([documents.describe, documents.embed, documents.embedded, knowledge?.query]).toEqual(
      Array(4).fill(undefined),
    );
    const theirs = passage("board", 0, "Mine.", { department: "hr" });
    for (const change of [
      documents.upsert([theirs]),
      documents.remove(["board"]),
      knowledge?.remove(["board"]),
      knowledge?.upsert([]),
    ])
      await expect(change).rejects.toThrow("cannot change");
  });

  test("that ignores filters has its results filtered", async () => {
    const documents: Documents = {
      ...tools.documents,
      search: ({ filter: _, ...query }, ...rest) => tools.documents.search(query, ...rest),
      get: (ids) => tools.documents.get(ids),
      neighbours: (id, distance) => tools.documents.neighbours(id, distance),
    };
    const knowledge = {
      ...tools.knowledge,
      facts: (names, question) => tools.knowledge?.facts(names, question) ?? [],
    } as KnowledgeGraph;
    const all = await shown({ parts: { documents, knowledge }, configurable: user("hr") });
    expect(all.includes("opens at eight")).toBe(true);
    expect(secretsIn(all)).toEqual([]);
    const { documents: few, knowledge: little } = within({ documents, knowledge });
    expect(await little?.facts(["Office"], "")).toHaveLength(1);
    expect(await few.get(PASSAGES.map(({ id }) => id))).toMatchObject([{ id: "hours#0" }]);
    expect(await few.neighbours("hours#0")).toEqual([]);
  });

  test("that is a retriever returns only permitted passages, and does not return passages found for other users", async () => {
    const documents = langchainDocuments({
      invoke: async () =>
        PASSAGES.map(({ id, text, metadata }) => ({ id, pageContent: text, metadata: { source: id, ...metadata } })),
    });
    expect(secretsIn(await shown({ parts: { documents } }))).not.toEqual([]);
    expect(secretsIn(await shown({ parts: { documents }, configurable: user("hr") }))).toEqual([]);
    expect(await restricted({ ...tools, documents }, filter).documents.get(["board", "none", "hours"])).toEqual([]);
  });

  test.each(["Office", "办公室", "Falcon", "Depot", "Swordfsh", "剑鱼"])(
    "returns no hidden fact by the name %s",
    async (name) => {
      const facts = (await within().knowledge?.facts([name], `${name}?`, { limit: 100 })) ?? [];
      expect(JSON.stringify(facts)).not.toMatch(/swordfish|剑鱼|falcon|guards/i);
      expect(facts.length).toBe(/office|办公室/i.test(name) ? 1 : 0);
    },
  );

  test("finds, returns and queries only permitted tables, even of a source that ignores filters", async () => {
    const [permitted, hidden] = [
      fakeTable("rooms#table0", [{ name: "Room" }], [["A1"]], { metadata: { department: "hr" } }),
      fakeTable("codes#table0", [{ name: "Code" }], [["swordfish"]], { metadata: { department: "board" } }),
    ];
    const ids = [permitted.id, hidden.id];
    const all = [permitted, hidden, { ...hidden, id: "unknown", metadata: undefined }] as Table[];
    const queried: string[][] = [];
    const ignoring: Tables = {
      search: async () => all,
      heads: async (ids) => all.filter(({ id }) => ids.includes(id)),
      get: async (ids) => all.filter(({ id }) => ids.includes(id)),
      async query(sql, ids) {
        queried.push([...ids]);
        return { sql, columns: [], rows: [], isCut: false, tables: [] };
      },
    };
    const { tables } = within({ tables: ignoring });
    for (const found of [
      tables?.search("code", 5),
      tables?.heads([...ids, "unknown"]),
      tables?.get([...ids, "unknown"]),
    ])
      expect(await found).toEqual([permitted]);
    await tables?.query("SELECT count(*) FROM rooms", [permitted.id]);
    for (const those of [ids, ["unknown"], ["none"]])
      await expect(tables?.query("SELECT count(*) FROM rooms", those)).rejects.toThrow("may see");
    expect(queried).toEqual([[permitted.id]]);
  });

  test("runs no query that a model writes", async () => {
    let asked = 0;
    const query: KnowledgeGraph["query"] = async (cypher) => {
      asked += 1;
      return { cypher, parameters: {}, columns: ["password"], rows: [{ password: "swordfish" }], truncated: false };
    };
    const parts: Partial<Tools> = {
      knowledge: { ...tools.knowledge, query } as KnowledgeGraph,
      cypherWriter: { write: async () => ({ cypher: "MATCH (n) RETURN n.password AS password", parameters: {} }) },
      grader: fakeGrader({ relevance: 0.1, answerability: "none" }),
    };
    await shown({ parts });
    expect(asked).toBe(1);
    expect(secretsIn(await shown({ parts, configurable: user("hr") }))).toEqual([]);
    expect(asked).toBe(1);
  });

  test("corrects spelling only with words of permitted passages", async () => {
    const documents = sqlDocuments(openDatabase(join(path, "spelling")));
    await documents.upsert([
      passage("a", 0, "Employees get 27 days of annual leave.", { department: "hr" }),
      passage("b", 0, "The anual is a swordfish. Nothing else.", { department: "board" }),
    ]);
    const all = await shown({
      input: { question: "How many days of anual leave?" },
      parts: { documents },
      configurable: user("hr"),
    });
    expect(all.includes('"read":"annual"')).toBe(true);
    expect(secretsIn(all)).toEqual([]);
  });
});

describe("a thread", () => {
  const clarifying: Tools["grader"] = {
    grade: (task, call) =>
      fakeGrader({
        answerability: "none",
        relevance: 0,
        clarification: `Do you mean: ${task.evidence.map(({ text }) => text).join()}`,
      }).grade(task, call),
  };
  const thread = (who: object, config: object = {}) => ({ configurable: { thread_id: "t", ...who }, ...config });
  const kept = (parts: Partial<Tools> = {}) => createGraph({ ...tools, ...parts }, { checkpointer: new MemorySaver() });
  type Graph = ReturnType<typeof kept>;
  /** Everything that a call adds: its result without the earlier messages. */
  async function added(graph: Graph, input: unknown, config: object): Promise<string> {
    const before = new Set(
      (await graph.getState(config).catch(() => undefined))?.values.messages?.map(({ id }: { id: string }) => id),
    );
    const { messages = [], ...rest } = (await graph
      .invoke(input as never, config)
      .catch((error) => ({ error: String(error) }))) as State & { error?: string };
    const state = await graph.getState(thread(user("hr")));
    const { messages: _, ...values } = state.values as State;
    return JSON.stringify([rest, values, messages.filter(({ id = "" }) => !before.has(id))]);
  }

  test("of another user does not serve as conversation history", async () => {
    const graph = kept({
      rewriter: {
        ...tools.rewriter,
        standalone: async (question, history) =>
          `${question} (${history.map(({ question, answer }) => question + answer).join()})`,
      },
    });
    await graph.invoke({ question: QUESTION }, thread(user("board")));
    const all = await added(graph, { question: "And when does the office open?" }, thread(user("hr")));
    expect(all.includes("opens at eight")).toBe(true);
    expect(secretsIn(all)).toEqual([]);
    // The history of the same user does.
    const more = await added(graph, { question: "And what else?" }, thread(user("hr")));
    expect(more.includes("And what else? (And when")).toBe(true);
  });

  test("that waits for one user cannot be answered by another", async () => {
    const graph = kept({ grader: clarifying });
    await graph.invoke({ question: QUESTION }, thread(user("board")));
    expect((await graph.getState(thread({}))).next).toEqual(["clarify"]);
    const error = graph.invoke(new Command({ resume: "Yes." }), thread(user("hr")));
    await expect(error).rejects.toThrow("Please ask it again");
    const all = await added(graph, { messages: [{ type: "human", content: "The office." }] }, thread(user("hr")));
    expect(secretsIn(all)).toEqual([]);
  });

  test("that waits is asked afresh if the next asker may see less", async () => {
    const agent = createAgent({ tools: { ...tools, grader: clarifying }, checkpointer: new MemorySaver() });
    const first = await agent.ask(QUESTION, { threadId: "t", configurable: user("board") });
    expect(first).toMatchObject({ status: "needs_clarification", text: expect.stringMatching(SECRET) });
    const second = await agent.ask("Yes?", { threadId: "t", configurable: user("hr") });
    expect(secretsIn(JSON.stringify(second))).toEqual([]);
  });

  test("of another user cannot be continued from the middle", async () => {
    const graph = kept();
    await graph.invoke({ question: QUESTION }, thread(user("board")));
    for await (const { config, next } of graph.getStateHistory(thread({}))) {
      if (!["grade", "generate", "checkAnswer", "respond"].includes(next[0] ?? "")) continue;
      const forked = { ...config, configurable: { ...config.configurable, ...user("hr") } };
      await expect(graph.invoke(null, forked)).rejects.toThrow("Please ask it again");
    }
  });

  test("cannot be started in the middle", async () => {
    const update = { question: QUESTION, queries: [{ text: "office password", reason: { code: "asked" as const } }] };
    for (const goto of ["retrieve", "queryGraph", "generate"]) {
      const all = await added(kept(), new Command({ goto, update }), thread(user("hr")));
      expect(secretsIn(all)).toEqual([]);
    }
  });

  test("cannot be continued if its asker may see less now", async () => {
    const graph = kept({ grader: clarifying });
    await graph.invoke({ question: QUESTION }, thread(user("board", "hr")));
    await expect(graph.invoke(new Command({ resume: "Yes." }), thread(user("hr")))).rejects.toThrow(
      "Please ask it again",
    );
    await expect(graph.invoke(new Command({ resume: "Yes." }), thread({}))).rejects.toThrow("Please ask it again");
  });
});

describe("inside another graph", () => {
  const around = (node: (config: RunnableConfig) => Promise<unknown>) =>
    new StateGraph(MessagesAnnotation)
      .addNode("ask", async (_, config) => {
        heard = JSON.stringify(await node(config));
        return {};
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
  let heard = "";

  test.each<[string, (agent: ReturnType<typeof createAgent>) => (config: RunnableConfig) => Promise<unknown>]>([
    ["an agent that is asked", (agent) => () => agent.ask(QUESTION)],
    ["a tool", (agent) => (config) => agentTool(agent).invoke({ question: QUESTION }, config)],
    ["a tool that is not told of the run", (agent) => () => agentTool(agent).invoke({ question: QUESTION })],
    ["the graph itself", (agent) => (config) => agent.graph.invoke({ question: QUESTION }, config)],
  ])("%s sees what the caller of that graph may see", async (_, node) => {
    const graph = around(node(createAgent({ tools })));
    await graph.invoke({ messages: [] }, { configurable: user("board") });
    expect(heard).toMatch(SECRET);
    await graph.invoke({ messages: [] }, { configurable: user("hr") });
    expect(heard).toContain("opens at eight");
    expect(heard).not.toMatch(SECRET);
  });
});
