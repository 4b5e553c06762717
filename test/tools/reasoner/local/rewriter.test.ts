import { describe, expect, test } from "vitest";
import { localRewriter } from "../../../../src/tools/reasoner/local/rewriter.js";
import { acceptableRewrite } from "../../../../src/tools/reasoner/rewrite.js";
import { call, graded, task } from "./evidence.js";

const rewrite = async (question: string, texts: readonly string[]) =>
  localRewriter().rewrite({ ...(await graded(task(question, ...texts))), queries: [], missing: "" }, call());

const HOLIDAY = "Staff holiday entitlement: annual leave is agreed with the supervisor.";
const 休假 = "员工年假由主管批准，休假申请提前两周提交。";

describe("the local rewriter", () => {
  test.each([
    ["How much annual leave do the staff of Northwind get?", "much"],
    ["北风公司的员工一般有多少年假呢？", "多少"],
  ])("drops the words that only ask: %s", async (question, dropped) => {
    const query = await rewrite(question, []);
    expect(query).not.toContain(dropped);
    expect(query).not.toBe(question);
  });

  test("keeps names and numbers", async () => {
    const query = await rewrite("Which ergonomic perks has Northwind offered since 2019?", []);
    expect(query).toMatch(/perks.*Northwind.*2019/);
  });

  test.each([
    "Who may not enter the lab at Northwind in 2024?",
    "2024年谁不能进入北风公司的实验室？",
    "How do I use ISO-27001 and VPN?",
    "它是什么？",
    "?",
  ])("gives a query that may stand in for the question, or the question: %s", async (question) => {
    for (const texts of [[], [HOLIDAY, 休假]]) {
      const query = await rewrite(question, texts);
      expect(query === question || acceptableRewrite(question, query)).toBe(true);
    }
  });
});
