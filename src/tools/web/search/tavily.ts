import { z } from "zod";
import type { WebSearch } from "./port.js";
import { asResult, request } from "./request.js";

/** Tavily's search API, in its basic depth: pages are read by emend itself. `baseURL` is for a proxy; default Tavily's own. */
export function tavily({
  apiKey,
  baseURL = "https://api.tavily.com",
}: {
  apiKey: string;
  baseURL?: string;
}): WebSearch {
  return {
    async search({ text, region, recency }, limit, { signal } = {}) {
      const country = region && COUNTRIES.of(region.toUpperCase())?.toLowerCase();
      const { results } = await request({
        engine: "Tavily",
        url: new URL("/search", baseURL),
        headers: { authorization: `Bearer ${apiKey}` },
        body: {
          query: text.slice(0, LONGEST),
          max_results: limit,
          search_depth: "basic",
          ...(recency !== "any" && { time_range: recency }),
          ...(country && { country }),
        },
        schema: Reply,
        refused: "Check TAVILY_API_KEY.",
        signal,
      });
      const found = results.map(({ url, title, content, published_date }) =>
        asResult({ url, title: title ?? "", snippet: content ?? "", published: published_date ?? "" }),
      );
      return found.filter((result) => result !== undefined).slice(0, limit);
    },
  };
}

/** In characters; Tavily refuses longer queries. */
const LONGEST = 400;
/** Tavily wants a country by its English name. */
const COUNTRIES = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

const Reply = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
});
