import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { metrics, trace } from "@opentelemetry/api";
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
import { afterEach, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { fakeServer, saysJson, USAGE } from "../tools/chat/fake-server.js";

afterEach(() => {
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
