import fc from "fast-check";
import { expect, test } from "vitest";
import { gramsOfName, gramsOfTyped, misspelling } from "../../../src/tools/knowledge/misspelling.js";
import { normaliseName } from "../../../src/tools/knowledge/names.js";

const letters = fc.constantFrom(..."abcdefghij", "数", "据", "平", "台");
const names = fc.array(letters, { minLength: 3, maxLength: 20 }).map((some) => some.join(""));

test("a name with one slip shares a term of the index with what is typed", () => {
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

test("terms hold no white space, at which the index would split them", () => {
  expect(gramsOfName("ann lee 数据 平台").join("")).not.toMatch(/\s/);
  expect(gramsOfTyped("an lee").join("")).not.toMatch(/\s/);
});

test("what cannot be misspelt has none", () => {
  for (const key of ["", "ann", "2021 03 01", "张三", "x".repeat(100)]) expect(gramsOfTyped(key)).toEqual([]);
});
