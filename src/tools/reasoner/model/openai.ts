import { OpenAI } from "openai";
import { boundedFetch } from "../../web/fetch/bounded-fetch.js";
import { type Chat, type ChatReply, type ChatRequest, RefusedError } from "./chat.js";
import { gathered, type Piece, responseFormat } from "./langchain.js";
import { property, refusal } from "./refusal.js";

export interface OpenaiChatSettings {
  model: string;
  /** Up to and with the version: "http://127.0.0.1:11434/v1". Default: OpenAI's own. */
  baseURL?: string;
  /** Default: "none", which local servers take. */
  apiKey?: string;
  /** How long one request may take (default 300,000). The run's own time usually ends it sooner. */
  timeoutMs?: number;
}

/** A chat model behind any OpenAI-compatible endpoint, asked for the likeliest reply and never retried by the client. */
export function openaiChat(settings: OpenaiChatSettings): Chat {
  const { model, baseURL = "https://api.openai.com/v1", apiKey = "none", timeoutMs = 300_000 } = settings;
  const name = `${model} at ${shown(baseURL)}`;
  const client = new OpenAI({
    apiKey,
    baseURL,
    maxRetries: 0,
    timeout: timeoutMs,
    fetch: boundedFetch(LARGEST),
    logLevel: "off",
  });
  // Reasoning models take no temperature; others that refuse one, or refuse to report usage, are noticed once.
  const taken = { temperature: !/^(?:o\d|gpt-5)/.test(model), streamUsage: true };
  function without(option: keyof typeof taken, refused: RefusedError): never {
    taken[option] = false;
    throw new RefusedError(refused.message, { status: refused.status, detail: refused.detail, retryAfterMs: 0 });
  }
  /** Streams in every case, so that claims are told as they are written. */
  async function stream(request: ChatRequest): Promise<ChatReply> {
    const messages = request.messages.map(({ role, content }) => ({ role, content }));
    const events: AsyncIterable<unknown> = await client.chat.completions.create(
      {
        model,
        messages,
        stream: true,
        ...(taken.temperature && { temperature: 0 }),
        ...(taken.streamUsage && { stream_options: { include_usage: true } }),
        ...responseFormat(request),
      },
      { signal: request.signal },
    );
    const reply = await gathered(events, pieceOf, request);
    // The client takes an abort for the end of the reply.
    request.signal.throwIfAborted();
    return reply;
  }
  return {
    name,
    identity: JSON.stringify(["openai", shown(baseURL), model, "temperature 0"]),
    formats: ["bounded", "schema", "json", "prompt"],
    timeoutMs,
    async send(request: ChatRequest) {
      try {
        return await stream(request);
      } catch (thrown) {
        const error = refusal(thrown, name, apiKey);
        if (error.status >= 400 && error.status < 500) {
          if (taken.temperature && /temperature/i.test(error.detail)) without("temperature", error);
          if (taken.streamUsage && /stream_options|include_usage/i.test(error.detail)) without("streamUsage", error);
        }
        throw error;
      }
    },
  };
}

/** In bytes, unpacked: the longest reply that is read, with an event around every character. */
const LARGEST = 20_000_000;

/** An event is data from outside: of another shape than agreed it adds nothing. */
function pieceOf(event: unknown): Piece {
  const choice = property(property(event, "choices"), 0);
  const content = property(property(choice, "delta"), "content");
  const usage = property(event, "usage");
  return {
    text: typeof content === "string" ? content : partsOf(content),
    isCut: property(choice, "finish_reason") === "length",
    usage:
      typeof usage === "object" && usage !== null
        ? {
            inputTokens: property(usage, "prompt_tokens"),
            cachedTokens: property(property(usage, "prompt_tokens_details"), "cached_tokens"),
            outputTokens: property(usage, "completion_tokens"),
          }
        : undefined,
  };
}

/** Some endpoints write a text as a list of parts. */
function partsOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  const texts = content.map((part) => property(part, "text"));
  return texts.filter((text) => typeof text === "string").join("");
}

/** The address as people may read it: without user and password. */
function shown(baseURL: string): string {
  if (!URL.canParse(baseURL)) return baseURL;
  const url = new URL(baseURL);
  return `${url.origin}${url.pathname}`.replace(/\/$/, "");
}
