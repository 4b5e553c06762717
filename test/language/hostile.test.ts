import { describe, expect, test } from "vitest";
import { intentOf } from "../../src/language/intent.js";
import { names } from "../../src/language/names.js";
import { quantities } from "../../src/language/numbers.js";
import { findQuote } from "../../src/language/quotes.js";
import { strips } from "../../src/language/sentences.js";
import { settle } from "../../src/language/support.js";
import { contentTerms } from "../../src/language/tokens.js";
import { acceptableRewrite } from "../../src/tools/reasoner/rewrite.js";

/** Long enough that what takes the square of the length would not end within the runner's patience. */
const LENGTH = 150_000;

describe.each([
  "a",
  ".",
  " ",
  "1",
  "一",
  "a-",
  "| ",
  "*",
  "“",
  "[a](",
  "\n> ",
  "A ",
  "1,",
  "a@",
  "年 ",
  "a\u0301",
  "twenty ",
  "```",
])("a long run of %j", (piece) => {
  const text = piece.repeat(LENGTH / piece.length);
  test.each<[string, (text: string) => unknown]>([
    ["strips", strips],
    ["findQuote", (t) => [findQuote(t, `${t.slice(0, LENGTH / 2)}zz`), findQuote(t, `b${t.slice(0, LENGTH / 2)}`)]],
    ["quantities", quantities],
    ["contentTerms", contentTerms],
    ["names", names],
    ["settle", (t) => settle("Leave is 20 days.", [t])],
    ["intentOf", intentOf],
    ["acceptableRewrite", (t) => acceptableRewrite("How many days?", t)],
  ])("ends in %s", (_name, read) => {
    expect(() => read(text)).not.toThrow();
  });
});
