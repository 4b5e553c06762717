import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asEvidence } from "../../research/eval/passages.js";
import { quoted } from "../../src/checking/stages.js";
import { chineseNames } from "../../src/facts/chinese-names.js";
import { names } from "../../src/facts/names.js";
import { quantities } from "../../src/facts/numbers.js";
import { settle } from "../../src/facts/support.js";
import { findQuote } from "../../src/text/quotes.js";

/** Pieces of claims and sources, plain and hostile, in both scripts. */
const PIECES = [
  ..."The office opens at nine , but not on Sundays . Ada Lovelace met 20 people in March 2024 ( over 3.5 million $ )".split(
    " ",
  ),
  ..."公司 的 年假 为 二十天 ， 不 超过 三万 元 。 2024年3月5日 李雷 在 北京 列奥纳多·达·芬奇 百分之五 《红楼梦》".split(
    " ",
  ),
  ...[" ", "  ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u3000"],
  ...[
    "😀",
    "👩‍👩‍👧",
    "🇨🇳",
    "\ud83d",
    "\ude00",
    "e\u0301",
    "\u0301\u0301\u0301",
    "ﬁ",
    "İ",
    "ß",
    "Å",
    "ａ",
    "２",
    "％",
    "㎏",
    "½",
  ],
  ...["\u200b", "\u202e", "\u2066", "\u0000", "\u0007", "\ufeff", "\u00ad", "\u2028"],
  ...["“", "”", "「", "'", "’", "…", "...", "——", "–", "-", "-\n", "…… ", "?", "！"],
  ...[
    "((((",
    "))))",
    "[a](b",
    ")",
    "[[",
    "]]",
    "**",
    "_",
    "`",
    "```\n",
    "# ",
    "> ",
    "- ",
    "1. ",
    "| a | b |\n",
    "|---|---|\n",
    "<b>",
    "&amp;",
  ],
  "a".repeat(300),
  "很".repeat(300),
  "9".repeat(40),
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((parts) => parts.join(""));
const spaced = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((parts) => parts.join(" "));
const any = fc.oneof(text, spaced, fc.string({ unit: "binary", maxLength: 60 }));

/** Letters and digits only, by rules of this test: equal for two spellings of the same words. */
const letters = (words: string) =>
  words
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "");

const VERDICTS = ["supported", "unsupported", "contradicted", "doubtful"];

describe("thousands of random claims and sources", () => {
  test("are settled without an error", () => {
    fc.assert(
      fc.property(any, any, any, (claim, one, other) => {
        expect(VERDICTS).toContain(settle(claim, [one, other]).verdict);
        expect(VERDICTS).toContain(settle(`${one} ${claim}`, [one]).verdict);
      }),
      { numRuns: 3_000 },
    );
  }, 120_000);

  test("have amounts and names at the offsets given", () => {
    fc.assert(
      fc.property(any, (words) => {
        for (const { start, end, text: found } of quantities(words)) expect(words.slice(start, end)).toBe(found);
        for (const { start, end, name } of chineseNames(words)) expect(words.slice(start, end)).toBe(name);
        expect(() => names(words)).not.toThrow();
      }),
      { numRuns: 10_000 },
    );
  }, 120_000);

  test("have a quote found only at the same words", () => {
    fc.assert(
      fc.property(any, any, (source, quote) => {
        const found = findQuote(source, quote);
        if (!found) return;
        expect(found.start).toBeGreaterThanOrEqual(0);
        expect(found.end).toBeLessThanOrEqual(source.length);
        expect(letters(source.slice(found.start, found.end))).toBe(letters(quote));
      }),
      { numRuns: 10_000 },
    );
  }, 120_000);

  test("have every quote found that is cut at word boundaries, and cite it verbatim", () => {
    fc.assert(
      fc.property(any, fc.nat(), fc.nat(), (source, a, b) => {
        const places = [...source, ""].map((_, i) => i).filter((at) => isBetweenWords(source, at));
        const [from = 0, to = 0] = [places[a % places.length] ?? 0, places[b % places.length] ?? 0].toSorted(
          (x, y) => x - y,
        );
        const quote = source.slice(from, to);
        if (!/[\p{L}\p{N}]/u.test(quote)) return;
        const [found] = quoted({ citations: [{ evidenceId: "e", quote }] }, [asEvidence({ id: "e", text: source })]);
        expect(found && source.slice(found.start, found.end)).toBe(found?.quote);
        expect(letters(found?.quote ?? "")).toBe(letters(quote));
      }),
      { numRuns: 10_000 },
    );
  }, 120_000);
});

describe("a quote that is written differently", () => {
  const WORDS = [
    "The",
    "office",
    "“opens”",
    "at",
    "9:30",
    "daily",
    "team",
    "international",
    "３５％",
    "年假",
    "为二十天",
    "，",
    "由「李雷」批准",
    "well-known",
  ];
  const OTHERWISE: [string, (quote: string) => string][] = [
    ["over several lines", (quote) => quote.replace(/ /g, "\n  ")],
    ["with straight quotation marks", (quote) => quote.replace(/[“”「」]/g, '"')],
    [
      "in half width",
      (quote) => quote.replace(/[\uff01-\uff5e]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0)),
    ],
    ["in full width", (quote) => quote.replace(/\d/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))],
    ["with a word broken at a line's end", (quote) => quote.replace(/inter(?=national)/g, "inter-\n")],
    ["in capitals", (quote) => quote.toUpperCase()],
    ["with emphasis", (quote) => quote.replace(/office/g, "**office**")],
  ];

  test.each(OTHERWISE)("%s is found at the same words", (_name, otherwise) => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 15 }),
        fc.nat(),
        fc.nat(),
        (words, a, b) => {
          const from = a % words.length;
          const part = words.slice(from, from + 1 + (b % (words.length - from))).join(" ");
          if (!/[\p{L}\p{N}]/u.test(part)) return;
          const source = words.join(" ");
          const found = findQuote(source, otherwise(part));
          expect(letters(source.slice(found?.start, found?.end ?? 0))).toBe(letters(part));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

const isWord = (character: string) => /^[\p{L}\p{N}\p{M}\ud800-\udfff]$/u.test(character);

/** Whether this offset is not inside a word, a number or a pair of surrogates. */
function isBetweenWords(source: string, at: number): boolean {
  const [before, after] = [source.charAt(at - 1), source.charAt(at)];
  const here = source.slice(Math.max(0, at - 2), at + 2);
  return !(isWord(before) && isWord(after)) && !/^\p{M}/u.test(after) && !/\p{N}[.,]\p{N}|[\ud800-\udfff]/u.test(here);
}
