import { expect, test } from "vitest";
import { boost, leafOf } from "../../eval/boost.js";
import { averaged, shingleScore } from "../../eval/shingles.js";

test("what is found is compared in runs of four words, counting how often each comes", () => {
  expect(shingleScore("a b c d e", "a b c d e")).toEqual({ precision: 1, recall: 1 });
  expect(shingleScore("a b c d e", "A, b c d... e f")).toEqual({ precision: 1 / 3, recall: 1 / 2 });
  expect(shingleScore("a b c d", "a b c d a b c d")).toEqual({ precision: 1 / 5, recall: 1 });
  expect(shingleScore("步行道 一 二 三 四", "步行道 一 二 三")).toEqual({ precision: 1, recall: 1 / 2 });
});

test("a text shorter than four words is one run, and an empty one counts for the measure that it has", () => {
  expect(shingleScore("a b", "a b")).toEqual({ precision: 1, recall: 1 });
  expect(shingleScore("a b", "")).toEqual({ precision: null, recall: 0 });
  expect(averaged([shingleScore("a b", ""), shingleScore("a b", "a b")])).toEqual({
    precision: 1,
    recall: 0.5,
    f1: 2 / 3,
  });
});

test("boosted trees learn what no single limit tells: one or the other, not both", () => {
  const rows = Array.from({ length: 800 }, (_, i) => {
    const [a, b] = [i % 2, Math.floor(i / 2) % 2];
    return { signs: Float64Array.of(a, b, i % 7), label: a !== b, weight: 1 };
  });
  const trees = boost(rows, { signShare: 1, trees: 40, rate: 0.3 });
  for (const { signs, label } of rows)
    expect(trees.reduce((sum, tree) => sum + leafOf(tree, signs), 0) > 0).toBe(label);
  expect(boost(rows, { trees: 2 })).toEqual(boost(rows, { trees: 2 }));
});
