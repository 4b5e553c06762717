import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { TableQueryError } from "../../src/errors.js";
import type { Scope } from "../../src/graph/scope.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import type { ContextInput } from "../../src/state/context.js";
import { fakeTools } from "../../src/testing/index.js";
import { JOBS, keep, SALARIES, SHOPS } from "../../src/testing/tables-sample.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { tablesCanBeQueried } from "../../src/tools/tables/query.js";
import { sqlTables } from "../../src/tools/tables/sql.js";
import { scriptedChat } from "../scripted-chat.js";
import { trusting } from "../trusting.js";

const database = openDatabase(":memory:");
const documents = sqlDocuments(database);
await keep(documents, [JOBS, SALARIES, SHOPS]);
const tables = sqlTables(database);

async function asked(
  question: string,
  {
    replies,
    context = {},
    scope,
  }: { replies?: readonly (string | object)[]; context?: ContextInput; scope?: Scope } = {},
) {
  const script = scriptedChat(...(replies ?? []));
  const reasoners = replies ? trusting(modelReasoners({ chat: script.chat }), localReasoners()) : localReasoners();
  const { checker: _, ...parts } = fakeTools({ documents });
  const agent = createAgent({
    tools: { ...parts, tables, ...reasoners },
    context: { ...context, sources: { graph: false, web: false, ...context.sources } },
    ...(scope && { scope: () => scope }),
  });
  const events = await Array.fromAsync(agent.stream(question));
  const decisions = events.flatMap((event) => (event.type === "decision" ? event.decision : []));
  const [answer] = events.flatMap((event) => (event.type === "answer" ? event.answer : []));
  if (!answer) throw new Error("no answer");
  return { answer, decisions, steps: decisions.map(({ step }) => step), ...script };
}

const CHECKED = { "1": { words: ["Rome"], verdict: "supported", reason: "" } };
const SUM = 'SELECT "City", sum("Cost") AS total FROM "Jobs" WHERE "State" = \'open\' GROUP BY "City"';

describe.skipIf(tablesCanBeQueried() !== "")("without a model", () => {
  test.each([
    ["How many jobs are open?", /^Counted: 3 of 4 rows of Jobs/, "Counted: 3 of 4 rows of Jobs"],
    ["有多少家门店？", /2/, "门店"],
  ])("a question that names a query is answered by its figure: %s", async (question, text, words) => {
    const { answer, steps } = await asked(question);
    expect(answer).toMatchObject({ status: "answered", stopReason: "supported" });
    expect(answer.text).toMatch(text);
    expect(answer.claims[0]?.text).toContain(words);
    expect(steps).toEqual([
      "understand",
      "retrieve",
      "grade",
      "queryTables",
      "grade",
      "generate",
      "checkAnswer",
      "respond",
    ]);
  });

  test("the source of a figure has the query and the rows that it rests on", async () => {
    const { answer } = await asked("How many jobs are open?");
    expect(answer.references).toMatchObject([
      {
        source: "table",
        uri: "jobs.csv",
        computed: {
          rows: [[3]],
          tables: [{ id: JOBS.id, rows: 4, matched: 3, used: [{ number: 1 }, { number: 3 }, { number: 4 }] }],
        },
      },
    ]);
  });

  test("a sum says how many cells it leaves out", async () => {
    const { answer } = await asked("What is the sum of Cost of the jobs?");
    expect(answer.text).toContain("1 cell of Cost has no value that could be read and was left out [1].");
    expect(answer.text).toMatch(/1,299\.75/);
  });

  test("words that name no query get the tables named, and no figure", async () => {
    const { answer } = await asked("How many urgent jobs are open?");
    expect(answer.status).not.toBe("answered");
    expect(answer.text).toContain("To compute this, name the columns");
    expect(answer.text).toContain("Jobs");
    expect(answer.references.every(({ source }) => source !== "table")).toBe(true);
  });

  test("tables are not queried if the run may not", async () => {
    const { answer, steps } = await asked("How many jobs are open?", { context: { sources: { tables: false } } });
    expect(steps).not.toContain("queryTables");
    expect(answer.references.every(({ source }) => source !== "table")).toBe(true);
  });

  test("tables outside of the scope do not exist", async () => {
    const hr: Scope = [{ key: "department", values: ["hr"] }];
    const { answer } = await asked("How many jobs are open?", { scope: hr });
    expect(JSON.stringify(answer)).not.toContain("Jobs");
    const field: Scope = [{ key: "department", values: ["field"] }];
    expect((await asked("How many jobs are open?", { scope: field })).answer.text).toContain("3 of 4 rows");
  });
});

describe.skipIf(tablesCanBeQueried() !== "")("a model that leads", () => {
  test("sees the tables, asks a query, and answers from its result", async () => {
    const { answer, prompts, names, steps } = await asked("What do open jobs cost in each city?", {
      replies: [`Query: ${SUM}`, "Open jobs cost EUR 1,204.50 in Berlin and EUR 15.25 in Rome [3].", CHECKED],
    });
    expect(prompts[0]).toContain('<table "Jobs">');
    expect(prompts[0]).toContain('- "Cost": money in EUR, 1 without a value');
    expect(prompts[1]).toContain("- Berlin: EUR 1,204.50");
    expect(names.slice(0, 2)).toEqual(["answer", "answer"]);
    expect(steps.slice(2, 6)).toEqual(["grade", "generate", "queryTables", "grade"]);
    expect(answer).toMatchObject({ status: "answered", references: [{ source: "table", computed: { sql: SUM } }] });
  });

  test("may repair a query that fails", async () => {
    const { prompts, answer } = await asked("What do open jobs cost?", {
      replies: ['Query: SELECT sum("Price") FROM "Jobs"', `Query: ${SUM}`, "Rome costs EUR 15.25 [3].", CHECKED],
    });
    expect(prompts[1]).toMatch(/- query "SELECT sum\(\\"Price\\"\) FROM \\"Jobs\\"": .*Price/);
    expect(answer.status).toBe("answered");
  });

  test("cannot write to a table or read another one", async () => {
    const { decisions, prompts } = await asked("What do open jobs cost?", {
      replies: ['Query: DELETE FROM "Jobs"\nQuery: SELECT * FROM sqlite_master', "I don't know.\nMissing: the cost"],
    });
    const faults = decisions.flatMap((decision) => decision.faults.map(({ name }) => name));
    expect(faults.filter((name) => name === TableQueryError.name)).toHaveLength(2);
    expect(prompts[1]).not.toContain("CREATE TABLE");
    expect((await tables.get([JOBS.id]))[0]?.rows).toBe(4);
  });

  test("gets no figure past the check that it added up over some of the rows", async () => {
    const part = { ...JOBS, id: "long#table0", documentId: "long", name: "Long", rows: 4 };
    await keep(documents, [part], "| Job | Cost |\n|-|-|\n| Roof | 10 |\n| Door | 20 |");
    const { answer } = await asked("What do the long jobs roof and door cost together?", {
      replies: ["Together, Roof and Door cost 30 [1]."],
    });
    expect(answer.status).toBe("refused");
    await documents.remove(["long"]);
  });
});
