import { expect, test } from "vitest";
import { nameQuery, questionQuery } from "../../../src/tools/neo4j/link.js";

const HOSTILE = [
  'a" OR *:*',
  "foo\\",
  "title:x AND (y)",
  "+a -b && || ! ^ ~ * ? : / [* TO *] {x}",
  '“引号”"）',
  "AND",
  "\u0000",
];

test.each(HOSTILE)("nothing in %j is read as index query syntax", (text) => {
  // Only quoted words, single Chinese characters, words with an edit distance, and weights.
  for (const query of [nameQuery(text), questionQuery(text)])
    expect(query).toMatch(/^(?:(?:"[^"\\]*"|\p{Script=Han}|[\p{L}\p{N}]+~[12])(?:\^\d)?(?: |$))*$/u);
});

test.each(["", "  ", "?!", "。"])("%j gives no index query", (text) => {
  expect([nameQuery(text), questionQuery(text)]).toEqual(["", ""]);
});

test("an index query allows errors in names, and uses pairs of characters in Chinese", () => {
  expect(nameQuery("Keanu")).toBe('"keanu" keanu~1');
  expect(questionQuery("Who is 李安?")).toBe('"who" "is" "李安"^2 李 安');
});

test("an index query stays small for a long text", () => {
  expect(questionQuery("word and 长长的文字 ".repeat(10_000)).length).toBeLessThan(20_000);
});
