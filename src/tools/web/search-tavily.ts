import { z } from "zod";
import type { WebSearch } from "./search.js";
import { type HostedEngine, optionalText, request, resultsOf } from "./search-request.js";

/** Tavily's search API, at basic depth: emend reads pages itself. `baseURL` is for a proxy; default Tavily's own. */
export function tavily({ apiKey, baseURL = "https://api.tavily.com" }: HostedEngine): WebSearch {
  return {
    async search({ text, region, recency }, limit, { signal } = {}) {
      const country = region && countries().of(region.toUpperCase())?.toLowerCase();
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
      return resultsOf(results, limit);
    },
  };
}

/** In characters; Tavily refuses longer queries. */
const LONGEST = 400;
/** Tavily takes countries by their English names. */
const countries = () => new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

const Result = z
  .object({ url: z.string(), title: optionalText, content: optionalText, published_date: optionalText })
  .transform(({ content, published_date, ...rest }) => ({ ...rest, snippet: content, published: published_date }));
const Reply = z.object({ results: z.array(Result) });
