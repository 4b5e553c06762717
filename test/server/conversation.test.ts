import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import type { Conversation } from "../../src/types/conversation.js";
import { listening } from "./listening.js";

const PASSAGES = [
  fakePassage("lisbon", "The Lisbon office opens at eight."),
  fakePassage("utrecht", "The Utrecht office opens at nine."),
  fakePassage("差旅", "出国差旅由部门负责人审批。"),
];
const TOKENS = ["the-token-of-anna-1", "the-token-of-bert-1", "another-one-of-anna"];
const tools = { documents: inMemoryDocuments(PASSAGES) };
const open = await listening({ tools });
const locked = await listening({
  tools,
  tokens: TOKENS,
  userOf: (token) => ({ identity: token.includes("anna") ? "anna" : "bert", emend_scope: "all" }),
});
const bearer = (token = "") => ({ Authorization: `Bearer ${token}` });
type Where = Pick<typeof open, "address">;
const read = async ({ address }: Where, id: string, token?: string): Promise<Conversation> =>
  (await fetch(`${address}/api/threads/${id}`, { headers: bearer(token) })).json() as Promise<Conversation>;

describe("a conversation over HTTP", () => {
  test("understands a follow-up, and is returned with its questions, answers and quotes with their places", async () => {
    const threadId = randomUUID();
    await open.post("/api/ask", { question: "When does the Lisbon office open?", threadId });
    const reply = await open.post("/api/ask", { question: "And the Utrecht office?", threadId });
    expect(((await reply.json()) as { text: string }).text).toContain("nine");
    const { turns, waiting } = await read(open, threadId);
    expect(waiting).toBeUndefined();
    expect(turns.map(({ question, text, status }) => ({ question, text, status }))).toEqual([
      {
        question: "When does the Lisbon office open?",
        text: "The Lisbon office opens at eight [1].",
        status: "answered",
      },
      { question: "And the Utrecht office?", text: "The Utrecht office opens at nine [1].", status: "answered" },
    ]);
    expect(turns[1]?.citations).toMatchObject([
      { reference: 1, claimIndex: 0, evidenceId: "utrecht", source: "document", quote: PASSAGES[1]?.text, start: 0 },
    ]);
    expect(turns[1]?.segments).toEqual([
      {
        kind: "text",
        pieces: [
          { text: "The Utrecht office opens at nine" },
          { text: " [1]", reference: 1, claimIndex: 0 },
          { text: "." },
        ],
      },
    ]);
  });

  test("can be deleted by its owner and by nobody else", async () => {
    const threadId = randomUUID();
    const [anna, bert] = TOKENS;
    const remove = (token: string | undefined) =>
      fetch(`${locked.address}/api/threads/${threadId}`, { method: "DELETE", headers: bearer(token) });
    await locked.post("/api/ask", { question: "When does the Lisbon office open?", threadId }, bearer(anna));
    expect((await remove(bert)).status).toBe(200);
    expect((await read(locked, threadId, anna)).turns).toHaveLength(1);
    expect((await remove(undefined)).status).toBe(401);
    expect((await remove(anna)).status).toBe(200);
    expect((await read(locked, threadId, anna)).turns).toEqual([]);
  });

  test("is returned in Chinese too, with refusals marked as refusals", async () => {
    const threadId = randomUUID();
    await open.post("/api/ask", { question: "出国差旅由谁审批？", threadId });
    await open.post("/api/ask", { question: "谁画了西斯廷教堂的天顶？", threadId });
    const { turns } = await read(open, threadId);
    expect(turns).toMatchObject([
      { text: "出国差旅由部门负责人审批[1]。", status: "answered", citations: [{ evidenceId: "差旅" }] },
      { status: "refused", citations: [] },
    ]);
  });

  test("is returned as waiting for a reply until there is one", async () => {
    const { grader } = localReasoners();
    let asks = true;
    const asking = await listening({
      tools: {
        ...tools,
        grader: {
          grade: async (...given) => {
            const grade = await grader.grade(...given);
            if (!asks) return grade;
            return { ...grade, answerability: "none", clarification: "Which office?" };
          },
        },
      },
    });
    const threadId = randomUUID();
    await asking.post("/api/ask", { question: "When does the office open?", threadId });
    expect(await read(asking, threadId)).toMatchObject({
      turns: [{ question: "When does the office open?", status: "needs_clarification", citations: [] }],
      waiting: { type: "clarify", question: "Which office?" },
    });
    asks = false;
    await asking.post("/api/ask", { question: "The Lisbon office", threadId });
    const { turns, waiting } = await read(asking, threadId);
    expect(waiting).toBeUndefined();
    expect(turns).toMatchObject([{ text: "Which office?" }, { question: "The Lisbon office", status: "answered" }]);
  });

  test("is returned from its beginning at any length", async () => {
    const threadId = randomUUID();
    const questions = Array.from(
      { length: 25 },
      (_, i) => `When does the ${i % 2 ? "Lisbon" : "Utrecht"} office open?`,
    );
    for (const question of questions) await open.post("/api/ask", { question, threadId });
    expect((await read(open, threadId)).turns.map(({ question }) => question)).toEqual(questions);
  });

  test("belongs to the user of its token", async () => {
    const [anna, bert, alsoAnna] = TOKENS;
    const threadId = randomUUID();
    await locked.post("/api/ask", { question: "When does the Lisbon office open?", threadId }, bearer(anna));
    expect((await read(locked, threadId, anna)).turns).toHaveLength(1);
    expect((await read(locked, threadId, alsoAnna)).turns).toHaveLength(1);
    expect((await read(locked, threadId, bert)).turns).toEqual([]);
    await locked.post("/api/ask", { question: "And the Utrecht office?", threadId }, bearer(bert));
    expect((await read(locked, threadId, anna)).turns).toHaveLength(1);
  });

  test.each(["1", "../x", `${randomUUID()}/x`, "%00"])("is named by a UUID, and not by %j", async (threadId) => {
    const reply = await open.post("/api/ask", { question: "When?", threadId });
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain("threadId");
    expect((await fetch(`${open.address}/api/threads/${encodeURIComponent(threadId)}`)).status).toBe(400);
  });

  test("that does not exist is empty", async () => {
    expect(await read(open, randomUUID())).toEqual({ turns: [] });
  });

  test("cannot be read without a token", async () => {
    expect((await fetch(`${locked.address}/api/threads/${randomUUID()}`)).status).toBe(401);
  });
});

test("turns and waiting questions of another scope are not returned", async () => {
  const department = { now: "finance" };
  const { grader } = localReasoners();
  const scoped = await listening({
    tools: {
      documents: inMemoryDocuments([
        { ...fakePassage("safe", "The password of the safe is swordfish."), metadata: { department: "finance" } },
        { ...fakePassage("stand", "The stand at the fair is in hall three."), metadata: { department: "sales" } },
      ]),
      grader: {
        grade: async (task, call) => {
          const grade = await grader.grade(task, call);
          const isOpen = task.question.includes("Which");
          return isOpen ? { ...grade, answerability: "none", clarification: "Of the swordfish safe?" } : grade;
        },
      },
    },
    tokens: TOKENS,
    userOf: () => ({ identity: "anna", emend_scope: [{ key: "department", values: [department.now] }] }),
  });
  const [token] = TOKENS;
  for (const question of ["What is the password of the safe?", "Which password?"]) {
    department.now = "finance";
    const threadId = randomUUID();
    await scoped.post("/api/ask", { question, threadId }, bearer(token));
    expect(JSON.stringify(await read(scoped, threadId, token))).toContain("swordfish");
    department.now = "sales";
    expect(await read(scoped, threadId, token)).toEqual({ turns: [] });
  }
});
