import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { cite } from "../../src/checking/cite.js";
import type { TextSource } from "../../src/checking/verify.js";
import { hostileText } from "../citing/texts.js";

const OFFICES = {
  id: "offices.md",
  title: "Offices",
  uri: "docs/offices.md",
  text: "# Offices\n\nThe Lisbon office opens at eight in the morning. The Utrecht office opens at nine. The Porto office opens at 8 a.m.\n\n| Plan | Price |\n|---|---|\n| Pro | $20 |\n| Free | $0 |\n",
};
const CHINESE = {
  id: "办公室.md",
  title: "办公室",
  uri: "docs/办公室.md",
  text: "上海办公室早上九点开门，晚上六点关门。出国差旅由部门负责人审批。",
};
/** Without an encoder or a model: the form of a cited text does not depend on who judges. */
const citing = (text: string, sources: readonly TextSource[]) => cite(text, sources, { tools: {} });
const cited = async (text: string) => (await citing(text, [OFFICES, CHINESE])).text;

describe("markers are put into", () => {
  test.each([
    ["a sentence", "The Lisbon office opens at eight.", "The Lisbon office opens at eight [1]."],
    ["Chinese", "上海办公室九点开门。", "上海办公室九点开门[1]。"],
    ["bold", "The **Lisbon office** opens at **eight**.", "The **Lisbon office** opens at **eight** [1]."],
    ["a sentence in bold", "**The Lisbon office opens at eight.**", "**The Lisbon office opens at eight.** [1]"],
    ["a quotation", "出国差旅“由部门负责人审批”。", "出国差旅“由部门负责人审批”[1]。"],
    [
      "a list",
      "- Lisbon: the office opens at eight\n- Utrecht: nine",
      "- Lisbon: the office opens at eight [1]\n- Utrecht: nine [1]",
    ],
    ["a table", "| Plan | Price |\n|---|---|\n| Pro | $20 |\n", "| Plan | Price |\n|---|---|\n| Pro | $20 [1] |\n"],
    [
      "a sentence that ends in a link",
      "The Lisbon office opens at [eight](docs/offices.md).",
      "The Lisbon office opens at [eight](docs/offices.md) [1].",
    ],
    ["a sentence that ends in code", "The Lisbon office opens at `eight`.", "The Lisbon office opens at `eight` [1]."],
    [
      "a sentence that ends in an abbreviation",
      "The Porto office opens at 8 a.m.",
      "The Porto office opens at 8 a.m. [1]",
    ],
    [
      "Windows lines",
      "The Lisbon office opens at eight.\r\n\r\nUtrecht opens at nine.\r\n",
      "The Lisbon office opens at eight [1].\r\n\r\nUtrecht opens at nine [1].\r\n",
    ],
  ])("%s", async (_, text, expected) => expect(await cited(text)).toBe(expected));
});

test.each([
  ["headings", "# The Lisbon office opens at eight"],
  ["code", "```\nThe Lisbon office opens at eight.\n```"],
  ["the head of a table", "| Lisbon office opens at | eight |\n|---|---|\n"],
  ["what nothing supports", "Whales sing in winter."],
  ["questions", "Does the Lisbon office open at eight?"],
])("%s get no marker", async (_, text) => expect(await cited(text)).toBe(text));

test("sources are numbered densely, in order of appearance", async () => {
  const { text, references, claims } = await citing(
    "上海办公室九点开门。Whales sing. The Lisbon office opens at eight.",
    [OFFICES, CHINESE],
  );
  expect(text).toBe("上海办公室九点开门[1]。Whales sing. The Lisbon office opens at eight [2].");
  expect(references.map(({ number, id }) => [number, id])).toEqual([
    [1, "办公室.md"],
    [2, "offices.md"],
  ]);
  expect(claims.filter(({ citations }) => citations.length === 0).map((claim) => claim.text)).toEqual(["Whales sing."]);
});

test("existing markers are replaced, and a list of references stays as it is", async () => {
  const text = "The Lisbon office opens at eight.[7] 上海办公室九点开门【3†a】。\n\nSources\n[7] Offices (x.md)\n";
  expect(await cited(text)).toBe(
    "The Lisbon office opens at eight [1]. 上海办公室九点开门[2]。\n\nSources\n[7] Offices (x.md)\n",
  );
});

test("sources without an id are identified by their position", async () => {
  const { references } = await citing("The Lisbon office opens at eight.", [{ text: "x" }, { text: OFFICES.text }]);
  expect(references).toEqual([{ number: 1, id: "2", title: "", uri: "" }]);
});

test("for random texts, the text without its markers is the same, numbers are dense, and quotes are at their offsets", {
  timeout: 60_000,
}, async () => {
  const sources = [OFFICES, CHINESE, { text: "Dr. Ito pays $20. one two 两天 step item here." }];
  await fc.assert(
    fc.asyncProperty(hostileText(), async (given) => {
      const { text, bare, markers, claims, references } = await citing(given, sources);
      expect(markers.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)).toBe(bare);
      const shown = markers.flatMap(({ start, end }) => [...text.slice(start, end).matchAll(/\d+/g)].map(Number));
      expect([...new Set(shown)]).toEqual(references.map((_, i) => i + 1));
      for (const { start, end, citations } of claims) {
        expect(start).toBeLessThan(end);
        for (const { reference, quote, start: from, end: to } of citations) {
          const id = references[reference - 1]?.id ?? "";
          const source = sources.find((each, i) => ("id" in each ? each.id : `${i + 1}`) === id);
          expect(source?.text.slice(from, to)).toBe(quote);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("markers change no code, link or address in random texts", { timeout: 60_000 }, async () => {
  const markdown = new MarkdownIt({ html: true, linkify: false });
  const kept = (text: string) =>
    markdown
      .parse(text, {})
      .flatMap((token) =>
        [token, ...(token.children ?? [])].flatMap(({ type, content, attrs }) => [
          ...(/^code_inline|^fence/.test(type) ? [content] : []),
          ...(attrs ?? []).filter(([name]) => name === "href" || name === "src").map(([, value]) => value),
        ]),
      );
  const sources = [OFFICES, CHINESE, { text: "Dr. Ito pays $20. one two 两天 step item here a let code image." }];
  await fc.assert(
    fc.asyncProperty(hostileText(), async (given) => {
      const { text, bare } = await citing(given, sources);
      expect(kept(text)).toEqual(kept(bare));
    }),
    { numRuns: 500 },
  );
});
