import { describe, expect, test } from "vitest";
import { messagesIn, reasonInWords, SPOKEN } from "../../src/answer/messages/index.js";
import { buildGraph } from "../../src/graph/build.js";
import { fakeTools } from "../../src/testing/index.js";
import { QueryReason } from "../../src/types/answer.js";
import { ClaimReason } from "../../src/types/claim-reason.js";
import { Reason } from "../../src/types/events.js";

const CODES = [...Reason.options, ...ClaimReason.options].flatMap(({ shape: { code } }): string[] =>
  "options" in code ? code.options : [...code.values],
);
/** A value for every placeholder of the sentences. */
const NAMED = {
  ...{ count: 2, queries: ["ferry"], query: "ferry", label: "ask the order system", words: "Trust it." },
  ...{ limit: 9, probability: 0.5, share: 0.5, missing: ["86"], source: "28", claim: "26" },
  ...{ first: "AR-7", second: "2.3 kg", name: "Anna Berg" },
};
const reading = async () => {
  throw new Error("No page is read here.");
};

describe.each(Object.keys(SPOKEN))("in %s", (language) => {
  test("every reason has its own sentence", () => {
    const codes = [...new Set(CODES)];
    const sentences = codes.map((code) =>
      reasonInWords({ reason: { ...NAMED, code } as Reason, to: "grade" }, language),
    );
    expect(new Set(sentences).size).toBe(codes.length);
    for (const sentence of sentences) expect(sentence).toMatch(/^[^{}]+[.。]$|ferry$/);
    expect(sentences.join("")).not.toMatch(/undefined|object/);
  });

  test("a reason says what is missing, and which rung comes next if there is one", () => {
    const sentence = (to: string, label?: string) =>
      reasonInWords({ reason: { code: "draft_open", ...(label && { label }) }, to }, language);
    const all = ["queryGraph", "rewriteQuery", "searchWeb", "respond"].map((to) => sentence(to));
    expect(new Set(all).size).toBe(4);
    expect(sentence("orders", "ask the order system")).toContain("ask the order system");
  });

  test("every node of the graph has a name of its own on the page", () => {
    const reach = { webSearch: { search: async () => [] }, pageReader: { read: reading, close: async () => {} } };
    const nodes = Object.keys(buildGraph(fakeTools(reach)).nodes);
    const { steps } = messagesIn(language).page;
    expect(nodes).toHaveLength(11);
    expect(new Set(nodes.map((node) => steps[node] ?? "")).size).toBe(nodes.length);
    expect(nodes.filter((node) => !steps[node])).toEqual([]);
  });

  test("every query has its own reason", () => {
    const { queryReason } = messagesIn(language);
    const reasons: QueryReason[] = [
      ...QueryReason.shape.code.options.map((code) => ({ code })),
      { code: "reworded", missing: "ferry" },
      { code: "asked", isRespelt: true },
    ];
    expect(new Set(reasons.map(queryReason)).size).toBe(reasons.length);
    expect(reasons.map(queryReason)).not.toContain("");
  });

  test("a reason that was recorded without its queries is still a sentence", () => {
    const kept: Reason[] = [
      { code: "pages_found", count: 2, queries: [] },
      { code: "no_pages_found", queries: [] },
      { code: "new_query", query: "" },
    ];
    for (const reason of kept) expect(reasonInWords({ reason, to: "" }, language)).toMatch(/^[^“”:：]+[.。]$/);
  });
});

test("reasons are in the language of the reader, or in English if emend has no messages in that language", () => {
  const reason: Reason = { code: "pages_found", count: 1, queries: ["a", "b"] };
  const decision = { reason, to: "readPages" };
  expect(reasonInWords(decision, "en")).toBe("1 page found for “a”, “b”.");
  expect(reasonInWords(decision, "zh")).toBe("搜索“a”、“b”，找到1个网页。");
  expect(messagesIn("other")).toBe(messagesIn("en"));
});
