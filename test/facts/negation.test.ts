import { describe, expect, test } from "vitest";
import { denied } from "../../src/facts/negation.js";

describe("denied terms", () => {
  test.each([
    ["The plant does not run night shifts.", [["run", "night"]]],
    ["工厂不安排夜班。", [["安排", "夜班"]]],
    ["工资条不发纸质的。", [["发纸", "纸质"]]],
    ["It is not internationally acknowledged.", [["internation", "acknowledg"]]],
  ])("are the first two terms after a denial: %s", (text, expected) => {
    expect(denied(text)).toEqual(expected);
  });

  test("omit a word that the end of the examined text cuts off", () => {
    expect(denied(`It is not ${"x".repeat(50)} ${"y".repeat(50)}`)).toEqual([["x".repeat(50)]]);
  });

  test.each(["不 ", "not so ", "年不_A", "不😀"])("are found in a long run of %j without hanging", (piece) => {
    expect(() => denied(piece.repeat(2_000 / piece.length))).not.toThrow();
  });
});
