import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Document } from "@langchain/core/documents";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import {
  FakeRetriever,
  FakeStreamingChatModel,
  FakeVectorStore,
  SyntheticEmbeddings,
} from "@langchain/core/utils/testing";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { afterAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  agentNode,
  agentRetriever,
  agentTool,
  asEmbeddings,
  chunk,
  createAgent,
  ingestDocuments,
  loadFiles,
} from "../src/index.js";
import { langchainDocuments } from "../src/ingest/langchain.js";
import { fakeTools, inMemoryDocuments } from "../src/testing/index.js";
import { langchainEmbeddings } from "../src/tools/encoder/embeddings.js";

const HOURS = new Document({
  pageContent: "The Lisbon office opens at eight. It closes at six.",
  metadata: { source: "docs/hours.md", title: "Hours", "Header 1": "Offices", "Header 2": "Lisbon" },
});
const RENT = new Document({ pageContent: "The rent of the Porto office is 900 euros a month.", metadata: {} });
const QUESTION = "When does the Lisbon office open?";
const { documents: _, ...reasoners } = fakeTools();

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe("a LangChain retriever", () => {
  test("supplies the evidence of an agent, with title, section and source", async () => {
    const agent = createAgent({ retriever: new FakeRetriever({ output: [HOURS] }), tools: reasoners });
    const answer = await agent.ask(QUESTION);
    expect(answer.text).toBe("The Lisbon office opens at eight [1].");
    expect(answer.references).toMatchObject([{ title: "Hours", section: "Offices › Lisbon", uri: "docs/hours.md" }]);
    const [citation] = answer.claims[0]?.citations ?? [];
    expect(HOURS.pageContent.slice(citation?.start, citation?.end)).toBe(citation?.quote);
    await agent.close();
  });

  test("that finds nothing leads to a refusal, not to an empty store", async () => {
    const agent = createAgent({ retriever: new FakeRetriever({ output: [] }), encoder: "off" });
    const { status, text } = await agent.ask(QUESTION);
    expect(status).toBe("refused");
    expect(text).not.toContain("ingest");
    await agent.close();
  });

  test("that fails is named as a source that could not be searched", async () => {
    const retriever = { invoke: () => Promise.reject(new Error("index offline")) };
    const agent = createAgent({ retriever, encoder: "off" });
    const { status, stopReason, text } = await agent.ask(QUESTION);
    expect([status, stopReason]).toEqual(["unavailable", "sources_failed"]);
    expect(text).toContain("The documents could not be searched: The retriever fails. index offline.");
    await expect(agent.tools.documents.search({ text: QUESTION }, 3)).rejects.toThrow(/index offline/);
    await agent.close();
  });

  test("does not return excluded documents again", async () => {
    const documents = langchainDocuments(new FakeRetriever({ output: [HOURS, HOURS, RENT] }));
    const all = await documents.search({ text: QUESTION }, 5);
    expect(all.map(({ text }) => text)).toEqual([HOURS.pageContent, RENT.pageContent]);
    const exclude = all.slice(0, 1).map(({ id }) => id);
    expect((await documents.search({ text: QUESTION, exclude }, 5)).map(({ text }) => text)).toEqual([
      RENT.pageContent,
    ]);
    expect(await documents.get(exclude)).toMatchObject([{ text: HOURS.pageContent }]);
  });

  test("of whole documents returns the parts that match the question, and their neighbours", async () => {
    const pages = Array.from({ length: 60 }, (_, n) => `## Room ${n}\n\n${`Room ${n} has ${n} chairs. `.repeat(12)}`);
    const long = new Document({ pageContent: pages.join("\n\n"), metadata: { source: "rooms.md" } });
    const documents = langchainDocuments(new FakeRetriever({ output: [long] }));
    const found = await documents.search({ text: "How many chairs has room 41?" }, 8);
    expect(found.length).toBeLessThanOrEqual(3);
    expect(found[0]?.text).toContain("Room 41 has 41 chairs.");
    const [before, after] = await documents.neighbours(found[0]?.id ?? "");
    expect([before?.position, after?.position]).toEqual([(found[0]?.position ?? 0) - 1, (found[0]?.position ?? 0) + 1]);
  });

  test("that returns something other than documents is refused", async () => {
    const documents = langchainDocuments({ invoke: async () => [{ text: "no" }] as never });
    await expect(documents.search({ text: QUESTION }, 3)).rejects.toThrow("does not give LangChain documents");
    await expect(documents.upsert([])).rejects.toThrow("found by a retriever");
  });
});

describe("a LangChain vector store", () => {
  test("over emend's embeddings supplies the evidence of an agent", async () => {
    const store = new FakeVectorStore(asEmbeddings(langchainEmbeddings(new SyntheticEmbeddings())));
    await store.addDocuments([HOURS]);
    const agent = createAgent({ retriever: store, tools: reasoners });
    expect((await agent.ask(QUESTION)).text).toBe("The Lisbon office opens at eight [1].");
    await agent.close();
  });
});

describe("files loaded and cut by emend", () => {
  test("fill a LangChain vector store, with the path and the section of each passage", async () => {
    const folder = await mkdtemp(join(tmpdir(), "emend-langchain-"));
    folders.push(folder);
    await writeFile(
      join(folder, "hours.html"),
      "<title>Hours</title><h2>Lisbon</h2><p>The Lisbon office opens at eight.",
    );
    await writeFile(join(folder, "broken.txt"), "a\0b\0c\0");
    const { documents, failures } = await loadFiles(["."], { cwd: folder });
    expect(failures).toEqual([{ path: "broken.txt", reason: expect.stringContaining("binary") }]);
    const store = new FakeVectorStore(asEmbeddings(langchainEmbeddings(new SyntheticEmbeddings())));
    await store.addDocuments(
      documents
        .flatMap(chunk)
        .map(({ text, uri, title, section }) => ({ pageContent: text, metadata: { source: uri, title, section } })),
    );
    const agent = createAgent({ retriever: store, encoder: "off" });
    const { references } = await agent.ask(QUESTION);
    expect(references).toMatchObject([{ uri: "hours.html", title: "Hours", section: "Lisbon" }]);
    await agent.close();
  });

  test("are refused by name if none can be read", async () => {
    await expect(loadFiles(["LICENSE"])).rejects.toThrow(/No source could be read under LICENSE/);
    await expect(loadFiles(["nowhere.md"])).rejects.toThrow("There is no file or folder nowhere.md");
  });
});

describe("LangChain embeddings", () => {
  test("give a store normalised vectors under the name of the model", async () => {
    const embeddings = langchainEmbeddings(new SyntheticEmbeddings({ vectorSize: 8 }));
    expect(embeddings.identity).toBe("SyntheticEmbeddings");
    const [vector] = await embeddings.embed(["some words"], { as: "passage" });
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 6);
    const folder = await mkdtemp(join(tmpdir(), "emend-langchain-"));
    folders.push(folder);
    const agent = createAgent({
      store: folder,
      embeddings: new SyntheticEmbeddings({ vectorSize: 8 }),
      encoder: "off",
    });
    await ingestDocuments([HOURS, RENT], { documents: agent.tools.documents });
    await agent.tools.documents.embed?.();
    const found = await agent.tools.documents.search({ text: HOURS.pageContent, mode: "vector" }, 1);
    expect(found).toMatchObject([{ text: HOURS.pageContent }]);
    await agent.close();
  });

  test("are named in the fault if they fail", async () => {
    const failing = { embedQuery: () => Promise.reject(new Error("no key")), embedDocuments: async () => [[1, 2]] };
    const embeddings = langchainEmbeddings(failing, "mine");
    await expect(embeddings.embed(["a"], { as: "question" })).rejects.toThrow("The embeddings mine fail. no key");
    await expect(embeddings.embed(["a", "b"], { as: "passage" })).rejects.toThrow(/mine fail/);
  });
});

describe("LangChain documents", () => {
  test("are stored by source, in order, and not written a second time", async () => {
    const documents = inMemoryDocuments([]);
    const pages = [1, 2].map(
      (n) =>
        new Document({ pageContent: `Page ${n} says ${n}.`, metadata: { source: "a.pdf", loc: { pageNumber: n } } }),
    );
    expect(await ingestDocuments([...pages, RENT], { documents })).toEqual({ written: 2, unchanged: 0, passages: 3 });
    expect((await documents.get(["a.pdf#0", "a.pdf#1"])).map(({ text }) => text)).toEqual([
      "Page 1 says 1.",
      "Page 2 says 2.",
    ]);
    expect(await ingestDocuments([...pages, RENT], { documents })).toEqual({ written: 0, unchanged: 2, passages: 0 });
    expect(await ingestDocuments(pages.slice(0, 1), { documents })).toEqual({ written: 1, unchanged: 0, passages: 1 });
    expect(await documents.list()).toHaveLength(2);
  });
});

describe("a LangChain chat model and search tool", () => {
  test("generate and search for an agent", async () => {
    const draft = JSON.stringify({
      claims: [
        { text: "It opens at eight.", citations: [{ evidence: 1, quote: "The Lisbon office opens at eight." }] },
      ],
      missing: "",
    });
    const model = new FakeStreamingChatModel({
      chunks: [new AIMessageChunk(draft)].map((message) => new ChatGenerationChunk({ message, text: draft }) as never),
    });
    const asked = vi.spyOn(model, "stream");
    const search = vi.fn(async () =>
      JSON.stringify([{ url: "https://example.org/", title: "Lisbon", snippet: "none" }]),
    );
    const searchTool = tool(search, {
      name: "search",
      description: "Searches.",
      schema: z.object({ query: z.string() }),
    });
    const agent = createAgent({ model, searchTool, retriever: new FakeRetriever({ output: [RENT] }), encoder: "off" });
    await agent.ask(QUESTION, { context: { budget: { seconds: 20, calls: 12 } } });
    expect(asked).toHaveBeenCalled();
    expect(search).toHaveBeenCalled();
    await agent.close();
  });
});

describe("the agent", () => {
  const agent = createAgent({
    tools: { ...reasoners, documents: langchainDocuments(new FakeRetriever({ output: [HOURS] })) },
  });

  test("is a LangChain tool that returns an answer with its sources, and the full answer as the artifact", async () => {
    const asTool = agentTool(agent, { name: "handbook" });
    expect(asTool.name).toBe("handbook");
    const said = await asTool.invoke({ type: "tool_call", id: "1", name: "handbook", args: { question: QUESTION } });
    expect(said.content).toBe(
      "The Lisbon office opens at eight [1].\n\n**Sources**\n\n[1] Hours › Offices › Lisbon (`docs/hours.md`)\n> The Lisbon office opens at eight.",
    );
    expect(said.artifact).toMatchObject({ status: "answered" });
  });

  test("is a LangChain retriever of the quotes that its claims rest on", async () => {
    const [found, ...more] = await agentRetriever(agent).invoke(QUESTION);
    expect(more).toEqual([]);
    expect(found?.pageContent).toBe("The Lisbon office opens at eight.");
    expect(found?.metadata).toMatchObject({ source: "docs/hours.md", section: "Offices › Lisbon", start: 0 });
  });

  test.each([
    ["without a context", undefined],
    ["with a context of its own", { user: "ann", budget: "large", web: true }],
  ])("is a node of a graph %s, with and without a thread", async (_, context) => {
    const parent = new StateGraph(
      MessagesAnnotation,
      z.object({ user: z.string(), budget: z.string(), web: z.boolean() }).partial(),
    )
      .addNode("emend", agentNode(agent))
      .addEdge(START, "emend")
      .addEdge("emend", END);
    for (const checkpointer of [undefined, new MemorySaver()]) {
      const { messages } = await parent
        .compile(checkpointer ? { checkpointer } : {})
        .invoke(
          { messages: [{ role: "user", content: QUESTION }] },
          { ...(context && { context }), configurable: { thread_id: "t" } },
        );
      expect(messages.at(-1)?.text).toContain("The Lisbon office opens at eight [1].");
    }
  });

  test("is a node that answers in a conversation that is longer than it keeps", async () => {
    const parent = new StateGraph(MessagesAnnotation)
      .addNode("emend", agentNode(agent))
      .addEdge(START, "emend")
      .addEdge("emend", END)
      .compile();
    const earlier = Array.from({ length: 44 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "ai",
      content: i % 2 === 0 ? `Question ${i}?` : "Yes.",
    }));
    const { messages } = await parent.invoke({ messages: [...earlier, { role: "user", content: QUESTION }] });
    expect(messages).toHaveLength(46);
    expect(messages.at(-1)?.text).toContain("The Lisbon office opens at eight [1].");
  });

  test("can be asked by a node of a parent graph with a separate context and thread", async () => {
    const parent = new StateGraph(MessagesAnnotation, z.object({ budget: z.string() }).partial())
      .addNode("ask", async () => ({ messages: [{ role: "ai", content: (await agent.ask(QUESTION)).text }] }))
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ checkpointer: new MemorySaver() });
    const { messages } = await parent.invoke(
      { messages: [] },
      { context: { budget: "large" }, configurable: { thread_id: "t" } },
    );
    expect(messages.at(-1)?.text).toContain("The Lisbon office opens at eight [1].");
  });
});
