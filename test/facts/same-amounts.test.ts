import { describe, expect, test } from "vitest";
import { quantities } from "../../src/facts/numbers.js";
import { inAmountsOf } from "../../src/facts/same-amounts.js";
import { stated } from "../../src/facts/stated.js";
import { settle } from "../../src/facts/support.js";

describe("equal amounts are equal however they are written", () => {
  test.each([
    ["forty-eight people", "48 people"],
    ["until 17:30", "until 5:30 p.m."],
    ["half past five in the afternoon", "17:30"],
    ["quarter to six", "5:45"],
    ["at noon", "12:00"],
    ["eighty cents", "EUR 0.80"],
    ["EUR 0.80", "80 cents"],
    ["80p", "£0.80"],
    ["票价5角", "票价0.5元"],
    ["2.5 m³", "2,500 litres"],
    ["下午五点半", "17:30"],
    ["15:30", "下午3点30分"],
  ])("%s is in %s", (one, other) => {
    const [own] = quantities(one);
    expect(own && stated(own, quantities(other))).toBe("yes");
  });

  test.each([
    ["90 cents", "EUR 0.80"],
    ["80 cents", "EUR 80"],
    ["half past five", "17:30"],
    ["2.5 m³", "2,500 m"],
  ])("%s is not in %s", (one, other) => {
    const [own] = quantities(one);
    expect(own && stated(own, quantities(other))).not.toBe("yes");
  });
});

test("a claim is written in its source's amounts, and spans of it are found again", () => {
  const claim = "It pays eighty cents, and is open until 17:30.";
  const { text, spanOf } = inAmountsOf(claim, "EUR 0.80; 9 a.m. to 5:30 p.m.");
  expect(text).toBe("It pays EUR 0.80, and is open until 5:30 p.m.");
  const found = (words: string) => {
    const at = text.indexOf(words);
    const { start, end } = spanOf({ start: at, end: at + words.length });
    return claim.slice(start, end);
  };
  expect(["pays", "0.80", "open until", "5:30 p.m"].map(found)).toEqual([
    "pays",
    "eighty cents",
    "open until",
    "17:30",
  ]);
  expect(inAmountsOf(claim, "nothing").text).toBe(claim);
});

describe("one end of a range is stated by it", () => {
  test.each([
    ["The warehouse is open until 17:30.", "The warehouse is open from 9 a.m. to 5:30 p.m.", "supported"],
    ["The warehouse is open from 9:00.", "The warehouse is open from 9 a.m. to 5:30 p.m.", "supported"],
    ["The warehouse is open until 9 a.m.", "The warehouse is open from 9 a.m. to 5:30 p.m.", "doubtful"],
    ["仓库从9点开放。", "仓库从上午九点到下午五点半开放。", "supported"],
  ])("%s from %s is %s", (claim, quote, verdict) => {
    expect(settle(claim, [quote]).verdict).toBe(verdict);
  });
});
