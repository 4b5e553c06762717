import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coverage, inverseFrequency, jaccard } from "../../src/text/similarity.js";

describe("coverage", () => {
  test("is the share of the wanted terms that occur, each counted once", () => {
    expect(coverage(["a", "b", "a"], new Set(["a"]))).toBe(0.5);
    expect(coverage([], new Set(["a"]))).toBe(0);
  });

  test("weights heavier terms more", () => {
    expect(coverage(["a", "b"], new Set(["a"]), (term) => (term === "a" ? 3 : 1))).toBe(0.75);
  });
});

test("jaccard is the share of common members of two sets", () => {
  expect(jaccard(new Set(["a", "b"]), new Set(["b", "c"]))).toBeCloseTo(1 / 3);
  expect(jaccard(new Set(), new Set())).toBe(0);
});

test("inverseFrequency is higher for rarer terms, and never negative", () => {
  const weight = inverseFrequency([["a", "b"], ["a"], ["a", "c", "c"]]);
  expect(weight("none")).toBeGreaterThan(weight("b"));
  expect(weight("b")).toBe(weight("c"));
  expect(weight("b")).toBeGreaterThan(weight("a"));
  expect(weight("a")).toBeGreaterThan(0);
});

test("every measure stays between 0 and 1", () => {
  const list = fc.array(fc.constantFrom("a", "b", "c", "d"));
  fc.assert(
    fc.property(list, list, (a, b) => {
      for (const value of [coverage(a, new Set(b)), jaccard(new Set(a), new Set(b))]) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
    }),
  );
});
