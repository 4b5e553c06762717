import { describe, expect, test } from "vitest";
import { withoutRepeats } from "../../src/answer/answer.js";
import type { CheckedClaim } from "../../src/types/answer.js";

const said = (text: string, evidenceId: string): CheckedClaim => ({
  text,
  verdict: "supported",
  reason: { code: "stated" },
  quotes: [{ evidenceId, quote: text, start: 0, end: text.length }],
});

test.each([
  ["The Lisbon office opens at eight.", "The Lisbon office opens at eight"],
  ["The Lisbon office opens every morning at eight.", "Every morning the Lisbon office opens at eight."],
  ["上海办公室早上九点开门。", "上海办公室早上九点开门"],
])("%s is said once, with the sources of all claims that say it", (first, again) => {
  const kept = withoutRepeats([said(first, "a"), said(again, "b"), said(first, "a")]);
  expect(kept.map(({ text }) => text)).toEqual([first]);
  expect(kept[0]?.quotes.map(({ evidenceId }) => evidenceId)).toEqual(["a", "b"]);
});

describe("claims that only look alike are both kept:", () => {
  test.each([
    [
      "The Lisbon office in Portugal opens every day at eight.",
      "The Lisbon office in Portugal opens every day at nine.",
    ],
    ["The Lisbon office is open on Sundays in March.", "The Lisbon office is not open on Sundays in March."],
    ["The customer pays the supplier.", "The supplier pays the customer."],
    ["Ann followed Bo as head of sales.", "Bo followed Ann as head of sales."],
    ["上海办公室星期六早上九点开门。", "上海办公室星期六早上八点开门。"],
    ["上海办公室星期六开门。", "上海办公室星期六不开门。"],
  ])("%s %s", (a, b) => expect(withoutRepeats([said(a, "a"), said(b, "b")])).toHaveLength(2));
});
