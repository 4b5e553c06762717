import type { BaseChatModel, BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, UsageMetadata } from "@langchain/core/messages";
import type { Chat, ChatMessage, ChatReply, ChatRequest, Format } from "./chat.js";
import { refusal } from "./refusal.js";

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
    return await gathered(chunks, pieceOf, request, withMore);
  } catch (error) {
    throw refusal(error, name, Reflect.get(model, "apiKey"));
  }
}

/** What one event adds to the reply. */
export interface Piece {
  text: string;
  isCut: boolean;
  /** Undefined where it says nothing of it. */
  usage: ReportedUsage | undefined;
}

/** A reply from its pieces, told as it grows. @param added how usage adds up; by default the last word counts. */
export async function gathered<T>(
  events: AsyncIterable<T>,
  read: (event: T) => Piece,
  request: ChatRequest,
  added = (before: ReportedUsage, said: ReportedUsage | undefined) => said ?? before,
): Promise<ChatReply> {
  let text = "";
  let cut = false;
  let usage: ReportedUsage = {};
  for await (const event of events) {
    const piece = read(event);
    text += piece.text;
    cut ||= piece.isCut || text.length > LONGEST;
    usage = added(usage, piece.usage);
    if (text.length > LONGEST) break;
    if (piece.text !== "") request.onText?.(text);
  }
  return { text, cut, usage: usageOf(usage, request.messages, text) };
}

/** No reply asked for here comes near; a model that repeats itself for ever does. In UTF-16 units. */
const LONGEST = 40_000;

function pieceOf({ text, response_metadata, usage_metadata }: AIMessageChunk): Piece {
  const finish: unknown = response_metadata.finish_reason ?? response_metadata.stop_reason;
  return { text, isCut: finish === "length" || finish === "max_tokens", usage: usageIn(usage_metadata) };
}

const usageIn = (said: UsageMetadata | undefined): ReportedUsage => ({
  inputTokens: said?.input_tokens,
  cachedTokens: said?.input_token_details?.cache_read,
  outputTokens: said?.output_tokens,
});

/** Some models report in parts. What is no count adds nothing. */
const withMore = (before: ReportedUsage, said: ReportedUsage | undefined): ReportedUsage => ({
  inputTokens: sum(before.inputTokens, said?.inputTokens),
  cachedTokens: sum(before.cachedTokens, said?.cachedTokens),
  outputTokens: sum(before.outputTokens, said?.outputTokens),
});

const sum = (before: unknown, said: unknown) => {
  const [one, other] = [count(before), count(said)];
  return one === undefined ? other : one + (other ?? 0);
};

/** What an endpoint says of itself: anything may stand here. */
interface ReportedUsage {
  inputTokens?: unknown;
  cachedTokens?: unknown;
  outputTokens?: unknown;
}

/**
 * What a request used. What the endpoint says counts where it is a number of tokens; where it says nothing, or something
 * else, the tokens are estimated from the text, so that a budget holds with an endpoint that does not report. Always
 * whole numbers from 0 on; the cached ones are part of the input.
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

/** The number, where it can be one of tokens. */
const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST ? value : undefined;

/** No model takes or writes as many at once. */
const MOST = 10_000_000;

/** Four bytes a token: about right for English, and for Chinese, whose characters have three. */
const estimate = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);

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
