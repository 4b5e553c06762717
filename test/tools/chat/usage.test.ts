import { describe, expect, test } from "vitest";
import { usageOf } from "../../../src/tools/chat/chat-langchain.js";

const asked = [
  { role: "system" as const, content: "x".repeat(39) },
  { role: "user" as const, content: "年".repeat(20) },
];

describe("the usage of a request", () => {
  test("is what the endpoint reports if that is a number of tokens", () => {
    const said = { inputTokens: 100, cachedTokens: 60, outputTokens: 0 };
    expect(usageOf(said, asked, "twenty characters ..")).toEqual(said);
  });

  test.each([
    -1,
    1.5,
    "12",
    1e308,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    null,
    undefined,
    [1],
    { a: 1 },
    true,
    2 ** 60,
  ])("is estimated from the length of the text if the endpoint reports %j", (odd) => {
    const said = { inputTokens: odd, cachedTokens: odd, outputTokens: odd };
    expect(usageOf(said, asked, "twenty characters ..")).toEqual({ inputTokens: 25, cachedTokens: 0, outputTokens: 5 });
  });

  test("has at most as many cached tokens as input tokens", () => {
    expect(usageOf({ inputTokens: 5, cachedTokens: 6, outputTokens: 1 }, asked, "").cachedTokens).toBe(0);
  });
});
