import { setTimeout as sleep } from "node:timers/promises";
import { type Script, saysJson } from "./fake-server.js";

export const GRADE = {
  found: "25 days",
  answerable: "full",
  states: ["1.1"],
  helps: [] as string[],
  missing: "",
  entities: ["Harbor"],
  clarification: "",
};

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

const CHECKS = {
  1: { reason: "stated", verdict: "supported" },
  2: { reason: "not stated", verdict: "unsupported" },
};

/** A model that does every task acceptably, in the language of the question. */
export const ableModel: Script = async (request, response) => {
  const prompt = request.messages.at(-1)?.content ?? "";
  const chinese = prompt.includes("Write in Chinese");
  const empty = !prompt.includes("<source 1>");
  const replies: Record<string, unknown> = {
    grade: empty ? { ...GRADE, answerable: "none", found: "", states: [] } : GRADE,
    answer: chinese ? CHINESE_ANSWER : ANSWER,
    check: CHECKS,
    rewrite: { query: chinese ? "海港公司员工年假天数多少天" : "days of yearly holiday for employees of Harbor" },
    standalone: { question: chinese ? "海港公司的年假什么时候过期？" : "And when does the annual leave expire?" },
  };
  await sleep(1);
  // A request without a schema is for the answer.
  return saysJson(replies[request.response_format?.json_schema?.name ?? "answer"])(request, response);
};
