import { expect, test } from "vitest";
import { languageName, languageOf } from "../../src/text/language.js";

test.each([
  ["en", "The office opens at nine."],
  ["en", "The word 你好 means hello in Chinese."],
  ["en", ""],
  ["en", "12345 !?"],
  ["zh", "办公室九点开门。"],
  ["zh", "用 npm install emend 安装，然后运行 emend ask 提问。"],
  ["zh", "请在 GitHub 上用 Pull Request 提交代码"],
  ["zh", "什么是 Retrieval-Augmented Generation？"],
  ["zh", "Привет 是俄语里“你好”的意思。"],
  ["en", "In Japanese, ありがとう means thank you."],
  ["en", "| Zurich | CHF 210 | CHF 70 |"],
  ["en", "| Seed | €0 | 2 | 1 GB | forum |"],
  ["en", "Who are Bosch, Müller and Peña Nieto?"],
  ["en", "const languages = new Map(entries);"],
  ["other", "Wer genehmigt Dienstreisen?"],
  ["other", "Combien de jours de congé ai-je par an ?"],
  ["other", "¿Cuántos días de vacaciones tengo?"],
  ["other", "出張は誰が承認しますか。"],
  ["other", "GitHub の Pull Request を使う"],
  ["other", "ใครเป็นผู้อนุมัติการเดินทาง"],
  ["other", "Кто одобряет командировки?"],
])("%s: %s", (language, text) => {
  expect(languageOf(text)).toBe(language);
});

test.each([
  ["German", "Wer genehmigt Dienstreisen ins Ausland?"],
  ["French", "Qui approuve les voyages à l'étranger ?"],
  ["Japanese", "出張は誰が承認しますか。"],
  ["English", "Who approves travel abroad?"],
  ["Chinese", "出国差旅由谁审批？"],
])("names the language: %s", (name, text) => {
  expect(languageName(text)).toBe(name);
});
