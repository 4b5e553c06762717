import { z } from "zod";
import { EndpointError } from "../../errors.js";
import { deadline } from "../../waiting.js";
import { dateIn } from "./page-dates.js";
import type { WebResult } from "./port.js";

interface SearchRequest<T> {
  /** For error messages. */
  engine: string;
  url: URL;
  headers?: Record<string, string>;
  /** Sent as JSON by POST. Without it the request is a GET. */
  body?: object;
  schema: z.ZodType<T>;
  /** Tells the user what to do about a 401 or 403. */
  refused: string;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request to a search engine that the user configured, and parses the reply.
 * @throws EndpointError for any failure; the signal's reason if it is aborted.
 */
export async function requestResults<T>(asked: SearchRequest<T>): Promise<T> {
  const { engine, url, headers, body, schema, refused, signal } = asked;
  const time = deadline(TIMEOUT_MS, signal);
  const fail = (what: string, status = 0, cause?: unknown) =>
    new EndpointError(`${engine} ${what}`, status, cause === undefined ? undefined : { cause });
  try {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: { accept: "application/json", ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      // The key must not be sent to another host by a redirect.
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
    throw fail("answers with something other than search results.");
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EndpointError) throw error;
    if (time.isOver()) throw fail(`did not answer within ${TIMEOUT_MS / 1000} s.`);
    if (error instanceof SyntaxError) throw fail("answers with something other than JSON.");
    throw fail(`does not answer at ${url.origin}. Is it running?`, 0, error);
  } finally {
    time.clear();
  }
}

/** How long an engine may take, in milliseconds. */
export const TIMEOUT_MS = 10_000;
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

/** Normalises an engine's results to plain text and ISO dates, and drops those without a web address. */
export function resultsOf(given: readonly WebResult[], limit: number): WebResult[] {
  const found = given.flatMap(({ url: address, title, snippet, published }) => {
    const url = URL.parse(address);
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return [];
    return [{ url: url.href, title: oneLine(title), snippet: oneLine(snippet), published: dateIn(published) }];
  });
  return found.slice(0, limit);
}

/** Engines highlight the words of the query with tags. */
const oneLine = (text: string) =>
  text
    .replace(/<\/?(?:b|strong|em|mark|span|i)\b[^<>]{0,200}>/gi, "")
    .replace(/&(amp|lt|gt|quot|#39|#x27|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, LONGEST);
const LONGEST = 1000;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", nbsp: " " };

/** A field that an engine may leave out. */
export const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");
