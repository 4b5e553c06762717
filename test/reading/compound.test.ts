import { describe, expect, test } from "vitest";
import { generatePartByPart, localReasoners } from "../../src/reading/local-reasoners.js";
import { strips } from "../../src/text/strips.js";
import type { Generator, Task } from "../../src/types/reasoners.js";
import { fakeEncoder } from "../encoder.js";
import { call, task } from "./local-evidence.js";

const { grader, generator } = localReasoners();
const LOGS = "Logs are kept for 90 days.";
const BACKUPS = "Ana Prado may read backups.";
const 日志 = "日志保留九十天。";
const 备份 = "备份由方可审批。";
const CANTEEN = "The canteen opens at noon.";
const 食堂 = "食堂从中午开始供应午餐。";

/** Grades the evidence, and generates from the graded evidence. */
async function answered(given: Task) {
  const { relevance, ...grade } = await grader.grade(given, call());
  const evidence = given.evidence.map((piece, i) => ({
    ...piece,
    strips: strips(piece.text).map((span, j) => ({ ...span, relevance: relevance[i]?.[j] ?? 0 })),
  }));
  const streamed: string[] = [];
  const onClaim = ({ text }: { text: string }) => streamed.push(text);
  const draft = await generator.generate({ ...given, evidence, intent: "other" }, call(), onClaim);
  return { ...grade, streamed, claims: draft.claims.map(({ text }) => text), open: draft.missing };
}

test.each([
  ["I like the view from my desk. ".repeat(15), "For how many days are logs kept?"],
  ["我很喜欢这里的风景。".repeat(30), "日志保留多少天？"],
])("of a long text, only the question at its end is put to the generator", async (story, question) => {
  const asked: string[] = [];
  const plain: Generator = {
    async generate(given) {
      asked.push(given.question);
      return { claims: [], missing: "" };
    },
  };
  const given = task(`${story}${question}`, LOGS, 日志);
  await generatePartByPart(plain, grader).generate({ ...given, intent: "other" }, call());
  expect(asked).toEqual([question]);
});

test("each part of a compound question is read once, for its grade and for the answer", async () => {
  const encoder = fakeEncoder({ judge: () => ({ answerability: 0.9, relevance: 0.9 }) });
  const judging = localReasoners({ encoder });
  const given = task("For how many days are logs kept, and who may read backups?", LOGS, BACKUPS);
  const { relevance, read = [] } = await judging.grader.grade(given, call());
  expect(new Set(encoder.asked.map(({ text }) => text)).size).toBe(2);
  const evidence = given.evidence.map((piece, i) => ({
    ...piece,
    strips: strips(piece.text).map((span, j) => ({ ...span, relevance: relevance[i]?.[j] ?? 0 })),
    read: read[i] ?? [],
  }));
  const before = encoder.asked.length;
  const { claims } = await judging.generator.generate({ ...given, evidence, intent: "other" }, call());
  expect(claims.length).toBeGreaterThan(0);
  expect(encoder.asked.length).toBe(before);
});

describe("a compound question", () => {
  test.each([
    ["For how many days are logs kept, and who may read backups?", LOGS, BACKUPS],
    ["日志保留多少天，备份由谁审批？", 日志, 备份],
  ])("is answered part by part: %s", async (question, ...texts) => {
    const { answerability, claims, streamed, open } = await answered(task(question, ...texts));
    expect(answerability).toBe("full");
    expect(claims).toEqual(texts);
    expect(streamed).toEqual(texts);
    expect(open).toBe("");
  });

  test.each([
    ["For how many days are logs kept, and who may read backups?", LOGS, CANTEEN, "who may read backups?"],
    ["日志保留多少天，备份由谁审批？", 日志, 食堂, "备份由谁审批？"],
  ])("with one answered part names the other as missing: %s", async (question, text, other, open) => {
    const found = await answered(task(question, text, other));
    expect(found.answerability).toBe("partial");
    expect(found.claims).toEqual([text]);
    expect(found.missing).toBe(`“${open}”`);
    expect(found.open).toBe(`“${open}”`);
  });

  test("names what the evidence lacks about a part that is answered", async () => {
    const question = "For how many days are logs kept in Berlin, and who may read backups?";
    expect((await answered(task(question, LOGS, BACKUPS, CANTEEN))).open).toContain("Berlin");
  });

  test("whose parts have the same answer gets it once", async () => {
    const found = await answered(
      task("Who may read backups and who may read logs?", "Ana Prado may read backups and logs."),
    );
    expect(found.claims).toEqual(["Ana Prado may read backups and logs."]);
  });
});
