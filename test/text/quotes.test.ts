import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findQuote } from "../../src/text/quotes.js";
import { contentTerms } from "../../src/text/tokens.js";

const shown = (text: string, quote: string) => {
  const span = findQuote(text, quote);
  return span && text.slice(span.start, span.end);
};

describe("findQuote", () => {
  test.each([
    ["exact words", "The office opens at nine.", "opens at nine", "opens at nine"],
    ["hard-wrapped lines", "The office\n  opens at nine.", "The office opens at nine.", "The office\n  opens at nine."],
    ["a word broken at a line end", "an inter-\nnational firm", "international firm", "inter-\nnational firm"],
    ["curly quotation marks", "He said “go home” twice.", 'said "go home" twice', "said “go home” twice"],
    ["a dash of another kind", "open 9–17 daily", "open 9-17 daily", "open 9–17 daily"],
    ["emphasis", "The **annual** leave is _20 days_.", "annual leave is 20 days", "annual** leave is _20 days"],
    ["a link", "See [the handbook](docs/a.md) first.", "See the handbook first", "See [the handbook](docs/a.md) first"],
    [
      "a link with its address",
      "See [the  _handbook_](a.md) first",
      "See [the handbook](a.md)",
      "See [the  _handbook_](a.md)",
    ],
    ["table bars", "| Plan | Price |", "Plan Price", "Plan | Price"],
    ["another case", "Annual Leave policy", "annual leave POLICY", "Annual Leave policy"],
    ["a full stop the source lacks", "opens at nine, except Sundays", "opens at nine.", "opens at nine"],
    ["an accent written apart", "the cafe\u0301 opens", "the café opens", "the cafe\u0301 opens"],
    ["whole characters only", "say 😀x", "say \ud83d", "say"],
    ["Chinese, exact", "公司的年假为二十天。", "年假为二十天", "年假为二十天"],
    ["Chinese broken over lines", "公司的年假\n为二十天。", "公司的年假为二十天。", "公司的年假\n为二十天。"],
    ["full-width digits and marks", "员工有２０天年假，可累计。", "员工有20天年假,可累计", "员工有２０天年假，可累计"],
    ["spaces around Latin in Chinese", "使用 VPN 登录系统", "使用VPN登录系统", "使用 VPN 登录系统"],
    [
      "Chinese from the middle of a phrase to the middle of another",
      "员工“每年”有25天年假",
      '工"每年"有25天年',
      "工“每年”有25天年",
    ],
    ["corner brackets", "他说「可以」。", "他说“可以”", "他说「可以」"],
  ])("finds %s", (_name, text, quote, expected) => {
    expect(shown(text, quote)).toBe(expected);
  });

  test.each([
    ["an ellipsis that skips words", "The office opens at nine and closes at five.", "The office ... closes at five."],
    ["a Chinese ellipsis that skips words", "公司九点开门，五点关门。", "公司……五点关门"],
    ["a changed word", "The office opens at nine.", "The office opens at ten."],
    ["a word inside another", "the category", "the cat"],
    ["a number inside another", "room 3.50", "room 3.5"],
    ["a number before its decimals", "it costs 3.5 euros", "it costs 3"],
    ["a half of a character", "½ hour", "2 hour"],
    ["a link whose address the source has not", "See the handbook first.", "See [the handbook](evil.md) first."],
    ["a link that the source leaves open", "[a](b", "[a](b)"],
    ["a link to another address", "See [the handbook](a.md).", "See [the handbook](b.md)."],
    ["the ends of a range run together", "年假为5~7天", "年假为57天"],
    ["two factors run together", "it holds 2*3 bottles", "it holds 23 bottles"],
    ["punctuation only", "... --- ...", "..."],
    ["nothing", "text", ""],
    ["white space", "text", " \n"],
  ])("does not find %s", (_name, text, quote) => {
    expect(findQuote(text, quote)).toBeUndefined();
  });

  test("finds the place where the quote is a whole word", () => {
    expect(findQuote("smart art", "art")).toEqual({ start: 6, end: 9 });
  });

  const hostile = fc.string({
    unit: fc.constantFrom(
      "a",
      "B",
      "é",
      "e\u0301",
      " ",
      "\n",
      "-",
      "*",
      "“",
      "'",
      "…",
      ".",
      "3",
      "中",
      "文",
      "。",
      "|",
      "#",
      "ﬁ",
      "İ",
      "😀",
      "\ud83d",
      "\u200b",
    ),
    maxLength: 60,
  });

  test("never throws, and returns offsets of the words of the quote", () => {
    fc.assert(
      fc.property(hostile, hostile, (text, quote) => {
        const span = findQuote(text, quote);
        if (!span) return;
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.end).toBeGreaterThan(span.start);
        expect(span.end).toBeLessThanOrEqual(text.length);
        const letters = (s: string) =>
          s
            .normalize("NFKD")
            .toLowerCase()
            .replace(/[^\p{L}\p{N}]/gu, "");
        expect(letters(text.slice(span.start, span.end))).toBe(letters(quote));
      }),
      { numRuns: 2000 },
    );
  });

  test("finds every run of whole words of a text, with any wrapping and markup", () => {
    const words = fc.array(fc.constantFrom("open", "the", "door", "年假", "二十", "x1", "3.5", "Zürich"), {
      minLength: 1,
      maxLength: 12,
    });
    const gaps = fc.constantFrom(" ", "\n", "  ", " **", "\n> ", " `");
    fc.assert(
      fc.property(words, fc.array(gaps, { minLength: 12, maxLength: 12 }), fc.nat(), fc.nat(), (all, between, a, b) => {
        const text = all.map((word, i) => word + (between[i] ?? " ")).join("");
        const from = a % all.length;
        const part = all.slice(from, from + 1 + (b % (all.length - from)));
        const found = shown(text, part.join(" "));
        expect(contentTerms((found ?? "").replace(/[*>`]/g, " "))).toEqual(contentTerms(part.join(" ")));
      }),
    );
  });
});
