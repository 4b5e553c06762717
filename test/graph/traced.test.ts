import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { DocumentInterface } from "@langchain/core/documents";
import type { Serialized } from "@langchain/core/load/serializable";
import type { BaseMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { fakePassage, fakeTools, inMemoryDocuments, inMemoryKnowledge } from "../../src/testing/index.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { Fault } from "../../src/types/fault.js";
import { fakeServer, refuses, type Script, saysJson, USAGE } from "../tools/chat/fake-server.js";

const passages = [fakePassage("hours", "The Lisbon office opens at eight. It closes at six.")];

/** Records each run as "parent > name". */
class Runs extends BaseCallbackHandler {
  readonly name = "runs";
  readonly seen: string[] = [];
  readonly failed: string[] = [];
  readonly errors: string[] = [];
  readonly retrievers: string[] = [];
  readonly found: DocumentInterface[] = [];
  readonly chats: {
    under: string;
    messages: BaseMessage[];
    tags: readonly string[];
    metadata: Readonly<Record<string, unknown>>;
  }[] = [];
  readonly replies: LLMResult[] = [];
  readonly #names = new Map<string, string>();

  override handleChainStart(...[, , id, parent, , , , name = ""]: Parameters<Started>): void {
    this.#names.set(id, name);
    this.seen.push(`${this.#names.get(parent ?? "") ?? ""} > ${name}`);
  }

  override handleRetrieverStart(...[, query, id, parent, , , name = ""]: Parameters<Searched>): void {
    this.#names.set(id, name);
    this.retrievers.push(`${this.#names.get(parent ?? "") ?? ""} > ${name}: ${query}`);
  }

  override handleRetrieverEnd(documents: DocumentInterface[]): void {
    this.found.push(...documents);
  }

  override handleRetrieverError(_error: Error, id: string): void {
    this.failed.push(this.#names.get(id) ?? "");
  }

  override handleChatModelStart(...[, messages, id, parent, , tags = [], metadata = {}]: Parameters<Chatted>): void {
    const asked = { under: this.#names.get(parent ?? "") ?? "", messages: messages.flat(), tags, metadata };
    this.#names.set(id, "chat");
    this.chats.push(asked);
  }

  override handleLLMEnd(output: LLMResult): void {
    this.replies.push(output);
  }

  override handleLLMError(error: Error, id: string): void {
    this.failed.push(this.#names.get(id) ?? "");
    this.errors.push(`${error.stack} ${JSON.stringify(error)}`);
  }

  override handleChainError(_error: Error, id: string): void {
    this.failed.push(this.#names.get(id) ?? "");
  }
}
type Searched = NonNullable<BaseCallbackHandler["handleRetrieverStart"]>;
type Chatted = NonNullable<BaseCallbackHandler["handleChatModelStart"]>;
type Started = (
  chain: Serialized,
  inputs: unknown,
  id: string,
  parent?: string,
  tags?: string[],
  metadata?: Record<string, unknown>,
  type?: string,
  name?: string,
) => void;

test("each call of a part is a named run below the node that makes it", async () => {
  const runs = new Runs();
  await createAgent({ tools: fakeTools({ passages }) }).ask("When does the Lisbon office open?", { callbacks: [runs] });
  for (const run of ["grade > grade evidence", "generate > generate claims"]) expect(runs.seen).toContain(run);
});

test("a search is a retriever run with its query and the passages that it found", async () => {
  const runs = new Runs();
  await createAgent({ tools: fakeTools({ passages }) }).ask("When does the Lisbon office open?", { callbacks: [runs] });
  expect(runs.retrievers).toContain("retrieve > search documents: When does the Lisbon office open?");
  const text = "The Lisbon office opens at eight. It closes at six.";
  const metadata = { title: "hours", source: "hours.md", section: "", score: expect.any(Number) };
  expect(runs.found[0]).toMatchObject({ id: "hours", pageContent: text, metadata });
});

test("a router is named after the node before it", async () => {
  const runs = new Runs();
  await createAgent({ tools: fakeTools({ passages }) }).ask("When does the Lisbon office open?", { callbacks: [runs] });
  for (const run of ["grade > after grade", "checkAnswer > after checkAnswer"]) expect(runs.seen).toContain(run);
});

describe("a call of a chat model", () => {
  const quote = "The Lisbon office opens at eight.";
  const opens = { claims: [{ text: quote, source: 1, quote }], missing: "", entities: [], clarification: "" };
  const asked = async (script: Script, streamMode: "custom" | "messages" = "custom") => {
    await using server = await fakeServer(script);
    const runs = new Runs();
    const model = { model: "small", baseURL: server.baseURL, apiKey: "sk-secret" };
    const tools = { documents: inMemoryDocuments(passages), knowledge: inMemoryKnowledge() };
    const { graph } = createAgent({ model, tools, context: { citing: "quote" } });
    const shown: unknown[] = [];
    for await (const chunk of await graph.stream(
      { question: "When does the Lisbon office open?" },
      { callbacks: [runs], context: { citing: "quote" }, streamMode },
    ))
      shown.push(chunk);
    return { runs, shown, requests: server.requests };
  };

  test("is an LLM run with its prompt, reply, tokens and model", async () => {
    const { runs, requests } = await asked(saysJson(opens));
    expect(requests.length).toBeGreaterThan(0);
    expect(runs.chats).toHaveLength(requests.length);
    const sent = requests.map(({ messages }) => messages.map(({ content }) => content));
    expect(runs.chats.map(({ messages }) => messages.map(({ text }) => text))).toEqual(sent);
    expect(runs.chats[0]?.metadata).toMatchObject({ ls_model_name: "small", ls_model_type: "chat" });
    expect(runs.replies[0]).toMatchObject({
      generations: [
        [{ text: JSON.stringify(opens), message: { usage_metadata: { input_tokens: USAGE.prompt_tokens } } }],
      ],
      llmOutput: { tokenUsage: { completionTokens: USAGE.completion_tokens } },
    });
    expect(JSON.stringify([runs.chats, runs.replies])).not.toContain("sk-secret");
  });

  test("that fails is a failed run, whose error has no key", async () => {
    const { runs } = await asked(refuses(401, "Incorrect API key provided: sk-secret"));
    expect(runs.failed).toContain("chat");
    expect(runs.errors.join()).toContain("refused the key");
    expect(runs.errors.join()).not.toContain("sk-secret");
  });

  test("is not shown as a message of the conversation", async () => {
    const { runs, shown } = await asked(saysJson(opens), "messages");
    expect(runs.replies.length).toBeGreaterThan(0);
    expect(JSON.stringify(shown)).not.toContain("clarification");
  });
});

test("a part that fails is a failed run, with the same fault as without tracing", async () => {
  const runs = new Runs();
  const documents: Documents = {
    ...inMemoryDocuments(),
    search: async () => {
      throw new Error("The disk is gone.");
    },
  };
  const faults: Fault[] = [];
  const agent = createAgent({ tools: fakeTools({ documents }) });
  for await (const event of agent.stream("When does the Lisbon office open?", { callbacks: [runs] }))
    if (event.type === "decision") faults.push(...event.decision.faults);
  expect(runs.failed).toContain("search documents");
  expect(faults).toContainEqual({ part: "retriever", name: "Error", message: "The disk is gone." });
});

test("a frozen part can be traced", async () => {
  const documents = Object.freeze(inMemoryDocuments(passages));
  const { status } = await createAgent({ tools: fakeTools({ documents }) }).ask("When does the Lisbon office open?");
  expect(status).toBe("answered");
});

test("a part that is a class instance with private fields can be traced", async () => {
  class Kept implements Documents {
    readonly #inner = inMemoryDocuments(passages);
    search: Documents["search"] = (...asked) => this.#inner.search(...asked);
    upsert: Documents["upsert"] = (...given) => this.#inner.upsert(...given);
    remove: Documents["remove"] = (ids) => this.#inner.remove(ids);
    get(ids: readonly string[]) {
      return this.#inner.get(ids);
    }
    neighbours(id: string, distance?: number) {
      return this.#inner.neighbours(id, distance);
    }
    list() {
      return this.#inner.list();
    }
    isEmpty() {
      return this.#inner.isEmpty();
    }
    close() {
      return this.#inner.close();
    }
  }
  const { status } = await createAgent({ tools: fakeTools({ documents: new Kept() }) }).ask(
    "When does the Lisbon office open?",
  );
  expect(status).toBe("answered");
});
