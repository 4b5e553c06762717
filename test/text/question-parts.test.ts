import { describe, expect, test } from "vitest";
import { questionParts } from "../../src/text/question-parts.js";

describe("a compound question is split into its questions", () => {
  test.each([
    ["What is the deposit, and when do I get it back?", ["What is the deposit", "deposit: when do I get it back?"]],
    ["How long are logs kept and who may read backups?", ["How long are logs kept", "who may read backups?"]],
    ["Who leads sales? Where does she work?", ["Who leads sales?", "leads sales: Where does she work?"]],
    ["年假有几天，谁来审批？", ["年假有几天", "年假几天：谁来审批？"]],
    ["服务器在哪里，备份保留多久？", ["服务器在哪里", "备份保留多久？"]],
    ["What is a ticket, and at which door is it sold?", ["What is a ticket", "ticket: at which door is it sold?"]],
    ["门票多少钱，星期几休息？", ["门票多少钱", "星期几休息？"]],
    ["What does it cost; what does it weigh, and is it waterproof?", 3],
  ])("%s", (question, parts) => {
    const found = questionParts(question);
    if (typeof parts === "number") expect(found).toHaveLength(parts);
    else expect(found).toEqual(parts);
  });
});

describe("only the questions of a long text are used", () => {
  const story = "I moved into the new building last week and I like the view from my desk. ".repeat(13);
  const noise = "alpha river cloud marble quiet ".repeat(40).trim();
  const 故事 = "上周我搬进了新楼，很喜欢这里的风景。".repeat(13);
  test.each([
    [`${story}How long are invoices kept?`, ["How long are invoices kept?"]],
    [`How long are invoices kept? ${story}`, ["How long are invoices kept?"]],
    [`${story}We have a parrot. It is loud, may I bring it?`, ["We have a parrot. It is loud, may I bring it?"]],
    [`${story}Tell me how long invoices are kept.`, ["Tell me how long invoices are kept."]],
    [`${故事}发票要保存多久？`, ["发票要保存多久？"]],
    [`${noise}. How long are invoices kept?`, ["How long are invoices kept?"]],
    [`How long are invoices kept? ${noise}`, ["How long are invoices kept?"]],
  ])("%s", (text, parts) => expect(questionParts(text)).toEqual(parts));
});

test.each([
  ["alpha river cloud marble quiet ".repeat(38), "How many days are logs kept for the people team?"],
  ["昨天去了河边看了很多鸟天气不错，".repeat(75), "日志要保留多少天？"],
])("a question at the end of a sentence without stops keeps all its words", (noise, question) => {
  const [only = "", ...others] = questionParts(`${noise}${question}`);
  expect(others).toEqual([]);
  expect(only.endsWith(question)).toBe(true);
  expect(only.length).toBeLessThan(noise.length / 2);
});

test("a text that is too long to be typed is returned unchanged without delay", () => {
  const long = `什么，${" ".repeat(100_000)}谁`;
  expect(questionParts(long)).toEqual([long]);
});

describe("a single question stays whole", () => {
  test.each([
    "Who approves travel abroad?",
    "Who is the head of research and development?",
    "Do I need approval when I travel and when I work from home?",
    "What is the Kestrel H40, which is sold in Europe?",
    "If I lose my badge, who do I tell?",
    "Which station is made in Porto and is sold in Spain?",
    "How and when is the badge returned?",
    "What is the difference between the K2 and the K3?",
    "Since when has Joost been head of procurement, and of sales?",
    "如果工牌丢了，补一张要多少钱？",
    "K3和K2有什么不同？",
    "出差回来后，发票最晚什么时候交？",
  ])("%s", (question) => {
    expect(questionParts(question)).toEqual([question]);
  });
});
