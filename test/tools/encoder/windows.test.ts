import { describe, expect, test } from "vitest";
import { tokensOf } from "../../../src/tools/encoder/onnx.js";
import { tokenizer } from "../../../src/tools/encoder/pieces.js";
import type { Pair } from "../../../src/tools/encoder/port.js";
import { windowsOf } from "../../../src/tools/encoder/windows.js";

const LIMITS = { longest: 320, window: 320 };
const tokenise = tokenizer("model/tokenizer.json");
const windows = (pair: Pair) => windowsOf(pair, 0, tokenise, LIMITS);
const read = (pair: Pair) =>
  windows(pair).reduce((sum, { text, passage }) => sum + text.ids.length + passage.ids.length, 0);

const PASSAGE = "Invoices of the finance department are kept for ten years, and minutes for ninety days. ".repeat(6);
const base64 = Buffer.from(Array.from({ length: 9_000 }, (_, i) => (i * i * 31 + i * 17) % 256)).toString("base64");
const ODD = {
  snowmen: "☃".repeat(900),
  "direction marks": "\u202e".repeat(9_000),
  base64,
  "letters apart": "a b c ".repeat(3_000),
  "letters at random": base64.toLowerCase().replace(/[^a-z]/g, ""),
  Thai: "พนักงานได้วันลากี่วัน".repeat(400),
};

describe("a question costs at most twice as much as an ordinary long one", () => {
  const ordinary = "How long do we have to keep the invoices of our customers in other countries? ".repeat(6);
  test.each(Object.entries(ODD))("%s", (_name, text) => {
    expect(read({ text, as: "question", passage: PASSAGE })).toBeLessThanOrEqual(
      2 * read({ text: ordinary, as: "question", passage: PASSAGE }),
    );
  });
});

test("a long claim is read in parts, to its end", () => {
  const text = "The archive of this office keeps its invoices for ten years, ".repeat(30);
  const parts = new Map(windows({ text, passage: PASSAGE }).map((window) => [window.part, window]));
  expect([...parts.values()].at(-1)?.text.ends.at(-1)).toBe(text.trimEnd().length);
});

describe("the tokens of a pair are estimated within a factor of 2.5", () => {
  const texts = { prose: PASSAGE, Chinese: "发票须保存十年，会议纪要九十天后删除。".repeat(20), ...ODD };
  test.each(
    Object.entries(texts).flatMap(([name, text]) =>
      (
        [
          ["the question", { text, as: "question", passage: PASSAGE }],
          ["the claim", { text, passage: PASSAGE }],
          ["the passage", { text: "How long are invoices kept?", as: "question", passage: text }],
        ] as const
      ).map(([place, pair]) => [name, place, pair] as const),
    ),
  )("%s as %s", (_name, _place, pair) => {
    const ratio = tokensOf({ pairs: [pair] }, LIMITS) / read(pair);
    expect(ratio).toBeGreaterThan(0.4);
    expect(ratio).toBeLessThan(2.5);
  });
});
