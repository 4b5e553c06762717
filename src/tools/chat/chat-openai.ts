import type { OpenAI } from "openai";
import { withoutPassword } from "../../text/address.js";
import { memoize } from "../../text/memoize.js";
import { withoutThoughts } from "../../text/replies.js";
import { boundedFetch, type ModelSettings } from "../endpoint/endpoint.js";
import { gathered, type ReplyPiece, responseFormat } from "./chat-langchain.js";
import { property, refusal } from "./chat-refusal.js";
import { type Chat, type ChatRequest, RefusedError } from "./port.js";

/** `baseURL` includes the version: "http://127.0.0.1:11434/v1". The default `apiKey` is "none", which local servers accept. */
export interface OpenaiChatSettings extends ModelSettings {
  /** How long the endpoint may be silent (default 120,000). The run's own time limit usually ends a request sooner. */
  timeoutMs?: number | undefined;
}

/**
 * A chat model behind any OpenAI-compatible endpoint, at temperature 0 unless a request has another, and without retries
 * by the client.
 */
export function openaiChat(settings: OpenaiChatSettings): Chat {
  const { model, baseURL = "https://api.openai.com/v1", apiKey = "none", timeoutMs = 120_000 } = settings;
  const address = withoutPassword(baseURL);
  const name = `${model} at ${address}`;
  let client: Promise<OpenAI> | undefined;
  // The library takes a tenth of a second to load, and many programs need none.
  const open = async () => {
    const { OpenAI } = await import("openai");
    const options = { maxRetries: 0, timeout: timeoutMs, fetch: boundedFetch(LARGEST), logLevel: "off" } as const;
    return new OpenAI({ apiKey, baseURL, ...options });
  };
  // Reasoning models accept no temperature and no top_p. What other models refuse is remembered here.
  const isReasoning = /^(?:o\d|gpt-5)/.test(model);
  // A reasoning model's thoughts count towards the limit, and nobody can tell how many it needs.
  const accepted = { temperature: !isReasoning, topP: !isReasoning, streamUsage: true, maxTokens: !isReasoning };
  return {
    name,
    identity: JSON.stringify(["openai", address, model, "temperature 0"]),
    formats: ["bounded", "schema", "json", "prompt"],
    timeoutMs,
    withModel: memoize((other) => openaiChat({ ...settings, model: other }), 2_000),
    async send(request: ChatRequest) {
      try {
        client ??= open();
        const { chat } = await client;
        const events: AsyncIterable<unknown> = await chat.completions.create(
          {
            model,
            messages: request.messages.map(({ role, content }) => ({ role, content })),
            // Always streams, so that claims are passed on as they are written.
            stream: true,
            ...(accepted.temperature && { temperature: request.temperature ?? 0 }),
            ...(accepted.topP && request.topP !== undefined && { top_p: request.topP }),
            ...(accepted.maxTokens && request.maxTokens && { max_tokens: request.maxTokens }),
            ...(accepted.streamUsage && { stream_options: { include_usage: true } }),
            ...responseFormat(request),
          },
          { signal: request.signal },
        );
        const reply = await gathered(events, pieceOf, request);
        // The client ends the stream without an error when aborted.
        request.signal.throwIfAborted();
        if (reply.cut && accepted.maxTokens && withoutThoughts(reply.text).trim() === "") {
          accepted.maxTokens = false;
          throw new RefusedError(`${name} was cut off while it was thinking.`, { retryAfterMs: 0 });
        }
        return reply;
      } catch (thrown) {
        if (thrown instanceof RefusedError) throw thrown;
        const error = refusal(thrown, name, apiKey);
        const { message, status, detail } = error;
        if (status < 400 || status >= 500) throw error;
        // Some models accept one of the two, so top_p goes first.
        if (accepted.topP && request.topP !== undefined && /top_p/i.test(detail)) accepted.topP = false;
        else if (accepted.temperature && /temperature/i.test(detail)) accepted.temperature = false;
        else if (accepted.maxTokens && /max_(?:completion_)?tokens/i.test(detail)) accepted.maxTokens = false;
        else if (accepted.streamUsage && /stream_options|include_usage/i.test(detail)) accepted.streamUsage = false;
        else throw error;
        throw new RefusedError(message, { status, detail, retryAfterMs: 0 });
      }
    },
  };
}

/** In bytes, uncompressed: enough for the longest reply with one event per character. */
const LARGEST = 20_000_000;

/** Reads an event, which is untrusted: one with an unexpected shape adds nothing. */
function pieceOf(event: unknown): ReplyPiece {
  const choice = property(property(event, "choices"), 0);
  const content = property(property(choice, "delta"), "content");
  // Some endpoints send the text as a list of parts.
  const texts = Array.isArray(content) ? content.map((part) => property(part, "text")) : [content];
  const usage = property(event, "usage");
  return {
    text: texts.filter((text) => typeof text === "string").join(""),
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
