import { describe, expect, test } from "vitest";
import { withConflicts } from "../../src/answer/caveats.js";
import { aboutSibling, areSiblings } from "../../src/reading/siblings.js";
import { claimOf, unitsOf } from "../../src/reading/units.js";
import { languageOf } from "../../src/text/language.js";
import type { CheckedClaim } from "../../src/types/answer.js";
import type { Evidence } from "../../src/types/evidence.js";

const page = (title: string, text: string, uri = `${title}.md`): Evidence => ({
  id: title,
  source: "document",
  uri,
  title,
  section: "",
  text,
  language: languageOf(text),
  retrievedAt: "2026-01-01",
  score: 1,
  relevance: 1,
  strips: [],
  reviewedAt: "",
});

/** The first words of the units that a question may be answered from. */
const left = (question: string, pieces: readonly Evidence[]) => {
  const isOfSibling = aboutSibling(question, pieces);
  return pieces
    .flatMap(unitsOf)
    .filter((unit) => unit.kind !== "heading" && !isOfSibling(unit))
    .map(({ text }) => text);
};

describe("a question that names one thing is not answered from its siblings", () => {
  const [x200, x300, x350] = ["X200", "X300", "X350"].map((model, i) =>
    page(`Kestrel ${model} drill: manual`, `## Warranty\n\nThe warranty lasts ${i + 2} years.`),
  ) as [Evidence, Evidence, Evidence];
  const alder = page("Cabin Alder", "## Deposit\n\nThe deposit is EUR 200.");
  const birch = page("Cabin Birch", "## Deposit\n\nThe deposit is EUR 260.");
  const ginkgo = page("银杏小屋", "押金为2000元。");
  const birches = page("白桦小屋", "押金为2600元。");

  test.each<[string, Evidence[], string[]]>([
    ["How long is the warranty of the X300?", [x200, x300, x350], ["The warranty lasts 3 years."]],
    [
      "Compare the warranty of the X300 and the X350",
      [x200, x300, x350],
      ["The warranty lasts 3 years.", "The warranty lasts 4 years."],
    ],
    ["How long is the warranty?", [x200, x300], ["The warranty lasts 2 years.", "The warranty lasts 3 years."]],
    ["What is the deposit for cabin Alder?", [alder, birch], ["The deposit is EUR 200."]],
    ["How much is the deposit of the birch cabin?", [alder, birch], ["The deposit is EUR 260."]],
    ["What is the deposit?", [alder, birch], ["The deposit is EUR 200.", "The deposit is EUR 260."]],
    ["银杏小屋的押金是多少？", [ginkgo, birches], ["押金为2000元。"]],
  ])("%s", (question, pieces, expected) => {
    expect(left(question, pieces)).toEqual(expected);
  });

  test("a page is a sibling by its file's name alone", () => {
    const pieces = ["x300", "x350"].map((name) => ({
      ...page("Manual", `It weighs ${name.slice(1)} g.`, `${name}.md`),
      id: name,
    }));
    expect(left("How heavy is the X350?", pieces)).toEqual(["It weighs 350 g."]);
  });

  test("a page that names nothing else may answer, and so may one that mentions what is named", () => {
    const general = page("Drills", "All warranties begin with the purchase.");
    const other = page("Kestrel X400 drill: manual", "Its battery fits the X300.");
    expect(left("When does the warranty of the X300 begin?", [x300, general, other])).toHaveLength(3);
  });

  test("a code in a sentence counts as one in a title", () => {
    const codes = page("Codes", "Version 4.2.1 fixes the login loop. Version 4.2.0 adds dark mode.");
    expect(left("What does version 4.2.1 fix?", [codes])).toEqual(["Version 4.2.1 fixes the login loop."]);
    expect(left("What does version 4.2.2 fix?", [codes])).toEqual([]);
    expect(left("What does version 4.2.10 fix?", [codes])).toEqual([]);
  });

  test("a member that is not described is not answered from the others", () => {
    expect(left("What is the deposit for cabin Sedge?", [alder, birch])).toEqual([]);
    expect(left("What is the deposit for a guest of Sedge Ltd?", [alder, birch])).toHaveLength(2);
    const tickets = page("Tickets", "GD-20260317：三楼空调漏水，处理人曹阳。\n\nGD-20260318：二楼门锁坏，处理人白露。");
    expect(left("GD-20260371是谁处理的？", [tickets])).toEqual([]);
    expect(left("GD-20260318是谁处理的？", [tickets])).toEqual(["GD-20260318：二楼门锁坏，处理人白露。"]);
  });

  test("pages that share words but say other things are no siblings", () => {
    const leave = page("Employee leave policy", "Parents get 16 weeks off.");
    const handbook = page("Employee handbook", "Parents may work part time.");
    expect(left("What does the leave policy offer?", [leave, handbook])).toHaveLength(2);
  });
});

describe("sources disagree only about the same thing", () => {
  const said = (piece: Evidence): CheckedClaim => {
    const [unit] = unitsOf(piece);
    if (!unit) throw new Error("no unit");
    const { text, start, end } = unit;
    return {
      ...claimOf(unit),
      verdict: "supported",
      reason: { code: "stated" },
      quotes: [{ evidenceId: piece.id, quote: text, start, end }],
    };
  };
  const x300 = page("X300", "The warranty lasts 36 months from the date of purchase.");
  const x350 = page("X350", "The warranty lasts 60 months from the date of purchase.");

  test("a sibling of what the question names is not shown", () => {
    expect(withConflicts([said(x300)], [x300, x350], "How long is the warranty of the X300?").claims).toHaveLength(1);
  });

  test("two members of a series are both shown, without a word of disagreement", () => {
    const { claims, conflicts } = withConflicts([said(x300)], [x300, x350], "How long is the warranty?");
    expect([claims.length, conflicts.length]).toEqual([2, 0]);
  });

  test("two years of one policy disagree", () => {
    expect(areSiblings(page("Leave 2025", "a"), page("Leave 2026", "b"))).toBe(false);
    expect(areSiblings(page("API V1.2.0", "a"), page("API V1.3.0", "b"))).toBe(false);
  });
});
