import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { negations } from "../../src/facts/negation.js";
import { quantities } from "../../src/facts/numbers.js";
import { intentOf } from "../../src/text/intent.js";
import { findQuote } from "../../src/text/quotes.js";
import { simplified } from "../../src/text/simplified.js";
import { plain, plainAsWritten } from "../../src/text/tokens.js";

describe("traditional characters", () => {
  test.each([
    ["什麼時候發薪水？", "什么时候发薪水？"],
    ["臺灣與台灣", "台湾与台湾"],
    ["裡面、裏面", "里面、里面"],
    ["已经简体 and English", "已经简体 and English"],
  ])("are converted to simplified ones: %s", (text, expected) => expect(simplified(text)).toBe(expected));

  test("keep every offset when converted, and a second conversion changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("麼", "𠵾", "㘚", "a", "。", "发", "發") }), (text) => {
        expect(simplified(text)).toHaveLength(text.length);
        expect(simplified(simplified(text))).toBe(simplified(text));
      }),
    );
  });

  test("compare as equal to simplified ones, and are kept in a query as written", () => {
    expect(plain("張偉")).toBe(plain("张伟"));
    expect(plainAsWritten("張偉")).toBe("張偉");
  });

  test("are recognised in questions, denials and numbers", () => {
    expect(intentOf("怎麼申請年假？")).toBe("steps");
    expect(negations("沒有年假")).toBe(1);
    expect(quantities("三萬個")[0]?.value).toBe(30000);
  });

  test("stay in a quote, which must match the source", () => {
    expect(findQuote("工資每月發放。", "工資每月發放")).toEqual({ start: 0, end: 6 });
    expect(findQuote("工資每月發放。", "工资每月发放")).toBeUndefined();
  });
});
