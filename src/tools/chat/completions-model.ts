import { ChatOpenAICompletions } from "@langchain/openai";
import { boundedFetch, type ModelSettings, property } from "../endpoint/endpoint.js";
import { refusal, type Secrets } from "./chat-refusal.js";

interface CompletionsSettings extends ModelSettings {
  apiKey: string;
  baseURL: string;
  timeoutMs: number;
  streamUsage: boolean;
  temperature?: number;
  topP?: number;
  maxTokens?: number;
}

/**
 * The part of LangChain's `ChatOpenAI` that asks by Chat Completions, for an endpoint that is not trusted. `ChatOpenAI`
 * itself asks some models by the Responses API, which keeps what it is sent and which few other servers have.
 */
export class CompletionsModel extends ChatOpenAICompletions {
  /** The address may contain a password, so traces get the class alone. */
  override lc_serializable = false;

  readonly #label: string;
  readonly #secrets: Secrets;

  /** @param label how errors name it. */
  constructor(label: string, { baseURL, timeoutMs, headers = {}, body, ...settings }: CompletionsSettings) {
    const configuration = {
      baseURL,
      fetch: boundedFetch(MAX_BYTES),
      logLevel: "off",
      defaultHeaders: headers,
    } as const;
    super({ ...settings, ...(body && { modelKwargs: body }), configuration, timeout: timeoutMs, maxRetries: 0 });
    this.#label = label;
    this.#secrets = { apiKey: settings.apiKey, headers };
  }

  /** @throws RefusedError, so that traces get no error that repeats a key. */
  override async *_streamResponseChunks(...asked: Parameters<ChatOpenAICompletions["_streamResponseChunks"]>) {
    try {
      yield* super._streamResponseChunks(...asked);
    } catch (error) {
      throw refusal(error, this.#label, this.#secrets);
    }
  }

  /** Reads the text of an event alone. Some endpoints send it as a list of parts, which LangChain leaves out. */
  protected override _convertCompletionsDeltaToBaseMessageChunk(
    ...[{ content }, event]: Parameters<ChatOpenAICompletions["_convertCompletionsDeltaToBaseMessageChunk"]>
  ) {
    const texts = Array.isArray(content) ? content.map((part) => property(part, "text")) : [content];
    const text = texts.filter((some) => typeof some === "string").join("");
    return super._convertCompletionsDeltaToBaseMessageChunk({ content: text, role: "assistant" }, event);
  }
}

/** In bytes, uncompressed: enough for the longest reply with one event per character. */
const MAX_BYTES = 20_000_000;
