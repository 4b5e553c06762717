import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimsOf } from "../../src/citing/claims.js";
import { hostileText } from "./texts.js";

const texts = (text: string) => claimsOf(text).map((claim) => claim.text);

describe("a text is split into claims", () => {
  test.each<[string, string, string[]]>([
    ["at stops", "It opens at eight. It closes at six!", ["It opens at eight.", "It closes at six!"]],
    ["at Chinese stops", "九点开门。六点关门！", ["九点开门。", "六点关门！"]],
    [
      "not at decimals and abbreviations",
      "Dr. Ito pays 3.5 % e.g. on Mon. or so.",
      ["Dr. Ito pays 3.5 % e.g. on Mon. or so."],
    ],
    ["not inside quotations", 'He said "It works. Go on." and left.', ['He said "It works. Go on." and left.']],
    ["not inside Chinese quotations", "他说：“下雨了。走吧。”", ["他说：“下雨了。走吧。”"]],
    ["not before who said it", "“走吧！”他说。", ["“走吧！”他说。"]],
    ["not inside links and code", "See [the. Guide](a.md) or `a. B` now.", ["See [the. Guide](a.md) or a. B now."]],
    ["by list items", "- one two\n- three", ["one two", "three"]],
    ["by rows, read under their heads", "| Plan | Price |\n|---|---|\n| **Pro** | $20 |", ["Plan: Pro; Price: $20"]],
    ["without Markdown's marks", "The **Lisbon** _office_\nopens `early`.", ["The Lisbon office opens early."]],
    [
      "without tags that only format",
      "The <b>Lisbon</b> office.<br>It opens early.",
      ["The Lisbon office. It opens early."],
    ],
    [
      "with their links, pictures and other tags",
      'A [b](c.md "d") ![e](f.png) <b title="g">h</b>.',
      ['A [b](c.md "d") ![e](f.png) <b title="g">h .'],
    ],
    [
      "with the targets of links by name",
      "See [the guide][g] and [h].\n\n[g]: a.md\n[h]: <b.md> 'H'",
      ["See [the guide](a.md) and [h](<b.md> 'H')."],
    ],
    ["with targets of links by number", "See [the guide][1].\n\n[1]: a.md", ["See [the guide]. [the guide](a.md)"]],
  ])("%s", (_, text, expected) => expect(texts(text)).toEqual(expected));
});

test.each([
  ["headings", "# Offices\n\n## In Lisbon. Here"],
  ["underlined headings", "Offices. Here\n======="],
  ["fenced code", "```\nlet it = be.\n```"],
  ["indented code", "text:\n\n    indented(code);".slice(6)],
  ["the head of a table", "| Plan | Price |\n|---|---|"],
  ["comments", "<!-- It opens at eight. -->"],
  ["front matter", "---\ntitle: Offices\n---\n"],
  ["footnotes and definitions", "[^1]: The handbook.\n[2]: https://a.b"],
  ["lists of references", "Sources\n[1] Offices (a.md)\n[2] Leave"],
  ["Chinese lists of references", "**参考文献**：\n1. 办公室手册\n2. 休假手册"],
])("%s are no claims", (_, text) => expect(texts(text)).toEqual([]));

test("an indented paragraph is not code", () => {
  expect(texts("    The office opens at eight.")).toEqual(["The office opens at eight."]);
});

describe("markers are removed from a claim and recorded", () => {
  test.each<[string, string, number[]]>([
    ["before the stop", "Eight [1].", [1]],
    ["behind the stop", "Eight.[1]", [1]],
    ["apart from the stop", "Eight. [1][2]", [1, 2]],
    ["in one bracket", "Eight [1, 2; 4].", [1, 2, 4]],
    ["as a range", "Eight [1-3][5–6].", [1, 2, 3, 5, 6]],
    ["as footnotes", "Eight [^2].", [2]],
    ["as a raised mark", "Eight [^2^].", [2]],
    ["in two brackets", "Eight [[2]].", [2]],
    ["with a word", "Eight [Source 2, Source 3].", [2, 3]],
    ["in brackets with a word", "Eight (source 2).", [2]],
    ["raised", "Eight.²", [2]],
    ["as tags", "Eight<sup>[2]</sup>.", [2]],
  ])("%s: %s", (_, text, numbers) => {
    const [claim, ...more] = claimsOf(text);
    expect(more).toEqual([]);
    expect(claim).toMatchObject({ text: "Eight.", markers: numbers });
  });

  test.each<[string, number[]]>([
    ["八点【1】。", [1]],
    ["八点【1†第2行】。", [1]],
    ["八点［1、2］。", [1, 2]],
    ["八点。[1]", [1]],
    ["八点[1-3]。", [1, 2, 3]],
    ["八点（来源1、2）。", [1, 2]],
    ["八点[来源：3]。", [3]],
  ])("%s", (text, numbers) => expect(claimsOf(text)).toMatchObject([{ text: "八点。", markers: numbers }]));

  test.each([
    "【4:2†source】",
    ":contentReference[oaicite:0]{index=0}",
    "[oaicite:12]",
    "\ue200cite\ue202turn0search1\ue202turn0search3\ue201",
  ])("that another tool set, although nobody knows its sources: %s", (marker) => {
    expect(claimsOf(`It costs EUR 49 ${marker}.`)).toMatchObject([{ text: "It costs EUR 49.", markers: [] }]);
  });

  test.each(["It begins at 【4:30】 sharp.", "It is [oaicite]."])("%s has none", (text) => {
    expect(claimsOf(text)[0]?.text).toBe(text);
  });

  test("for the sentence before them", () => {
    const claims = claimsOf("It opens at 8 a.m. [1] It closes on Mon. [2][3] Dr. Ito left. [4] 九点。[5] 六点[6]。");
    expect(claims.map(({ text, markers }) => [text, markers])).toEqual([
      ["It opens at 8 a.m.", [1]],
      ["It closes on Mon.", [2, 3]],
      ["Dr. Ito left.", [4]],
      ["九点。", [5]],
      ["六点。", [6]],
    ]);
  });

  test("or for the sentence after them if the text begins with a marker", () => {
    expect(claimsOf("[1] It opens. [2] It closes.").map(({ markers }) => markers)).toEqual([[1], [2]]);
  });
});

test.each([
  "In [2024] it opened.",
  "It lies in [0, 1] or so.",
  "See the annex (document 5) of it.",
  "Call `a[1]` now.",
  "See [1](https://a.b).",
  "It is 5 m² large.",
  "The capital is 1000 (1 + r)² euros.",
  "It is at https://a.b/c?d[1]=2 now.",
  "Press [ ] or [x].",
])("text that only looks like a marker is not read as one: %s", (text) =>
  expect(claimsOf(text)[0]?.markers).toEqual([]),
);

test("introductions and questions are recognised", () => {
  expect(claimsOf("The offices are:\n\n- Lisbon\n\nIs that all?").map(({ kind }) => kind)).toEqual([
    "lead",
    "item",
    "question",
  ]);
});

test("claims of random texts have words, are in order, do not overlap, and end within the text", {
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(hostileText(), (text) => {
      let last = 0;
      for (const claim of claimsOf(text)) {
        expect(claim.start).toBeGreaterThanOrEqual(last);
        expect(claim.end).toBeGreaterThan(claim.start);
        expect(claim.text).toMatch(/[\p{L}\p{N}]/u);
        for (const number of claim.markers) expect(number).toBeGreaterThanOrEqual(1);
        last = claim.end;
      }
      expect(last).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  "[1]",
  "[1",
  "[",
  "[1,",
  "【1】",
  "(source 1",
  "A. [1] ",
  "a\n\n[1]\n\n",
  "`",
  "[a](",
  "“A. ",
  '"A. ',
  "| a |\n|---|\n",
  "[^1]: a\n",
  "$a$",
  "<a ",
  "https://",
  "[1-",
  "1",
  "。",
])("a long run of %j is parsed without hanging", (piece) => {
  const text = piece.repeat(100_000 / piece.length);
  expect(() => claimsOf(text)).not.toThrow();
});
