import { describe, expect, test } from "vitest";
import { EndpointError } from "../../src/errors.js";
import type { WebSearch } from "../../src/tools/web/port.js";

/**
 * Every adapter of WebSearch keeps these promises. `words` is a query with more than one result.
 * `open` returns an adapter over an engine that works; `broken` has adapters over engines that fail as their names say.
 */
export function webSearchContract(
  name: string,
  words: string,
  open: () => Promise<WebSearch>,
  broken: Partial<Record<Fault, () => Promise<WebSearch>>>,
) {
  const query = { text: words, language: "en", region: "", recency: "any" } as const;

  describe(`${name} keeps the promises of WebSearch`, () => {
    test("returns addresses, titles and plain text", async () => {
      const results = await (await open()).search(query, 10);
      expect(results.length).toBeGreaterThan(1);
      for (const { url, title, snippet, published } of results) {
        expect(URL.parse(url)?.protocol).toMatch(/^https?:$/);
        expect(title).not.toBe("");
        expect(`${title} ${snippet}`).not.toMatch(/<\/?(?:b|strong|em|span)>|[\p{Cc}]/u);
        expect(published).toMatch(/^(?:\d{4}-\d{2}-\d{2})?$/);
      }
    });

    test("returns at most as many results as asked", async () => {
      expect(await (await open()).search(query, 1)).toHaveLength(1);
    });

    test("accepts a language, a country and an age", async () => {
      const wanted = { text: words, language: "zh", region: "cn", recency: "year" } as const;
      expect(Array.isArray(await (await open()).search(wanted, 5))).toBe(true);
    });

    test.each(["\u0000\n\t", "😀", `"unbalanced (query`, "x".repeat(2_000)])("accepts the query %j", async (text) => {
      expect(Array.isArray(await (await open()).search({ ...query, text }, 5))).toBe(true);
    });

    test("stops when aborted", async () => {
      const signal = AbortSignal.abort(new Error("the user left"));
      await expect((await open()).search(query, 5, { signal })).rejects.toThrow("the user left");
    });

    test.each(Object.entries(broken))("throws an EndpointError if the engine %s", async (_fault, opened) => {
      const failed = (await opened()).search(query, 5);
      await expect(failed).rejects.toThrow(EndpointError);
      await expect(failed).rejects.not.toThrow(/secret/);
    });
  });
}

type Fault =
  | "is away"
  | "refuses"
  | "is out of quota"
  | "answers with a page"
  | "answers with another shape"
  | "breaks off";
