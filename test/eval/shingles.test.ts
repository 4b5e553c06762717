import { expect, test } from "vitest";
import { averaged, shingleScore } from "../../research/eval/shingles.js";

test("texts are compared by runs of four words, including how often each run occurs", () => {
  expect(shingleScore("a b c d e", "a b c d e")).toEqual({ precision: 1, recall: 1 });
  expect(shingleScore("a b c d e", "A, b c d... e f")).toEqual({ precision: 1 / 3, recall: 1 / 2 });
  expect(shingleScore("a b c d", "a b c d a b c d")).toEqual({ precision: 1 / 5, recall: 1 });
  expect(shingleScore("步行道 一 二 三 四", "步行道 一 二 三")).toEqual({ precision: 1, recall: 1 / 2 });
});

test("a text shorter than four words is one run, and an empty text affects only its own measure", () => {
  expect(shingleScore("a b", "a b")).toEqual({ precision: 1, recall: 1 });
  expect(shingleScore("a b", "")).toEqual({ precision: null, recall: 0 });
  expect(averaged([shingleScore("a b", ""), shingleScore("a b", "a b")])).toEqual({
    precision: 1,
    recall: 0.5,
    f1: 2 / 3,
  });
});
