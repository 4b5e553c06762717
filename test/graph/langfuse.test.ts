import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CallbackHandler } from "@langfuse/langchain";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider } from "@langfuse/tracing";
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { afterEach, assert, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { fakeServer, saysJson, USAGE } from "../tools/chat/fake-server.js";

afterEach(() => {
  setLangfuseTracerProvider(null);
  trace.disable();
});

const QUOTE = "The Lisbon office opens at eight.";
const QUESTION = "When does the Lisbon office open?";

test("Langfuse's handler sends its server the nodes, searches and model calls of a question", async () => {
  const nothing = { missing: "", entities: [], clarification: "", helps: [] };
  const claims = [{ text: QUOTE, source: 1, quote: QUOTE }];
  const reply = saysJson({ claims, found: QUOTE, answerable: "full", states: ["1.1"], ...nothing });
  await using model = await fakeServer(reply, reply, reply, reply);
  await using langfuse = await collector();
  const { url: baseUrl } = langfuse;
  const keys = { publicKey: "pk-lf-mine", secretKey: "sk-lf-mine" };
  const provider = new BasicTracerProvider({ spanProcessors: [new LangfuseSpanProcessor({ ...keys, baseUrl })] });
  setLangfuseTracerProvider(provider);

  const { documents } = fakeTools({ passages: [fakePassage("hours", `${QUOTE} It closes at six.`)] });
  const agent = createAgent({
    model: { model: "small", baseURL: model.baseURL, apiKey: "sk-secret" },
    tools: { documents },
  });
  await agent.ask(QUESTION, { callbacks: [new CallbackHandler()] });
  await agent.close();
  await provider.shutdown();

  const { spans, requests } = langfuse;
  expect(new Set(requests)).toEqual(
    new Set([`POST /api/public/otel/v1/traces Basic ${btoa(`${keys.publicKey}:${keys.secretKey}`)}`]),
  );
  const parentOf = ({ parentSpanId }: Span) => spans.find(({ spanId }) => spanId === parentSpanId)?.name;
  const about = ({ attributes }: Span, key: string) => attributes.find((one) => one.key === key)?.value.stringValue;
  const chats = spans.filter((span) => about(span, "langfuse.observation.type") === "generation");
  expect(chats).toHaveLength(model.requests.length);
  const [written] = chats.filter((span) => parentOf(span) === "generate claims");
  assert(written);
  expect(about(written, "langfuse.observation.model.name")).toBe("fake");
  expect(about(written, "langfuse.observation.input")).toContain(QUOTE);
  expect(about(written, "langfuse.observation.usage_details")).toContain(`"total":${USAGE.total_tokens}`);
  const search = spans.find(({ name }) => name === "search documents");
  assert(search);
  expect([parentOf(search), about(search, "langfuse.observation.input")]).toEqual(["retrieve", QUESTION]);
  expect(about(search, "langfuse.observation.output")).toContain(QUOTE);
  // Otherwise every call would be there twice: the provider is Langfuse's alone, so emend sends it no spans of its own.
  expect(spans.map(({ name }) => name)).not.toContain("invoke_agent emend");
  expect(JSON.stringify(spans)).not.toContain("sk-secret");
});

test("Langfuse's span processor alone sends its server the searches and model calls without any text", async () => {
  await using model = await fakeServer(...Array.from({ length: 4 }, () => saysJson({})));
  await using langfuse = await collector();
  const keys = { publicKey: "pk-lf-mine", secretKey: "sk-lf-mine" };
  const processor = new LangfuseSpanProcessor({ ...keys, baseUrl: langfuse.url });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  trace.setGlobalTracerProvider(provider);
  const { documents } = fakeTools({ passages: [fakePassage("hours", QUOTE)] });
  const agent = createAgent({ model: { model: "small", baseURL: model.baseURL, apiKey: "-" }, tools: { documents } });
  await agent.ask(QUESTION);
  await agent.close();
  await provider.shutdown();
  const names = ["invoke_agent emend", "retrieval search documents", "chat small"];
  expect(langfuse.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  expect(JSON.stringify(langfuse.spans)).not.toContain("Lisbon");
});

interface Span {
  name: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

/** A server that records what it receives over Langfuse's HTTP interface, which is OTLP as JSON. */
async function collector() {
  const requests: string[] = [];
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    const { resourceSpans } = JSON.parse(`${Buffer.concat(parts)}`);
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
