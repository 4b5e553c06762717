import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { FakeListChatModel, FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, test, vi } from "vitest";
import { EndpointError } from "../../../src/errors.js";
import { modelReasoners } from "../../../src/prompting/model-reasoners.js";
import { ENGLISH, meter } from "../../../src/testing/reasoners-sample.js";
import { langchainChat } from "../../../src/tools/chat/chat-langchain.js";
import { openaiChat } from "../../../src/tools/chat/chat-openai.js";
import { ANSWER, CHECKING, CHECKS } from "../../prompting/replies.js";
import { fakeServer, saysJson } from "./fake-server.js";

const drafting = { ...ENGLISH, intent: "other" as const };
const JUDGED = [{ verdict: "supported" }, { verdict: "unsupported" }];

test("any LangChain chat model can be used", async () => {
  const chat = new FakeListChatModel({ responses: [JSON.stringify(ANSWER)] });
  const { generator } = modelReasoners({ chat });
  const draft = await generator.generate(drafting, meter().call);
  expect(draft.claims.map((claim) => claim.text)).toEqual(ANSWER.claims.map((claim) => claim.text));
});

test("a LangChain model is asked with a JSON schema if its class supports one", async () => {
  await using server = await fakeServer(saysJson(CHECKS));
  const chat = new ChatOpenAI({ model: "own", apiKey: "k", configuration: { baseURL: server.baseURL }, maxRetries: 0 });
  await modelReasoners({ chat }).checker.check(CHECKING, meter().call);
  expect(server.requests[0]?.response_format).toMatchObject({ type: "json_schema", json_schema: { strict: true } });
});

describe("a model that can call tools", () => {
  /** Answers a request with a tool with these messages, and a plain request with a check as text. */
  const model = (...messages: (AIMessage | Error)[]) => {
    const chat = new FakeStreamingChatModel({ responses: [new AIMessage(JSON.stringify(CHECKS))], sleep: 0 });
    async function* stream() {
      for (const message of messages) {
        if (message instanceof Error) throw message;
        yield message;
      }
    }
    const bindTools = vi.fn((..._: unknown[]) => ({ stream: async () => stream() }));
    // What a model refuses is remembered by its name.
    Object.assign(chat, { bindTools, model: String(messages[0]) });
    return { ...modelReasoners({ chat }), bindTools };
  };

  test("is forced to call one, and its arguments are the reply", async () => {
    const args = JSON.stringify(CHECKS);
    const { checker, bindTools } = model(
      ...[args.slice(0, 20), args.slice(20)].map(
        (piece) => new AIMessageChunk({ content: "", tool_call_chunks: [{ name: "check", args: piece, index: 0 }] }),
      ),
    );
    expect(await checker.check(CHECKING, meter().call)).toMatchObject(JUDGED);
    const schema = { type: "object", required: ["1", "2"] };
    expect(bindTools.mock.calls).toMatchObject([[[{ name: "check", schema }], { tool_choice: "check" }]]);
  });

  test("may return the call in one piece", async () => {
    const { checker } = model(new AIMessage({ content: "", tool_calls: [{ name: "check", args: CHECKS, id: "1" }] }));
    expect(await checker.check(CHECKING, meter().call)).toMatchObject(JUDGED);
  });

  test("is asked for text from then on if its endpoint refuses tools", async () => {
    const refusal = Object.assign(new Error("Thinking may not be enabled with a forced tool_choice"), { status: 400 });
    const { checker, bindTools } = model(refusal);
    const { call, spent } = meter();
    for (const _ of "12") expect(await checker.check(CHECKING, call)).toMatchObject(JUDGED);
    expect(bindTools).toHaveBeenCalledTimes(1);
    expect(spent).toHaveLength(3);
  });
});

test("a model on Ollama gets the schema in Ollama's format", async () => {
  const chat = new FakeStreamingChatModel({ responses: [new AIMessage(JSON.stringify(CHECKS))], sleep: 0 });
  Object.assign(chat, { _llmType: () => "ollama" });
  const asked = vi.spyOn(chat, "stream");
  await modelReasoners({ chat }).checker.check(CHECKING, meter().call);
  expect(asked.mock.calls[0]?.[1]).toMatchObject({ format: { type: "object" } });
});

test("a model on an Ollama without schemas is asked for text", async () => {
  const chat = new FakeStreamingChatModel({ responses: [new AIMessage(JSON.stringify(CHECKS))], sleep: 0 });
  Object.assign(chat, { _llmType: () => "ollama", model: "old" });
  const said = "json: cannot unmarshal object into Go struct field ChatRequest.format of type string";
  const asked = vi.spyOn(chat, "stream").mockRejectedValueOnce(Object.assign(new Error(said), { status_code: 400 }));
  expect(await modelReasoners({ chat }).checker.check(CHECKING, meter().call)).toMatchObject(JUDGED);
  expect(asked.mock.calls[1]?.[1]).not.toHaveProperty("format");
});

test("a LangChain model that throws causes an EndpointError", async () => {
  const chat = new FakeStreamingChatModel({ thrownErrorString: "the vendor is down" });
  await expect(modelReasoners({ chat }).checker.check(CHECKING, meter().call)).rejects.toThrow(EndpointError);
});

test("the identity of a model contains no key", () => {
  const model = new ChatOpenAI({ model: "own", apiKey: "sk-secret-0123456789" });
  const chats = [
    langchainChat(model),
    openaiChat({ model: "x", apiKey: "sk-secret-0123456789", baseURL: "http://u:sk-secret-0123456789@127.0.0.1/v1" }),
  ];
  for (const { name, identity } of chats) expect(name + identity).not.toContain("sk-secret");
});

test("checking and generating use their configured models", async () => {
  await using small = await fakeServer(saysJson(CHECKS));
  await using large = await fakeServer(saysJson(ANSWER));
  const { checker, generator } = modelReasoners({
    chat: openaiChat({ model: "large", baseURL: large.baseURL }),
    checkerChat: openaiChat({ model: "small", baseURL: small.baseURL }),
  });
  await checker.check(CHECKING, meter().call);
  await generator.generate(drafting, meter().call);
  expect(small.requests.map((request) => request.model)).toEqual(["small"]);
  expect(large.requests.map((request) => request.model)).toEqual(["large"]);
});

test.each(["openaiChat", "handed in"])(
  "tokens of internal calls do not appear in the messages of a graph (%s)",
  async (kind) => {
    await using server = await fakeServer(saysJson(CHECKS), saysJson(ANSWER));
    const settings = { model: "fake", apiKey: "none" };
    const { checker, generator } = modelReasoners({
      chat:
        kind === "openaiChat"
          ? openaiChat({ ...settings, baseURL: server.baseURL })
          : new ChatOpenAI({ ...settings, configuration: { baseURL: server.baseURL }, maxRetries: 0 }),
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("reason", async () => {
        await checker.check(CHECKING, meter().call);
        const { claims } = await generator.generate(drafting, meter().call);
        return { messages: [new AIMessage(`${claims.length} claims`)] };
      })
      .addEdge("__start__", "reason")
      .compile();
    const shown: string[] = [];
    for await (const [message] of await graph.stream({ messages: [] }, { streamMode: "messages" }))
      shown.push(message.text);
    expect(server.requests.length).toBe(2);
    expect(shown).toEqual(["2 claims"]);
  },
);
