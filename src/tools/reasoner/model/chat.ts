import { EndpointError } from "../../../errors.js";
import type { Usage } from "../../../types/answer.js";

/** A chat model as the reasoners see it: messages in, one text out. */
export interface Chat {
  /** The model and where it is, for messages to people. Holds no key. */
  readonly name: string;
  /** Changes with everything that changes replies: model, address, settings. Holds no key. */
  readonly identity: string;
  /** The ways it can be asked for JSON, the strictest first. */
  readonly formats: readonly Format[];
  /** How long one request may take, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Sends one request, without retrying.
   * @throws RefusedError when the endpoint refused, failed or could not be reached.
   */
  send(request: ChatRequest): Promise<ChatReply>;
}

/**
 * How a reply is held to its schema: by the endpoint, with the bounds on lengths or without (some refuse those), by
 * its JSON mode, or by the prompt alone.
 */
export type Format = "bounded" | "schema" | "json" | "prompt";

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly format: Format;
  /** The reply's JSON Schema, and a name for it. */
  readonly schema: Record<string, unknown>;
  readonly schemaName: string;
  readonly signal: AbortSignal;
  /** Called with the whole text so far each time it grows. Must not throw. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface ChatReply {
  text: string;
  /** Whether the reply stopped at a length limit instead of at its end. */
  cut: boolean;
  usage: Omit<Usage, "calls">;
}

/** An endpoint's refusal, with what decides whether to ask again. */
export class RefusedError extends EndpointError {
  /** The server's own words: to look into, never to show. */
  readonly detail: string;
  /** When the same request may be sent again, in milliseconds; undefined when it makes no sense. */
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    {
      status = 0,
      detail = "",
      retryAfterMs,
      cause,
    }: { status?: number; detail?: string; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, status, cause === undefined ? {} : { cause });
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
  }
}
