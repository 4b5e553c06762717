import { Command, MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { createGraph } from "../../src/graph/build.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import type { ContextInput } from "../../src/state/context.js";
import type { State } from "../../src/state/state.js";
import type { Tools } from "../../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools } from "../../src/testing/index.js";

const asked = {
  en: {
    question: "In which year was the Vasco da Gama bridge opened?",
    page: "The Vasco da Gama bridge was opened in 1998.",
  },
  zh: { question: "瓦斯科达伽马大桥是哪一年通车的？", page: "瓦斯科达伽马大桥于1998年通车。" },
};

const thread = { configurable: { thread_id: "t" } };

/** A graph over a web of the sites a.org and bad.org. `searched` and `read` record queries and pages. */
function graphOverWeb(page = asked.en.page, parts: Partial<Tools> = {}) {
  const searched: string[] = [];
  const read: string[] = [];
  const tools = fakeTools({
    passages: [fakePassage("hours", "The Lisbon office opens at eight.")],
    ...localReasoners(),
    webSearch: {
      search: async ({ text }) => {
        searched.push(text);
        return ["https://a.org/b", "https://bad.org/b"].map((url) => ({ url, title: "", snippet: "", published: "" }));
      },
    },
    pageReader: {
      read: async (url) => {
        read.push(url);
        return { url, title: "Bridges", published: "", modified: "", markdown: page };
      },
      close: async () => {},
    },
    ...parts,
  });
  const graph = createGraph(tools, { checkpointer: new MemorySaver() });
  /** LangGraph's types require every value of a context; tests give some or none. */
  const invoke = (input: Parameters<typeof graph.invoke>[0], context?: ContextInput, config: object = thread) =>
    graph.invoke(input, { ...config, ...(context && { context: context as never }) });
  return { graph, invoke, searched, read };
}

/** A run that waits for approval of its queries. */
async function waiting(context: ContextInput = {}, { question, page } = asked.en) {
  const web = graphOverWeb(page);
  await web.invoke({ question }, { ...context, web: { approve: true, ...context.web } });
  const { next, config } = await web.graph.getState(thread);
  expect({ next, searched: web.searched }).toEqual({ next: ["searchWeb"], searched: [] });
  return { ...web, config };
}

describe.each([
  ["en", asked.en],
  ["zh", asked.zh],
])("a rejection sends no query, whatever context comes with it (%s)", (_, about) => {
  test.each<[unknown, ContextInput | undefined]>([
    ["no", undefined],
    ["no", {}],
    ["no", { web: { approve: false } }],
    ["No, thanks.", undefined],
    ["否", undefined],
    ["不", { web: {} }],
    ["不要", { web: { approve: false } }],
    ["不用了", undefined],
    [{}, undefined],
    [[], undefined],
    [{ type: "reject" }, undefined],
    [{ decisions: [{ type: "reject", message: "Ponte Vasco da Gama" }] }, undefined],
    [{ decisions: [{ type: "edit", edited_action: { name: "search_web", args: { query: "不用了" } } }] }, undefined],
    [{ decisions: [{ type: "edit" }, { type: "approve" }] }, { web: { approve: false } }],
    [{ decisions: [{ type: "Approve" }] }, undefined],
    [{ decisions: "approve" }, undefined],
    [{ decisions: [] }, undefined],
    [["no"], undefined],
    [3, undefined],
    ["", undefined],
    [false, undefined],
    [0, undefined],
    ["9", undefined],
    [" ", undefined],
  ])("%j with %j", async (resume, context) => {
    const { invoke, searched, read, graph } = await waiting({}, about);
    await invoke(new Command({ resume }), context);
    expect({ searched, read }).toEqual({ searched: [], read: [] });
    expect((await graph.getState(thread)).values.answer?.status).toBe("refused");
  });

  test("null does not count as a reply, and the run still waits", async () => {
    const { invoke, searched, graph } = await waiting({}, about);
    await expect(invoke(new Command({ resume: null }))).rejects.toThrow();
    expect(searched).toEqual([]);
    expect((await graph.getState(thread)).next).toEqual(["searchWeb"]);
  });
});

describe("rejected queries are not sent", () => {
  test.each<[string, ContextInput | undefined]>([
    ["without a context", undefined],
    ["with one that asks nobody", { web: { approve: false } }],
  ])("if a yes follows the no, %s", async (_, context) => {
    const { invoke, searched, config } = await waiting();
    await invoke(new Command({ resume: "no" }));
    await invoke(new Command({ resume: "yes" }), context).catch(() => {});
    // The same for a client that names the checkpoint at which the run waited.
    await invoke(new Command({ resume: "yes" }), context, config);
    expect(searched).toEqual([]);
  });

  test("if the run is resumed without a reply", async () => {
    const { invoke, searched, graph } = await waiting();
    await invoke(null, { web: { approve: false } });
    expect(searched).toEqual([]);
    expect((await graph.getState(thread)).next).toEqual(["searchWeb"]);
  });

  test("if the resume also edits the state", async () => {
    const { invoke, searched } = await waiting();
    await invoke(new Command({ resume: "no", update: { question: "Something else?" } }));
    expect(searched).toEqual([]);
  });

  test("if the no arrives as a new message, and no unseen query is sent either", async () => {
    const { invoke, searched } = await waiting();
    await invoke({ messages: [{ type: "human", content: "no" }] } as never);
    expect(searched).toEqual([]);
  });
});

describe("an approved search keeps to the limits of the run", () => {
  test.each<[string, ContextInput | undefined]>([
    ["without a context", undefined],
    ["with a wider one", { web: { approve: false, deny: [], pages: 10, allow: [] } }],
  ])("%s: pages of a denied domain are not read", async (_, context) => {
    const { invoke, searched, read } = await waiting({ web: { deny: ["bad.org"] } });
    await invoke(new Command({ resume: "yes" }), context);
    expect(searched).toEqual([asked.en.question]);
    expect(read).toEqual(["https://a.org/b"]);
  });

  test("pages are read only from allowed domains, and at most as many as the run allows", async () => {
    const some = await waiting({ web: { allow: ["bad.org"] } });
    await some.invoke(new Command({ resume: "yes" }));
    expect(some.read).toEqual(["https://bad.org/b"]);
    const one = await waiting({ web: { pages: 1 } });
    await one.invoke(new Command({ resume: "1" }), { web: { pages: 10 } });
    expect(one.read).toHaveLength(1);
  });

  test("a context that comes with the reply narrows the limits further", async () => {
    const denied = await waiting();
    await denied.invoke(new Command({ resume: "yes" }), { web: { deny: ["bad.org"] } });
    expect(denied.read).toEqual(["https://a.org/b"]);
  });

  test("no page is read if the allowed domains of run and reply do not overlap", async () => {
    const { invoke, searched, read } = await waiting({ web: { allow: ["a.org"] } });
    await invoke(new Command({ resume: "yes" }), { web: { allow: ["bad.org"] } });
    expect({ searched, read }).toEqual({ searched: [], read: [] });
  });

  test("a yes with a context that turns the web off sends no query", async () => {
    const { invoke, searched } = await waiting();
    await invoke(new Command({ resume: "yes" }), { sources: { web: false } });
    expect(searched).toEqual([]);
  });

  test.each<[ContextInput, string[]]>([
    [{ web: { deny: ["bad.org"] } }, ["https://a.org/b"]],
    [{ sources: { web: false } }, []],
  ])("a run that is resumed before it reads pages also keeps to the new context: %j", async (context, pages) => {
    const { invoke, read, graph } = await waiting();
    const stop = { ...thread, interruptBefore: ["readPages"] };
    await invoke(new Command({ resume: "yes" }), undefined, stop);
    expect({ next: (await graph.getState(thread)).next, read }).toEqual({ next: ["readPages"], read: [] });
    await invoke(null, context);
    expect(read).toEqual(pages);
  });

  test("a reply of any length is sent as a query that a search engine accepts", async () => {
    const { invoke, searched } = await waiting();
    await invoke(new Command({ resume: "bridge ".repeat(10_000) }));
    expect(searched).toHaveLength(1);
    expect(searched[0]?.length).toBeLessThanOrEqual(300);
  });
});

test("a reply to a clarifying question, by a resume or a message, keeps the limits of the run", async () => {
  const grader: Tools["grader"] = {
    grade: (task, call) =>
      /Vasco/.test(task.question)
        ? fakeGrader({ relevance: 0, answerability: "none" }).grade(task, call)
        : fakeGrader({ relevance: 0, answerability: "none", clarification: "Which bridge?" }).grade(task, call),
  };
  for (const reply of [
    new Command({ resume: "Vasco da Gama" }),
    { messages: [{ type: "human", content: "Vasco da Gama" }] },
  ]) {
    const { invoke, graph, searched } = graphOverWeb(asked.en.page, { grader });
    await invoke({ question: "When was the bridge opened?" }, { web: { approve: true } });
    expect((await graph.getState(thread)).next).toEqual(["clarify"]);
    await invoke(reply as never, { web: { approve: false } });
    expect(searched).toEqual([]);
    expect((await graph.getState(thread)).next).toEqual(["searchWeb"]);
  }
});

describe("a fork from an earlier step", () => {
  test("sends queries without approval if its context turns approval off", async () => {
    const { invoke, searched, config } = await waiting();
    await invoke(new Command({ resume: "no" }));
    await invoke(null, { web: { approve: false } }, config);
    expect(searched).toEqual([asked.en.question]);
  });

  test("asks for approval again if it has no context", async () => {
    const { invoke, searched, graph, config } = await waiting();
    await invoke(new Command({ resume: "no" }));
    await invoke(null, undefined, config);
    expect(searched).toEqual([]);
    expect((await graph.getState(thread)).next).toEqual(["searchWeb"]);
  });
});

test("the next question is a separate run with the limits that come with it", async () => {
  const { invoke, searched, graph } = await waiting();
  await invoke(new Command({ resume: "no" }));
  await invoke({ question: "When was the Golden Gate bridge opened?" }, { web: { deny: ["bad.org"] } });
  expect(searched.length).toBeGreaterThan(0);
  const { allowed } = (await graph.getState(thread)).values as State;
  expect(allowed?.web).toMatchObject({ approve: false, deny: ["bad.org"] });
});
