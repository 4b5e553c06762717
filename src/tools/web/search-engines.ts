import { z } from "zod";
import { EndpointError, toError } from "../../errors.js";
import { ownLanguage } from "../../text/language.js";
import type { Language } from "../../types/language.js";
import { deadline, inTime, unlessAborted } from "../../waiting.js";
import { dateIn } from "./page-dates.js";
import type { WebResult, WebSearch } from "./port.js";

/** A field that an engine may leave out. */
const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** The JSON API of SearXNG, or of an older searx. `baseURL` is the instance's address, which may be private. */
export function searxng({ baseURL }: { baseURL: string }): WebSearch {
  return {
    async search({ text, language, region, recency }, limit, { signal } = {}) {
      const known = language === "other" ? "all" : language;
      const url = new URL("search", baseURL.replace(/\/*$/, "/"));
      url.searchParams.set("q", text);
      url.searchParams.set("format", "json");
      url.searchParams.set("language", region && known !== "all" ? `${known}-${region.toUpperCase()}` : known);
      if (recency !== "any") url.searchParams.set("time_range", recency);
      const { results } = await requestResults({
        engine: "SearXNG",
        url,
        schema: SearxngReply,
        refused: "Allow its JSON format: search.formats in its settings.yml.",
        signal,
      });
      return resultsOf(results, limit);
    },
  };
}

const SearxngResult = z
  .object({ url: z.string(), title: optionalText, content: optionalText, publishedDate: optionalText })
  .transform(({ content, publishedDate, ...rest }) => ({ ...rest, snippet: content, published: publishedDate }));
const SearxngReply = z.object({ results: z.array(SearxngResult) });

/** An engine that is a hosted service. */
interface HostedEngine {
  apiKey: string;
  baseURL?: string;
}

/** Tavily's search API, at basic depth: emend reads pages itself. `baseURL` is for a proxy; default Tavily's own. */
export function tavily({ apiKey, baseURL = "https://api.tavily.com" }: HostedEngine): WebSearch {
  return {
    async search({ text, region, recency }, limit, { signal } = {}) {
      const country = region && countries().of(region.toUpperCase())?.toLowerCase();
      const { results } = await requestResults({
        engine: "Tavily",
        url: new URL("/search", baseURL),
        headers: { authorization: `Bearer ${apiKey}` },
        body: {
          query: text.slice(0, MAX_QUERY),
          max_results: limit,
          search_depth: "basic",
          ...(recency !== "any" && { time_range: recency }),
          ...(country && { country }),
        },
        schema: TavilyReply,
        refused: "Check TAVILY_API_KEY.",
        signal,
      });
      return resultsOf(results, limit);
    },
  };
}

/** In characters; Tavily and Brave refuse longer queries. */
const MAX_QUERY = 400;
/** Tavily takes countries by their English names. */
const countries = () => new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

const TavilyResult = z
  .object({ url: z.string(), title: optionalText, content: optionalText, published_date: optionalText })
  .transform(({ content, published_date, ...rest }) => ({ ...rest, snippet: content, published: published_date }));
const TavilyReply = z.object({ results: z.array(TavilyResult) });

/** Brave's web search API. `baseURL` is for a proxy; default Brave's own. */
export function brave({ apiKey, baseURL = "https://api.search.brave.com" }: HostedEngine): WebSearch {
  return {
    async search({ text, language, region, recency }, limit, { signal } = {}) {
      const url = new URL("/res/v1/web/search", baseURL);
      url.searchParams.set("q", text.slice(0, MAX_QUERY));
      url.searchParams.set("count", String(limit));
      if (language !== "other") url.searchParams.set("search_lang", LANGUAGE[language]);
      if (region) url.searchParams.set("country", region.toUpperCase());
      if (recency !== "any") url.searchParams.set("freshness", FRESHNESS[recency]);
      const { web } = await requestResults({
        engine: "Brave",
        url,
        headers: { "x-subscription-token": apiKey },
        schema: BraveReply,
        refused: "Check BRAVE_API_KEY.",
        signal,
      });
      return resultsOf(web?.results ?? [], limit);
    },
  };
}

const LANGUAGE = { en: "en", zh: "zh-hans" };
const FRESHNESS = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

const BraveResult = z
  .object({ url: z.string(), title: optionalText, description: optionalText, page_age: optionalText })
  .transform(({ description, page_age, ...rest }) => ({ ...rest, snippet: description, published: page_age }));
/** A reply without results has no `web`. */
const BraveReply = z.object({ web: z.object({ results: z.array(BraveResult) }).nullish() });

/** The search of `duck-duck-scrape`; replaced in tests, since DuckDuckGo cannot be made to answer. */
type DuckDuckGoSearch = (
  query: string,
  options: { time: string; region: string; locale: string },
) => Promise<{ results: readonly { url: string; title: string; description: string }[] }>;

/**
 * DuckDuckGo through `duck-duck-scrape`, which scrapes its result pages. Needs no key, but is often blocked: a last
 * resort.
 */
export function duckduckgo({ search = bySite }: { search?: DuckDuckGoSearch } = {}): WebSearch {
  return {
    async search({ text, language, region, recency }, limit, { signal } = {}) {
      signal?.throwIfAborted();
      try {
        const options = {
          time: TIME[recency],
          region: regionOf(language, region),
          locale: LOCALE[ownLanguage(language)],
        };
        const found = search(text, options);
        const reply = signal ? unlessAborted(found, signal) : found;
        const { results } = await inTime(reply, TIMEOUT_MS, () => new Error("it did not answer in time"));
        const given = results.map(({ description, ...rest }) => ({ ...rest, snippet: description, published: "" }));
        return resultsOf(given, limit);
      } catch (error) {
        signal?.throwIfAborted();
        const why = toError(error).message;
        throw new EndpointError(
          `DuckDuckGo cannot be searched (${why.slice(0, 200)}). It blocks programs often: set EMEND_WEB to searxng, brave or tavily.`,
          /anomaly|too quickly|VQD/i.test(why) ? 429 : 0,
          { cause: error },
        );
      }
    },
  };
}

const bySite: DuckDuckGoSearch = async (query, options) => {
  const { default: library } = await import("duck-duck-scrape");
  return library.search(query, options);
};

const TIME = { any: "a", day: "d", week: "w", month: "m", year: "y" } as const;
const LOCALE = { en: "en-us", zh: "zh-cn" } as const;

/** DuckDuckGo's names of regions include the language: "nl-nl", "cn-zh". */
const regionOf = (language: Language, region: string) =>
  region && language !== "other" ? `${region.toLowerCase()}-${language}` : "wt-wt";

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
async function requestResults<T>(asked: SearchRequest<T>): Promise<T> {
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
const TIMEOUT_MS = 10_000;
const MAX_REPLY = 2_000_000;

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_REPLY) throw new SyntaxError("too long");
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
    .slice(0, MAX_TEXT);
const MAX_TEXT = 1000;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", nbsp: " " };
