import { withoutPassword } from "../../text/address.js";
import { memoize } from "../../text/memoize.js";
import { withoutThoughts } from "../../text/replies.js";
import type { ModelSettings } from "../endpoint/endpoint.js";
import { unlessSilent } from "../endpoint/silence.js";
import { responseFormat, streamedReply } from "./chat-langchain.js";
import { refusal } from "./chat-refusal.js";
import { type Chat, type ChatReply, type ChatRequest, RefusedError } from "./port.js";

/** `baseURL` includes the version: "http://127.0.0.1:11434/v1". The default `apiKey` is "none", which local servers accept. */
export interface OpenaiChatSettings extends ModelSettings {
  /** How long the endpoint may be silent (default 300,000). The run's own time limit usually ends a request sooner. */
  timeoutMs?: number | undefined;
}

/**
 * A chat model behind any OpenAI-compatible endpoint, asked by LangChain's client: at temperature 0 unless a request has
 * another, and without retries.
 */
export function openaiChat(settings: OpenaiChatSettings): Chat {
  const {
    model,
    baseURL = "https://api.openai.com/v1",
    apiKey = "none",
    timeoutMs = 120_000,
    headers,
    body,
  } = settings;
  const address = withoutPassword(baseURL);
  const name = `${model} at ${address}`;
  // Reasoning models accept no temperature and no top_p. What other models refuse is remembered here.
  const isReasoning = /^(?:o\d|gpt-5)/.test(model);
  // A reasoning model's thoughts count towards the limit, and nobody can tell how many it needs.
  const accepted = { temperature: !isReasoning, topP: !isReasoning, streamUsage: true, maxTokens: !isReasoning };
  const sending = unlessSilent(name, timeoutMs);
  return {
    name,
    identity: JSON.stringify(["openai", address, model, "temperature 0", ...(body ? [body] : [])]),
    formats: ["bounded", "schema", "json", "prompt"],
    timeoutMs,
    withModel: memoize((other) => openaiChat({ ...settings, model: other }), 2_000),
    send: (request) => sending((heard) => sent(request, heard)),
  };

  async function sent(request: ChatRequest, heard: () => void): Promise<ChatReply> {
    const { temperature = 0, topP, maxTokens } = request;
    const onEvent = () => {
      heard();
      request.onEvent?.();
    };
    try {
      // The library takes a third of a second to load, and many programs need none.
      const { CompletionsModel } = await import("./completions-model.js");
      // The endpoint is not silent while the library loads, which takes seconds on a busy machine.
      request.onEvent?.();
      const client = new CompletionsModel(name, {
        model,
        apiKey,
        baseURL,
        timeoutMs,
        ...(headers && { headers }),
        ...(body && { body }),
        streamUsage: accepted.streamUsage,
        ...(accepted.temperature && { temperature }),
        ...(accepted.topP && topP !== undefined && { topP }),
        ...(accepted.maxTokens && maxTokens && { maxTokens }),
      });
      const reply = await streamedReply(client, { ...request, onEvent }, model, responseFormat(request));
      if (reply.cut && accepted.maxTokens && withoutThoughts(reply.text).trim() === "") {
        accepted.maxTokens = false;
        throw new RefusedError(`${name} was cut off while it was thinking.`, { retryAfterMs: 0 });
      }
      return reply;
    } catch (thrown) {
      const error =
        thrown instanceof RefusedError ? thrown : refusal(thrown, name, { apiKey, ...(headers && { headers }) });
      const { message, status, detail } = error;
      if (status < 400 || status >= 500) throw error;
      // Some models accept one of the two, so top_p goes first.
      if (accepted.topP && topP !== undefined && /top_p/i.test(detail)) accepted.topP = false;
      else if (accepted.temperature && /temperature/i.test(detail)) accepted.temperature = false;
      else if (accepted.maxTokens && maxTokens && LIMITS_REPLY.test(detail)) accepted.maxTokens = false;
      else if (accepted.streamUsage && /stream_options|include_usage/i.test(detail)) accepted.streamUsage = false;
      else throw error;
      throw new RefusedError(message, { status, detail, retryAfterMs: 0 });
    }
  }
}

/**
 * The limit on a reply is what an endpoint does not accept, or what makes the request longer than the context: some add
 * it to the prompt.
 */
const LIMITS_REPLY = /max_(?:completion_|new_)?tokens|in the completion|output tokens|in the output/i;
