import { z } from "zod";
import type { WebSearch } from "./search.js";
import { type HostedEngine, optionalText, request, resultsOf } from "./search-request.js";

/** Brave's web search API. `baseURL` is for a proxy; default Brave's own. */
export function brave({ apiKey, baseURL = "https://api.search.brave.com" }: HostedEngine): WebSearch {
  return {
    async search({ text, language, region, recency }, limit, { signal } = {}) {
      const url = new URL("/res/v1/web/search", baseURL);
      url.searchParams.set("q", text.slice(0, LONGEST));
      url.searchParams.set("count", String(limit));
      if (language !== "other") url.searchParams.set("search_lang", LANGUAGE[language]);
      if (region) url.searchParams.set("country", region.toUpperCase());
      if (recency !== "any") url.searchParams.set("freshness", FRESHNESS[recency]);
      const { web } = await request({
        engine: "Brave",
        url,
        headers: { "x-subscription-token": apiKey },
        schema: Reply,
        refused: "Check BRAVE_API_KEY.",
        signal,
      });
      return resultsOf(web?.results ?? [], limit);
    },
  };
}

/** In characters; Brave refuses longer queries. */
const LONGEST = 400;
const LANGUAGE = { en: "en", zh: "zh-hans" };
const FRESHNESS = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

const Result = z
  .object({ url: z.string(), title: optionalText, description: optionalText, page_age: optionalText })
  .transform(({ description, page_age, ...rest }) => ({ ...rest, snippet: description, published: page_age }));
/** A reply without results has no `web`. */
const Reply = z.object({ web: z.object({ results: z.array(Result) }).nullish() });
