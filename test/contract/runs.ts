import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { Tools } from "../../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools, inMemoryKnowledge } from "../../src/testing/index.js";
import { questionHash } from "../../src/tools/runs/port.js";
import { type RunsOptions, sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Database } from "../../src/tools/store/port.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import type { RunRecord } from "../../src/types/run.js";

const QUESTION = "How many days of paid leave do staff have?";

/** A record of an answered run. */
export const record = (given: Partial<RunRecord> = {}): RunRecord => ({
  at: new Date().toISOString(),
  question: QUESTION,
  questionHash: questionHash(given.question ?? QUESTION),
  ...{ language: "en", isFollowUp: false, scope: "", status: "answered", stopReason: "supported", confidence: 0.9 },
  retrieved: { pieces: 2, score: [0.1, 0.1, 0.1, 0.2, 0.2], relevance: null },
  used: ["leave#0"],
  claims: { drafted: 2, quoted: 2, shown: 1, dropped: 1 },
  failures: [],
  spend: { calls: 1, inputTokens: 100, cachedTokens: 10, outputTokens: 20, milliseconds: 1_500 },
  route: [],
  ...given,
});

/** Every store keeps these promises. `newPlace` prepares an empty place for each test. */
export function runsContract(name: string, newPlace: () => Promise<string>) {
  describe(`${name} keeps the promises of Runs`, () => {
    let database: Database;
    const open = (options?: RunsOptions) => sqlRuns(database, options);
    beforeEach(async () => {
      database = openDatabase(await newPlace());
    });
    afterEach(() => database.close());
    const made = () => database.write(async () => {});

    test("creates no store, and finds nothing without one", async () => {
      const runs = open();
      runs.add(record(), "");
      await runs.close();
      expect([await database.exists(), await runs.find({}, 9), await runs.get(1)]).toEqual([false, [], undefined]);
      expect(await runs.totals({})).toMatchObject({ runs: 0, refused: 0, milliseconds: 0 });
      const nothing = { days: [], tags: [], unanswered: [], neverCited: { count: 0, documents: [] }, disliked: [] };
      expect(await runs.quality(new Date(0))).toEqual(nothing);
      expect(runs.lost()).toBeUndefined();
    });

    test("returns recorded runs, the newest first, by any condition", async () => {
      await made();
      const runs = open();
      const old = record({
        at: new Date(Date.now() - 9 * 86_400_000).toISOString(),
        question: "何时？",
        language: "zh",
      });
      const refused = record({ status: "refused", failures: ["NO_RECALL", "OVERGEN"], isFollowUp: true, scope: "s" });
      for (const one of [old, refused, record()]) runs.add(one, "");
      await runs.close();
      const found = await runs.find({}, 9);
      expect(found).toEqual(
        [record(), refused, old].map((one, i) => ({ ...one, at: found[i]?.at, id: expect.any(Number), feedback: "" })),
      );
      const ids = async (filter: Parameters<typeof runs.find>[0]) =>
        (await runs.find(filter, 9)).map(({ id }) => found.findIndex((one) => one.id === id));
      expect(await ids({ since: new Date(Date.now() - 86_400_000) })).toEqual([0, 1]);
      expect(await ids({ until: new Date(Date.now() - 86_400_000) })).toEqual([2]);
      expect(await ids({ status: "refused" })).toEqual([1]);
      expect(await ids({ tag: "OVERGEN" })).toEqual([1]);
      expect(await ids({ tag: "OVER" })).toEqual([]);
      expect(await ids({ scope: "s", status: "answered" })).toEqual([]);
      expect(await runs.find({}, 1)).toHaveLength(1);
      expect(await runs.get(found[1]?.id ?? 0)).toEqual(found[1]);
      expect(await runs.totals({})).toEqual({
        ...{ runs: 3, refused: 1, followUps: 1, drafted: 6, quoted: 6, dropped: 3, up: 0, down: 0 },
        ...{ calls: 3, inputTokens: 300, outputTokens: 60, milliseconds: 4_500 },
      });
    });

    test("an opinion of a reader belongs to the newest answer to the question in the conversation", async () => {
      await made();
      const runs = open();
      for (const thread of ["a", "a", "b"]) runs.add(record(), thread);
      runs.flag("a", `${QUESTION} `, "down");
      runs.flag("unknown", QUESTION, "up");
      await runs.close();
      expect((await runs.find({}, 9)).map(({ feedback }) => feedback)).toEqual(["", "down", ""]);
      expect(await runs.find({ feedback: "down" }, 9)).toHaveLength(1);
      expect(await runs.totals({})).toMatchObject({ up: 0, down: 1 });
    });

    test("summarises the runs since a given time by day, tag, question and document", async () => {
      await made();
      await database.write((to) =>
        to.insert(
          "emend.documents",
          ["leave", "pay", "travel"].map((id) => ({ id, hash: "", name: id, dated: 0 })),
        ),
      );
      const runs = open({ days: 99_999 });
      const add = (day: string, given: Partial<RunRecord> = {}) =>
        runs.add(record({ at: `${day}T23:59:59Z`, ...given }), "a");
      const took = (milliseconds: number) => ({ spend: { ...record().spend, milliseconds } });
      add("2026-03-01", { used: ["travel#0"] });
      for (let i = 1; i <= 19; i++) add("2026-03-02", took(i * 10));
      add("2026-03-02", {
        ...took(5_000),
        claims: { drafted: 9, quoted: 6, shown: 4, dropped: 3 },
        failures: ["OVERGEN"],
      });
      const lost: Partial<RunRecord> = { status: "refused", used: [], failures: ["NO_RECALL"], ...took(300) };
      for (const question of ["Where?", "Who?", "Who?", "When?"]) add("2026-03-04", { ...lost, question });
      add("2026-03-04", { ...lost, question: "Why?", failures: ["SOURCE_FAIL"] });
      add("2026-03-04", { ...lost, question: "And he?", isFollowUp: true, failures: ["NO_RECALL", "OVERGEN"] });
      add("2026-03-04", { question: "When?", used: ["leave#0", "leave#1", "web:https://example.org"] });
      runs.flag("a", "When?", "down");
      await runs.close();

      const found = await runs.quality(new Date("2026-03-02"));
      expect(found.days).toEqual([
        {
          ...{
            day: "2026-03-02",
            runs: 20,
            refused: 0,
            followUps: 0,
            drafted: 47,
            quoted: 44,
            dropped: 22,
            up: 0,
            down: 0,
          },
          ...{ calls: 20, inputTokens: 2_000, outputTokens: 400, milliseconds: 6_900 },
          ...{ medianMilliseconds: 100, p95Milliseconds: 190 },
        },
        expect.objectContaining({
          day: "2026-03-04",
          runs: 7,
          refused: 6,
          followUps: 1,
          down: 1,
          p95Milliseconds: 1_500,
        }),
      ]);
      expect(found.tags).toEqual([
        { tag: "NO_RECALL", runs: 5 },
        { tag: "OVERGEN", runs: 2 },
        { tag: "SOURCE_FAIL", runs: 1 },
      ]);
      expect(found.unanswered.map(({ question, runs }) => [question, runs])).toEqual([
        ["Who?", 2],
        ["Where?", 1],
      ]);
      expect(found.neverCited).toEqual({ count: 2, documents: ["pay", "travel"] });
      expect(found.disliked).toEqual([
        { document: "leave", runs: 1 },
        { document: "web:https://example.org", runs: 1 },
      ]);
      const failed = await runs.find({ failed: true }, 99);
      expect(failed.map(({ question }) => question)).toEqual([
        "When?",
        "And he?",
        "Why?",
        "When?",
        "Who?",
        "Who?",
        "Where?",
        QUESTION,
      ]);
      expect(await runs.quality(new Date("2026-03-05"))).toMatchObject({
        days: [],
        tags: [],
        unanswered: [],
        disliked: [],
      });
    });

    test("stores only hashes of questions if configured, and deletes records that are too old", async () => {
      await made();
      const runs = open({ hashed: true, days: 2 });
      runs.add(record(), "");
      runs.add(record({ at: new Date(Date.now() - 3 * 86_400_000).toISOString() }), "");
      await runs.close();
      // Opening the store again deletes it.
      const next = open({ hashed: true, days: 2 });
      next.add(record(), "");
      await next.close();
      const found = await next.find({}, 9);
      expect(found.map(({ question, questionHash: hash }) => [question, hash])).toEqual(
        Array(2).fill(["", questionHash(QUESTION)]),
      );
      const everything = await database.read([
        { sql: "SELECT * FROM emend.runs" },
        { sql: "SELECT * FROM emend.run_records" },
      ]);
      expect(JSON.stringify(everything)).not.toContain("leave do staff");
      expect(everything.map(({ length }) => length)).toEqual([2, 2]);
    });

    test("the records of a conversation are deleted with it", async () => {
      await made();
      const threads = sqlThreads(database);
      const runs = open();
      const tools = fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")], runs });
      const agent = createAgent({ tools, checkpointer: threads });
      await agent.ask(QUESTION, { threadId: "a" });
      await agent.ask("Do staff have paid leave?", { threadId: "b" });
      await runs.close();
      expect((await runs.find({}, 9)).map(({ question }) => question)).toEqual(["Do staff have paid leave?", QUESTION]);
      await agent.forget("a");
      expect(await runs.find({}, 9)).toHaveLength(1);
      await sleep(5);
      await threads.deleteBefore(new Date());
      expect(await runs.find({}, 9)).toEqual([]);
      const rest = ["run_records", "run_documents"].map((table) => ({ sql: `SELECT * FROM emend.${table}` }));
      expect(await database.read(rest)).toEqual([[], []]);
    });

    test("a record has the steps and outcome of a question, and no word of a document", async () => {
      await made();
      const runs = open();
      const passages = [
        fakePassage("leave", "Staff have 28 days of paid leave."),
        fakePassage("pay", "Pay comes on day 25."),
      ];
      await createAgent({ tools: fakeTools({ passages, runs }) }).ask(QUESTION);
      const lost: Partial<Tools> = {
        grader: fakeGrader({ relevance: 0.1, answerability: "none", missing: "the 28 days" }),
        rewriter: { ...fakeTools().rewriter, rewrite: async () => "Who has 28 days?" },
        knowledge: { ...inMemoryKnowledge(), facts: () => Promise.reject(new Error("key 28 days is refused")) },
      };
      await createAgent({ tools: fakeTools({ passages, ...lost, runs }) }).ask("And who approves it?", {
        history: [{ question: QUESTION, answer: "Staff have 28 days of paid leave." }],
      });
      await runs.close();
      const [refused, answered] = await runs.find({}, 9);
      expect(answered).toMatchObject({ status: "answered", question: QUESTION, isFollowUp: false, failures: [] });
      expect(answered).toMatchObject({
        claims: { shown: 2, dropped: 0 },
        retrieved: { pieces: 2 },
        used: ["leave", "pay"],
      });
      expect(answered?.route.map(({ step }) => step)).toEqual([
        "understand",
        "retrieve",
        "grade",
        "generate",
        "checkAnswer",
      ]);
      expect(refused).toMatchObject({ status: "refused", question: "And who approves it?", used: [] });
      expect(refused?.failures).toContain("NO_RECALL");
      expect(refused?.route.flatMap(({ faults }) => faults)).toEqual([{ name: "Error", message: "" }]);
      expect(refused?.route.find(({ step }) => step === "rewriteQuery")?.reason).toMatchObject({ query: "" });
      expect(JSON.stringify([refused, answered])).not.toMatch(/28 days|Pay comes/);
    });
  });
}
