import { describe, expect, test } from "vitest";
import { standalone } from "../../../../src/tools/reasoner/local/standalone.js";

const following = (question: string, answer: string, followUp: string) => standalone(followUp, [{ question, answer }]);

describe("standalone", () => {
  test.each([
    ["a place", "What is the dress code in Beijing?", "And in Shanghai?", "What is the dress code in Shanghai?"],
    ["a year", "What did Acme earn in 2022?", "And in 2023?", "What did Acme earn in 2023?"],
    ["a name", "Does Northwind ship to Norway?", "And Sweden?", "Does Northwind ship to Sweden?"],
    [
      "a thing of the same kind",
      "How many days of annual leave do staff get?",
      "What about sick leave?",
      "How many days of sick leave do staff get?",
    ],
    ["地点", "北京的办公室在哪里？", "那上海呢？", "上海的办公室在哪里？"],
    ["年份", "2022年的收入是多少？", "那2023年呢？", "2023年的收入是多少？"],
    ["同类事物", "年假有多少天？", "病假呢？", "病假有多少天？"],
    ["同类机构", "北京办公室几点开门？", "上海办公室呢？", "上海办公室几点开门？"],
  ])("puts %s in the place of the one before", (_name, question, followUp, expected) => {
    expect(following(question, "", followUp)).toBe(expected);
  });

  test.each([
    ["it", "What is the travel policy?", "Rules for trips.", "Who approves it?", "Who approves the travel policy?"],
    ["its", "What is the Pro plan?", "A plan.", "What are its limits?", "What are the Pro plan's limits?"],
    [
      "she",
      "Who founded Acme?",
      "Acme was founded by Ada Lovelace.",
      "When was she born?",
      "When was Ada Lovelace born?",
    ],
    [
      "it, a name",
      "Where is Northwind based?",
      "In Oslo.",
      "How many people does it employ?",
      "How many people does Northwind employ?",
    ],
    ["它", "专业版的价格是多少？", "20元", "它有哪些功能？", "专业版有哪些功能？"],
    ["其", "差旅政策是什么？", "出差的规定", "其审批人是谁？", "差旅政策的审批人是谁？"],
    ["该", "差旅政策是什么？", "出差的规定", "该政策适用于谁？", "差旅政策适用于谁？"],
    ["他", "谁创立了公司？", "创始人是王小明。", "他是哪一年出生的？", "王小明是哪一年出生的？"],
  ])("says what %s stands for", (_name, question, answer, followUp, expected) => {
    expect(following(question, answer, followUp)).toBe(expected);
  });

  test.each([
    ["a new question", "Who runs the London office?"],
    ["an it that stands for nothing", "How long does it take to get a visa?"],
    ["an it that the question itself explains", "When a laptop is lost, who replaces it?"],
    ["其他里的其", "其他办公室几点开门？"],
    ["完整的问题", "谁负责审批报销？"],
    ["应该里的该", "员工应该怎么报销？"],
  ])("leaves %s as it is", (_name, question) => {
    expect(following("What is the travel policy?", "Rules.", question)).toBe(question);
  });

  test("leaves a first question as it is", () => {
    expect(standalone("And in Shanghai?", [])).toBe("And in Shanghai?");
  });

  test("follows a chain of follow-ups", () => {
    const history = [
      { question: "What is the dress code in Beijing?", answer: "Casual." },
      { question: "And in Shanghai?", answer: "Formal." },
    ];
    expect(standalone("What about in Shenzhen?", history)).toBe("What is the dress code in Shenzhen?");
  });
});
