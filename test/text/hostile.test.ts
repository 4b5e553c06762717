import { describe, expect, test } from "vitest";
import { names } from "../../src/facts/names.js";
import { quantities } from "../../src/facts/numbers.js";
import { settle } from "../../src/facts/support.js";
import { intentOf } from "../../src/text/intent.js";
import { findQuote } from "../../src/text/quotes.js";
import { strips } from "../../src/text/strips.js";
import { contentTerms } from "../../src/text/tokens.js";

/** Long enough that work of quadratic time would exceed the time limit of the test. */
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
  ])("is read by %s without hanging", (_name, read) => {
    expect(() => read(text)).not.toThrow();
  });
});
