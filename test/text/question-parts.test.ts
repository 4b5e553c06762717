import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { questionParts } from "../../src/text/question-parts.js";
import { piecesIn } from "../../src/text/token-count.js";

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

describe("what is pasted into a question does not hide it", () => {
  const asked = "How many days of annual leave do employees get?";
  const hex = (i: number) => createHash("sha256").update(`${i}`).digest("hex");
  const ids = Array.from({ length: 100 }, (_, i) => hex(i).slice(0, 32));
  const trace = Array.from(
    { length: 30 },
    (_, i) => `    at Object.handle${i} (/srv/app/dist/handlers/index${i}.js:${i}:3)`,
  );
  const base64 = Buffer.from(ids.join("")).toString("base64");
  test.each([
    ["a stack trace before it", `TypeError: x is not a function\n${trace.join("\n")}\n${asked}`, asked],
    ["a stack trace after it", `${asked}\n${trace.join("\n")}`, asked],
    ["a list of ids", `${asked}\n${ids.join(" ")}`, asked],
    ["base64", `${asked} ${base64}`, asked],
    ["Chinese and base64", `员工每年有多少天年假？${base64}`, "员工每年有多少天年假？"],
    ["a trace and Chinese", `${trace.join("\n")}\n员工每年有多少天年假？`, "员工每年有多少天年假？"],
  ])("%s", (_name, text, question) => expect(questionParts(text)).toEqual([question]));

  test.each([
    [
      "an address",
      `Is https://intra.example.org/leave?token=${ids.join("")} the page that employees have to use for it?`,
    ],
    ["a key", `Why does job ${ids.join("")} fail on the page that employees have to use?`],
  ])("%s within it is cut, and the words around it stay", (_name, text) => {
    const [only = ""] = questionParts(text);
    expect(only.length).toBeLessThan(300);
    expect(only).toContain("that employees have to use");
    expect(only.startsWith(text.slice(0, 12))).toBe(true);
  });
});

test("lines of base64 after a question are left out, but for a short one", () => {
  const lines = Buffer.from("x1y2".repeat(2_000)).toString("base64").replace(/.{76}/g, "$&\n");
  const [only = ""] = questionParts(`How long is it?\n${lines}`);
  expect(only).toMatch(/^How long is it\?/);
  expect(piecesIn(only)).toBeLessThan(80);
});

describe("a question is short, whatever it is made of", () => {
  const random = createHash("sha512").update("x").digest("hex").repeat(150);
  test.each([
    ["snowmen", "☃".repeat(900)],
    ["direction marks", "\u202e".repeat(9_000)],
    ["emoji", "🦊".repeat(5_000)],
    ["digits", "8467120395".repeat(2_000)],
    ["base64 in lines", Buffer.from(random).toString("base64").slice(0, 19_000).replace(/.{76}/g, "$&\n")],
    ["ids", random.slice(0, 19_000).replace(/.{32}/g, "$& ")],
    ["JSON", JSON.stringify(Array.from({ length: 300 }, (_, id) => ({ id, key: `k${id}`, value: [1, 2, 3] })))],
    ["minified code", "function a(b,c){return b?c:d[e](f)};".repeat(500)],
    ["letters apart", "a b c d e f ".repeat(1_600)],
    ["Thai", "พนักงานได้วันลากี่วัน".repeat(900)],
    ["Korean", "휴가는며칠입니까".repeat(2_500)],
    ["accents", "e\u0301\u0302\u0303".repeat(5_000)],
    ["questions", "How long is it? ".repeat(1_200)],
    ["long questions", `${"Is the meeting of the working group on the next day ".repeat(8)}? `.repeat(40)],
    ["Chinese", "工作组在会议上讨论了下个季度的几种方案，并决定等待。".repeat(700)],
  ])("%s", (_name, text) => {
    for (const part of questionParts(text)) expect(piecesIn(part)).toBeLessThanOrEqual(250);
  });
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
