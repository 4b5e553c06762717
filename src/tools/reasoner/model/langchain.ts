import type { BaseChatModel, BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, UsageMetadata } from "@langchain/core/messages";
import type { Chat, ChatReply, ChatRequest, Format } from "./chat.js";
import { refusal } from "./refusal.js";
import { count, type ReportedUsage, usageOf } from "./usage.js";

/** A chat model that understands `response_format`, as OpenAI's and its kin do. */
type StructuredChatModel = BaseChatModel<BaseChatModelCallOptions & { response_format?: unknown }>;

/**
 * Any LangChain chat model as a Chat. Models of the OpenAI family are held to the schema by the endpoint; others by
 * the prompt. Its own retries stay as its owner set them.
 * @param timeoutMs how long one request may take (default 300,000).
 */
export function langchainChat(model: BaseChatModel, timeoutMs = 300_000): Chat {
  const label = Reflect.get(model, "model") ?? Reflect.get(model, "modelName");
  const name = typeof label === "string" && label !== "" ? label : model._llmType();
  return {
    name,
    // toJSON writes secrets as references.
    identity: JSON.stringify([model._llmType(), name, model.toJSON()]),
    formats: OPENAI_FAMILY.test(model._llmType()) ? ["bounded", "schema", "json", "prompt"] : ["prompt"],
    timeoutMs,
    send: (request) => stream(model, name, request),
  };
}

const OPENAI_FAMILY = /openai|deepseek|openrouter|groq|mistral|together|fireworks|xai/;

/** Streams in every case: the client's other way parses JSON itself, and throws the reply away where that fails. */
async function stream(model: StructuredChatModel, name: string, request: ChatRequest): Promise<ChatReply> {
  const reply = { text: "", cut: false, usage: {} };
  try {
    const chunks = await model.stream(
      request.messages.map(({ role, content }) => ({ role, content })),
      {
        signal: request.signal,
        // LangGraph must not show these tokens as the conversation's messages.
        tags: ["nostream"],
        ...responseFormat(request),
      },
    );
    for await (const chunk of chunks) {
      add(reply, chunk);
      if (reply.text.length > LONGEST) break;
      if (chunk.text !== "") request.onText?.(reply.text);
    }
  } catch (error) {
    throw refusal(error, name, Reflect.get(model, "apiKey"));
  }
  return { ...reply, usage: usageOf(reply.usage, request.messages, reply.text) };
}

/** No reply asked for here comes near; a model that repeats itself for ever does. In UTF-16 units. */
export const LONGEST = 40_000;

function add(reply: { text: string; cut: boolean; usage: ReportedUsage }, chunk: AIMessageChunk) {
  reply.text += chunk.text;
  const finish: unknown = chunk.response_metadata.finish_reason ?? chunk.response_metadata.stop_reason;
  if (finish === "length" || finish === "max_tokens" || reply.text.length > LONGEST) reply.cut = true;
  reply.usage = withMore(reply.usage, chunk.usage_metadata);
}

const withMore = (before: ReportedUsage, said: UsageMetadata | undefined): ReportedUsage => ({
  inputTokens: sum(before.inputTokens, said?.input_tokens),
  cachedTokens: sum(before.cachedTokens, said?.input_token_details?.cache_read),
  outputTokens: sum(before.outputTokens, said?.output_tokens),
});

/** Some models report in parts. What is no count adds nothing. */
const sum = (before: unknown, said: unknown) => {
  const [one, other] = [count(before), count(said)];
  return one === undefined ? other : one + (other ?? 0);
};

const RESPONSE_FORMATS: Record<Format, (request: ChatRequest) => { response_format?: ResponseFormat }> = {
  bounded: ({ schema, schemaName }) => jsonSchema(schemaName, schema),
  schema: ({ schema, schemaName }) => jsonSchema(schemaName, unbounded(schema)),
  json: () => ({ response_format: { type: "json_object" } }),
  prompt: () => ({}),
};

export const responseFormat = (request: ChatRequest) => RESPONSE_FORMATS[request.format](request);

type ResponseFormat =
  | { type: "json_object" }
  | { type: "json_schema"; json_schema: { name: string; schema: Record<string, unknown>; strict: true } };

const jsonSchema = (name: string, schema: Record<string, unknown>) => ({
  response_format: { type: "json_schema" as const, json_schema: { name, schema, strict: true as const } },
});

/** The schema without what OpenAI's strict mode has not always allowed. */
const unbounded = (schema: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !BOUNDS.has(key))
      .map(([key, value]) => [key, within(value)]),
  );

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within);
  return typeof value === "object" && value !== null ? unbounded({ ...value }) : value;
}

const BOUNDS = new Set(["maxLength", "minLength", "maxItems", "minItems", "maximum", "minimum"]);
