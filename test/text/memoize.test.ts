import { expect, test } from "vitest";
import { memoize } from "../../src/text/memoize.js";

function counting(characters: number) {
  const read: string[] = [];
  const find = memoize((text) => {
    read.push(text);
    return [text.length];
  }, characters);
  return { find, read };
}

test("a text is computed once, and the result is reused", () => {
  const { find, read } = counting(100);
  expect(find("one")).toBe(find("one"));
  expect(find("three")).toEqual([5]);
  expect(read).toEqual(["one", "three"]);
});

test("the least recently used results are dropped to stay within the limit", () => {
  const { find, read } = counting(9);
  for (const text of ["aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"]) find(text);
  expect(read).toEqual(["aaaa", "bbbb", "cccc", "bbbb"]);
});

test("a text that is longer than the limit is not kept", () => {
  const { find, read } = counting(9);
  for (const text of ["aaaa", "x".repeat(10), "x".repeat(10), "aaaa"]) find(text);
  expect(read).toEqual(["aaaa", "x".repeat(10), "x".repeat(10)]);
});

test("a shared result cannot be modified", () => {
  const { find } = counting(9);
  expect(() => find("one").push(1)).toThrow(TypeError);
});
