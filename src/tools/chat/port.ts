import { EndpointError } from "../../errors.js";
import type { Usage } from "../../types/answer.js";

/** A chat model: messages in, one text out. */
export interface Chat {
  /** The model and its address, for messages to users. Contains no key. */
  readonly name: string;
  /** Changes with everything that affects replies: model, address, settings. Contains no key. */
  readonly identity: string;
  /** The formats to try, the strictest first. */
  readonly formats: readonly Format[];
  /** How long the endpoint may be silent, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns another model at the same endpoint. A chat without it always asks its own model. */
  withModel?(model: string): Chat;
  /**
   * Sends one request, without retrying.
   * @throws RefusedError when the endpoint refused, failed or could not be reached.
   */
  send(request: ChatRequest): Promise<ChatReply>;
}

/**
 * How the schema is enforced: by the endpoint with limits on lengths ("bounded") or without them ("schema", since some
 * endpoints refuse limits), as the arguments of a tool that the model must call ("tool"), by the endpoint's JSON mode
 * ("json"), or by the prompt alone ("prompt").
 */
export type Format = "bounded" | "schema" | "tool" | "json" | "prompt";

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** "prose": the reply is not JSON, and nothing is enforced. */
  readonly format: Format | "prose";
  /** JSON Schema of the reply; empty for prose. */
  readonly schema: Record<string, unknown>;
  readonly schemaName: string;
  readonly signal: AbortSignal;
  /** The most tokens of a reply. Endpoints that cannot limit replies ignore it. */
  readonly maxTokens?: number | undefined;
  /** From 0 to 2. Default: 0. Models that accept none ignore it, and so do those that have a temperature of their own. */
  readonly temperature?: number | undefined;
  /** From 0 to 1. Default: the model's. The same models ignore it. */
  readonly topP?: number | undefined;
  /**
   * Called for every event of the endpoint, even one without text, and when the client's library has loaded. Must not
   * throw.
   */
  readonly onEvent?: (() => void) | undefined;
  /** Called with the whole text so far each time it grows. Must not throw. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface ChatReply {
  text: string;
  /** True if the reply was truncated at a length limit. */
  cut: boolean;
  usage: Omit<Usage, "calls">;
}

/** A failure of the endpoint, with what a caller needs to decide whether to retry. */
export class RefusedError extends EndpointError {
  /** The server's message, for program logic only: it is never shown. */
  readonly detail: string;
  /** How long to wait before a retry, in milliseconds; undefined if a retry makes no sense. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, { status = 0, detail = "", retryAfterMs, cause }: Refusal = {}) {
    super(message, status, cause === undefined ? {} : { cause });
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The request was longer than the model's context: the endpoint says so, or has left out a part of it without a word. */
export class TooLongError extends EndpointError {
  constructor(name: string, options?: ErrorOptions) {
    super(
      `The request is longer than the context of ${name}. Give it a larger one (OLLAMA_CONTEXT_LENGTH for Ollama).`,
      0,
      options,
    );
  }
}

interface Refusal {
  status?: number;
  detail?: string;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}
