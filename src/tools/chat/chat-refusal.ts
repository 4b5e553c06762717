import { type ModelSettings, property, waitIn, withoutSecrets } from "../endpoint/endpoint.js";
import { RefusedError } from "./port.js";

/** What is never shown of an endpoint. */
export type Secrets = Pick<ModelSettings, "apiKey" | "headers">;

/** Turns an error thrown by a client into one sentence that names the endpoint and what to change, without secrets. */
export function refusal(thrown: unknown, name: string, secrets: Secrets): RefusedError {
  // A client may wrap the endpoint's error in one of its own.
  const cause = chain(thrown).find((error) => statusOf(error) > 0) ?? thrown;
  const status = statusOf(cause);
  const detail = messageOf(cause, secrets);
  return new RefusedError(sentence(status, name, detail, cause), {
    status,
    detail,
    retryAfterMs: status === 429 || status === 503 ? waitOf(cause, status) : undefined,
    // Client errors contain request headers, so only the message is passed on.
    cause: new Error(detail === "" ? "no reason given" : detail, cause instanceof Error ? { cause: cause.name } : {}),
  });
}

function sentence(status: number, name: string, detail: string, cause: unknown): string {
  if (status === 401 || status === 403)
    return `${name} refused the key (${status}). Set OPENAI_API_KEY to a key that may use this model.`;
  if (status === 404)
    return `${name} is not found (404). Check the model's name, and OPENAI_BASE_URL, which often ends in /v1.`;
  if (saysTooLong({ status, detail }))
    return `The sources are too long for ${name}. Use fewer passages, or a model with a longer context.`;
  if (status === 429) return `${name} limits the rate of requests (429). Wait, or use another model or key.`;
  if (status >= 500) return `${name} failed (${status}${detailText(detail)}). Try again, or read the server's log.`;
  if (status > 0) return `${name} refused the request (${status}${detailText(detail)}).`;
  const code = codeOf(cause);
  if (code !== "") return `${name} cannot be reached (${code}). Is it running, and is OPENAI_BASE_URL right?`;
  return `${name} broke off its reply${detailText(detail)}.`;
}

/**
 * True if an endpoint refused a request for its length. Each server has words of its own; some send them in the middle
 * of a reply, without a status, and OpenAI refuses what is longer than a minute's share of tokens with 429.
 */
export const saysTooLong = ({ status, detail }: Pick<RefusedError, "status" | "detail">): boolean =>
  status === 413 || (MAY_SAY_TOO_LONG.has(status) && TOO_LONG.test(detail)) || (status === 429 && LARGER.test(detail));

const MAY_SAY_TOO_LONG = new Set([0, 400, 422, 500]);

const LARGER = /request too large/i;

const TOO_LONG = new RegExp(
  [
    "context.{0,20}(?:length|size|window|limit)|(?:num|n)_ctx",
    "maximum.{0,30}tokens|maximum (?:prompt|model|sequence|input|allowed).{0,20}length",
    "too many (?:input )?tokens|exceed.{0,40}tokens?\\b|tokens?\\b.{0,40}exceed",
    "(?:prompt|input|inputs|request|messages?)\\W.{0,60}(?:too (?:long|large)|longer than|exceed|must have less)",
    "range of input length|reduce the length",
    // What an older vLLM says if the prompt alone is longer than the context.
    "max_tokens must be at least 1, got -",
    "上下文.{0,10}(?:过长|超)|超(?:过|出|长).{0,20}(?:上下文|长度|token)|超长",
  ].join("|"),
  "i",
);

/** Drops the full stop, since the sentence around it goes on. */
const detailText = (detail: string) => (detail === "" ? "" : `: ${detail.slice(0, 160).replace(/[.。]+$/u, "")}`);

function statusOf(cause: unknown): number {
  const found =
    property(cause, "status") ??
    property(cause, "statusCode") ??
    property(cause, "status_code") ??
    property(property(cause, "response"), "status");
  return typeof found === "number" && found >= 100 && found < 600 ? found : 0;
}

/** Returns the server's message on one line, without secrets or anything that looks like a key. */
function messageOf(cause: unknown, secrets: Secrets): string {
  const message = property(property(cause, "error"), "message") ?? property(cause, "message");
  if (typeof message !== "string") return "";
  const said = message.split("\n\nTroubleshooting URL")[0] ?? "";
  return withoutSecrets(said, secrets)
    .replace(/\s+/g, " ")
    .replace(/\b(?:sk|pk|key|gsk|xai)[-_][\w*.-]{6,}|\bBearer\s+\S+/gi, "…")
    .trim()
    .slice(0, 1000);
}

/** Returns the first system error code in the chain of causes: ECONNREFUSED, ENOTFOUND. */
function codeOf(cause: unknown): string {
  const codes = chain(cause).map((error) => String(property(error, "code")));
  return codes.find((code) => /^E[A-Z_]+$|^UND_ERR_CONNECT|CERT/.test(code)) ?? "";
}

/** Returns an error, its cause, the cause of that, and so on. */
function chain(error: unknown, depth = 5): unknown[] {
  return error === undefined || depth === 0 ? [] : [error, ...chain(property(error, "cause"), depth - 1)];
}

/** Returns the wait in milliseconds that the endpoint asks for; 1,000 for a 429 that asks for none. */
function waitOf(cause: unknown, status: number): number | undefined {
  const headers = property(cause, "headers") ?? property(property(cause, "response"), "headers");
  const header = headers instanceof Headers ? headers.get("retry-after") : property(headers, "retry-after");
  return typeof header === "string" || status !== 429 ? waitIn(header) : 1000;
}
