import { describe, expect, test } from "vitest";
import { composeAnswer } from "../../src/answer/compose.js";
import { withText } from "../../src/answer/segments.js";
import { staleIn } from "../../src/answer/stale.js";
import type { Claim, Reference } from "../../src/types/answer.js";

const claim = (...references: number[]): Claim => ({
  text: "It opens at eight.",
  support: "supported",
  citations: references.map((reference) => ({ reference, quote: "", start: 0, end: 0 })),
});
const reference = (number: number, date: string, validFrom?: string): Reference => ({
  ...{ number, evidenceId: `${number}`, source: "document", title: "", uri: "", section: "", date },
  ...(validFrom && { validFrom }),
});
const NOW = Date.parse("2026-11-22T00:00:00Z");
const stale = (claims: Claim[], references: Reference[], days = 730) => staleIn(claims, references, days, NOW);

describe("an answer is out of date", () => {
  test("if all sources of a claim are old", () => {
    const references = [reference(1, "2021-03-01"), reference(2, "2026-01-01"), reference(3, "2020-01-01")];
    expect(stale([claim(1), claim(2)], references)).toEqual([1]);
    expect(stale([claim(1, 2)], references)).toEqual([]);
    expect(stale([claim(1, 3)], references)).toEqual([1, 3]);
  });

  test("counted from the last review of the source or its first valid day, whichever is later", () => {
    expect(stale([claim(1)], [reference(1, "2021-03-01", "2026-01-01")])).toEqual([]);
    expect(stale([claim(1)], [reference(1, "2026-11-22T08:00:00.000Z", "2021-01-01")])).toEqual([1]);
  });

  test("only if the source has a date and is older than the configured age", () => {
    expect(stale([claim(1)], [reference(1, "2026-11-22T08:00:00.000Z")])).toEqual([]);
    expect(stale([claim(1)], [reference(1, "[2](http:)")])).toEqual([]);
    expect(stale([claim(1)], [reference(1, "2026-11-01")], 30)).toEqual([]);
    expect(stale([claim(1)], [reference(1, "2026-10-01")], 30)).toEqual([1]);
    expect(stale([claim(1)], [reference(1, "1999-01-01")], 0)).toEqual([]);
  });

  test.each([
    ["en", "This may be out of date: the newest source is from 2021."],
    ["zh", "内容可能已经过时：最新的来源是2021年的。"],
  ] as const)("and says so in its language (%s)", (language, sentence) => {
    const answer = { claims: [claim(1)], references: [reference(1, "2021-03-01")], disagreements: [], missing: "" };
    expect(withText(composeAnswer({ ...answer, stale: [1] }, "other", language)).text).toContain(`\n\n${sentence}`);
    expect(withText(composeAnswer(answer, "other", language)).text).not.toContain(sentence);
  });

  test("and names the old sources if there are newer ones, with the full date if the year is not enough", () => {
    const dates = ["2021-03-01", `${new Date().getFullYear()}-01-01`, "2030-01-01"];
    const references = dates.map((date, i) => reference(i + 1, date));
    const answer = {
      claims: [claim(1), claim(2), claim(3)],
      references,
      disagreements: [],
      missing: "",
      stale: [1, 2],
    };
    expect(withText(composeAnswer(answer, "other", "en")).text).toContain(
      `Some of this may be out of date: [1] is from 2021 and [2] is from ${dates[1]}.`,
    );
  });
});
