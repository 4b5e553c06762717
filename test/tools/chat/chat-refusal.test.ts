import { expect, test } from "vitest";
import { refusal } from "../../../src/tools/chat/chat-refusal.js";

test.each([
  [new Error("Connection error."), "gpt broke off its reply: Connection error."],
  [new Error("连接中断。"), "gpt broke off its reply: 连接中断."],
  [Object.assign(new Error("It fell over."), { status: 500 }), /^gpt failed \(500: It fell over\)\. Try again/],
  [Object.assign(new Error("No such thing"), { status: 400 }), "gpt refused the request (400: No such thing)."],
])("a message that quotes an endpoint ends in one full stop: %s", (thrown, said) => {
  expect(refusal(thrown, "gpt", {}).message).toMatch(said);
  expect(refusal(thrown, "gpt", {}).message).not.toMatch(/[.。]{2}/);
});
