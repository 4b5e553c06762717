import { describe, expect, test } from "vitest";
import { standalone } from "../../../src/tools/models/standalone.js";

const following = (question: string, followUp: string) => standalone(followUp, [{ question, answer: "Yes." }]);

describe("standalone", () => {
  test.each([
    [
      "a fragment",
      "What does it cost for adults?",
      "And for students?",
      "for students (What does it cost for adults)?",
    ],
    ["同类事物", "年假有多少天？", "病假呢？", "病假呢（年假有多少天）？"],
    [
      "then",
      "How long is the trial period?",
      "And what's my notice period then?",
      "what's my notice period then (How long is the trial period)?",
    ],
    ["a pronoun", "How long is parental leave?", "Can it be split?", "Can it be split (How long is parental leave)?"],
    ["a demonstrative", "What is the travel policy?", "Who wrote that?", "Who wrote that (What is the travel policy)?"],
    [
      "an ellipsis",
      "May I work from abroad?",
      "How early should I ask?",
      "How early should I ask (May I work from abroad)?",
    ],
    ["代词", "Vue 3 支持 IE11 吗？", "它用什么协议开源？", "它用什么协议开源（Vue 3 支持 IE11 吗）？"],
    ["那里", "修复室由谁主持？", "那里的湿度保持在多少？", "那里的湿度保持在多少（修复室由谁主持）？"],
    ["其", "差旅政策是什么？", "其审批人是谁？", "其审批人是谁（差旅政策是什么）？"],
    ["省略", "校准可以加急吗？", "要加多少钱？", "要加多少钱（校准可以加急吗）？"],
  ])("appends the whole previous question to %s", (_name, question, followUp, expected) => {
    expect(following(question, followUp)).toBe(expected);
  });

  test.each([
    ["a place", "What is the dress code in Beijing?", "And in Shanghai?", "What is the dress code in Shanghai?"],
    ["a name", "Does Northwind ship to Norway?", "What about Sweden?", "Does Northwind ship to Sweden?"],
    ["a year", "What did Acme earn in 2022?", "And in 2023?", "What did Acme earn in 2023?"],
    ["年份", "2022年的收入是多少？", "那2023年呢？", "2023年的收入是多少？"],
    ["产品", "K2 的保修期是多久？", "那 W3 呢？", "W3 的保修期是多久？"],
  ])("substitutes %s if the follow-up names nothing else", (_name, question, followUp, expected) => {
    expect(following(question, followUp)).toBe(expected);
  });

  test.each([
    ["a new question", "Who runs the London office?"],
    ["an it that stands for nothing", "How long does it take to get a visa for China?"],
    ["an it that the question itself explains", "When a laptop is lost, who replaces it?"],
    ["a that before a clause", "Is it true that employees can work from abroad?"],
    ["其他里的其", "其他办公室几点开门？"],
    ["完整的问题", "谁负责审批差旅费用的报销单？"],
    ["应该里的该", "员工应该怎么报销差旅费用？"],
    ["问题里已说明的那个", "买一台30万元的设备，除了林雨晴还要谁批？那个人叫什么名字？"],
    ["another language", "Und in Hamburg?"],
  ])("leaves %s unchanged", (_name, question) => {
    expect(following("What is the travel policy?", question)).toBe(question);
  });

  test("leaves a first question unchanged", () => {
    expect(standalone("And in Shanghai?", [])).toBe("And in Shanghai?");
  });

  test("resolves a chain of follow-ups from its first question", () => {
    const history = [
      { question: "What is the dress code in Beijing?", answer: "Casual." },
      { question: "And in Shanghai?", answer: "Formal." },
    ];
    expect(standalone("What about Shenzhen?", history)).toBe("What is the dress code in Shenzhen?");
  });
});
