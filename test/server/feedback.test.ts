import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { QaItem } from "../../research/eval/data.js";
import { evaluationItems } from "../../src/server/feedback.js";
import { fakeRun } from "../../src/testing/runs-contract.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Feedback } from "../../src/types/feedback.js";
import { listening } from "./listening.js";

const runs = sqlRuns(openDatabase(":memory:"));
const { post } = await listening({ runs, tools: { runs } });
const LEAVE = "How many days of paid leave do full-time staff have?";
const NOWHERE = "Who painted the ceiling of the Sistine Chapel?";
const TRAVEL = "出国差旅由谁审批？";

test("feedback becomes an evaluation with the last opinion on each answer and its expected answer", async () => {
  const threadId = randomUUID();
  for (const question of [LEAVE, NOWHERE, TRAVEL]) await post("/api/ask", { question, threadId });
  const say = async (question: string, opinion: object) =>
    expect((await post("/api/feedback", { threadId, question, ...opinion })).status).toBe(200);
  await say(LEAVE, { verdict: "down", reason: "Too many.", expected: "20" });
  await say(LEAVE, { verdict: "up" });
  await say(NOWHERE, { verdict: "up", reason: "不在文档里。\n真的" });
  await say(TRAVEL, { verdict: "down", expected: "部门负责人" });
  const said = (await runs.feedback()).opinions;
  expect(said.map(({ question, reason }) => [question, reason])).toEqual([
    [LEAVE, ""],
    [NOWHERE, "不在文档里。\n真的"],
    [TRAVEL, ""],
  ]);
  expect(JSON.stringify(said)).not.toContain(threadId);

  const items = evaluationItems(said);
  expect(items).toMatchObject([
    {
      question: LEAVE,
      language: "en",
      answerable: true,
      answers: ["Full-time staff have 28 days of paid leave."],
      also: [],
    },
    { question: NOWHERE, answerable: false, history: [{ question: LEAVE }] },
    { question: TRAVEL, language: "zh", answerable: true, answers: ["部门负责人"] },
  ]);
  expect(items.map((item) => QaItem.parse(item).id)).toHaveLength(3);

  await runs.close();
  expect((await runs.find({}, 9)).map(({ question, feedback }) => [question, feedback])).toEqual([
    [TRAVEL, "down"],
    [NOWHERE, "up"],
    [LEAVE, "up"],
  ]);
});

test("an operator's review of a failed run becomes a question of an evaluation, with the failure as its tag", async () => {
  const database = openDatabase(":memory:");
  await database.write(async () => {});
  const kept = sqlRuns(database);
  const refused = { status: "refused", failures: ["NO_RECALL"] } as const;
  for (const question of ["Who pays for taxis?", "Is there a pool?", ""])
    kept.add(fakeRun({ ...refused, failures: [...refused.failures], question }), "");
  kept.add(fakeRun({ question: "And at night?", isFollowUp: true }), "");
  await kept.close();
  const operators = await listening({ runs: kept });
  const review = async (body: object, at = operators) => (await at.post("/api/quality/reviews", body)).status;
  expect(await review({ run: 1, label: "BAD_RERANK", expected: "the company" })).toBe(200);
  expect(await review({ run: 2, unanswerable: true })).toBe(200);
  expect([await review({ run: 9, unanswerable: true }), await review({ run: 1 })]).toEqual([404, 400]);
  expect([await review({ run: 3, expected: "x" }), await review({ run: 4, expected: "x" })]).toEqual([400, 400]);
  expect(evaluationItems((await kept.feedback()).opinions)).toMatchObject([
    { question: "Who pays for taxis?", answerable: true, answers: ["the company"], tags: ["BAD_RERANK"] },
    { question: "Is there a pool?", answerable: false },
  ]);
  await database.close();
});

describe("an opinion", () => {
  test.each([
    ["of a question that was not asked", { question: "What else?", verdict: "up" }, 400, /not asked/],
    ["that is neither good nor bad", { question: LEAVE, verdict: "so-so" }, 400, /verdict/],
    ["that is too long", { question: LEAVE, verdict: "up", reason: "x".repeat(2_001) }, 400, /reason/],
  ])("%s is refused", async (_, opinion, status, message) => {
    const reply = await post("/api/feedback", { threadId: randomUUID(), ...opinion });
    expect(reply.status).toBe(status);
    expect(((await reply.json()) as { error: string }).error).toMatch(message);
  });

  test("is refused with a message by a server without records of runs", async () => {
    const other = await listening();
    const reply = await other.post("/api/feedback", { threadId: randomUUID(), question: LEAVE, verdict: "up" });
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain("takes no feedback");
  });

  test("that cannot be written is refused with status 503", async () => {
    const other = await listening({ runs: sqlRuns(openDatabase(fileURLToPath(import.meta.url))) });
    const threadId = randomUUID();
    await other.post("/api/ask", { question: LEAVE, threadId });
    const reply = await other.post("/api/feedback", { threadId, question: LEAVE, verdict: "up" });
    expect(reply.status).toBe(503);
  });

  test("that an answer is wrong, without an expected answer, adds nothing to an evaluation", async () => {
    const [first] = (await runs.feedback()).opinions;
    expect(first && evaluationItems([{ ...first, verdict: "down", expected: "" }])).toEqual([]);
  });

  test("gives way to a later one of the same question that says what is right", () => {
    const said = (id: string, rest: Partial<Feedback>): Feedback => ({
      ...{ id, at: "", question: LEAVE, verdict: "down", reason: "", expected: "", status: "answered", text: "" },
      ...{ claims: [], history: [], ...rest },
    });
    const items = evaluationItems([
      said("a", { expected: "20" }),
      said("run-1", { expected: "30" }),
      said("b", {}),
      said("c", { expected: "no pay", history: [{ question: "And in May?", answer: "" }] }),
    ]);
    expect(items).toMatchObject([{ answers: ["30"] }, { answers: ["no pay"] }]);
  });
});
