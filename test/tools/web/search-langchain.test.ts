import { DynamicTool, tool } from "@langchain/core/tools";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { EndpointError } from "../../../src/errors.js";
import { langchainSearch, type SearchTool } from "../../../src/tools/web/search-langchain.js";

/** Tools with the schemas of LangChain's, and replies of its search tools. */
const query = { text: "bridge", language: "en", region: "", recency: "any" } as const;
const RESULTS = [
  { title: "Bridges", url: "https://a.org/1", content: "The bridge.", score: 0.9, raw_content: null },
  { title: "More", url: "https://b.org/2", content: "A river." },
];
const URLS = ["https://a.org/1", "https://b.org/2"];
const found = async (search: SearchTool) => (await langchainSearch(search).search(query, 5)).map(({ url }) => url);
const replying = (reply: unknown): SearchTool => ({ name: "web", invoke: async () => reply });

describe("a tool is called by its own schema:", () => {
  const about = { name: "web", description: "searches" };
  const asked: unknown[] = [];
  const search = (input: unknown) => {
    asked.push(input);
    return JSON.stringify(RESULTS);
  };

  test.each<[string, SearchTool, unknown]>([
    ["a text", new DynamicTool({ ...about, func: async (input) => search(input) }), "bridge"],
    ["a schema of a text", tool(search, { ...about, schema: z.string() }), "bridge"],
    [
      "query among others",
      tool(search, { ...about, schema: z.object({ topic: z.string().optional(), query: z.string() }) }),
      { query: "bridge" },
    ],
    ["input", tool(search, { ...about, schema: z.object({ input: z.string() }) }), { input: "bridge" }],
    ["another name", tool(search, { ...about, schema: z.object({ keywords: z.string() }) }), { keywords: "bridge" }],
    [
      "JSON Schema",
      tool(search, {
        ...about,
        schema: { type: "object", properties: { topic: {}, query: { type: "string" } }, required: ["query"] },
      }),
      { query: "bridge" },
    ],
  ])("%s", async (_what, given, input) => {
    asked.length = 0;
    expect(await found(given)).toEqual(URLS);
    expect(asked).toEqual([input]);
  });
});

describe("results are found in a reply", () => {
  const links = RESULTS.map(({ title, url, content }) => ({ title, link: url, snippet: content }));
  const pictures = [{ url: "https://img.org/1.png", description: "a bridge" }];
  const next = ["What is the longest bridge?"];

  test.each<[string, unknown]>([
    [
      "Tavily",
      {
        query: "bridge",
        follow_up_questions: next,
        answer: null,
        images: pictures,
        results: RESULTS,
        response_time: 1,
      },
    ],
    ["Tavily, as text", JSON.stringify({ images: pictures, follow_up_questions: next, results: RESULTS })],
    ["DuckDuckGo, Brave and Google, as LangChain cuts them", JSON.stringify(links)],
    ["SearXNG, as LangChain joins them", links.map((link) => JSON.stringify(link)).join(",")],
    [
      "SearXNG",
      { query: "bridge", answers: [], suggestions: next, infoboxes: [{ title: "Bridge", urls: [] }], results: RESULTS },
    ],
    ["Google", { kind: "customsearch#search", queries: { request: [{ title: "x" }] }, items: links }],
    [
      "Serper",
      {
        images: [{ title: "x", link: "https://img.org/1" }],
        peopleAlsoAsk: [{ title: "x", link: "https://q.org" }],
        organic: links,
      },
    ],
    [
      "SerpAPI",
      { inline_images: [{ title: "x", link: "https://img.org" }], related_questions: next, organic_results: links },
    ],
    ["Bing", { _type: "SearchResponse", webPages: { value: RESULTS }, images: { value: pictures } }],
    ["Brave", { videos: { results: pictures }, web: { type: "search", results: RESULTS } }],
    ["one with a name of its own", { took: 3, hits: links, pictures, next }],
  ])("of %s", async (_engine, reply) => {
    expect(await found(replying(reply))).toEqual(URLS);
  });

  test("of one result without brackets, as SearXNG's tool returns it", async () => {
    expect(await found(replying(JSON.stringify(links[0])))).toEqual(["https://a.org/1"]);
  });

  test.each<[string, unknown]>([
    ["nothing found", { results: [] }],
    ["nothing found, in words", "No good search result found"],
    [
      "nothing found, as Tavily says it",
      { error: "No search results found for 'bridge'. Suggestions: Try a more detailed search." },
    ],
  ])("%s", async (_what, reply) => {
    expect(await found(replying(reply))).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    [
      "pictures and questions alone",
      { images: pictures, follow_up_questions: next },
      "does not give its results as JSON",
    ],
    ["two lists that nobody named", { hits: links, videos: links }, "does not give its results as JSON"],
    ["an answer in words", "The longest bridge is in China.", "does not give its results as JSON"],
    ["snippets without addresses", '["The bridge is 3 km long."]', "without addresses"],
    ["an error", { error: "Error 401: Unauthorized" }, "fails. Error 401: Unauthorized"],
  ])("%s are not results", async (_what, reply, reason) => {
    await expect(found(replying(reply))).rejects.toThrow(EndpointError);
    await expect(found(replying(reply))).rejects.toThrow(reason);
  });
});
