import { EndpointError } from "../../../errors.js";
import type { WebSearch } from "./port.js";
import { asResult } from "./request.js";

/** What the library finds; another one in tests, since DuckDuckGo itself cannot be made to answer. */
export type DuckDuckGoSearch = (
  query: string,
  options: { time: string; region: string; locale: string },
) => Promise<{ results: readonly { url: string; title: string; description: string }[] }>;

/**
 * DuckDuckGo by `duck-duck-scrape`, which reads its result pages: no key, and often blocked. A last resort.
 * Needs the package `duck-duck-scrape`.
 */
export function duckduckgo({ search = bySite }: { search?: DuckDuckGoSearch } = {}): WebSearch {
  return {
    async search({ text, language, region, recency }, limit, { signal } = {}) {
      const gone = Promise.withResolvers<never>();
      const giveUp = () => gone.reject(signal?.reason);
      signal?.throwIfAborted();
      signal?.addEventListener("abort", giveUp, { once: true });
      const timer = setTimeout(() => gone.reject(new Error("it did not answer in time")), TIMEOUT_MS);
      try {
        const options = { time: TIME[recency], region: regionOf(language, region), locale: LOCALE[language] };
        const { results } = await Promise.race([search(text, options), gone.promise]);
        const found = results.map(({ url, title, description }) =>
          asResult({ url, title, snippet: description, published: "" }),
        );
        return found.filter((result) => result !== undefined).slice(0, limit);
      } catch (error) {
        signal?.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        throw new EndpointError(
          `DuckDuckGo cannot be searched (${why.slice(0, 200)}). It blocks programs often: set EMEND_WEB to searxng, brave or tavily.`,
          /anomaly|too quickly|VQD/i.test(why) ? 429 : 0,
          { cause: error },
        );
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
      }
    },
  };
}

const bySite: DuckDuckGoSearch = async (query, options) => {
  const { default: library } = await import("duck-duck-scrape");
  return library.search(query, options);
};

const TIMEOUT_MS = 10_000;
const TIME = { any: "a", day: "d", week: "w", month: "m", year: "y" } as const;
const LOCALE = { en: "en-us", zh: "zh-cn" } as const;

/** DuckDuckGo names regions with their language: "nl-nl", "cn-zh". */
const regionOf = (language: "en" | "zh", region: string) => (region ? `${region.toLowerCase()}-${language}` : "wt-wt");
