import { createRequire } from "node:module";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { UsageMetadata } from "@langchain/core/messages";
import type { ChatGeneration, LLMResult } from "@langchain/core/outputs";
import type { Attributes, Span } from "@opentelemetry/api";
import { z } from "zod";
import { Answer } from "./types/answer.js";

/** File tracing follows what it loads if it has this name and stands above its use. */
const require = createRequire(import.meta.url);

/**
 * Returns a handler that turns a run into OpenTelemetry spans and metrics, by the semantic conventions for generative
 * AI (version 1.41). Returns no handler if no tracer provider is registered, so a program must start its OpenTelemetry
 * SDK before it makes the graph. Spans hold names, counts and the names of errors, but no text of a question, a
 * document or a reply.
 */
export function openTelemetry(): BaseCallbackHandler[] {
  // Without an SDK, its fifty files need not be loaded.
  if (!Object.hasOwn(globalThis, REGISTERED)) return [];
  const api = require("@opentelemetry/api") as typeof import("@opentelemetry/api");
  const { context, metrics, ProxyTracerProvider, SpanKind, SpanStatusCode, trace } = api;
  const provider = trace.getTracerProvider();
  if (provider instanceof ProxyTracerProvider && !provider.getDelegateTracer("emend")) return [];
  const tracer = trace.getTracer("emend");
  const meter = metrics.getMeter("emend");
  const duration = meter.createHistogram("gen_ai.client.operation.duration", { unit: "s" });
  const tokens = meter.createHistogram("gen_ai.client.token.usage", { unit: "{token}" });
  const open = new Map<string, Running>();

  const begin = (id: string, parent: string | undefined, name: string, attributes: Attributes = {}) => {
    const above = open.get(parent ?? "");
    const kind = name.startsWith("chat ") ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const within = above ? trace.setSpan(context.active(), above.span) : context.active();
    const span = tracer.startSpan(name, { kind, attributes }, within);
    open.set(id, { span, root: above?.root ?? span, attributes, began: performance.now() });
  };
  const end = (id: string, error?: unknown): Running | undefined => {
    const running = open.get(id);
    open.delete(id);
    if (error !== undefined) {
      const type = error instanceof Error ? error.name : "_OTHER";
      running?.span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR, message: type });
    }
    running?.span.end();
    return running;
  };

  const handler = BaseCallbackHandler.fromMethods({
    handleChainStart(_chain, _inputs, id, parent, _tags, _metadata, _type, name = "run") {
      if (parent !== undefined && open.has(parent)) begin(id, parent, name);
      else begin(id, undefined, `invoke_agent ${AGENT}`, operation("invoke_agent", { "gen_ai.agent.name": AGENT }));
    },
    handleChainEnd(outputs, id) {
      const running = open.get(id);
      const told = running?.span === running?.root ? undefined : answerIn(outputs);
      if (told) running?.root.setAttributes(told.attributes);
      if (told?.isUnavailable) {
        const type = `${told.attributes["emend.stop_reason"]}`;
        running?.root.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR, message: type });
      }
      end(id);
    },
    handleChainError: (error, id) => void end(id, error),
    handleRetrieverStart(_retriever, _query, id, parent, _tags, _metadata, name = "search") {
      begin(id, parent, `retrieval ${name}`, operation("retrieval", { "gen_ai.data_source.id": name }));
    },
    handleRetrieverEnd(documents, id) {
      open.get(id)?.span.setAttribute("emend.retrieval.documents", documents.length);
      end(id);
    },
    handleRetrieverError: (error, id) => void end(id, error),
    handleChatModelStart(_model, _messages, id, parent, _extra, _tags, metadata = {}) {
      const model = String(metadata.ls_model_name ?? "unknown");
      const provider = String(metadata.ls_provider ?? "openai");
      const about = { "gen_ai.provider.name": provider, "gen_ai.request.model": model };
      begin(id, parent, `chat ${model}`, operation("chat", about));
    },
    handleLLMEnd(output, id) {
      const used = usageOf(output);
      open.get(id)?.span.setAttributes({
        "gen_ai.usage.input_tokens": used.input,
        "gen_ai.usage.output_tokens": used.output,
      });
      const ended = end(id);
      if (!ended) return;
      duration.record((performance.now() - ended.began) / 1000, ended.attributes);
      for (const type of ["input", "output"] as const)
        tokens.record(used[type], { ...ended.attributes, "gen_ai.token.type": type });
    },
    handleLLMError(error, id) {
      const ended = end(id, error);
      if (ended) duration.record((performance.now() - ended.began) / 1000, ended.attributes);
    },
  });
  // Otherwise LangChain would call it later, outside the span that was active when the question was asked.
  handler.awaitHandlers = true;
  return [handler];
}

/**
 * Does work within the trace that a caller names by `traceparent` and `tracestate`, as the registered propagator reads
 * them, unless a span is active already. Ignores what names no trace. Nothing else of the caller is taken over, such as
 * baggage, which would travel on to model endpoints.
 */
export function withinTrace<T>(said: { traceparent?: unknown; tracestate?: unknown } | undefined, work: () => T): T {
  if (typeof said?.traceparent !== "string" || !Object.hasOwn(globalThis, REGISTERED)) return work();
  const { context, propagation, trace } = require("@opentelemetry/api") as typeof import("@opentelemetry/api");
  const active = context.active();
  if (trace.getSpanContext(active)) return work();
  const { traceparent, tracestate } = said;
  const carrier = { traceparent, ...(typeof tracestate === "string" && { tracestate }) };
  return context.with(propagation.extract(active, carrier), work);
}

/** What the span of a question tells of its answer, which the last step returns: how it ended, and no text. */
function answerIn(outputs: unknown): { attributes: Attributes; isUnavailable: boolean } | undefined {
  const { data } = Answered.safeParse(outputs);
  if (!data) return undefined;
  const { status, stopReason, confidence, failures } = data.answer;
  const attributes = {
    "emend.status": status,
    "emend.stop_reason": stopReason,
    "emend.confidence": confidence.score,
    "emend.failures": failures.map(({ tag }) => tag),
  };
  return { attributes, isUnavailable: status === "unavailable" };
}

const Answered = z.object({
  answer: Answer.pick({ status: true, stopReason: true, confidence: true, failures: true }),
});

/** Where every copy of the API, of version 1, finds what was registered. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

interface Running {
  span: Span;
  /** The span of the question. */
  root: Span;
  attributes: Attributes;
  /** In milliseconds, by a monotonic clock. */
  began: number;
}

const AGENT = "emend";

const operation = (name: string, more: Attributes): Attributes => ({ "gen_ai.operation.name": name, ...more });

/** Returns the tokens of a reply; 0 if the model does not say. */
function usageOf({ generations }: LLMResult): { input: number; output: number } {
  const reply = generations[0]?.[0] as ChatGeneration | undefined;
  const usage = (reply?.message as { usage_metadata?: UsageMetadata } | undefined)?.usage_metadata;
  return { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 };
}
