import { describe, expect, test } from "vitest";
import { intentOf } from "../../src/text/intent.js";
import { names } from "../../src/text/names.js";
import { quantities } from "../../src/text/numbers.js";
import { findQuote } from "../../src/text/quotes.js";
import { acceptableRewrite } from "../../src/text/rewrite.js";
import { strips } from "../../src/text/sentences.js";
import { settle } from "../../src/text/support.js";
import { contentTerms } from "../../src/text/tokens.js";

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
