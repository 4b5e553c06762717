import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attach } from "../../src/citing/attach.js";
import { hostileText } from "./texts.js";

const OFFICES = {
  id: "offices",
  text: "The office in Lisbon opens at eight. It has forty desks. Rent is paid in March. The office in Utrecht opens at nine.",
};
const PRICES = { id: "prices", text: "# Prices\n\n| Plan | Price |\n|---|---|\n| Pro | $20 |\n| Free | $0 |" };
const CHINESE = { id: "办公室", text: "上海办公室早上九点开门。出国差旅由部门负责人审批。差旅费用在15天内报销。" };
const SOURCES = [OFFICES, PRICES, CHINESE];
const quotes = (claim: string) => attach(claim, SOURCES).map(({ quote }) => quote);

describe("a claim is attached to", () => {
  test.each<[string, string, string[]]>([
    [
      "the sentence that has its words",
      "In Lisbon, the office opens at eight.",
      ["The office in Lisbon opens at eight."],
    ],
    ["the one with its number", "The office opens at nine.", ["The office in Utrecht opens at nine."]],
    ["the Chinese sentence", "部门负责人批准出国差旅。", ["出国差旅由部门负责人审批。"]],
    [
      "neighbours as one quote",
      "The Lisbon office, which opens at eight, has forty desks.",
      ["The office in Lisbon opens at eight. It has forty desks."],
    ],
    [
      "sentences of several sources",
      "The Pro plan costs $20 and rent is paid in March.",
      ["Rent is paid in March.", "| Pro | $20 |", "| Plan | Price |"],
    ],
    ["a row with its head", "The price of the Pro plan is $20.", ["| Pro | $20 |", "| Plan | Price |"]],
    ["an amount written in another way", "差旅费用须在十五天内报销。", ["差旅费用在15天内报销。"]],
    ["nothing where nothing comes near", "Whales sing in winter.", []],
    ["nothing where it says nothing", "…", []],
  ])("%s", (_, claim, expected) => expect(quotes(claim)).toEqual(expected));
});

test("a source in another language is matched by at least two shared numbers or names", () => {
  const english = { id: "en", text: "ACME was founded in 1998 by J. Smith. ACME has 40 offices." };
  expect(attach("ACME成立于1998年。", [english]).map(({ quote }) => quote)).toEqual([
    "ACME was founded in 1998 by J. Smith.",
  ]);
  expect(attach("公司成立于1998年。", [english])).toEqual([]);
});

test("the title of a source decides between sources with the same words", () => {
  const [first] = attach("Lisbon opens at eight.", [
    { id: "a", title: "Porto", text: "It opens at eight." },
    { id: "b", title: "Lisbon", text: "It opens at eight." },
  ]);
  expect(first?.evidenceId).toBe("b");
});

test("claims and sources of random text give at most three quotes with their table headers, each at its offsets", () => {
  fc.assert(
    fc.property(hostileText(6), fc.array(hostileText(), { maxLength: 4 }), (claim, texts) => {
      const sources = texts.map((text, i) => ({ id: `${i}`, text }));
      const attached = attach(claim, sources);
      expect(attached.length).toBeLessThanOrEqual(6);
      for (const { evidenceId, quote, start, end } of attached) {
        expect(quote).not.toBe("");
        expect(sources[Number(evidenceId)]?.text.slice(start, end)).toBe(quote);
      }
    }),
    { numRuns: 500 },
  );
}, 60_000);
