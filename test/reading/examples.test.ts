import { expect, test } from "vitest";
import { examplesFrom } from "../../src/reading/examples.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import type { Language } from "../../src/types/language.js";

async function questions(title: string, text: string, language: Language = "en") {
  const passage = fakePassage("a#0", text, { documentId: "a", title, section: title, language });
  return (await examplesFrom(inMemoryDocuments([passage]), language)).questions;
}

test.each([
  ["a heading that asks", "Pay", "## 2. When are salaries paid?\n\nOn the 28th.", "When are salaries paid?"],
  ["a heading that says how", "How to claim expenses", "Use the form.", "How do I claim expenses?"],
  ["a heading that says what to do", "What to do in a power cut", "Wait.", "What should I do in a power cut?"],
  ["a thing that is defined", "Life cover", "Life cover is an insurance that dxw pays.", "What is Life cover?"],
  ["its article", "Kingfisher K2", "The Kingfisher K2 is a hand-held meter.", "What is the Kingfisher K2?"],
])("%s becomes a suggested question", async (_, title, text, question) => {
  expect(await questions(title, text)).toEqual([question]);
});

test.each([
  ["a heading that says how", "三、如何申请年假", "填写表格。", "如何申请年假？"],
  ["a thing that is defined", "河乌 D8", "河乌 D8（DQ-800）是一款数据采集器。", "河乌 D8是什么？"],
])("%s becomes a suggested question in Chinese", async (_, title, text, question) => {
  expect(await questions(title, text, "zh")).toEqual([question]);
});

test("documents are spread over the whole list, also if it is only a little longer than what is looked at", async () => {
  const passages = Array.from({ length: 80 }, (_, i) =>
    fakePassage(`${100 + i}#0`, i < 60 ? "No." : "## Where is the goods lift?\n\nHere.", {
      documentId: `${100 + i}`,
      title: "",
    }),
  );
  expect((await examplesFrom(inMemoryDocuments(passages), "en")).questions).toEqual(["Where is the goods lift?"]);
});

test("a question is suggested only if it is answered, and six are tried at most", async () => {
  const passages = Array.from({ length: 9 }, (_, i) =>
    fakePassage(`d${i}#0`, `## Where is room ${i}?\n\nUpstairs.`, { documentId: `d${i}`, title: "Rooms" }),
  );
  const tried: string[] = [];
  const { questions } = await examplesFrom(inMemoryDocuments(passages), "en", async (question) => {
    tried.push(question);
    return question.includes("3");
  });
  expect(questions).toEqual(["Where is room 3?"]);
  expect(tried).toHaveLength(6);
});

test.each([
  ["points to the words around it", "Why is this important?", "It saves time."],
  ["could be about anything", "Who should join?", "All."],
  ["names no subject", "Accounts", "Everyone has an account. There is a list of them."],
  ["would ask for an activity", "Returning to work", "Returning to work is a personal decision."],
])("no question is suggested if it %s", async (_, title, text) => {
  expect(await questions(title, text)).toEqual([]);
});
