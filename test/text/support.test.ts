import { describe, expect, test } from "vitest";
import { settle } from "../../src/text/support.js";

const CASES: [verdict: string, name: string, claim: string, quotes: string[]][] = [
  ["supported", "the words of the quote", "The office opens at nine.", ["The office opens at nine."]],
  ["supported", "a part of the quote", "The office opens at nine.", ["The office opens at nine and has a café."]],
  ["supported", "引文原话", "年假为二十天。", ["员工的年假为二十天。"]],
  [
    "supported",
    "the same words in the same order",
    "The leave of the staff is 20 days.",
    ["Leave of staff is 20 days."],
  ],
  ["supported", "a table row under its headings", "Plan: Pro; Price: $20", ["| Plan | Price |", "| Pro | $20 |"]],
  ["supported", "表格的一行", "套餐: 专业版; 价格: 20元", ["| 套餐 | 价格 |", "| 专业版 | 20元 |"]],
  [
    "doubtful",
    "a sentence taken out of its condition",
    "You may work from home.",
    ["If your lead agrees, you may work from home."],
  ],
  ["doubtful", "被否认的说法", "公司裁员", ["公司否认公司裁员的传闻。"]],
  [
    "doubtful",
    "words picked out of a longer sentence",
    "The board approved the merger.",
    ["The board that approved budgets for ten years blocked in the spring the merger of both firms."],
  ],
  ["doubtful", "roles exchanged", "Mary paid John.", ["John paid Mary."]],
  ["doubtful", "角色对调", "小李批评了小王", ["小王批评了小李"]],
  [
    "doubtful",
    "cells of two rows mixed",
    "Plan: Free; Price: $20",
    ["| Plan | Price |", "| Pro | $20 |", "| Free | $0 |"],
  ],
  ["unsupported", "more certain than the quote", "All offices close in July.", ["Some offices close in July."]],
  ["doubtful", "other words", "Staff rest for 20 days.", ["Employees have 20 days of rest a year."]],
  ["unsupported", "another number", "Leave is 25 days.", ["Leave is 20 days."]],
  ["unsupported", "另一个数", "年假为三十天。", ["员工的年假为20天。"]],
  ["unsupported", "another date", "It opened on March 6, 2024.", ["It opened on March 5, 2024."]],
  ["unsupported", "a name no quote has", "The award went to Ada Lovelace.", ["The award went to Alan Turing."]],
  ["unsupported", "something else", "The canteen serves lunch daily.", ["Passwords expire every quarter."]],
  ["unsupported", "另一件事", "食堂每天供应午餐", ["密码每季度过期"]],
  ["unsupported", "no quote", "Leave is 20 days.", []],
  ["unsupported", "no words", "...", ["Leave is 20 days."]],
  ["contradicted", "a denied quote", "Smoking is allowed.", ["Smoking is not allowed."]],
  ["contradicted", "a denial of the quote", "Smoking is not allowed.", ["Smoking is allowed."]],
  ["contradicted", "引文否定", "员工可以吸烟。", ["员工不可以吸烟。"]],
  ["contradicted", "an opposite word", "Sales increased in 2020.", ["Sales decreased in 2020."]],
  ["contradicted", "反义词", "2020年销售额上升。", ["2020年销售额下降。"]],
];

describe("settle", () => {
  test.each(CASES)("%s: %s", (verdict, _name, claim, quotes) => {
    const settled = settle(claim, quotes);
    expect(settled, settled.reason).toMatchObject({ verdict });
  });
});
