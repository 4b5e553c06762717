import { RefusedError } from "./chat.js";

/** What a client threw, as one clear sentence that names the endpoint and what to set. No key gets into it. */
export function refusal(thrown: unknown, name: string, key: unknown): RefusedError {
  // A client may wrap the endpoint's error in one of its own.
  const cause = chain(thrown).find((error) => statusOf(error) > 0) ?? thrown;
  const status = statusOf(cause);
  const detail = wordsOf(cause, key);
  const retryAfterMs = status === 429 || status === 503 ? waitOf(cause, status) : undefined;
  return new RefusedError(sentence(status, name, detail, cause), {
    status,
    detail,
    cause: cleaned(cause, detail),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function sentence(status: number, name: string, detail: string, cause: unknown): string {
  if (status === 401 || status === 403)
    return `${name} refused the key (${status}). Set OPENAI_API_KEY to a key that may use this model.`;
  if (status === 404)
    return `${name} is not found (404). Check the model's name, and OPENAI_BASE_URL, which often ends in /v1.`;
  if (status === 429) return `${name} limits the rate of requests (429). Wait, or use another model or key.`;
  if (status === 413 || TOO_LONG.test(detail))
    return `The sources are too long for ${name}. Use fewer passages, or a model with a longer context.`;
  if (status >= 500) return `${name} failed (${status}${said(detail)}). Try again, or read the server's log.`;
  if (status > 0) return `${name} refused the request (${status}${said(detail)}).`;
  const code = codeOf(cause);
  if (code !== "") return `${name} cannot be reached (${code}). Is it running, and is OPENAI_BASE_URL right?`;
  return `${name} broke off its reply${said(detail)}.`;
}

const TOO_LONG = /context.{0,20}(?:length|size|window)|maximum context|too many tokens/i;

const said = (detail: string) => (detail === "" ? "" : `: ${detail.slice(0, 160)}`);

/** A part of something that may have any shape. */
export const property = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;

function statusOf(cause: unknown): number {
  const found =
    property(cause, "status") ?? property(cause, "statusCode") ?? property(property(cause, "response"), "status");
  return typeof found === "number" && found >= 100 && found < 600 ? found : 0;
}

/** The server's words on one line, without the key or anything that looks like one. */
function wordsOf(cause: unknown, key: unknown): string {
  const message = property(property(cause, "error"), "message") ?? property(cause, "message");
  if (typeof message !== "string") return "";
  const words = message.split("\n\nTroubleshooting URL")[0] ?? "";
  return (typeof key === "string" && key.length > 4 ? words.replaceAll(key, "…") : words)
    .replace(/\s+/g, " ")
    .replace(/\b(?:sk|pk|key|gsk|xai)[-_][\w*.-]{6,}|\bBearer\s+\S+/gi, "…")
    .trim()
    .slice(0, 1000);
}

/** The system's error code somewhere in the chain of causes: ECONNREFUSED, ENOTFOUND. */
function codeOf(cause: unknown): string {
  const codes = chain(cause).map((error) => property(error, "code"));
  return (
    codes.find((code) => typeof code === "string" && /^E[A-Z_]+$|^UND_ERR_CONNECT|CERT/.test(code))?.toString() ?? ""
  );
}

/** An error, its cause, the cause of that. */
function chain(error: unknown, depth = 5): unknown[] {
  return error === undefined || depth === 0 ? [] : [error, ...chain(property(error, "cause"), depth - 1)];
}

/** Seconds or a date, as `retry-after` gives them; a bare 429 is worth one short wait. */
function waitOf(cause: unknown, status: number): number | undefined {
  const header = headerOf(
    property(cause, "headers") ?? property(property(cause, "response"), "headers"),
    "retry-after",
  );
  if (header === undefined) return status === 429 ? 1000 : undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function headerOf(headers: unknown, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = property(headers, name);
  return typeof value === "string" ? value : undefined;
}

/** Client errors carry request headers with them; only the words go on. */
const cleaned = (cause: unknown, detail: string) =>
  new Error(detail === "" ? "no reason given" : detail, cause instanceof Error ? { cause: cause.name } : {});
