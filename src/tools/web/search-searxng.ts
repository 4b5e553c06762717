import { z } from "zod";
import type { WebSearch } from "./search.js";
import { optionalText, request, resultsOf } from "./search-request.js";

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
      const { results } = await request({
        engine: "SearXNG",
        url,
        schema: Reply,
        refused: "Allow its JSON format: search.formats in its settings.yml.",
        signal,
      });
      return resultsOf(results, limit);
    },
  };
}

const Result = z
  .object({ url: z.string(), title: optionalText, content: optionalText, publishedDate: optionalText })
  .transform(({ content, publishedDate, ...rest }) => ({ ...rest, snippet: content, published: publishedDate }));
const Reply = z.object({ results: z.array(Result) });
