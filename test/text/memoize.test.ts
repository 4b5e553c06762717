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

test("a text is read once, and the same is found again", () => {
  const { find, read } = counting(100);
  expect(find("one")).toBe(find("one"));
  expect(find("three")).toEqual([5]);
  expect(read).toEqual(["one", "three"]);
});

test("what was asked for longest ago goes first, so that no more is held than allowed", () => {
  const { find, read } = counting(9);
  for (const text of ["aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"]) find(text);
  expect(read).toEqual(["aaaa", "bbbb", "cccc", "bbbb"]);
});

test("a text that is longer than all that is held is not held", () => {
  const { find, read } = counting(9);
  for (const text of ["aaaa", "x".repeat(10), "x".repeat(10), "aaaa"]) find(text);
  expect(read).toEqual(["aaaa", "x".repeat(10), "x".repeat(10)]);
});

test("nobody changes what others are given", () => {
  const { find } = counting(9);
  expect(() => find("one").push(1)).toThrow(TypeError);
});
