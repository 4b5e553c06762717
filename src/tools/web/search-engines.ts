import { z } from "zod";
import { EndpointError, toError } from "../../errors.js";
import { ownLanguage } from "../../text/language.js";
import type { Language } from "../../types/evidence.js";
import { inTime, unlessAborted } from "../../waiting.js";
import type { WebSearch } from "./port.js";
import { optionalText, requestResults, resultsOf, TIMEOUT_MS } from "./search-request.js";

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
          query: text.slice(0, LONGEST_QUERY),
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
const LONGEST_QUERY = 400;
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
      url.searchParams.set("q", text.slice(0, LONGEST_QUERY));
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
