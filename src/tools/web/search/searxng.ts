import { z } from "zod";
import type { WebSearch } from "./port.js";
import { asResult, request } from "./request.js";

/** SearXNG, or an older searx, by its JSON API. `baseURL` is the instance's address; it may be a private one. */
export function searxng({ baseURL }: { baseURL: string }): WebSearch {
  return {
    async search({ text, language, region, recency }, limit, { signal } = {}) {
      const url = new URL("search", baseURL.replace(/\/*$/, "/"));
      url.searchParams.set("q", text);
      url.searchParams.set("format", "json");
      url.searchParams.set("language", region ? `${language}-${region.toUpperCase()}` : language);
      if (recency !== "any") url.searchParams.set("time_range", recency);
      const { results } = await request({
        engine: "SearXNG",
        url,
        schema: Reply,
        refused: "Allow its JSON format: search.formats in its settings.yml.",
        signal,
      });
      const found = results.map(({ url, title, content, publishedDate }) =>
        asResult({ url, title: title ?? "", snippet: content ?? "", published: publishedDate ?? "" }),
      );
      return found.filter((result) => result !== undefined).slice(0, limit);
    },
  };
}

const Reply = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
});
