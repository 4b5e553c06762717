import { ChatOpenAI } from "@langchain/openai";
import { type Chat, type ChatRequest, RefusedError } from "./chat.js";
import { stream } from "./langchain.js";

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
  // Reasoning models take no temperature; others that refuse one, or refuse to report usage, are noticed once.
  const taken = { temperature: !/^(?:o\d|gpt-5)/.test(model), streamUsage: true };
  let client = build();
  function build() {
    return new ChatOpenAI({
      model,
      apiKey,
      configuration: { baseURL },
      maxRetries: 0,
      timeout: timeoutMs,
      streamUsage: taken.streamUsage,
      ...(taken.temperature ? { temperature: 0 } : {}),
    });
  }
  function without(option: keyof typeof taken, refused: RefusedError): never {
    taken[option] = false;
    client = build();
    throw new RefusedError(refused.message, { status: refused.status, detail: refused.detail, retryAfterMs: 0 });
  }
  return {
    name,
    identity: JSON.stringify(["openai", shown(baseURL), model, "temperature 0"]),
    formats: ["bounded", "schema", "json", "prompt"],
    timeoutMs,
    async send(request: ChatRequest) {
      try {
        return await stream(client, name, request);
      } catch (error) {
        if (error instanceof RefusedError && error.status >= 400 && error.status < 500) {
          if (taken.temperature && /temperature/i.test(error.detail)) without("temperature", error);
          if (taken.streamUsage && /stream_options|include_usage/i.test(error.detail)) without("streamUsage", error);
        }
        throw error;
      }
    },
  };
}

/** The address as people may read it: without user and password. */
function shown(baseURL: string): string {
  if (!URL.canParse(baseURL)) return baseURL;
  const url = new URL(baseURL);
  return `${url.origin}${url.pathname}`.replace(/\/$/, "");
}
