import { describe, expect, test } from "vitest";
import { settle } from "../../src/facts/support.js";
import { inForce, signsAsBoxes, struckOut, superscript } from "../../src/text/marks.js";
import { wordsAndCode } from "../../src/text/markup.js";
import { outlineOf } from "../../src/text/outline.js";
import { findQuote } from "../../src/text/quotes.js";

describe("superscripts are no digits of the number before them", () => {
  test.each([
    ["5", "⁵"],
    ["-3", "⁻³"],
    [" 2 ", " ² "],
    ["n", "ⁿ"],
    ["x+y", "^(x+y)"],
    ["k", "^k"],
    ["nd", "nd"],
    ["*", "*"],
    ["", ""],
  ])("%j is written %j", (text, written) => {
    expect(superscript(text)).toBe(written);
  });
});

test("each line of struck-out text is marked", () => {
  expect(struckOut(" EUR 6\n\n b ")).toBe(" ~~EUR 6~~\n\n ~~b~~ ");
});

test("signs of check boxes become boxes, apart from their labels", () => {
  expect(signsAsBoxes("☐Diesel ☒ Electric ☑")).toBe("[ ] Diesel [x] Electric [x]");
});

describe("what a text states keeps its length and leaves out what is not valid", () => {
  test.each([
    ["struck-out text", "It costs ~~EUR 6~~ EUR 7.", "It costs           EUR 7."],
    ["struck-out text of two lines", "It is ~~a\nb~~ c", "It is    \n    c"],
    ["no text of two paragraphs", "It is ~~a\n\nb~~ c", "It is ~~a\n\nb~~ c"],
    ["an open task", "- [ ] The review is approved", "- not The review is approved"],
    ["a done task", "- [x] The review is approved", "-     The review is approved"],
    ["an open task in Chinese", "- [ ] 评审已通过", "- 未   评审已通过"],
    ["options after their boxes", "Trailer: [x] Yes [ ] No", "Trailer:     Yes       "],
    ["options before their boxes", "Yes [x] No [ ]", "Yes           "],
    ["boxes alone in cells", "| A | [ ] | [x] |", "| A | no  | yes |"],
    ["a box after its label", "I agree [ ]", "I agree no "],
    ["a numbered task", "1. [ ] Fill it", "1. not Fill it"],
    ["a link", "see [x](https://example.org)", "see [x](https://example.org)"],
    ["a fence", "~~~\ncode\n~~~", "~~~\ncode\n~~~"],
    ["tildes of amounts", "It takes ~5 to ~6 days", "It takes ~5 to ~6 days"],
  ])("%s", (_, text, stated) => {
    expect(inForce(text)).toBe(stated);
  });

  test("a long run of marks takes linear time", () => {
    expect(inForce("~~a ".repeat(50_000))).toHaveLength(200_000);
    expect(inForce("[ ] a ".repeat(50_000))).toHaveLength(300_000);
  });
});

describe("an answer repeats what is valid", () => {
  test("without struck-out words, and with check boxes as signs", () => {
    expect(wordsAndCode("It costs ~~EUR 6~~ EUR 7.")).toBe("It costs EUR 7.");
    expect(wordsAndCode("[ ] The review is approved")).toBe("☐ The review is approved");
    expect(wordsAndCode("[Guide](x) [x] Yes [ ] No")).toBe("Guide ☑ Yes ☐ No");
  });

  test("a sentence that is all struck out states nothing", () => {
    expect(outlineOf("~~It opens at 11.~~\n\nIt opens at 12.").map(({ states }) => states)).toEqual([false, true]);
  });

  test("a quote is found around struck-out words, and keeps them", () => {
    const text = "A warm meal costs ~~EUR 6.20~~ EUR 7.10 today.";
    const { start, end } = findQuote(text, "A warm meal costs EUR 7.10") ?? { start: 0, end: 0 };
    expect(text.slice(start, end)).toBe("A warm meal costs ~~EUR 6.20~~ EUR 7.10");
  });
});

describe("a claim is checked against what its quotes state", () => {
  test.each([
    ["A warm meal costs EUR 7.10.", "A warm meal costs ~~EUR 6.20~~ EUR 7.10.", "supported"],
    ["A warm meal costs EUR 6.20.", "A warm meal costs ~~EUR 6.20~~ EUR 7.10.", "unsupported"],
    ["A warm meal costs EUR 6.20.", "~~A warm meal costs EUR 6.20.~~", "unsupported"],
    ["The security review is approved.", "- [ ] The security review is approved", "contradicted"],
    ["The security review is not approved.", "- [ ] The security review is approved", "doubtful"],
    ["☐ The security review is approved", "- [ ] The security review is approved", "supported"],
    ["The security review is approved.", "- [x] The security review is approved", "supported"],
    ["☐ 安全评审已通过", "- [ ] 安全评审已通过", "supported"],
  ])("%s from %s is %s", (claim, quote, verdict) => {
    expect(settle(claim, [quote]).verdict).toBe(verdict);
  });

  test.each([["安全评审已通过。", "- [ ] 安全评审已通过"]])("%s from %s is not supported", (claim, quote) => {
    expect(settle(claim, [quote]).verdict).not.toBe("supported");
  });
});
