import { describe, expect, test } from "vitest";
import { answerTypeOf, intentOf } from "../../src/text/intent.js";

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

describe("answerTypeOf", () => {
  test.each([
    ["Who founded the company?", "公司的创始人是谁？", "person"],
    ["When does the office open?", "办公室什么时候开门？", "date"],
    ["In what year was it founded?", "公司是哪一年成立的？", "date"],
    ["How many seats are there?", "有多少个座位？", "number"],
    ["Where is the office?", "办公室在哪里？", "place"],
    ["Why was it closed?", "为什么关闭？", "reason"],
    ["How is it measured?", "怎么测量？", "manner"],
    ["Is smoking allowed?", "可以吸烟吗？", "yesno"],
    ["What colour is the logo?", "标志是什么颜色？", "unknown"],
    ["Who was in charge when it opened?", "位于北京的公司由谁负责？", "person"],
    ["population of Wuhan", "武汉人口", "number"],
  ])("%s and %s want: %s", (english, chinese, type) => {
    expect(answerTypeOf(english)).toBe(type);
    expect(answerTypeOf(chinese)).toBe(type);
  });
});
