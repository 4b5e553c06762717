import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { amountAskedBy, differInAmount, valueIn } from "../../src/facts/disagree.js";

describe("two sentences differ in an amount", () => {
  test.each([
    ["Employees may work from home three days a week.", "Employees may work from home up to two days a week."],
    ["Annual leave is 22 days for all employees.", "All employees have 25 days of annual leave."],
    ["办公区员工每周可以有一天在家办公。", "办公区员工每周可以有两天在家办公。"],
    ["The Lisbon office opened on 3 May 2019.", "The Lisbon office opened on 7 June 2020."],
  ])("%s / %s", (a, b) => {
    expect(differInAmount(a, b)).toBe(true);
    expect(differInAmount(b, a)).toBe(true);
  });

  test.each([
    [
      "the same amount",
      "Annual leave is 22 days for all employees.",
      "All employees have twenty-two days of annual leave.",
    ],
    ["another name", "The Lisbon office opens at eight.", "The Utrecht office opens at nine."],
    ["other words", "Refunds take 14 days to arrive.", "Leave is planned 30 days before it begins."],
    ["another unit", "The trip takes 3 hours by train.", "The trip takes 200 km by train."],
    [
      "a denial",
      "Employees may work from home three days a week.",
      "Employees may not work from home two days a week.",
    ],
    ["no amount", "Employees may work from home.", "Employees may work from home two days a week."],
  ])("not with %s", (_why, a, b) => {
    expect(differInAmount(a, b)).toBe(false);
  });
});

test.each([
  ["Chapter 2. Getting and installing it", "Chapter 10. Getting and installing it"],
  [
    "[36] 如果用 dch -r 命令来使它成为最后一笔更改，请保存文件。",
    "[77] 如果用 dch -r 命令来使它成为最后一笔更改，请保存文件。",
  ],
])("the number of a chapter or a note is not an amount: %s", (a, b) => {
  expect(differInAmount(a, b)).toBe(false);
});

describe("two sentences ask each other for", () => {
  test.each([
    [
      "Full-time employees get 30 days of annual leave.",
      "Every member of staff is entitled to 38 days' annual leave a year.",
      [
        "Full-time employees get how many days of annual leave?",
        "Every member of staff is entitled to how many days' annual leave a year?",
      ],
    ],
    [
      "Rooms may cost up to €140 a night.",
      "The limit for a night is €160.",
      ["Rooms may cost up to how much a night?", "The limit for a night is how much?"],
    ],
    ["年假每年12天。", "员工每年享有十五天年休假。", ["年假每年多少天？", "员工每年享有多少天年休假？"]],
  ])("their amount: %s", (a, b, questions) => {
    expect(amountAskedBy(a, b)).toEqual(questions);
  });

  test.each([
    ["how far ahead", "Parental leave is 20 weeks.", "Parental leave has to be announced eight weeks ahead."],
    [
      "what is left over",
      "Employees get 30 days of annual leave.",
      "Up to five days of annual leave can be carried over.",
    ],
    ["from what on", "Employees get 30 days of annual leave.", "Annual leave of more than ten days needs approval."],
    ["how often", "Backups are kept for 35 days.", "Backups are made every three days."],
    ["another unit", "Passwords have 14 characters.", "Passwords are changed after 90 days."],
    ["提前多久", "年假每年12天。", "年假须提前10天申请。"],
    ["two amounts", "Leave is 30 days, or 35 after three years.", "Leave is 38 days."],
    ["other languages", "Leave is 30 days.", "年假每年12天。"],
  ])("nothing if their amounts cannot be compared: %s", (_why, a, b) => {
    expect(amountAskedBy(a, b)).toBeUndefined();
  });
});

describe("the holder of a relation is found", () => {
  const head = { entity: "Procurement", predicate: "head" };
  test.each([
    ["The head of Procurement is Rita Vale.", "rita vale"],
    ["Rita Vale is the head of Procurement.", "rita vale"],
    ["Procurement's head is Rita Vale, since May.", "rita vale"],
    ["Procurement head: Rita Vale", "rita vale"],
    ["Rita Vale was the head of Procurement.", undefined],
    ["Rita Vale is not the head of Procurement.", undefined],
    ["The head of Sales is Rita Vale.", undefined],
    ["The deputy head of Procurement is Rita Vale.", undefined],
  ])("in English: %s", (sentence, value) => expect(valueIn(sentence, head)).toBe(value));

  test("even if the name contains words about another time", () => {
    const plan = { entity: "培训计划", predicate: "负责人" };
    expect(valueIn("培训计划的负责人是李雷。", plan)).toBe("李雷");
    expect(valueIn("培训计划的负责人原计划是李雷。", plan)).toBeUndefined();
    expect(valueIn("The head of planned giving is Rita Vale.", { entity: "planned giving", predicate: "head" })).toBe(
      "rita vale",
    );
  });

  const lead = { entity: "采购部", predicate: "负责人" };
  test.each([
    ["采购部的负责人：李雷。", "李雷"],
    ["采购部负责人是李雷。", "李雷"],
    ["李雷担任采购部负责人。", "李雷"],
    ["李雷是采购部的负责人。", "李雷"],
    ["李雷曾是采购部的负责人。", undefined],
    ["行政部的负责人：李雷。", undefined],
  ])("in Chinese: %s", (sentence, value) => expect(valueIn(sentence, lead)).toBe(value));

  test("in random texts with random names without an error", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 12 });
    fc.assert(
      fc.property(text, text, text, (entity, predicate, rest) => {
        expect(() => valueIn(`The ${predicate} of ${entity} is ${rest}.`, { entity, predicate })).not.toThrow();
      }),
    );
    expect(valueIn("太阳能板 P-20 的供应商：晴岚", { entity: "太阳能板 P-20", predicate: "供应商" })).toBe("晴岚");
  });
  test("even if names contain characters that are special in patterns", () => {
    expect(valueIn("The (head|.*) of A+B is Ann.", { entity: "A+B", predicate: "(head|.*)" })).toBe("ann");
  });
});
