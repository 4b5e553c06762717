import { EndpointError, toError } from "../../errors.js";
import { ownLanguage } from "../../text/language.js";
import type { Language } from "../../types/evidence.js";
import { inTime, unlessAborted } from "../../waiting.js";
import type { WebSearch } from "./search.js";
import { resultsOf, TIMEOUT_MS } from "./search-request.js";

/** The search of `duck-duck-scrape`; replaced in tests, since DuckDuckGo cannot be made to answer. */
export type DuckDuckGoSearch = (
  query: string,
  options: { time: string; region: string; locale: string },
) => Promise<{ results: readonly { url: string; title: string; description: string }[] }>;

/** DuckDuckGo by `duck-duck-scrape`, which scrapes its result pages: needs no key, often blocked, a last resort. */
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
