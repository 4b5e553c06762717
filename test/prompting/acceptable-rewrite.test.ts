import { describe, expect, test } from "vitest";
import { acceptableRewrite } from "../../src/prompting/acceptable-rewrite.js";

describe("acceptableRewrite", () => {
  test.each([
    ["other words", "How many days off do staff get at Northwind?", "Northwind annual leave days for employees"],
    ["the same amount in digits", "Which plan has twenty seats?", "plan with 20 seats"],
    ["a denial kept", "Who may not enter the lab?", "persons not allowed in the lab"],
    ["别的说法", "公司员工每年有几天假期？", "员工年假天数"],
    ["名称保留", "怎么用VPN登录系统？", "VPN 登录 步骤"],
  ])("takes %s", (_name, original, rewritten) => {
    expect(acceptableRewrite(original, rewritten)).toBe(true);
  });

  test.each([
    ["nothing", "How many days off?", " "],
    [
      "an essay",
      "How many days off do staff get?",
      `The staff of a company usually get ${"a certain number of days off and ".repeat(5)}`,
    ],
    ["two lines", "How many days off do staff get?", "days off\nstaff leave"],
    ["another language", "How many days off do staff get?", "员工年假天数"],
    ["另一种语言", "公司员工每年有几天假期？", "employee annual leave days"],
    ["a lost name", "What did Ada Lovelace write?", "what was written by her"],
    ["a lost number", "Which plan has 20 seats?", "plan with seats"],
    ["丢失的数字", "2023年的年假有几天？", "年假天数"],
    ["a lost negation", "Who may not enter the lab?", "who may enter the lab"],
    ["丢失的否定", "谁不能进入实验室？", "谁能进入实验室"],
    ["an added negation", "Who may enter the lab?", "who may not enter the lab"],
    [
      "长篇大论",
      "年假有几天？",
      "年假是指劳动者每年享有的带薪休假，根据相关规定，职工累计工作已满一年的可以享受，具体天数取决于工作年限以及单位制度等多种因素",
    ],
  ])("refuses %s", (_name, original, rewritten) => {
    expect(acceptableRewrite(original, rewritten)).toBe(false);
  });
});
