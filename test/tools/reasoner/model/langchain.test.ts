import { AIMessage } from "@langchain/core/messages";
import { FakeListChatModel, FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { expect, test } from "vitest";
import { EndpointError } from "../../../../src/errors.js";
import { modelReasoners } from "../../../../src/tools/reasoner/model/index.js";
import { langchainChat } from "../../../../src/tools/reasoner/model/langchain.js";
import { openaiChat } from "../../../../src/tools/reasoner/model/openai.js";
import { ENGLISH, meter } from "../../../contract/reasoner.js";
import { fakeServer, saysJson } from "./fake-server.js";
import { ANSWER, GRADE } from "./replies.js";

const drafting = { ...ENGLISH, intent: "other" as const };

test("any LangChain chat model may be handed in", async () => {
  const chat = new FakeListChatModel({ responses: [JSON.stringify(ANSWER)] });
  const { generator } = modelReasoners({ chat });
  const draft = await generator.generate(drafting, meter().call);
  expect(draft.claims.map((claim) => claim.text)).toEqual(ANSWER.claims.map((claim) => claim.text));
});

test("a model of the program's own is asked for a JSON schema where its kind takes one", async () => {
  await using server = await fakeServer(saysJson(GRADE));
  const chat = new ChatOpenAI({ model: "own", apiKey: "k", configuration: { baseURL: server.baseURL }, maxRetries: 0 });
  await modelReasoners({ chat }).grader.grade(ENGLISH, meter().call);
  expect(server.requests[0]?.response_format).toMatchObject({ type: "json_schema", json_schema: { strict: true } });
});

test("a handed-in model that throws is an EndpointError", async () => {
  const chat = new FakeStreamingChatModel({ thrownErrorString: "the vendor is down" });
  await expect(modelReasoners({ chat }).grader.grade(ENGLISH, meter().call)).rejects.toThrow(EndpointError);
});

test("no key gets into what a model is known by", () => {
  const model = new ChatOpenAI({ model: "own", apiKey: "sk-secret-0123456789" });
  const chats = [
    langchainChat(model),
    openaiChat({ model: "x", apiKey: "sk-secret-0123456789", baseURL: "http://u:sk-secret-0123456789@127.0.0.1/v1" }),
  ];
  for (const { name, identity } of chats) expect(name + identity).not.toContain("sk-secret");
});

test("grading and generating use the model set for each", async () => {
  await using small = await fakeServer(saysJson(GRADE));
  await using large = await fakeServer(saysJson(ANSWER));
  const { grader, generator } = modelReasoners({
    chat: openaiChat({ model: "large", baseURL: large.baseURL }),
    graderChat: openaiChat({ model: "small", baseURL: small.baseURL }),
  });
  await grader.grade(ENGLISH, meter().call);
  await generator.generate(drafting, meter().call);
  expect(small.requests.map((request) => request.model)).toEqual(["small"]);
  expect(large.requests.map((request) => request.model)).toEqual(["large"]);
});

test.each(["openaiChat", "handed in"])("no token leaks into a graph's messages (%s)", async (kind) => {
  await using server = await fakeServer(saysJson(GRADE), saysJson(ANSWER));
  const settings = { model: "fake", apiKey: "none" };
  const { grader, generator } = modelReasoners({
    chat:
      kind === "openaiChat"
        ? openaiChat({ ...settings, baseURL: server.baseURL })
        : new ChatOpenAI({ ...settings, configuration: { baseURL: server.baseURL }, maxRetries: 0 }),
  });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("reason", async () => {
      await grader.grade(ENGLISH, meter().call);
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
});
