import { describe, expect, test } from "vitest";
import { createAgent } from "../../../src/agent.js";
import { sources } from "../../../src/cli/transcript.js";
import { fakeGrader, fakePassage, fakeTools } from "../../../src/testing/index.js";
import { distinct } from "../../../src/tools/documents/distinct.js";
import type { Passage } from "../../../src/types/evidence.js";

const idsOf = (question: string, ...passages: Passage[]) =>
  distinct(
    passages.map((passage) => ({ ...passage, score: 1 })),
    question,
  ).map(({ id, repeatedIn }) => [id, ...repeatedIn.map((other) => other.id)]);

describe("passages that repeat another one", () => {
  test.each([
    [
      "in another layout",
      "The office **opens**\nat eight. Lunch is at noon.",
      "the office opens at Eight.\n\nLunch is at noon",
    ],
    ["in part", "The office opens at eight. Lunch is at noon.", "Lunch is at noon."],
    ["排版不同", "办公室八点开门。午餐在中午。", "午餐在中午。\n\n办公室八点开门"],
    ["繁体", "办公室八点开门。", "辦公室八點開門。"],
    ["as a table", "| Plan | Price |\n|---|---|\n| Pro | $20 |", "| Plan | Price |\n| :-- | --: |\n| **Pro** | $20 |"],
  ])("make room for others: %s", (_name, first, second) => {
    expect(idsOf("When?", fakePassage("a", first), fakePassage("b", second))).toEqual([["a", "b"]]);
  });

  test.each([
    ["another amount", "Employees get 25 days of leave.", "Employees get 27 days of leave."],
    ["another name", "Travel is approved by Ann Lee.", "Travel is approved by Bob Lee."],
    ["a denial", "Dogs may come along.", "Dogs may not come along."],
    ["另一个数目", "员工每年有二十五天年假。", "员工每年有二十七天年假。"],
    [
      "another head of the table",
      "| Plan | Price |\n|---|---|\n| Pro | 20 |",
      "| Plan | Users |\n|---|---|\n| Pro | 20 |",
    ],
    ["more than the first", "Lunch is at noon.", "Lunch is at noon. Dinner is at six."],
  ])("are not those with %s", (_name, first, second) => {
    expect(idsOf("When?", fakePassage("a", first), fakePassage("b", second))).toEqual([["a"], ["b"]]);
  });

  test.each([
    ["When is the London office open?", "Paris office", "London office", "Open from nine to five."],
    ["伦敦办公室几点开门？", "巴黎办公室", "伦敦办公室", "九点开门。"],
  ])("are kept if the question contains a word of their heading: %s", (question, paris, london, text) => {
    const passages = [fakePassage("p", text, { section: paris }), fakePassage("l", text, { section: london })] as const;
    expect(idsOf(question, ...passages)).toEqual([["p"], ["l"]]);
    expect(idsOf("nine?", ...passages)).toEqual([["p", "l"]]);
  });
});

test.each([
  ["How are leads won?", "# Winning leads", "Leads are won by calling them."],
  ["How are leads won?", "## Quiz\n1. How are leads won?\n2. Who wins leads?", "Leads are won by calling them."],
  ["怎么构建企业？", "# 构建企业", "企业从副业开始构建。"],
])("passages of headings and questions alone come last, but are found: %s %s", (question, bare, text) => {
  expect(idsOf(question, fakePassage("bare", bare), fakePassage("a", text))).toEqual([["a"], ["bare"]]);
  expect(idsOf(question, fakePassage("bare", bare))).toEqual([["bare"]]);
});

test.each([
  ["a list of links", "# Guides\n- [Leave](https://example.org/leave)\n- [Travel](https://example.org/travel)"],
  ["a list of short entries", "# Offices\n- Paris\n- London"],
  ["a question with its answer", "## Is there parking?\nNot at this time."],
])("the order stays for %s", (_, text) => {
  expect(idsOf("Where?", fakePassage("a", text), fakePassage("b", "Travel is booked by Ann."))).toEqual([["a"], ["b"]]);
});

const copies = Array.from({ length: 9 }, (_, i) =>
  fakePassage(`copy${i}`, "The Lisbon office opens at eight.", { title: "" }),
);
const other = fakePassage("rules", "The Lisbon office has rules.", { title: "" });

test("a citation lists the places of all copies, and copies do not displace other passages", async () => {
  const agent = createAgent({ tools: fakeTools({ passages: [...copies, other] }) });
  const { references, ...rest } = await agent.ask("When does the Lisbon office open?");
  expect(references.map(({ uri }) => uri)).toEqual(["copy0.md", "rules.md"]);
  expect(references[0]?.alsoIn).toEqual(copies.slice(1).map(({ uri }) => uri));
  const shown = sources({ references, ...rest }, { width: 80, paint: (_, text) => text });
  expect(shown).toContain("also in copy8.md");
});

test("copies of an irrelevant passage are not searched again in its place", async () => {
  const grader = fakeGrader({ answerability: "none", relevance: 0.1 });
  const agent = createAgent({ tools: fakeTools({ passages: copies, grader }) });
  const { status, nearest } = await agent.ask("When does the Lisbon office open?");
  expect(status).toBe("refused");
  expect(nearest?.map(({ uri }) => uri)).toEqual(["copy0.md"]);
});
