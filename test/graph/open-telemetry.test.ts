import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Context, context, metrics, propagation, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { createServer as createApi } from "../../src/server/app.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { fakeServer, saysJson, USAGE } from "../tools/chat/fake-server.js";

afterEach(() => {
  context.disable();
  propagation.disable();
  trace.disable();
  metrics.disable();
});

const passages = [fakePassage("hours", "The Lisbon office opens at eight. It closes at six.")];
const QUESTION = "When does the Lisbon office open?";

function collected(): { spans: () => ReadableSpan[]; under: (name: string) => string } {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const spans = () => exporter.getFinishedSpans();
  const above = (span: ReadableSpan | undefined): string => {
    const parent = spans().find((one) => one.spanContext().spanId === span?.parentSpanContext?.spanId);
    return span ? [above(parent), span.name].filter(Boolean).join(" > ") : "";
  };
  return { spans, under: (name) => above(spans().find((span) => span.name === name)) };
}

test("a question is an agent span with its nodes and searches as child spans", async () => {
  const { spans, under } = collected();
  await createAgent({ tools: fakeTools({ passages }) }).ask(QUESTION);
  expect(under("retrieval search documents")).toBe("invoke_agent emend > retrieve > retrieval search documents");
  expect(spans().find(({ name }) => name === "retrieval search documents")?.attributes).toEqual({
    "gen_ai.operation.name": "retrieval",
    "gen_ai.data_source.id": "search documents",
    "emend.retrieval.documents": 1,
  });
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  expect(JSON.stringify(spans().map(({ attributes, name, events }) => [attributes, name, events]))).not.toMatch(
    /Lisbon/,
  );
});

test("a chat call is a span with its model and tokens, and is recorded in metrics", async () => {
  const { spans } = collected();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  await using server = await fakeServer(saysJson({}), saysJson({}), saysJson({}), saysJson({}));
  const { documents } = fakeTools({ passages });
  const agent = createAgent({
    model: { model: "some-model", baseURL: server.baseURL, apiKey: "-" },
    tools: { documents },
  });
  await agent.ask(QUESTION);
  await agent.close();
  const chats = spans().filter(({ name }) => name === "chat some-model");
  expect(chats.length).toBeGreaterThan(0);
  expect(chats[0]?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "some-model",
    "gen_ai.usage.input_tokens": USAGE.prompt_tokens,
    "gen_ai.usage.output_tokens": USAGE.completion_tokens,
  });
  await reader.forceFlush();
  const measured = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
  expect(measured.map(({ descriptor }) => descriptor.name).toSorted()).toEqual([
    "gen_ai.client.operation.duration",
    "gen_ai.client.token.usage",
  ]);
});

test("a failed search is a span with the name of the error", async () => {
  const { spans } = collected();
  const tools = fakeTools({ passages });
  const documents = {
    ...tools.documents,
    search: async () => {
      throw new TypeError("The password is hunter2.");
    },
  };
  await createAgent({ tools: { ...tools, documents } }).ask(QUESTION);
  const failed = spans().find(({ name }) => name === "retrieval search documents");
  expect(failed).toMatchObject({ status: { code: 2, message: "TypeError" } });
  expect(JSON.stringify(spans().map(({ attributes, status }) => [attributes, status]))).not.toMatch(/hunter2/);
});

test("abandoning a stream ends its spans", async () => {
  const { spans } = collected();
  for await (const _ of createAgent({ tools: fakeTools({ passages }) }).stream(QUESTION)) break;
  await expect.poll(() => spans().map(({ name }) => name)).toContain("invoke_agent emend");
});

test("an OTLP collector receives the spans of a question", async () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    let body = "";
    request
      .on("data", (chunk) => (body += chunk))
      .on("end", () => {
        bodies.push(body);
        response.end("{}");
      });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const exporter = new OTLPTraceExporter({
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
  });
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  await createAgent({ tools: fakeTools({ passages }) }).ask(QUESTION);
  await provider.shutdown();
  collector.close();
  expect(bodies.join("")).toContain("invoke_agent emend");
});

/** What an SDK registers besides its provider: where the active span is kept, and how a trace is read from headers. */
function collectedWithContext() {
  const store = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => store.getStore() ?? ROOT_CONTEXT,
    with: (within, work, self, ...args) => store.run(within, () => work.apply(self as never, args)),
    bind: (_within, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return collected();
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const HEADERS = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: "vendor=1" };

describe("the span of a question belongs to the trace of its caller", () => {
  const rootOf = (spans: ReadableSpan[]) => spans.find(({ name }) => name === "invoke_agent emend");
  const agent = () => createAgent({ tools: fakeTools({ passages }) });

  const post = async (path: string, body: object, headers: Record<string, string> = HEADERS) => {
    const { app } = createApi({ agent: agent() });
    const response = await app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  const messages = [{ role: "user", content: QUESTION }];
  const call = { name: "ask", arguments: { question: QUESTION } };

  test.each([
    ["/api/ask", { question: QUESTION }],
    ["/v1/chat/completions", { model: "emend", messages }],
    ["/v1/chat/completions", { model: "emend", messages, stream: true }],
    ["/v1/responses", { model: "emend", input: QUESTION }],
    ["/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: call }],
  ])("over HTTP: %s %j", async (path, body) => {
    const { spans } = collectedWithContext();
    expect(await post(path, body)).toBe(200);
    await expect.poll(() => rootOf(spans())?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SPAN });
    expect(rootOf(spans())?.spanContext().traceState?.get("vendor")).toBe("1");
    expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE]));
  });

  test("in a program, if a span is active", async () => {
    const { spans, under } = collectedWithContext();
    await trace.getTracer("caller").startActiveSpan("caller", async (span) => {
      await agent().ask(QUESTION, { configurable: HEADERS });
      span.end();
    });
    expect(under("retrieve")).toBe("caller > invoke_agent emend > retrieve");
    expect(rootOf(spans())?.spanContext().traceId).not.toBe(TRACE);
  });

  test("on a LangGraph server whose configuration carries the headers", async () => {
    const { spans } = collectedWithContext();
    await agent().graph.invoke({ question: QUESTION }, { configurable: HEADERS });
    expect(rootOf(spans())?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SPAN });
  });

  test.each([
    ["", ""],
    ["00-0-0-01", ""],
    [`00-${"0".repeat(32)}-${SPAN}-01`, ""],
    [`00-${TRACE}-${"0".repeat(16)}-01`, ""],
    [`ff-${TRACE}-${SPAN}-01`, ""],
    [`00-${TRACE}-${SPAN}-01-extra`, ""],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`, ""],
    ["x".repeat(5000), "y".repeat(5000)],
  ])("unless it names none: %s", async (traceparent, tracestate) => {
    const { spans } = collectedWithContext();
    expect(await post("/api/ask", { question: QUESTION }, { traceparent, tracestate })).toBe(200);
    expect(rootOf(spans())?.parentSpanContext).toBeUndefined();
  });

  test("if an SDK is registered, and else nothing is read", async () => {
    expect(await post("/api/ask", { question: QUESTION })).toBe(200);
  });
});

describe("the span of a question tells", () => {
  const rootOf = (spans: ReadableSpan[]) => spans.find(({ name }) => name === "invoke_agent emend");

  test("how it was answered", async () => {
    const { spans } = collected();
    const answer = await createAgent({ tools: fakeTools({ passages }) }).ask(QUESTION);
    expect(rootOf(spans())).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        "emend.status": answer.status,
        "emend.stop_reason": answer.stopReason,
        "emend.confidence": answer.confidence.score,
        "emend.failures": [],
      },
    });
  });

  test("that it was refused, and why", async () => {
    const { spans } = collected();
    const answer = await createAgent({ tools: fakeTools({ passages }) }).ask("Who painted the ceiling of the chapel?");
    expect(rootOf(spans())?.attributes).toMatchObject({
      "emend.status": "refused",
      "emend.failures": answer.failures.map(({ tag }) => tag),
    });
    expect(answer.failures).not.toEqual([]);
  });

  test("as an error, that it could not be answered", async () => {
    const { spans } = collected();
    const tools = fakeTools({ passages });
    const search = async () => {
      throw new TypeError("The password is hunter2.");
    };
    await createAgent({ tools: { ...tools, documents: { ...tools.documents, search } } }).ask(QUESTION);
    expect(rootOf(spans())).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: "sources_failed" },
      attributes: { "emend.status": "unavailable", "error.type": "sources_failed" },
    });
  });
});
