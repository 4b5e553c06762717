import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { Tools } from "../../src/state/tools.js";
import type { Promises } from "../../src/testing/contract.js";
import { fakeGrader, fakePassage, fakeTools, inMemoryKnowledge } from "../../src/testing/index.js";
import { fakeFeedback, fakeRun, runsContract, runsTests } from "../../src/testing/runs-contract.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import type { Runs } from "../../src/tools/runs/port.js";
import { questionHash } from "../../src/tools/runs/port.js";
import { type RunsOptions, sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Database } from "../../src/tools/store/port.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import type { RunRecord } from "../../src/types/run.js";
import { keeps } from "./keeps.js";

const QUESTION = "How many days of paid leave do staff have?";

/** Every engine keeps these promises of Runs. `newPlace` prepares an empty place for each test. */
export function sqlRunsContract(name: string, newPlace: () => Promise<string>) {
  let last: Database | undefined;
  const newStore = async () => {
    await last?.close();
    last = openDatabase(await newPlace());
    await last.write(async () => {});
    return sqlRuns(last, { days: 99_999 });
  };
  afterAll(() => last?.close());
  keeps(name, [...runsContract(newStore), ...runsTests(newStore, SUMS)]);

  describe(`${name} keeps records of runs`, () => {
    let place: string;
    let database: Database;
    const open = (options?: RunsOptions) => sqlRuns(database, options);
    beforeEach(async () => {
      place = await newPlace();
      database = openDatabase(place);
    });
    afterEach(() => database.close());
    const made = () => database.write(async () => {});

    test("creates no store, and finds nothing without one", async () => {
      const runs = open();
      runs.add(fakeRun(), "");
      await runs.close();
      expect([await database.exists(), await runs.find({}, 9), await runs.get(1)]).toEqual([false, [], undefined]);
      expect((await runs.feedback()).opinions).toEqual([]);
      expect(await runs.totals({})).toMatchObject({ runs: 0, refused: 0, milliseconds: 0 });
      const none = { count: 0, documents: [] };
      const nothing = {
        days: [],
        tags: [],
        unanswered: [],
        neverCited: none,
        disliked: [],
        disagreeing: [],
        stale: none,
      };
      expect(await runs.quality(new Date(0))).toEqual(nothing);
      expect(runs.lost()).toBeUndefined();
    });

    test("names documents that no answer cites, and counts claims and unsure answers by day", async () => {
      await made();
      await database.write((to) =>
        to.insert(
          "emend.documents",
          ["leave", "pay", "travel"].map((id) => ({ id, hash: "", name: id, dated: 0 })),
        ),
      );
      const runs = open({ days: 99_999 });
      runs.add(fakeRun({ at: "2026-03-01T23:59:59Z", used: ["travel#0"] }), "");
      runs.add(fakeRun({ at: "2026-03-02T23:59:59Z", status: "unsure" }), "");
      runs.add(fakeRun({ at: "2026-03-02T23:59:59Z", claims: { drafted: 9, quoted: 6, shown: 4, dropped: 3 } }), "");
      await runs.close();
      const { days, neverCited } = await runs.quality(new Date("2026-03-02"));
      expect(neverCited).toEqual({ count: 2, documents: ["pay", "travel"] });
      expect(days).toMatchObject([{ day: "2026-03-02", drafted: 11, quoted: 8, dropped: 4, calls: 2, unsure: 1 }]);
    });

    test("names documents whose review is more than a year ago, the oldest first", async () => {
      await made();
      const reviewed = (id: string, reviewedAt: string) => fakePassage(id, "Leave is 28 days.", { reviewedAt });
      const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
      const second = { ...reviewed("leave", daysAgo(400)), id: "leave#1", position: 1 };
      const passages = [reviewed("leave", daysAgo(400)), second, reviewed("pay", "2019-05-01")];
      await sqlDocuments(database).upsert([...passages, reviewed("travel", daysAgo(360)), reviewed("undated", "")]);
      expect((await open().quality(new Date())).stale).toEqual({
        count: 2,
        documents: [
          { document: "pay", reviewedAt: "2019-05-01" },
          { document: "leave", reviewedAt: daysAgo(400) },
        ],
      });
    });

    test("an opinion creates a store, and outlives a record that is too old", async () => {
      const runs = open({ days: 2 });
      await runs.addFeedback(fakeFeedback(), { thread: "a" });
      runs.add(fakeRun({ at: new Date(Date.now() - 3 * 86_400_000).toISOString() }), "a");
      await runs.close();
      expect([await runs.find({}, 9), (await runs.feedback()).opinions]).toEqual([[], [fakeFeedback()]]);
    });

    test("an opinion of a question outside a conversation is deleted when it is as old as a record", async () => {
      await made();
      const add = async (id: string, days: number, thread: string) => {
        const at = new Date(Date.now() - days * 86_400_000).toISOString();
        await open().addFeedback(fakeFeedback({ id, at }), { thread });
      };
      await add("old", 3, "");
      await add("new", 1, "");
      await add("old, in a conversation", 3, "a");
      const runs = open({ days: 2 });
      runs.add(fakeRun(), "");
      await runs.close();
      expect((await runs.feedback()).opinions.map(({ id }) => id)).toEqual(["new", "old, in a conversation"]);
    });

    test("a damaged opinion is left out and counted", async () => {
      await made();
      const runs = open();
      for (const id of ["1", "2", "3"]) await runs.addFeedback(fakeFeedback({ id }), { thread: "a" });
      await database.write(async (to) => {
        await to.all("UPDATE emend.feedback SET record = $1 WHERE id = $2", ['{"id": "1", "verdi', "1"]);
        await to.all("UPDATE emend.feedback SET record = $1 WHERE id = $2", ['{"id": "2"}', "2"]);
      });
      expect(await runs.feedback()).toEqual({ opinions: [fakeFeedback({ id: "3" })], damaged: 2 });
    });

    test("an alert is new to one of several programs that note it at the same time, and makes a store if raised", async () => {
      const programs = Array.from({ length: 4 }, () => openDatabase(place));
      const note = (isRaised: boolean) =>
        Promise.all(programs.map((program) => sqlRuns(program).noteAlert("refused", isRaised)));
      expect(await note(false)).toEqual([false, false, false, false]);
      expect(await database.exists()).toBe(false);
      for (const isRaised of [true, false, true])
        expect((await note(isRaised)).filter((isNew) => isNew)).toHaveLength(1);
      for (const program of programs) await program.close();
    });

    test("stores only hashes of questions if configured, and deletes records that are too old", async () => {
      await made();
      const runs = open({ hashed: true, days: 2 });
      runs.add(fakeRun(), "");
      runs.add(fakeRun({ at: new Date(Date.now() - 3 * 86_400_000).toISOString() }), "");
      await runs.close();
      // Opening the store again deletes it.
      const next = open({ hashed: true, days: 2 });
      next.add(fakeRun(), "");
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

    test("the records and opinions of a conversation are deleted with it", async () => {
      await made();
      const threads = sqlThreads(database);
      const runs = open();
      const passages = [28, 25].map((days) => fakePassage(`leave-${days}`, `Staff have ${days} days of paid leave.`));
      const tools = fakeTools({ passages, runs });
      const agent = createAgent({ tools, checkpointer: threads });
      await agent.ask(QUESTION, { threadId: "a" });
      await agent.ask("Do staff have paid leave?", { threadId: "b" });
      await runs.close();
      expect((await runs.find({}, 9)).map(({ question }) => question)).toEqual(["Do staff have paid leave?", QUESTION]);
      for (const thread of ["a", "b"]) await runs.addFeedback(fakeFeedback({ id: thread }), { thread });
      for (const { id } of await runs.find({}, 9))
        await runs.addFeedback(fakeFeedback({ id: `run-${id}` }), { run: id });
      await agent.forget("a");
      const [left, ...others] = await runs.find({}, 9);
      expect(others).toEqual([]);
      expect((await runs.feedback()).opinions.map(({ id }) => id)).toEqual(["b", `run-${left?.id}`]);
      await sleep(5);
      await threads.deleteBefore(new Date());
      expect([await runs.find({}, 9), (await runs.feedback()).opinions]).toEqual([[], []]);
      const rest = ["run_records", "run_documents", "run_disagreements"].map((table) => ({
        sql: `SELECT * FROM emend.${table}`,
      }));
      expect(await database.read(rest)).toEqual([[], [], []]);
    });

    test("a record names the documents that disagree in the answer, the newer one first", async () => {
      await made();
      const runs = open();
      const stating = (id: string, days: number, reviewedAt: string) =>
        fakePassage(id, `Staff have ${days} days of paid leave.`, { reviewedAt });
      const passages = [stating("faq#3", 25, "2024-01-01"), stating("leave#0", 28, "2026-01-01")];
      await createAgent({ tools: fakeTools({ passages, runs }) }).ask(QUESTION);
      await runs.close();
      const [run] = await runs.find({}, 1);
      const pair = { newer: "leave", older: "faq" };
      expect(run?.disagreements).toEqual([pair]);
      expect((await runs.quality(new Date(0))).disagreeing).toEqual([{ ...pair, runs: 1 }]);
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
      expect(refused?.route.flatMap(({ faults }) => faults)).toEqual([
        { part: "knowledge_graph", name: "Error", message: "" },
      ]);
      expect(refused?.route.find(({ step }) => step === "rewriteQuery")?.reason).toMatchObject({ query: "" });
      expect(JSON.stringify([refused, answered])).not.toMatch(/28 days|Pay comes/);
    });
  });
}

const SUMS: Promises<Runs> = {
  "the runs since a time are summed up by day, tag, question and document": async (runs) => {
    const add = (day: string, given: Partial<RunRecord> = {}) =>
      runs.add(fakeRun({ at: `${day}T23:59:59Z`, ...given }), "a");
    const took = (milliseconds: number) => ({ spend: { ...fakeRun().spend, milliseconds } });
    add("2026-03-01");
    for (let i = 1; i <= 19; i++) add("2026-03-02", took(i * 10));
    add("2026-03-02", { ...took(5_000), failures: ["OVERGEN"] });
    const lost: Partial<RunRecord> = { status: "refused", used: [], failures: ["NO_RECALL"] };
    for (const question of ["Where?", "Who?", "Who?", "When?"]) add("2026-03-04", { ...lost, question });
    add("2026-03-04", { ...lost, question: "And he?", isFollowUp: true });
    add("2026-03-04", { question: "When?", used: ["leave#0", "leave#1", "web:https://example.org"] });
    const pair = { newer: "leave", older: "faq" };
    const other = { newer: "faq", older: "pay" };
    for (const [day, ...disagreements] of [
      ["2026-03-01", pair],
      ["2026-03-03", pair, other],
      ["2026-03-03", pair],
    ] as const)
      add(day, { disagreements: [...disagreements] });
    runs.flag("a", "When?", "down");
    await runs.close();
    const { days, tags, unanswered, disliked, disagreeing } = await runs.quality(new Date("2026-03-02"));
    assert.deepEqual(
      days.map((day) => [day.day, day.runs, day.refused, day.down, day.medianMilliseconds, day.p95Milliseconds]),
      [
        ["2026-03-02", 20, 0, 0, 100, 190],
        ["2026-03-03", 2, 0, 0, 1_500, 1_500],
        ["2026-03-04", 6, 5, 1, 1_500, 1_500],
      ],
    );
    assert.deepEqual(
      tags.map(({ tag, runs }) => [tag, runs]),
      [
        ["NO_RECALL", 5],
        ["OVERGEN", 1],
      ],
    );
    // "When?" was answered later, and a follow-up makes no sense alone.
    assert.deepEqual(
      unanswered.map(({ question, runs }) => [question, runs]),
      [
        ["Who?", 2],
        ["Where?", 1],
      ],
    );
    assert.deepEqual(disagreeing, [
      { ...pair, runs: 2 },
      { ...other, runs: 1 },
    ]);
    assert.deepEqual(disliked.map(({ document, runs }) => [document, runs]).toSorted(), [
      ["leave", 1],
      ["web:https://example.org", 1],
    ]);
  },

  "of opinions on one answer that come at the same time, one is stored": async (runs) => {
    const reasons = ["a", "b", "c", "d", "e", "f", "g", "h"];
    await Promise.all(reasons.map((reason) => runs.addFeedback(fakeFeedback({ reason }), { thread: "a" })));
    assert.equal((await runs.feedback()).opinions.length, 1);
  },
};
