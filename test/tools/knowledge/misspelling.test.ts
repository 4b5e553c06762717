import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gramsOfName, gramsOfTyped, misspelling } from "../../../src/tools/knowledge/misspelling.js";
import { normaliseName } from "../../../src/tools/knowledge/names.js";

describe("a misspelling", () => {
  test.each([
    ["keanu reves", "keanu reeves", 1],
    ["kaenu reves", "keanu reeves", 2],
    ["matirx", "matrix", 1],
    ["harbo", "harbor", 1],
    ["黑客帝国二", "黑客帝国", 1],
  ])("like %j is recognised as %j", (typed, key, distance) => {
    expect(misspelling(typed, key)).toBe(distance);
  });

  test.each([
    ["ann", "anne"],
    ["matrix", "motrax"],
    ["model 800", "model 900"],
    ["release 1", "release 11"],
    ["张三", "张山"],
    ["王小明", "王小民"],
    ["keanu reeves", "keanu"],
    ["x".repeat(300), `${"x".repeat(299)}y`],
  ])("is not assumed between %j and %j", (typed, key) => {
    expect(misspelling(typed, key)).toBeUndefined();
  });
});

const letters = fc.constantFrom(..."abcdefghij", "数", "据", "平", "台");
const names = fc.array(letters, { minLength: 3, maxLength: 20 }).map((some) => some.join(""));

test("a name with one error shares an index term with the misspelt one", () => {
  fc.assert(
    fc.property(names, fc.nat(), fc.nat(3), letters, (name, at, kind, letter) => {
      const key = normaliseName(name);
      const some = [...key];
      const place = at % some.length;
      if (kind === 0) some.splice(place, 1);
      else if (kind === 1) some.splice(place, 0, letter);
      else if (kind === 2) some[place] = letter;
      else some.splice(place, 2, ...some.slice(place, place + 2).reverse());
      const typed = some.join("");
      fc.pre(misspelling(typed, key) !== undefined);
      const terms = new Set(gramsOfName(key));
      expect(gramsOfTyped(typed).some((term) => terms.has(term))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("index terms contain no white space, at which the index would split them", () => {
  expect(gramsOfName("ann lee 数据 平台").join("")).not.toMatch(/\s/);
  expect(gramsOfTyped("an lee").join("")).not.toMatch(/\s/);
});

test("names that are too short, too long or numeric have no index terms", () => {
  for (const key of ["", "ann", "2021 03 01", "张三", "x".repeat(100)]) expect(gramsOfTyped(key)).toEqual([]);
});
