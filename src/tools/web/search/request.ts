import type { z } from "zod";
import { EndpointError } from "../../../errors.js";
import { deadline } from "../../../waiting.js";
import type { WebResult } from "./port.js";

export interface SearchRequest<T> {
  /** The engine's name, for people. */
  engine: string;
  url: URL;
  headers?: Record<string, string>;
  /** Sent as JSON by POST; without one it is a GET. */
  body?: object;
  schema: z.ZodType<T>;
  /** What to do about a refusal (401, 403). */
  refused: string;
  signal?: AbortSignal | undefined;
}

/**
 * One request to a search engine that was set up by the user, and its reply in the shape that was agreed.
 * @throws EndpointError whatever goes wrong; the signal's reason when the caller gave up.
 */
export async function request<T>({
  engine,
  url,
  headers,
  body,
  schema,
  refused,
  signal,
}: SearchRequest<T>): Promise<T> {
  const time = deadline(TIMEOUT_MS, signal);
  const fail = (what: string, status = 0, cause?: unknown) =>
    new EndpointError(`${engine} ${what}`, status, cause === undefined ? undefined : { cause });
  try {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: { accept: "application/json", ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      // A key must not follow a redirect to somebody else.
      redirect: "error",
      signal: time.signal,
    });
    const { status } = response;
    if (!response.ok) {
      await response.body?.cancel();
      if (status === 401 || status === 403) throw fail(`refuses the request (${status}). ${refused}`, status);
      if (status === 429) throw fail("has had too many requests or is out of quota (429). Try again later.", status);
      throw fail(`answers with status ${status}.`, status);
    }
    const parsed = schema.safeParse(JSON.parse(await textOf(response)));
    if (parsed.success) return parsed.data;
    throw fail("answers with something else than search results.");
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EndpointError) throw error;
    if (time.isOver()) throw fail(`did not answer within ${TIMEOUT_MS / 1000} s.`);
    if (error instanceof SyntaxError) throw fail("answers with something else than JSON.");
    throw fail(`does not answer at ${url.origin}. Is it running?`, 0, error);
  } finally {
    time.clear();
  }
}

const TIMEOUT_MS = 10_000;
const LARGEST = 2_000_000;

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > LARGEST) throw new SyntaxError("too long");
  }
  return text + decoder.decode();
}

/** A result as the port has it: plain text, a real web address, an ISO date. Undefined for what has no address. */
export function asResult(given: {
  url: string;
  title: string;
  snippet: string;
  published: string;
}): WebResult | undefined {
  const url = URL.parse(given.url);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  return {
    url: url.href,
    title: oneLine(given.title),
    snippet: oneLine(given.snippet),
    published: isoDate(given.published),
  };
}

/** Engines mark the words of the query by tags. */
const oneLine = (text: string) =>
  text
    .replace(/<\/?(?:b|strong|em|mark|span|i)\b[^<>]{0,200}>/gi, "")
    .replace(/&(amp|lt|gt|quot|#39|#x27|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, LONGEST);
const LONGEST = 1000;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", nbsp: " " };

function isoDate(text: string): string {
  const [day = ""] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  const time = day ? Date.parse(`${day}T00:00:00Z`) : Date.parse(text);
  return Number.isNaN(time) ? "" : new Date(time).toISOString().slice(0, "2026-01-31".length);
}
