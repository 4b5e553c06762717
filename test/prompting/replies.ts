import { setTimeout as sleep } from "node:timers/promises";
import { ENGLISH } from "../../src/testing/reasoners-sample.js";
import { type Script, saysJson } from "../tools/chat/fake-server.js";

export const ANSWER = {
  claims: [
    { text: "Employees get 25 days.", source: 1, quote: "Employees of Harbor get 25 days of annual leave." },
    { text: "Unused days expire on 31 March.", source: 1, quote: "Unused days expire on 31 March." },
  ],
  missing: "",
};

const CHINESE_ANSWER = {
  claims: [{ text: "员工每年有25天年假。", source: 1, quote: "海港公司的员工每年有25天年假。" }],
  missing: "",
};

/** Two claims to check, and the replies of a good model. */
export const CHECKING = {
  ...ENGLISH,
  claims: ["Employees get 25 days.", "The office is closed on Sundays."].map((text) => ({
    text,
    citations: [{ evidenceId: "leave", quote: "25 days" }],
  })),
};
export const CHECKS = {
  1: { words: ["25 days of annual leave"], verdict: "supported", reason: "" },
  2: { words: [], verdict: "unsupported", reason: "not stated" },
};

/** A model that does every task acceptably, in the language of the question. */
export const ableModel: Script = async (request, response) => {
  const prompt = request.messages.at(-1)?.content ?? "";
  const chinese = prompt.includes("Write in Chinese");
  const replies: Record<string, unknown> = {
    answer: chinese ? CHINESE_ANSWER : ANSWER,
    check: CHECKS,
    standalone: { question: chinese ? "海港公司的年假什么时候过期？" : "And when does the annual leave expire?" },
  };
  await sleep(1);
  // A request without a schema is for the answer.
  return saysJson(replies[request.response_format?.json_schema?.name ?? "answer"])(request, response);
};
