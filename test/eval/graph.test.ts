import { describe, expect, test } from "vitest";
import { GraphItem, readLines } from "../../research/eval/data.js";
import { type AskGraph, graph, type WrittenQuery } from "../../research/eval/graph.js";
import { NOTHING_SPENT } from "../../src/types/answer.js";

const item = (more: Partial<GraphItem>): GraphItem => ({
  id: "1",
  question: "Who?",
  language: "en",
  kind: "one-hop",
  answerable: true,
  answers: ["Li Lei"],
  not: [],
  ...more,
});

const query = (more: Partial<WrittenQuery> = {}): WrittenQuery => ({
  cypher: "RETURN 1",
  parsed: true,
  passedGuard: true,
  rows: 1,
  error: "",
  ...more,
});

/** A system that answers each question by its id, and refuses a question without an entry. */
const system =
  (said: Record<string, string>, queries: Record<string, WrittenQuery[]> = {}): AskGraph =>
  async ({ id }) => ({
    reply: {
      text: said[id] ?? "",
      failed: said[id] === "broken",
      refused: said[id] === undefined,
      statements: [],
      contexts: [],
      firstStatementSeconds: null,
      confidence: null,
      notes: {},
      cost: { usage: { ...NOTHING_SPENT, calls: 2 }, faults: [], seconds: 1 },
    },
    queries: queries[id] ?? [],
  });

describe("asking a graph", () => {
  const items = [
    item({ id: "right", answers: ["12"] }),
    item({ id: "list", kind: "comparison", language: "zh", not: ["Han Mei"] }),
    item({ id: "silent" }),
    item({ id: "open", kind: "unanswerable", answerable: false, answers: [] }),
    item({ id: "shut", kind: "unanswerable", answerable: false, answers: [] }),
    item({ id: "lost" }),
  ];
  const said = { right: "There are 12.", list: "李雷: Li Lei, Han Mei", shut: "Something.", lost: "broken" };

  test("counts six outcomes by kind and language, and a list does not answer a choice between two", async () => {
    const { n, metrics, items: shown } = await graph(items, system(said), {});
    expect(n).toBe(6);
    expect(metrics).toMatchObject({
      right: 1,
      wrong: 1,
      refusedWrongly: 1,
      refusedRightly: 1,
      answeredUnanswerable: 1,
      failed: 1,
      rightOfAll: 2 / 6,
      "rightOfAll one-hop (3)": 1 / 3,
      "rightOfAll comparison (1)": 0,
      "rightOfAll zh (1)": 0,
      callsPerItem: 2,
    });
    expect(shown[1]).toMatchObject({ id: "list", outcome: "wrong", answer: said.list });
  });

  test("reports how many queries parse, pass the guard and return rows after each number of repairs", async () => {
    const failed = query({ parsed: false, passedGuard: false, rows: null, error: "syntax" });
    const refused = query({ passedGuard: false, rows: null, error: "refused" });
    const queries = { right: [query()], list: [failed, refused, query({ rows: 0 })] };
    const { metrics } = await graph(items, system(said, queries), {});
    expect(metrics).toMatchObject({
      questionsWithQuery: 2,
      queriesWritten: 4,
      repairsPerQuestion: 1,
      "parses after 0 repairs": 0.5,
      "parses after 1 repairs": 1,
      "passes the guard after 1 repairs": 0.5,
      "passes the guard after 2 repairs": 1,
      "returns rows after 2 repairs": 0.5,
    });
  });

  test("asks the baseline the same questions, one after another", async () => {
    const order: string[] = [];
    const noting =
      (name: string): AskGraph =>
      (one) => {
        order.push(`${name} ${one.id}`);
        return system({ right: "12" })(one);
      };
    const { baselines, items: shown } = await graph(items.slice(0, 2), noting("measured"), { plain: noting("plain") });
    expect(baselines.plain).toMatchObject({ right: 1, refusedWrongly: 1 });
    expect(shown[0]).toMatchObject({ plain: { outcome: "right" } });
    expect(order).toEqual(["measured right", "plain right", "measured list", "plain list"]);
  });
});

describe.each(["movies", "northwind"])("the questions about %s", (name) => {
  const items = readLines(`research/eval/questions/${name}.jsonl`, GraphItem);

  test("are twenty, half of them Chinese and half held out, with the same kinds in both halves", () => {
    expect(items).toHaveLength(20);
    expect(items.filter(({ language }) => language === "zh")).toHaveLength(10);
    const kinds = (half: string) => items.filter(({ split }) => split === half).map(({ kind }) => kind);
    expect(kinds("tune")).toHaveLength(10);
    expect(kinds("tune").toSorted()).toEqual(kinds("held-out").toSorted());
  });

  test("have an answer exactly if the graph has one", () => {
    for (const { answerable, answers } of items) expect(answers.length > 0).toBe(answerable);
  });
});
