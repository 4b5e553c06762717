import assert from "node:assert/strict";
import { EndpointError } from "../errors.js";
import type { WebQuery, WebSearch } from "../tools/web/port.js";
import { type ContractTest, contractOf, type Promises, stops } from "./contract.js";

/**
 * What every adapter of WebSearch promises. `words` is a query with more than one result, and `open` returns an adapter
 * over an engine that works. `broken` has adapters over engines that do not, by what is wrong with them ("is away"): if
 * they have a key, it is "secret", so that it is not found in an error.
 */
export function webSearchContract(
  words: string,
  open: () => Promise<WebSearch>,
  broken: Readonly<Record<string, () => Promise<WebSearch>>> = {},
): ContractTest[] {
  const faults = Object.entries(broken).map(([fault, opened]) => ({
    name: `throws an EndpointError if the engine ${fault}`,
    run: () => failing(words, opened),
  }));
  return [...contractOf(PROMISES, async (promise) => promise({ words, web: await open() })), ...faults];
}

const ask = (text: string): WebQuery => ({ text, language: "en", region: "", recency: "any" });

const PROMISES: Promises<{ words: string; web: WebSearch }> = {
  "returns addresses, titles and plain text": async ({ words, web }) => {
    const results = await web.search(ask(words), 10);
    assert.ok(results.length > 1);
    for (const { url, title, snippet, published } of results) {
      assert.match(URL.parse(url)?.protocol ?? "", /^https?:$/);
      assert.notEqual(title, "");
      assert.doesNotMatch(`${title} ${snippet}`, /<\/?(?:b|strong|em|span)>|[\p{Cc}]/u);
      assert.match(published, /^(?:\d{4}-\d{2}-\d{2})?$/);
    }
  },

  "returns at most as many results as asked": async ({ words, web }) => {
    assert.equal((await web.search(ask(words), 1)).length, 1);
  },

  "accepts a language, a country and an age": async ({ words, web }) => {
    const wanted: WebQuery = { text: words, language: "zh", region: "cn", recency: "year" };
    assert.ok(Array.isArray(await web.search(wanted, 5)));
  },

  "accepts any text as a query": async ({ web }) => {
    for (const text of ["\u0000\n\t", "😀", `"unbalanced (query`, "x".repeat(2_000)])
      assert.ok(Array.isArray(await web.search(ask(text), 5)), JSON.stringify(text));
  },

  "stops when aborted": ({ words, web }) => stops((signal) => web.search(ask(words), 5, { signal })),
};

async function failing(words: string, opened: () => Promise<WebSearch>) {
  const web = await opened();
  await assert.rejects(web.search(ask(words), 5), (error) => {
    assert.ok(error instanceof EndpointError, `This is no EndpointError: ${error}`);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
}
