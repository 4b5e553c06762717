import { describe, expect, test } from "vitest";
import { asksForList, asksForWork, intentOf } from "../../src/text/intent.js";

describe("intentOf", () => {
  test.each([
    ["What is RAG?", "什么是年假？", "definition"],
    ["What does SLA stand for?", "SLA是什么意思？", "definition"],
    ["How do I apply for leave?", "怎么申请年假？", "steps"],
    ["What are the steps to reset my password?", "重置密码的步骤是什么？", "steps"],
    ["What is the difference between annual and sick leave?", "年假和病假有什么区别？", "comparison"],
    ["Which plan is cheaper, Basic or Pro?", "基础版和专业版哪个更便宜？", "comparison"],
    ["Is Basic cheaper than Pro?", "基础版比专业版便宜吗？", "comparison"],
    ["How many days of leave do I get?", "年假有多少天？", "other"],
    ["Who runs the Shanghai office?", "上海办公室由谁负责？", "other"],
    ["How many people are older than 18?", "有多少人超过18岁？", "other"],
    ["What is the price of the Pro plan?", "专业版的价格是多少？", "other"],
  ])("%s and %s ask for: %s", (english, chinese, intent) => {
    expect(intentOf(english)).toBe(intent);
    expect(intentOf(chinese)).toBe(intent);
  });
});

describe("asksForWork", () => {
  test.each([
    ["Compare the travel policy with the old one.", "比较一下新旧差旅规定。"],
    ["Please summarise the minutes of May.", "请总结五月的会议纪要。"],
    ["Can you write a mail to the supplier?", "帮我写一封给供应商的邮件。"],
    ["Translate the security policy into Chinese.", "把安全规定翻译成英文。"],
    ["How many open jobs are there?", "一共有多少个未完成的工单？"],
    ["Give me an overview of the plans.", "概述一下这些方案。"],
  ])("is true of %s and %s", (english, chinese) => {
    expect([asksForWork(english), asksForWork(chinese)]).toEqual([true, true]);
  });

  test.each([
    ["Who writes the minutes?", "会议纪要由谁写？"],
    ["How many days of leave do I get?", "年假有多少天？"],
    ["How do I write to the supplier?", "怎么给供应商写信？"],
    ["Where is the summary of the audit?", "审计报告在哪里？"],
  ])("is false of %s and %s", (english, chinese) => {
    expect([asksForWork(english), asksForWork(chinese)]).toEqual([false, false]);
  });
});

test.each([
  ["What do I do if my laptop gets stolen?", "steps"],
  ["How can I claim an eye test?", "steps"],
  ["What's the process for raising a grievance?", "steps"],
  ["忘记密码怎么办？", "steps"],
  ["存储策略要怎么配置？", "steps"],
  ["这家餐厅怎么样？", "other"],
  ["How much do I get?", "other"],
])("%s asks for %s", (question, intent) => expect(intentOf(question)).toBe(intent));

test.each([
  ["Which countries may I not travel to?", true],
  ["What documents do I need?", true],
  ["List all perks.", true],
  ["要装哪些插件？", true],
  ["需要填写什么信息？", true],
  ["When is payday?", false],
  ["What is this?", false],
  ["年假有几天？", false],
])("%s may ask for several things: %s", (question, expected) => expect(asksForList(question)).toBe(expected));
