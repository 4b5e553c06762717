import { expect, test } from "vitest";
import { keptStrips } from "../../src/text/strips.js";

const text = "aaaa bbbb cccc dddd eeee";
const kept = (relevance: readonly number[]) =>
  keptStrips({
    text,
    strips: relevance.map((value, i) => ({ start: i * 5, end: i * 5 + 4, relevance: value })),
  }).map(({ start, end }) => text.slice(start, end));

test("relevant strips are kept with one neighbour on each side, and adjacent ones are joined", () => {
  expect(kept([0, 0, 0.9, 0, 0])).toEqual(["bbbb cccc dddd"]);
  expect(kept([0.9, 0, 0, 0, 0.9])).toEqual(["aaaa bbbb", "dddd eeee"]);
  expect(kept([0.9, 0.9, 0, 0, 0])).toEqual(["aaaa bbbb cccc"]);
});

test("strips at the threshold are kept, and strips below it are not", () => {
  expect(kept([0.3, 0, 0, 0, 0])).toEqual(["aaaa bbbb"]);
  expect(kept([0.29, 0, 0, 0, 0])).toEqual([]);
});

test("ungraded evidence is kept completely", () => {
  expect(kept([])).toEqual([text]);
});
