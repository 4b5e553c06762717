import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk } from "@langchain/core/messages";
import { EndpointError } from "../../errors.js";
import { isEndless } from "../../text/replies.js";
import { property } from "../endpoint/endpoint.js";
import { unlessSilent } from "../endpoint/silence.js";
import { refusal } from "./chat-refusal.js";
import type { Chat, ChatMessage, ChatReply, ChatRequest, Format } from "./port.js";

/**
 * Adapts a LangChain chat model. The schema is enforced by the strictest means that the model has: its endpoint, a tool
 * that it must call, or the prompt. The model's own retry settings apply.
 * @param timeoutMs how long the model may be silent (default 300,000).
 */
export function langchainChat(model: BaseChatModel, timeoutMs = 300_000): Chat {
  const label = Reflect.get(model, "model") ?? Reflect.get(model, "modelName");
  const name = typeof label === "string" && label !== "" ? label : model._llmType();
  const sending = unlessSilent(name, timeoutMs);
  return {
    name,
    // toJSON replaces secrets by references.
    identity: JSON.stringify([model._llmType(), name, model.toJSON()]),
    formats: formatsOf(model),
    timeoutMs,
    withModel() {
      throw new EndpointError(
        `${name} was passed in as an object, so context.model cannot replace it. Leave context.model empty, or set up an endpoint.`,
      );
    },
    send: (request) => sending((heard) => sent(request, heard)),
  };

  async function sent(request: ChatRequest, heard: () => void): Promise<ChatReply> {
    const onEvent = () => {
      heard();
      request.onEvent?.();
    };
    try {
      const { format, schemaName, schema } = request;
      const tool = { name: schemaName, description: "Gives the reply.", schema: unbounded(schema) };
      const asked = format === "tool" ? model.bindTools?.([tool], { tool_choice: schemaName }) : undefined;
      return await streamedReply(asked ?? model, { ...request, onEvent }, name, enforced(model, request));
    } catch (error) {
      const apiKey: unknown = Reflect.get(model, "apiKey");
      throw refusal(error, name, typeof apiKey === "string" ? { apiKey } : {});
    }
  }
}

function formatsOf(model: BaseChatModel): readonly Format[] {
  if (OPENAI_FAMILY.test(model._llmType())) return ["bounded", "schema", "json", "prompt"];
  if (isOllama(model)) return ["bounded", "prompt"];
  return model.bindTools && model.profile?.toolCalling !== false ? ["tool", "prompt"] : ["prompt"];
}

const OPENAI_FAMILY = /openai|deepseek|openrouter|groq|mistral|together|fireworks|xai/;

/** Its models do not have to call a tool, but its server enforces a schema. */
const isOllama = (model: BaseChatModel) => model._llmType() === "ollama";

const enforced = (model: BaseChatModel, request: ChatRequest) =>
  isOllama(model) && request.format === "bounded" ? { format: request.schema } : responseFormat(request);

/**
 * Asks a model. Always streams: claims are passed on as they are written, and without streaming some clients parse the
 * JSON themselves and lose a reply that they cannot parse.
 * @param label names the model in traces.
 * @throws what the client throws.
 */
export async function streamedReply(
  model: Pick<BaseChatModel, "stream">,
  request: ChatRequest,
  label: string,
  options: object,
): Promise<ChatReply> {
  const messages = request.messages.map(({ role, content }) => ({ role, content }));
  // The tag keeps LangGraph from streaming these tokens as messages of the conversation.
  const traced = { runName: `${request.schemaName}: ${label}`, tags: ["nostream"] };
  let text = "";
  let cut = false;
  let usage: ReportedUsage = {};
  for await (const chunk of await model.stream(messages, { ...options, ...traced, signal: request.signal })) {
    request.onEvent?.();
    const { response_metadata, usage_metadata } = chunk;
    const piece = chunk.text + argumentsIn(chunk);
    text += piece;
    const finish: unknown = response_metadata.finish_reason ?? response_metadata.stop_reason;
    const isOver = text.length > MAX_REPLY || (request.format === "prose" && isEndless(text));
    cut ||= isOver || finish === "length" || finish === "max_tokens";
    usage = withMore(usage, {
      inputTokens: property(usage_metadata, "input_tokens"),
      cachedTokens: property(property(usage_metadata, "input_token_details"), "cache_read"),
      outputTokens: property(usage_metadata, "output_tokens"),
    });
    if (isOver) break;
    if (piece !== "") request.onText?.(text);
  }
  return { text, cut, usage: usageOf(usage, request.messages, text) };
}

/** In UTF-16 units: more than any reply that is asked for. */
const MAX_REPLY = 40_000;

/** Returns the part of a tool's arguments that is in this piece. A model that does not stream gives them whole. */
const argumentsIn = ({ tool_call_chunks: pieces = [], tool_calls = [] }: Partial<AIMessageChunk>) =>
  pieces.length > 0
    ? pieces.map(({ args = "" }) => args).join("")
    : tool_calls.map(({ args }) => JSON.stringify(args)).join("");

/** Adds up usage that a model reports in parts. An invalid number adds nothing. */
const withMore = (before: ReportedUsage, said: ReportedUsage): ReportedUsage => ({
  inputTokens: sum(before.inputTokens, said.inputTokens),
  cachedTokens: sum(before.cachedTokens, said.cachedTokens),
  outputTokens: sum(before.outputTokens, said.outputTokens),
});

const sum = (before: unknown, said: unknown) => {
  const [one, other] = [count(before), count(said)];
  return one === undefined ? other : one + (other ?? 0);
};

/** Usage as reported by the endpoint, not validated. */
interface ReportedUsage {
  inputTokens?: unknown;
  cachedTokens?: unknown;
  outputTokens?: unknown;
}

/**
 * Returns the tokens of a request: the reported numbers if they are valid, else estimates from the text, so that the
 * budget also holds for endpoints that report nothing. All are integers from 0; cached tokens are part of the input.
 */
export function usageOf(reported: ReportedUsage, messages: readonly ChatMessage[], reply: string): ChatReply["usage"] {
  const inputTokens = count(reported.inputTokens) ?? estimate(messages.map(({ content }) => content).join("\n"));
  const cachedTokens = count(reported.cachedTokens) ?? 0;
  return {
    inputTokens,
    cachedTokens: cachedTokens <= inputTokens ? cachedTokens : 0,
    outputTokens: count(reported.outputTokens) ?? estimate(reply),
  };
}

/** Returns a valid number of tokens, or undefined. */
const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : undefined;

/** More tokens than any model reads or writes in one request. */
const MAX_TOKENS = 10_000_000;

/** Four bytes per token suit English, and Chinese with its three bytes per character. */
const estimate = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);

/** The request parameters that make the endpoint enforce the format. */
export function responseFormat({ format, schema, schemaName }: ChatRequest) {
  if (format === "prompt" || format === "tool" || format === "prose") return {};
  if (format === "json") return { response_format: { type: "json_object" as const } };
  const json_schema = { name: schemaName, schema: format === "bounded" ? schema : unbounded(schema), strict: true };
  return { response_format: { type: "json_schema" as const, json_schema } };
}

/** Returns the schema without the limits that OpenAI's strict mode has not always allowed. */
const unbounded = (schema: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema, (key, value) => (LIMITS.has(key) ? undefined : value)));

const LIMITS = new Set(["maxLength", "minLength", "maxItems", "minItems", "maximum", "minimum"]);
