import { describe, expect, test } from "vitest";
import { readings, standalone } from "../../src/reading/standalone.js";

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
    [
      "a place with a word of the question",
      "When does the Lisbon office open?",
      "And the Utrecht office?",
      "When does the Utrecht office open?",
    ],
    ["a name", "Does Northwind ship to Norway?", "What about Sweden?", "Does Northwind ship to Sweden?"],
    ["a year", "What did Acme earn in 2022?", "And in 2023?", "What did Acme earn in 2023?"],
    ["年份", "2022年的收入是多少？", "那2023年呢？", "2023年的收入是多少？"],
    ["产品", "K2 的保修期是多久？", "那 W3 呢？", "W3 的保修期是多久？"],
    [
      "a place and a year",
      "How many people worked in Bergen in 2022?",
      "And in Oslo in 2023?",
      "How many people worked in Oslo in 2023?",
    ],
    ["产品和年份", "2022年 K2 的销量是多少？", "那2023年的 W3 呢？", "2023年 W3 的销量是多少？"],
    ["a month of a year", "What did Acme earn in May 2022?", "And in June 2023?", "What did Acme earn in June 2023?"],
    ["a company, not the month", "What did Acme earn in May 2022?", "And Globex?", "What did Globex earn in May 2022?"],
    ["名称相近的另一产品的版本", "Vuex 3 支持 IE11 吗？", "那 Vue 2 呢？", "Vue 2 支持 IE11 吗？"],
    [
      "a quarter of another year",
      "What did Acme earn in Q1 2022?",
      "And in Q2 2023?",
      "What did Acme earn in Q2 2023?",
    ],
    ["another room", "Is Room 12 free on Friday?", "And Room 14?", "Is Room 14 free on Friday?"],
    ["句首的产品", "Vue 用什么协议开源？", "那 React 呢？", "React 用什么协议开源？"],
    ["a version of the same thing", "Vue 3 支持 IE11 吗？", "那 Vue 2 呢？", "Vue 2 支持 IE11 吗？"],
  ])("substitutes %s if the follow-up names nothing else", (_name, question, followUp, expected) => {
    expect(following(question, followUp)).toBe(expected);
  });

  test.each([
    ["two places", "How many days do staff get in Norway?", "What about Germany and France?"],
    ["a place and something else", "How many days do staff get in Norway?", "And managers in Germany?"],
    ["two years", "What did Acme earn in 2022?", "And in 2023 and 2024?"],
    ["a year where the question has two", "Did it grow at Acme from 2020 to 2022?", "And in 2023?"],
    ["a year where the question has none", "How many people work in Bergen?", "And in Oslo in 2023?"],
    ["a quarter where the question has none", "What did Acme earn in 2022?", "And in Q1 2023?"],
    ["a place and a year where the question has two names", "What did Acme earn in Bergen in 2022?", "Oslo in 2023?"],
  ])("appends the whole previous question to %s, so that nothing is lost", (_name, question, followUp) => {
    const asked = followUp.replace(/^And |[?]$/g, "");
    expect(following(question, followUp)).toBe(`${asked} (${question.slice(0, -1)})?`);
  });

  test.each([
    ["两个产品", "K2 的保修期是多久？", "那 K3 和 W3 呢？", "K3 和 W3 呢（K2 的保修期是多久）？"],
    ["两个年份", "2021年的收入是多少？", "那2022年和2023年呢？", "2022年和2023年呢（2021年的收入是多少）？"],
    ["产品的另一方面", "K2 的保修期是多久？", "那 W3 的重量呢？", "W3 的重量呢（K2 的保修期是多久）？"],
    ["年份和地点", "2022年上海的收入是多少？", "那2023年北京呢？", "2023年北京呢（2022年上海的收入是多少）？"],
  ])("appends the whole previous question to %s", (_name, question, followUp, expected) => {
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

  test.each([
    ["How many days of leave are there?"],
    ["Which products are there?"],
    ["Is there a canteen?"],
    ["有哪些产品？"],
    ["有没有食堂？"],
    ["有多少员工？"],
    ["公司有哪些部门？"],
    ["有停车场吗？"],
  ])("%s stands on its own, and is joined to the question before only if that is refused", (question) => {
    const [first, other] = readings(question, [{ question: "Who leads firmware?", answer: "Joost." }]);
    expect(first).toBe(question);
    expect(other).toMatch(/[（(]Who leads firmware[)）]/);
  });

  test.each([
    ["a short question", "When is payday?", "When is payday?"],
    ["a question that opens like a reply", "And is there a canteen?", "is there a canteen?"],
    ["短问题", "谁来审批？", "谁来审批？"],
    ["以“那”开头的问题", "那超过三天怎么办？", "超过三天怎么办？"],
  ])("reads %s with the question before, and as it stands if that is refused", (_name, question, alone) => {
    const [first, other] = readings(question, [{ question: "How do I claim expenses?", answer: "By form." }]);
    expect(first).toMatch(/[（(]How do I claim expenses[)）]/);
    expect(other).toBe(alone);
  });

  test.each([
    ["a pronoun", "Can it be split?"],
    ["a fragment", "And in Berlin?"],
    ["a fragment with a question word that asks nothing", "What about Berlin?"],
    ["no content", "How many are there?"],
    ["代词", "它多重？"],
    ["片段", "那周末呢？"],
    ["没有实词", "有多少？"],
  ])("has only one way to read %s", (_name, question) => {
    expect(readings(question, [{ question: "How long is parental leave?", answer: "20 weeks." }])).toHaveLength(1);
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

  test.each([
    [
      "a name",
      ["What is the hotel limit in Munich?", "And in Bergen?"],
      "Is breakfast included there?",
      "Is breakfast included there (What is the hotel limit in Bergen)?",
    ],
    [
      "a name, then a year",
      ["What did Acme earn in 2022?", "And Globex?", "And in 2023?"],
      "Why did it grow?",
      "Why did it grow (What did Globex earn in 2023)?",
    ],
    ["产品", ["K2 的保修期是多久？", "那 W3 呢？"], "可以延长吗？", "可以延长吗（W3 的保修期是多久）？"],
  ])("appends the question in which the follow-ups since exchanged %s", (_name, asked, followUp, expected) => {
    const history = asked.map((question) => ({ question, answer: "Yes." }));
    expect(standalone(followUp, history)).toBe(expected);
  });

  test("appends the last question that stands on its own, without the follow-ups that ask something else of it", () => {
    const history = ["What is the hotel limit in Munich?", "And in Bergen?", "Is breakfast included there?"].map(
      (question) => ({ question, answer: "Yes." }),
    );
    expect(standalone("Who pays for it?", history)).toBe("Who pays for it (What is the hotel limit in Bergen)?");
  });
});
