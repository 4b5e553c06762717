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

test.each(HOSTILE)("nothing of %j is read as the query's own language", (text) => {
  // Quoted words, single Chinese characters, words with a number of slips, and weights: nothing else.
  for (const query of [nameQuery(text), questionQuery(text)])
    expect(query).toMatch(/^(?:(?:"[^"\\]*"|\p{Script=Han}|[\p{L}\p{N}]+~[12])(?:\^\d)?(?: |$))*$/u);
});

test.each(["", "  ", "?!", "。"])("there is nothing to look for in %j", (text) => {
  expect([nameQuery(text), questionQuery(text)]).toEqual(["", ""]);
});

test("asks for words with slips in names, by pairs of characters in Chinese", () => {
  expect(nameQuery("Keanu")).toBe('"keanu" keanu~1');
  expect(questionQuery("Who is 李安?")).toBe('"who" "is" "李安"^2 李 安');
});

test("stays small for a long text", () => {
  expect(questionQuery("word and 长长的文字 ".repeat(10_000)).length).toBeLessThan(20_000);
});
