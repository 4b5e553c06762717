import { describe, expect, test } from "vitest";
import { checkByCode } from "../../src/checking/cascade.js";
import { unitsOf } from "../../src/reading/units.js";
import { type Wanted, wholeOf } from "../../src/reading/whole.js";
import { intentOf } from "../../src/text/intent.js";
import { task } from "./local-evidence.js";

/** What is quoted of these passages of one document if the unit with `best` answers best: "kind: text", and what was cut. */
function quoted(question: string, best: string, texts: readonly string[], wanted: Partial<Wanted> = {}): string[] {
  const { evidence } = task(question, ...texts);
  const pieces = evidence.map((piece, i) => ({ ...piece, uri: "doc.md", id: `doc.md#${i}` }));
  const unit = pieces.flatMap(unitsOf).find(({ text, states }) => states && text.includes(best));
  if (!unit) throw new Error(`no unit with ${best}`);
  const reading = { ...unit, piece: 0, answers: 1, relevance: 1, words: "", procedure: 1, features: [] };
  const others = pieces.flatMap(unitsOf).filter(({ text }) => wanted.others?.some((other) => other.text === text));
  const given = { question, intent: intentOf(question), evidence: pieces, isGuess: false, ...wanted, others };
  return wholeOf(reading, given).map((claim) => {
    expect(checkByCode(claim, pieces).verdict, claim.text).toBe("supported");
    const { kind, cut } = claim.form ?? {};
    return `${kind}: ${claim.text}${cut ? ` (${cut.shown ?? "?"} of ${cut.of ?? "?"})` : ""}`;
  });
}

const ACCESS = "We have three types of access:\n\n- Read, for everybody\n- Write, for engineers\n- Admin, for the lead";
const 权限 = "访问权限分三种：\n\n1. 只读，所有人\n2. 读写，工程师\n3. 管理，负责人";

describe("a list", () => {
  test.each([
    ["Which types of access do we have?", "Read", ACCESS, "bullet"],
    ["有哪些访问权限？", "只读", 权限, "step"],
  ])(
    "is quoted whole, with its introduction once, if the question names no entry: %s",
    (question, best, text, kind) => {
      const claims = quoted(question, best, [text]);
      expect(claims.map((claim) => claim.split(":")[0])).toEqual(["lead", kind, kind, kind]);
    },
  );

  test.each([
    [
      "Who gets write access?",
      "Write",
      ACCESS,
      ["lead: We have three types of access:", "bullet: Write, for engineers"],
    ],
    ["工程师有什么权限？", "读写", 权限, ["lead: 访问权限分三种：", "bullet: 读写，工程师"]],
  ])("has only the entry that the question names: %s", (question, best, text, expected) => {
    expect(quoted(question, best, [text])).toEqual(expected);
  });

  test("goes on in the next passage, which repeats its introduction", () => {
    const towns = (from: number) => Array.from({ length: 5 }, (_, i) => `- town ${from + i}`).join("\n");
    const claims = quoted("Which places are open?", "town 7", [`Open are:\n\n${towns(0)}`, `Open are:\n\n${towns(5)}`]);
    expect(claims).toEqual(["lead: Open are:", ...Array.from({ length: 10 }, (_, i) => `bullet: town ${i}`)]);
  });

  test("says how many entries there are if it is longer than what is shown, and has the one that answers", () => {
    const towns = Array.from({ length: 40 }, (_, i) => `- town ${i + 1}`).join("\n");
    const claims = quoted("Which places are open?", "town 39", [`Open are:\n\n${towns}`]);
    expect(claims).toContain("bullet: town 39");
    expect(claims.at(-1)).toBe("bullet: town 40 (20 of 40)");
  });

  test("counts an entry that only asks, which no answer repeats", () => {
    const claims = quoted("Which parts does it have?", "Date", ["It has:\n\n- Date\n- Name\n- How long?"]);
    expect(claims).toEqual(["lead: It has:", "bullet: Date", "bullet: Name (2 of 3)"]);
  });

  test("keeps what is below an entry with it", () => {
    const text =
      "Do this:\n\n1. Clone it\n\n   ```\n   git clone x\n   ```\n\n2. Build it\n   - with tests\n   - on Linux";
    expect(quoted("Which actions are needed?", "Clone", [text])).toEqual([
      "lead: Do this:",
      "step: Clone it",
      "step: `git clone x`",
      "step: Build it",
      "step: with tests",
      "step: on Linux",
    ]);
  });
});

describe("a question about steps", () => {
  test.each([
    [
      "How do I enrol?",
      "badge",
      "# Enrol\n\nBring your badge.\n\n1. Register.\n2. Sign.\n\nIt takes a day.\n\n# Leave\n\n1. Write to Ann.",
      ["text: Bring your badge.", "step: Register.", "step: Sign.", "text: It takes a day."],
    ],
    [
      "怎么入会？",
      "登记",
      "# 入会\n\n1. 登记。\n2. 签名。\n\n# 退会\n\n1. 写信。",
      ["lead: 入会", "step: 登记。", "step: 签名。"],
    ],
  ])("gets its section in order, and not the next one: %s", (question, best, text, expected) => {
    expect(quoted(question, best, [text])).toEqual(expected);
  });

  test("gets the steps that have headings of their own", () => {
    const text = "# Buy software\n\n## Step 1: Ask\n\nSend a form.\n\n## Step 2: Pay\n\nUse the card.";
    expect(quoted("How do I buy software?", "Send", [text])).toEqual([
      "lead: Step 1: Ask",
      "bullet: Send a form.",
      "lead: Step 2: Pay",
      "bullet: Use the card.",
    ]);
  });

  test("gets the next section if its own says that the steps are below", () => {
    const text =
      "# Enrol\n\n## Who\n\nAnybody may, by the process below.\n\n## Process\n\n- Register.\n- Sign.\n\n## Else\n\nNo.";
    expect(quoted("How do I enrol?", "Anybody", [text]).slice(-3)).toEqual([
      "lead: Process",
      "bullet: Register.",
      "bullet: Sign.",
    ]);
  });

  test("is told that a long section goes on", () => {
    const text = `# Enrol\n\n${Array.from({ length: 30 }, (_, i) => `Paragraph ${i} has ${"many ".repeat(20)}words.`).join("\n\n")}`;
    expect(quoted("How do I enrol?", "Paragraph 0", [text]).at(-1)).toMatch(/\(\? of \?\)$/);
  });
});

describe("what stands below a question", () => {
  test.each([
    ["Is there a match for my 401k?", "Not at", "## Is there a match for the 401k?\n\nNot at this time."],
    ["Is there a match for my 401k?", "Not at", "Q: Is there a match for the 401k?\n\nA: Not at this time."],
    ["Is there a match for my 401k?", "Not at", "Q: Is there a match for the 401k?\nA: Not at this time."],
  ])("is quoted without the mark of an answer", (question, best, text) => {
    expect(quoted(question, best, [text])).toEqual(["text: Not at this time."]);
  });

  test("is quoted whole, up to the next question", () => {
    const text = "## May I bring a dog?\n\nYes. Ask your team first.\n\nNot on Fridays.\n\n## A cat?\n\nNo.";
    expect(quoted("May I bring my dog?", "Ask", [text])).toEqual([
      "text: Yes. Ask your team first.",
      "text: Not on Fridays.",
    ]);
  });
});

test("a sentence is quoted with a neighbour that answers as well", () => {
  const text = "Ines runs the shop. Her deputy is Peter. Lunch is at noon.";
  const [one, two] = task("", text).evidence.flatMap(unitsOf);
  if (!one || !two) throw new Error("no units");
  expect(quoted("Who runs the shop?", "Ines", [text], { others: [one, two] })).toEqual([
    "text: Ines runs the shop. Her deputy is Peter.",
  ]);
});

test("a row stands below the heading that says what it is a row of", () => {
  const text = "# Budget for laptops\n\n| Role | Amount |\n|-|-|\n| Designer | 2000 |\n| Tester | 1500 |";
  expect(quoted("How much is the laptop budget of a designer?", "Designer", [text])).toEqual([
    "lead: Budget for laptops",
    "bullet: Role: Designer; Amount: 2000",
  ]);
  expect(quoted("What amount does a designer get?", "Designer", [text])).toEqual([
    "text: Role: Designer; Amount: 2000",
  ]);
});

test("rows that are not shown are counted", () => {
  const rows = Array.from({ length: 25 }, (_, i) => `| P${i} | Sales |`).join("\n");
  const claims = quoted("Who works in Sales?", "P0", [`| Name | Team |\n|-|-|\n${rows}`]);
  expect(claims).toHaveLength(20);
  expect(claims.at(-1)).toMatch(/\(20 of 25\)$/);
});
