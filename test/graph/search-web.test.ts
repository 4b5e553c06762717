import { MemorySaver } from "@langchain/langgraph";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAgent } from "../../src/agent.js";
import { EndpointError } from "../../src/errors.js";
import { webQueries } from "../../src/nodes/search-web.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import type { ContextInput } from "../../src/state/context.js";
import type { Tools } from "../../src/state/tools.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import type { WebPage, WebResult } from "../../src/tools/web/port.js";
import type { AgentEvent } from "../../src/types/events.js";

const passages = [fakePassage("hours", "The Lisbon office opens at eight.")];
const question = "In which year was the Vasco da Gama bridge opened?";
const bridge = "The Vasco da Gama bridge was opened in 1998.";

const found = (url: string, snippet = ""): WebResult => ({ url, title: "Bridges", snippet, published: "" });

/** A web of these pages; every search finds all of them. `searched` and `read` record queries and pages. */
function web(pages: Record<string, Partial<WebPage> | Error>, results = Object.keys(pages).map((url) => found(url))) {
  const searched: string[] = [];
  const read: string[] = [];
  const tools: Pick<Tools, "webSearch" | "pageReader"> = {
    webSearch: {
      search: async ({ text }) => {
        searched.push(text);
        return results;
      },
    },
    pageReader: {
      read: async (url) => {
        read.push(url);
        const page = pages[url];
        if (!page || page instanceof Error) throw page ?? new Error("no such page");
        return { url, title: "Bridges of Lisbon", published: "", modified: "", markdown: "", ...page };
      },
      close: async () => {},
    },
  };
  return { tools, searched, read };
}

async function events(asked: string, parts: Partial<Tools>, context: ContextInput = {}) {
  const agent = createAgent({ tools: { ...fakeTools({ passages }), ...localReasoners(), ...parts }, context });
  const seen: AgentEvent[] = [];
  for await (const event of agent.stream(asked)) seen.push(event);
  const decisions = seen.flatMap((event) => (event.type === "decision" ? [event.decision] : []));
  const answer = seen.flatMap((event) => (event.type === "answer" ? [event.answer] : []))[0];
  if (!answer) throw new Error("no answer");
  return { answer, decisions, steps: decisions.map(({ step }) => step) };
}

describe("a question that only the web answers", () => {
  test.each([
    [question, { "https://a.org/b": { markdown: `# Bridges\n\n${bridge}`, published: "2020-05-01" } }, bridge],
    [
      "瓦斯科达伽马大桥是哪一年通车的？",
      { "https://a.cn/b": { markdown: "# 大桥\n\n瓦斯科达伽马大桥于1998年通车。" } },
      "瓦斯科达伽马大桥于1998年通车。",
    ],
  ])("%s is answered from the page that was read, with its date", async (asked, pages, quote) => {
    const { tools } = web(pages);
    const { answer, steps } = await events(asked, tools);
    expect(steps.join(" ")).toContain("searchWeb readPages grade");
    expect(answer.status).toBe("answered");
    expect(answer.claims[0]?.citations[0]?.quote).toBe(quote);
    const [url, page] = Object.entries(pages)[0] ?? [];
    expect(answer.references[0]).toMatchObject({ source: "web", uri: url });
    if (page && "published" in page) expect(answer.references[0]?.date).toBe(page.published);
  });

  test("leads to one web search, after the documents", async () => {
    const { tools, searched } = web({});
    const { answer, steps } = await events(question, tools);
    expect(steps.indexOf("searchWeb")).toBeGreaterThan(steps.lastIndexOf("retrieve"));
    expect(steps.filter((step) => step === "searchWeb")).toHaveLength(1);
    expect(searched[0]).toBe(question);
    expect(searched.length).toBeLessThanOrEqual(3);
    expect(answer.status).toBe("refused");
  });

  test("leads to no web search if the context turns the web off or no engine is configured", async () => {
    const { tools, searched } = web({});
    expect((await events(question, tools, { sources: { web: false } })).steps).not.toContain("searchWeb");
    expect((await events(question, {})).steps).not.toContain("searchWeb");
    expect(searched).toEqual([]);
  });

  test("leads to no web search if a document answers", async () => {
    const { tools, searched } = web({});
    await events("When does the Lisbon office open?", tools);
    expect(searched).toEqual([]);
  });
});

describe("pages that cannot be read", () => {
  test("are replaced by the snippet of the search engine, marked as a preview", async () => {
    const { tools } = web({ "https://a.org/b": new Error("timed out") }, [found("https://a.org/b", bridge)]);
    const { answer, decisions } = await events(question, tools);
    expect(answer.references[0]).toMatchObject({ source: "web", preview: true });
    expect(decisions.find(({ step }) => step === "readPages")?.faults).toEqual([
      { part: "page_reader", name: "Error", message: "timed out" },
    ]);
  });

  test("are replaced only by complete sentences of the snippet, since a truncated one may end inside a number", async () => {
    const cut = `${bridge} It is the bridge that was opened in the year of the world's fair, in 19`;
    const { tools } = web({ "https://a.org/b": new Error("timed out") }, [found("https://a.org/b", cut)]);
    const { answer } = await events(question, tools);
    expect(answer.claims.map((claim) => claim.text)).toEqual([bridge]);
  });

  test("are skipped if other pages can be read", async () => {
    const pages = { "https://a.org/b": new Error("timed out"), "https://b.org/b": { markdown: bridge } };
    const { answer, decisions } = await events(question, web(pages).tools);
    expect(answer.references).toMatchObject([{ uri: "https://b.org/b" }]);
    expect(decisions.find(({ step }) => step === "readPages")?.faults).toEqual([
      { part: "page_reader", name: "Error", message: "timed out" },
    ]);
  });

  test("lead to a refusal if there is no snippet either", async () => {
    const { tools } = web({ "https://a.org/b": new Error("timed out") });
    const { answer, decisions } = await events(question, tools);
    expect(answer.status).toBe("refused");
    expect(decisions.find(({ step }) => step === "readPages")?.reason).toEqual({
      code: "readable_pages_silent",
    });
  });
});

test("a search engine that fails is a fault in the log, and the question is refused", async () => {
  const { tools } = web({});
  const webSearch: Tools["webSearch"] & object = {
    search: async () => {
      throw new EndpointError("The search engine is out of quota.", 429);
    },
  };
  const { answer, decisions } = await events(question, { ...tools, webSearch });
  expect(decisions.find(({ step }) => step === "searchWeb")?.faults).toContainEqual({
    part: "web_search",
    name: "EndpointError",
    message: "The search engine is out of quota.",
  });
  expect(decisions.find(({ step }) => step === "searchWeb")?.reason).toEqual({ code: "web_failed" });
  expect(answer.status).toBe("refused");
});

describe("a page that a redirect led to", () => {
  const there = "https://b.org/bridge";
  test.each([[{ deny: ["b.org"] }], [{ allow: ["a.org"] }]])(
    "is not used if its domain is not allowed: %j",
    async (policy) => {
      const { tools } = web({ "https://a.org/go": { url: there, markdown: bridge } });
      const { answer, decisions } = await events(question, tools, { web: policy });
      expect(answer).toMatchObject({ status: "refused", references: [] });
      expect(JSON.stringify(decisions.flatMap(({ faults }) => faults))).toContain("redirects to https://b.org/bridge");
    },
  );

  test("counts once, even if several redirects lead to it", async () => {
    const page = { url: there, markdown: bridge };
    const { tools } = web({ "https://a.org/1": page, "https://a.org/2": page, [there]: page });
    const { answer } = await events(question, tools);
    expect(answer.references.map(({ uri }) => uri)).toEqual([there]);
  });
});

describe("a budget that is nearly spent", () => {
  // Fake time advances only while a part is awaited, so that a busy machine does not matter.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());
  const slow = (signal?: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      setImmediate(() => vi.advanceTimersByTime(1500));
    });

  test.each([
    ["search engine", "searchWeb"],
    ["page", "readPages"],
  ])("ends a run whose %s does not answer, with a fault in the log", async (what, step) => {
    const { tools } = web({ "https://a.org/b": { markdown: bridge } });
    const search =
      what === "page" ? tools.webSearch : { search: (_: unknown, __: number, o = {}) => slow(Object(o).signal) };
    const parts: Partial<Tools> = {
      ...(search && { webSearch: search }),
      pageReader: { read: (_, { signal } = {}) => slow(signal), close: async () => {} },
    };
    const { answer, decisions } = await events(question, parts, { budget: { seconds: 1.5 } });
    expect(
      decisions
        .find((decision) => decision.step === step)
        ?.faults.map(({ name, message }) => `${name}: ${message}`)
        .join(),
    ).toMatch(/Timeout|time was up|timeout/);
    expect(answer).toMatchObject({ status: "refused", stopReason: "time_spent" });
  });

  test("ends every run with an answer or a refusal, for any number of remaining steps", async () => {
    const { tools } = web({ "https://a.org/b": { markdown: bridge } });
    for (let steps = 8; steps <= 16; steps++) {
      const { answer, steps: taken } = await events(question, tools, { budget: { steps } });
      expect(taken.at(-1)).toBe("respond");
      if (answer.status === "refused") expect(answer.stopReason).toBe("steps_spent");
      else expect(answer.text).toContain("1998");
    }
  });
});

test("a run reads at most as many pages as the context allows, those of preferred domains first", async () => {
  const pages = Object.fromEntries(
    ["a", "b", "c", "d"].map((name) => [`https://${name}.org/`, { markdown: "Nothing." }]),
  );
  const { tools, read } = web(pages);
  await events(question, tools, { web: { pages: 2, prefer: ["d.org"], deny: ["a.org"] } });
  expect(read.toSorted()).toEqual(["https://b.org/", "https://d.org/"]);
});

describe("web queries that need approval", () => {
  const approving = { web: { approve: true } };

  async function answering(reply: string) {
    const { tools, searched } = web({ "https://a.org/b": { markdown: bridge } });
    const agent = createAgent({
      tools: { ...fakeTools({ passages }), ...localReasoners(), ...tools },
      context: approving,
      checkpointer: new MemorySaver(),
    });
    const first: AgentEvent[] = [];
    for await (const event of agent.stream(question, { threadId: "t" })) first.push(event);
    expect(searched).toEqual([]);
    expect(first.at(-1)).toMatchObject({ type: "approve", queries: [question] });
    return { answer: await agent.ask(reply, { threadId: "t" }), searched };
  }

  test("are sent when they are approved", async () => {
    const { answer, searched } = await answering("yes");
    expect(searched).toEqual([question]);
    expect(answer.status).toBe("answered");
  });
  test.each(["no", "不要"])(
    "are not sent when the reply is %s, and the run continues without the web",
    async (reply) => {
      const { answer, searched } = await answering(reply);
      expect(searched).toEqual([]);
      expect(answer.status).toBe("refused");
    },
  );
  test("are replaced by the queries of the reply", async () => {
    const { searched } = await answering("Vasco da Gama bridge opening year\nPonte Vasco da Gama 1998");
    expect(searched).toEqual(["Vasco da Gama bridge opening year", "Ponte Vasco da Gama 1998"]);
  });
  test("are sent if the reply gives their numbers", async () => {
    expect((await answering("1")).searched).toEqual([question]);
    expect((await answering("2")).searched).toEqual([]);
  });
  test("are not sent without a thread", async () => {
    const { tools, searched } = web({ "https://a.org/b": { markdown: bridge } });
    const { answer, decisions } = await events(question, tools, approving);
    expect(searched).toEqual([]);
    expect(decisions.find(({ step }) => step === "searchWeb")?.reason).toEqual({ code: "no_query_approved" });
    expect(answer.status).toBe("refused");
  });
});

describe("the web query", () => {
  const understood = { question, language: "en", intent: "other", passages: 8 } as const;
  const queriesOf = (...texts: string[]) => texts.map((text) => ({ text, reason: { code: "asked" as const } }));

  test("is the question as understood, with its newest wording as a second query if that adds a word", () => {
    expect(webQueries({ understood, queries: queriesOf(question) })).toEqual([question]);
    const reworded = "Vasco da Gama bridge inauguration";
    expect(webQueries({ understood, queries: queriesOf(question, reworded) })).toEqual([question, reworded]);
  });
  test("is not repeated with spaces between its Chinese words", () => {
    const asked = { ...understood, question: "瓦斯科达伽马大桥是哪一年通车的？", language: "zh" as const };
    const apart = "瓦斯 科 达 伽 马 大 桥 年 通车";
    expect(webQueries({ understood: asked, queries: queriesOf(asked.question, apart) })).toEqual([asked.question]);
    const reworded = "里斯本 大桥 启用 时间";
    const both = [asked.question, "里斯本大桥启用时间"];
    expect(webQueries({ understood: asked, queries: queriesOf(asked.question, reworded) })).toEqual(both);
  });
  test("is a single line, even if the question has several", () => {
    const messy = { ...understood, question: `Who?\n\u0000 ${"x ".repeat(400)}` };
    const [query = ""] = webQueries({ understood: messy, queries: [] });
    expect(query).toMatch(/^Who\? x/);
    expect(query.length).toBeLessThanOrEqual(300);
  });
});
