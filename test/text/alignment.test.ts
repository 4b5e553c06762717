import { describe, expect, test } from "vitest";
import { align, tokensOf } from "../../src/text/alignment.js";

/** Each difference as "claim/source". */
const differences = (claim: string, source: string) => {
  const words = (text: string, tokens: readonly { start: number; end: number }[]) =>
    tokens.map(({ start, end }) => text.slice(start, end)).join(" ");
  return align(tokensOf(claim), tokensOf(source))?.differences.map(
    (gap) => `${words(claim, gap.claim)}/${words(source, gap.source)}`,
  );
};

describe("align", () => {
  test.each([
    ["nothing where all agrees", "The office opens at nine.", "Today the office opens at nine, they say.", []],
    ["an amount, whole", "It cost 1,200 euros a day.", "It cost 1,300 euros a day.", ["1,200 euros/1,300 euros"]],
    ["no other writing of an amount", "有二十五个展厅。", "有25个展厅。", []],
    [
      "a word put in and one left out",
      "A good big house is for sale.",
      "A good house is not for sale.",
      ["big/", "/not"],
    ],
    ["two that have changed places", "Ann paid back Bob twice.", "Bob paid back Ann twice.", ["Ann/Bob", "Bob/Ann"]],
    ["a Chinese character", "该河位于城北郊区。", "该河位于城南郊区。", ["北/南"]],
    [
      "no compound by its first part",
      "the vice-president spoke",
      "the vice-chair spoke",
      ["the vice-president/the vice-chair"],
    ],
  ])("shows %s", (_name, claim, source, expected) => {
    expect(differences(claim, source)).toEqual(expected);
  });

  test("says how much of the claim stands in the source", () => {
    const share = (claim: string, source: string) => align(tokensOf(claim), tokensOf(source))?.share;
    expect(share("Dogs bark loudly", "Dogs bark loudly at night")).toBe(1);
    expect(share("Dogs bark", "Cats sleep")).toBe(0);
    expect(share("Dogs bark, cats sleep", "Dogs bark all day")).toBe(0.5);
  });

  test("leaves alone what is too long to be one statement", () => {
    expect(align(tokensOf("word ".repeat(401)), tokensOf("word"))).toBeUndefined();
  });
});
