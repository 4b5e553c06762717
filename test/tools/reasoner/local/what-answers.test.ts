import { describe, expect, test } from "vitest";
import { localGenerator } from "../../../../src/tools/reasoner/local/generator.js";
import { localGrader } from "../../../../src/tools/reasoner/local/grader.js";
import { call, graded, task } from "./evidence.js";

async function said(question: string, ...texts: string[]) {
  const given = await graded(task(question, ...texts));
  const { claims } = await localGenerator().generate({ ...given, intent: "other" }, call());
  return claims.map(({ text }) => text);
}
const answerability = async (question: string, ...texts: string[]) =>
  (await localGrader().grade(task(question, ...texts), call())).answerability;

describe("is no answer", () => {
  test.each([
    ["a question", "When does the Oslo canteen open?", "When does the Oslo canteen open in summer?"],
    ["问句", "奥斯陆的食堂几点开门？", "奥斯陆的食堂夏天几点开门呢？"],
    ["a heading", "What is the price of the Pro plan?", "## Price of the Pro plan in euros"],
    ["标题", "专业版的价格是多少？", "## 专业版的价格（2026年）"],
    ["the head of a table", "Where is the Oslo canteen?", "| Oslo canteen | Lisbon canteen |\n|---|---|"],
    ["表头", "奥斯陆的食堂在哪里？", "| 奥斯陆食堂 | 里斯本食堂 |\n|---|---|"],
    [
      "a list of links",
      "What are the rules of annual leave?",
      "- [Rules of annual leave 2025](a.md)\n- [Rules of annual leave 2026](b.md)",
    ],
    ["链接列表", "年假的规定是什么？", "- [年假的规定（旧）](a.md)\n- [年假的规定（新）](b.md)"],
    ["an address", "What are the rules of annual leave?", "https://example.org/rules-of-annual-leave-for-2026"],
    ["what only repeats the question", "What is the price of the Pro plan?", "The price of the Pro plan."],
    ["重复问题", "专业版的价格是多少？", "专业版的价格。"],
    ["a model with another number", "How much does the AR-7 weigh?", "The AR-9 weighs 2.3 kg."],
    ["另一型号", "翠鸟K2有多重？", "翠鸟K1重610克。"],
    ["somebody else", "When was Marie Curie born?", "Ernest Rutherford was born in 1871, like Marie's friend."],
    ["另一个人", "谭望嵩哪年出生？", "列奥纳多·达·芬奇出生于1452年，与谭姓无关。"],
    ["a denial", "Which ships should fall under the act?", "Ships with sails should not fall under the act."],
    ["否定", "哪些产品收费？", "基础版产品不收费。"],
    [
      "an affirmation of what is denied",
      "Which ships do not fall under the act?",
      "Ships with sails fall under the act.",
    ],
    ["对否定的肯定", "哪些产品不收费？", "专业版产品收费。"],
    ["what has the name and nothing of what is asked", "What colour is the AR-7?", "The AR-7 weighs 1.05 kg."],
    ["只有名称", "AR-7是什么颜色的？", "AR-7重1.05公斤。"],
  ])("%s", async (_kind, question, text) => {
    expect(await said(question, text)).toEqual([]);
    expect(await answerability(question, text)).not.toBe("full");
  });

  test.each([
    [
      "How much does the AR-7 weigh?",
      "The AR-7 weighs 1.05 kg. The AR-9 weighs 2.3 kg in all.",
      "The AR-7 weighs 1.05 kg.",
    ],
    ["翠鸟K2有多重？", "翠鸟K2重420克。翠鸟K1的重量为610克。", "翠鸟K2重420克。"],
  ])("what another model has beside the one that is asked about: %s", async (question, text, expected) => {
    expect(await said(question, text)).toEqual([expected]);
  });

  test("and three sentences on a thing do not say its colour", async () => {
    const text = "The AR-7 has six axes. The AR-7 weighs 1.05 kg. The AR-7 was built in Lyon.";
    expect(await said("What colour is the AR-7?", text)).toEqual([]);
  });
});

describe("is an answer", () => {
  test.each([
    [
      "a denial of what may be asked with yes or no",
      "Is smoking allowed in the office?",
      "Smoking is not allowed in the office.",
    ],
    ["对是非问句的否定", "办公室可以吸烟吗？", "办公室不可以吸烟。"],
    [
      "a denial where one is asked for",
      "Which ships do not fall under the act?",
      "Ships with sails do not fall under the act.",
    ],
    ["问的就是否定", "哪些产品不收费？", "基础版产品不收费。"],
    ["a denial of something else", "When does the Oslo canteen open?", "The Oslo canteen opens at eight, not at nine."],
    ["the model that is asked about", "How much does the AR-7 weigh?", "The AR-7 weighs 1.05 kg."],
    [
      "the person by another part of the name",
      "When was Marie Curie born?",
      "Curie was born in Warsaw in 1867, as Marie.",
    ],
    [
      "what sets two models apart",
      "How does the H40-S differ from the H40?",
      "The H40-S has a satellite terminal more.",
    ],
    ["两种型号的差别", "H40-S和H40的终端有什么区别？", "H40-S 的终端带有北斗短报文。"],
    ["a name where one is asked for", "Who founded the Oslo office?", "Anna Berg founded the Oslo office."],
  ])("%s", async (_kind, question, text) => {
    expect(await said(question, text)).toEqual([text]);
  });
});

describe("a heading that is the question is answered by what stands under it", () => {
  const FAQ = "### Can I bring my dog?\n\nIn Utrecht on Fridays. Not in Lisbon.\n\n### Is there a pool?\n\nSadly no.";
  const 问答 = "### 可以停车吗？\n\n厂区有四十个车位。\n\n### 午餐要钱吗？\n\n每人补贴二十五元。";

  test.each([
    ["Can I bring my dog?", FAQ, ["In Utrecht on Fridays.", "Not in Lisbon."]],
    ["can i bring my dog", FAQ, ["In Utrecht on Fridays.", "Not in Lisbon."]],
    ["BTW, can I bring my dog?", FAQ, ["In Utrecht on Fridays.", "Not in Lisbon."]],
    ["可以停车吗？", 问答, ["厂区有四十个车位。"]],
    ["可以停車嗎？", 问答, ["厂区有四十个车位。"]],
  ])("%s", async (question, text, expected) => {
    expect(await said(question, text)).toEqual(expected);
    expect(await answerability(question, text)).toBe("full");
  });

  test.each([
    ["Can I bring my dog to Berlin?", FAQ],
    ["Who can bring my dog?", FAQ],
    ["可以停船吗？", 问答],
  ])("and not where it is another: %s", async (question, text) => {
    expect(await said(question, text)).toEqual([]);
  });
});

describe("what frames a question is not asked about", () => {
  const LEAVE = "Lunch is at noon. Employees get 25 days of annual leave a year.";
  const 年假 = "午餐在中午供应。员工每年有二十五天年假。";
  test.each([
    ["BTW, how many days of annual leave do employees get?", LEAVE],
    ["Could you briefly tell me how many days of annual leave employees get?", LEAVE],
    ["Please summarize how many days of annual leave employees get a year.", LEAVE],
    ["简单说一下，员工每年有多少天年假？", 年假],
    ["簡單說一下，員工每年有多少天年假？", 年假],
  ])("%s", async (question, text) => {
    const grade = await localGrader().grade(task(question, text), call());
    expect(grade).toMatchObject({ answerability: "full", missing: "" });
    expect(await said(question, text)).toHaveLength(1);
  });

  test.each([
    ["a name", "At Southwind, how many days of annual leave do employees get?", LEAVE],
    ["a number", "In 1999, how many days of annual leave did employees get?", LEAVE],
    ["what stands in the words that ask", "How many days of maternity leave do the pilots get?", LEAVE],
    ["条件", "1999年，员工每年有多少天年假？", 年假],
  ])("but %s is", async (_name, question, text) => {
    expect(await answerability(question, text)).not.toBe("full");
  });
});
