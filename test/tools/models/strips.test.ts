import { expect, test } from "vitest";
import { keptStrips } from "../../../src/text/strips.js";

const text = "aaaa bbbb cccc dddd eeee";
const kept = (relevance: readonly number[]) =>
  keptStrips({
    text,
    strips: relevance.map((value, i) => ({ start: i * 5, end: i * 5 + 4, relevance: value })),
  }).map(({ start, end }) => text.slice(start, end));

test("keeps relevant strips with one neighbour on each side, those that touch as one", () => {
  expect(kept([0, 0, 0.9, 0, 0])).toEqual(["bbbb cccc dddd"]);
  expect(kept([0.9, 0, 0, 0, 0.9])).toEqual(["aaaa bbbb", "dddd eeee"]);
  expect(kept([0.9, 0.9, 0, 0, 0])).toEqual(["aaaa bbbb cccc"]);
});

test("keeps from the threshold on, and nothing below it", () => {
  expect(kept([0.3, 0, 0, 0, 0])).toEqual(["aaaa bbbb"]);
  expect(kept([0.29, 0, 0, 0, 0])).toEqual([]);
});

test("keeps all of what nobody has graded", () => {
  expect(kept([])).toEqual([text]);
});
