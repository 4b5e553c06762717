import { expect, test, vi } from "vitest";
import { webSearchContract } from "../../../src/testing/web-search-contract.js";
import { brave, duckduckgo, searxng, tavily } from "../../../src/tools/web/search-engines.js";
import { langchainSearch } from "../../../src/tools/web/search-langchain.js";
import { keeps } from "../../contract/keeps.js";
import { fakeEngine, faults, says } from "./search-engine.js";

/** Replies in the documented formats of the providers, with careless and hostile content. */
const BRAVE = {
  type: "search",
  web: {
    results: [
      {
        url: "https://a.org/1",
        title: "Bridges",
        description: "The <strong>bridge</strong> &amp; the river\u0000",
        page_age: "2024-05-06T07:08:09",
      },
      { url: "javascript:alert(1)", title: "Evil", description: "" },
      { url: "https://b.org/2", title: "More", description: null },
    ],
  },
};
const TAVILY = {
  query: "bridge",
  response_time: 0.4,
  results: [
    {
      url: "https://a.org/1",
      title: "Bridges",
      content: "The bridge.",
      score: 0.9,
      published_date: "Mon, 06 May 2024 07:08:09 GMT",
    },
    { url: "https://b.org/2", title: "More", content: "", score: 0.3 },
  ],
};
const SEARXNG = {
  query: "bridge",
  results: [
    {
      url: "https://a.org/1",
      title: "Bridges",
      content: "The bridge.",
      engine: "x",
      publishedDate: "2024-05-06T00:00:00",
    },
    { url: "https://b.org/2", title: "More", content: "", publishedDate: null },
  ],
};
const DUCKDUCKGO = {
  results: [
    { url: "https://a.org/1", title: "Bridges", description: "The <b>bridge</b>." },
    { url: "https://b.org/2", title: "More", description: "" },
  ],
};

const over = (reply: unknown) => async () => (await fakeEngine(says(200, reply))).baseURL;

keeps(
  "Brave",
  webSearchContract(
    "bridge",
    async () => brave({ apiKey: "k", baseURL: await over(BRAVE)() }),
    faults((baseURL) => brave({ apiKey: "secret", baseURL })),
  ),
);
keeps(
  "Tavily",
  webSearchContract(
    "bridge",
    async () => tavily({ apiKey: "k", baseURL: await over(TAVILY)() }),
    faults((baseURL) => tavily({ apiKey: "secret", baseURL })),
  ),
);
keeps(
  "SearXNG",
  webSearchContract(
    "bridge",
    async () => searxng({ baseURL: await over(SEARXNG)() }),
    faults((baseURL) => searxng({ baseURL })),
  ),
);
keeps(
  "DuckDuckGo",
  webSearchContract("bridge", async () => duckduckgo({ search: async () => DUCKDUCKGO }), {
    "is out of quota": async () =>
      duckduckgo({
        search: async () => {
          throw new Error("DDG detected an anomaly in the request, you are likely making requests too quickly.");
        },
      }),
  }),
);

/** A tool like LangChain's, whose results are text. */
const tool = (reply: unknown) => langchainSearch({ name: "web", invoke: async () => reply });
keeps(
  "A LangChain tool",
  webSearchContract("bridge", async () => tool(JSON.stringify(SEARXNG.results)), {
    "is away": async () => langchainSearch({ name: "web", invoke: () => Promise.reject(new Error("no network")) }),
    "answers with a page": async () => tool("<html>secret"),
  }),
);

test.each([
  ["a list", SEARXNG.results],
  ["an object with a list", TAVILY],
  ["a text", JSON.stringify(BRAVE.web)],
  ["texts with commas between", SEARXNG.results.map((result) => JSON.stringify(result)).join(",")],
  ["links", SEARXNG.results.map(({ url, title }) => ({ link: url, title }))],
])("a LangChain tool may return %s", async (_form, reply) => {
  const found = await tool(reply).search(query, 5);
  expect(found.map(({ url }) => url)).toEqual(["https://a.org/1", "https://b.org/2"]);
});

test("a LangChain tool may report in words that it found nothing", async () => {
  expect(await tool("No good results found.").search(query, 5)).toEqual([]);
});

const query = { text: "bridge", language: "zh", region: "nl", recency: "week" } as const;

test("Brave gets its own parameters, with the key in a header", async () => {
  const { baseURL, requests } = await fakeEngine(says(200, BRAVE));
  const results = await brave({ apiKey: "k", baseURL }).search(query, 7);
  expect(requests[0]?.url).toBe("/res/v1/web/search?q=bridge&count=7&search_lang=zh-hans&country=NL&freshness=pw");
  expect(requests[0]?.headers["x-subscription-token"]).toBe("k");
  expect(results[0]).toEqual({
    url: "https://a.org/1",
    title: "Bridges",
    snippet: "The bridge & the river",
    published: "2024-05-06",
  });
  expect(results.map(({ url }) => url)).toEqual(["https://a.org/1", "https://b.org/2"]);
});

test("a reply of Brave without a list means no results", async () => {
  const { baseURL } = await fakeEngine(says(200, { type: "search" }));
  expect(await brave({ apiKey: "k", baseURL }).search(query, 7)).toEqual([]);
});

test("Tavily gets its own parameters", async () => {
  const { baseURL, requests } = await fakeEngine(says(200, TAVILY));
  const results = await tavily({ apiKey: "k", baseURL }).search(query, 7);
  expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
    query: "bridge",
    max_results: 7,
    search_depth: "basic",
    time_range: "week",
    country: "netherlands",
  });
  expect(requests[0]?.headers.authorization).toBe("Bearer k");
  expect(results[0]?.published).toBe("2024-05-06");
});

test("SearXNG below a path is requested there, with a language and country", async () => {
  const { baseURL, requests } = await fakeEngine(says(200, SEARXNG));
  await searxng({ baseURL: `${baseURL}/search-engine/` }).search(query, 7);
  expect(requests[0]?.url).toBe("/search-engine/search?q=bridge&format=json&language=zh-NL&time_range=week");
});

test("a question in another language than English or Chinese searches pages in any language", async () => {
  const { baseURL, requests } = await fakeEngine((request, response) =>
    says(200, request.url?.includes("format") ? SEARXNG : BRAVE)(request, response),
  );
  const other = { ...query, language: "other" } as const;
  await brave({ apiKey: "k", baseURL }).search(other, 7);
  await searxng({ baseURL }).search(other, 7);
  expect(requests[0]?.url).toBe("/res/v1/web/search?q=bridge&count=7&country=NL&freshness=pw");
  expect(requests[1]?.url).toBe("/search?q=bridge&format=json&language=all&time_range=week");
});

test("a key never follows a redirect", async () => {
  const elsewhere = await fakeEngine(says(200, TAVILY));
  const { baseURL } = await fakeEngine((_request, response) => {
    response.writeHead(307, { location: elsewhere.baseURL });
    response.end();
  });
  await expect(tavily({ apiKey: "k", baseURL }).search(query, 5)).rejects.toThrow("does not answer");
  expect(elsewhere.requests).toEqual([]);
});

test.each([
  [query, { time: "w", region: "nl-zh", locale: "zh-cn" }],
  [{ ...query, language: "en", region: "", recency: "year" } as const, { time: "y", region: "wt-wt", locale: "en-us" }],
  [{ ...query, language: "other", recency: "any" } as const, { time: "a", region: "wt-wt", locale: "en-us" }],
])("DuckDuckGo gets the language, the country and the age of %j", async (asked, options) => {
  const search = vi.fn(async () => DUCKDUCKGO);
  await duckduckgo({ search }).search(asked, 5);
  expect(search).toHaveBeenCalledWith("bridge", options);
});

test("blocking by DuckDuckGo is reported with an alternative", async () => {
  const blocked = duckduckgo({ search: () => Promise.reject(new Error("Failed to get the VQD for query")) });
  await expect(blocked.search(query, 5)).rejects.toMatchObject({
    status: 429,
    message: expect.stringContaining("EMEND_WEB"),
  });
});
