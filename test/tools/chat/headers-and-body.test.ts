import { describe, expect, test } from "vitest";
import { loadSettings } from "../../../src/config.js";
import { UsageError } from "../../../src/errors.js";
import { openaiChat } from "../../../src/tools/chat/chat-openai.js";
import { openaiEmbeddings } from "../../../src/tools/encoder/embeddings.js";
import type { ModelSettings } from "../../../src/tools/endpoint/endpoint.js";
import { fakeServer, refuses, says } from "./fake-server.js";

const HEADERS = { "x-portkey-api-key": "pass-of-gateway", authorization: "Bearer pass-of-model" };
const BODY = { chat_template_kwargs: { enable_thinking: false }, temperature: 0.6 };

const ask = (settings: ModelSettings) =>
  openaiChat(settings).send({
    messages: [{ role: "user", content: "Hi" }],
    format: "prompt",
    schema: {},
    schemaName: "reply",
    signal: new AbortController().signal,
  });

describe("headers and a body of the settings", () => {
  test("are sent to a chat model, and win over emend's own", async () => {
    await using server = await fakeServer(says("ok"));
    await ask({ model: "m", baseURL: server.baseURL, headers: HEADERS, body: BODY });
    expect(server.headers[0]).toMatchObject(HEADERS);
    expect(server.requests[0]).toMatchObject({ ...BODY, model: "m", messages: [{ content: "Hi" }], stream: true });
  });

  test("are sent to a model for embeddings", async () => {
    await using server = await fakeServer((_request, response) => {
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 0] }] }));
    });
    const embeddings = openaiEmbeddings({
      model: "m",
      baseURL: server.baseURL,
      headers: HEADERS,
      body: { user: "me" },
    });
    await embeddings.embed(["one"], { as: "question" });
    expect(server.headers[0]).toMatchObject(HEADERS);
    expect(server.requests[0]).toMatchObject({ model: "m", input: ["one"], user: "me" });
  });

  test("are in no error, even if the endpoint repeats them", async () => {
    const said = `Bad credentials: ${JSON.stringify(HEADERS)}, that is pass-of-model`;
    await using server = await fakeServer(refuses(400, said));
    const error = await ask({ model: "m", baseURL: server.baseURL, headers: HEADERS }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: "EndpointError" });
    expect(`${JSON.stringify(error)} ${(error as Error).message} ${(error as Error).cause}`).not.toContain("pass-of");
  });

  test("make another model of it where they change its replies", () => {
    const one = { model: "m", baseURL: "http://127.0.0.1:1/v1" };
    expect(openaiChat({ ...one, body: BODY }).identity).not.toBe(openaiChat(one).identity);
    expect(openaiChat({ ...one, headers: HEADERS }).identity).toBe(openaiChat(one).identity);
  });
});

describe("EMEND_MODEL_HEADERS and EMEND_MODEL_BODY", () => {
  const env = {
    EMEND_MODEL: "m",
    EMEND_CHECKER_MODEL: "c",
    EMEND_EMBEDDINGS_MODEL: "e",
    OPENAI_BASE_URL: "http://gateway.example.org/v1",
    EMEND_MODEL_HEADERS: JSON.stringify(HEADERS),
    EMEND_MODEL_BODY: JSON.stringify(BODY),
  };

  test("are for the chat models; embeddings at the same address get the headers", () => {
    const added = { headers: HEADERS, body: BODY };
    const settings = loadSettings({}, env);
    expect(settings).toMatchObject({ model: added, checkerModel: added, embeddings: { headers: HEADERS } });
    expect(settings.embeddings).not.toHaveProperty("body");
  });

  test("never go to embeddings at another address", () => {
    const elsewhere = { ...env, EMEND_EMBEDDINGS_BASE_URL: "http://other.example.org/v1" };
    expect(loadSettings({}, elsewhere).embeddings).not.toHaveProperty("headers");
  });

  test.each([
    "pass-of-gateway",
    "[1]",
    '{"x": 1}',
    '{"x": {"y": "pass-of-gateway"}}',
    '{"a b": "pass-of-gateway"}',
    '{"x": "pass-of-\\ngateway"}',
  ])("are refused, without what they hold, if headers are %s", (EMEND_MODEL_HEADERS) => {
    const load = () => loadSettings({}, { ...env, EMEND_MODEL_HEADERS });
    expect(load).toThrow(UsageError);
    expect(load).toThrow(/^EMEND_MODEL_HEADERS: must be a JSON object such as(?!.*pass-of)/);
  });

  test("are refused if the body is no object", () => {
    expect(() => loadSettings({}, { ...env, EMEND_MODEL_BODY: "think=false" })).toThrow("EMEND_MODEL_BODY: must be");
  });
});
