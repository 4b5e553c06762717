import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentTerms, hasWords, terms } from "../../src/text/tokens.js";

describe("terms", () => {
  test.each([
    ["English words by their stem", "Running offices", ["run", "offic"]],
    ["Chinese as pairs of characters", "年假政策", ["年假", "假政", "政策"]],
    ["a lone character as itself", "A 组", ["a", "组"]],
    ["an identifier whole and in parts", "ISO-27001", ["iso-27001", "iso", "27001"]],
    ["a version whole", "v2.3", ["v2.3", "2.3"]],
    ["a number without its commas", "1,200.50", ["1200.50"]],
    ["traditional characters as the simplified ones", "報銷單", ["报销", "销单"]],
    ["full-width letters as half-width", "ＡＢ１", ["ab1", "ab", "1"]],
    ["accents as plain letters", "Zürich café", ["zurich", "cafe"]],
    ["the owner in a possessive", "Ada's staff’s", ["ada", "staff"]],
    ["nothing in punctuation", "… -- ！？", []],
  ])("of a text: %s", (_name, text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  test("keep an e-mail address as a whole", () => {
    expect(terms("Write to help@acme.com.")).toContain("help@acme.com");
  });

  test("are the same for full-width and capital letters", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "1", " ", "年", "假", "-", "."), maxLength: 30 }),
        (text) => {
          const wide = text.replace(/[ab1]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
          expect(terms(wide.toUpperCase())).toEqual(terms(text));
        },
      ),
    );
  });
});

describe("contentTerms", () => {
  test.each([
    ["What is the capital of France?", ["capit", "franc"]],
    ["Don't you think we'll go?", ["think", "go"]],
    ["公司的年假有多少天？", ["公司", "年假", "天"]],
    ["它的目的是什么？", ["目的"]],
    ["它的目的是什麼？", ["目的"]],
    ["How many?", []],
    ["What is it?", []],
    ["它是什么？", []],
    ["那是什麼？", []],
    ["How much is it?", []],
    ["它多少钱？", []],
    ["How is it?", []],
    ["它怎么样？", []],
    ["它是什么样的？", []],
    ["When is it?", []],
    ["它是什么时候？", []],
    ["Who are you?", []],
    ["你是谁？", []],
    ["停车多少钱？", ["停车"]],
    ["会议的时间", ["会议", "时间"]],
    ["使用几何应用", ["使用", "用几", "几何", "何应", "应用"]],
    ["当地的所得", ["当地", "所得"]],
    ["样品", ["样品"]],
    ["是什么呢？", []],
  ])("%s", (text, expected) => {
    expect(contentTerms(text)).toEqual(expected);
  });
});

test.each([
  ["a", true],
  ["年", true],
  ["7", true],
  ["—！…", false],
  ["", false],
])("hasWords(%j) is %s", (text, expected) => {
  expect(hasWords(text)).toBe(expected);
});
