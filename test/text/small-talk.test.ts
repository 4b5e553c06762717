import { describe, expect, test } from "vitest";
import { smallTalkIn } from "../../src/text/intent.js";

describe("small talk", () => {
  test.each([
    ["hello", "greeting"],
    ["Hello there!", "greeting"],
    ["hi 👋", "greeting"],
    ["你好", "greeting"],
    ["你好呀！", "greeting"],
    ["在吗？", "greeting"],
    ["Thanks!", "thanks"],
    ["OK, thanks.", undefined],
    ["谢谢", "thanks"],
    ["謝謝", "thanks"],
    ["Good-bye", "farewell"],
    ["test", "test"],
    ["测试一下", "test"],
    ["Who are you?", "who"],
    ["What’s your name?", "who"],
    ["你是谁？", "who"],
    ["What can you do?", "help"],
    ["HELP", "help"],
    ["Hello! What can you do?", "help"],
  ])("is recognised: %s", (message, kind) => expect(smallTalkIn(message)).toBe(kind));

  test.each([
    "Hello, when is payday?",
    "When is payday? Thanks!",
    "thanks for the invoice of May",
    "test report",
    "Who are the founders?",
    "help desk",
    "你好，年假有几天？",
    "",
    "?!",
    "👋",
    "hello ".repeat(40),
  ])("is not recognised in: %j", (message) => expect(smallTalkIn(message)).toBeUndefined());
});
