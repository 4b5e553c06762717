import { expect, test } from "vitest";
import { languageOf } from "../../src/language/language.js";

test.each([
  ["en", "The office opens at nine."],
  ["en", "The word 你好 means hello in Chinese."],
  ["en", ""],
  ["en", "12345 !?"],
  ["zh", "办公室九点开门。"],
  ["zh", "用 npm install emend 安装，然后运行 emend ask 提问。"],
  ["zh", "请在 GitHub 上用 Pull Request 提交代码"],
  ["zh", "什么是 Retrieval-Augmented Generation？"],
])("%s: %s", (language, text) => {
  expect(languageOf(text)).toBe(language);
});
