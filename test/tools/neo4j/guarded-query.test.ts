import type { Record as Neo4jRecord, Plan, ResultSummary } from "neo4j-driver";
import { expect, test } from "vitest";
import type { Neo4jConnection } from "../../../src/tools/neo4j/connection.js";
import { guardedQuery } from "../../../src/tools/neo4j/knowledge.js";
import type { GraphRow } from "../../../src/types/knowledge.js";

/** Every check of the guard, with a scripted server. */
const plan = (operatorType: string, Details = "", ...children: Plan[]): Plan => ({
  operatorType: `${operatorType}@neo4j`,
  identifiers: [],
  arguments: { Details },
  children,
});
const READS = plan("ProduceResults", "x", plan("Projection", "1 AS x", plan("Argument")));
const LIMITED = plan("ProduceResults", "x", plan("Limit", "100", READS));

/** The rows of a server that ignores limits. */
const ROWS = 1_000;

type Explained = { queryType?: string; plan?: Plan | false };

/** A server that gives these plans in order and repeats the last one. */
function server(...explained: Explained[]) {
  const asked: string[] = [];
  const run: string[] = [];
  const never = () => Promise.reject(new Error("not asked for"));
  const connection: Neo4jConnection = {
    name: "scripted",
    explain: async (cypher) => {
      const { queryType = "r", plan = LIMITED } = explained[Math.min(asked.push(cypher), explained.length) - 1] ?? {};
      return { queryType, plan } as ResultSummary;
    },
    read: async (cypher, _, options) => {
      run.push(cypher);
      for (let i = 0; i < ROWS; i++) {
        const record = { keys: ["x"], get: () => i } as unknown as Neo4jRecord;
        if (options?.enough?.(record)) break;
      }
      return [];
    },
    write: never,
    change: never,
    close: async () => {},
  };
  return {
    asked,
    run,
    query: (cypher: string, parameters: GraphRow = {}) => guardedQuery(connection, cypher, parameters, {}),
  };
}

test("an accepted query is run exactly as it was explained, with its limit", async () => {
  const { asked, run, query } = server({ plan: READS });
  await query("MATCH (n) /* all */ WHERE n.a =~ '.*b.*' RETURN n.a AS x;");
  const safe = "MATCH (n)   WHERE n.a =~ '(?>.*?b).*+' RETURN n.a AS x\nLIMIT 100";
  expect(asked).toEqual([safe]);
  expect(run).toEqual([safe]);
});

test.each([
  "MATCH (n) RETURN n.a AS x",
  "MATCH (n) RETURN n.a AS x LIMIT 1000000",
  "RETURN 1 AS x UNION ALL MATCH (n) RETURN n.a AS x",
])("at most 100 rows are read, whatever limit the query has: %s", async (cypher) => {
  const { rows, truncated } = await server({ plan: READS }).query(cypher);
  expect(rows).toHaveLength(100);
  expect(truncated).toBe(true);
});

test("a query may use the name “transactions” for its own list", async () => {
  const { run, query } = server({ plan: LIMITED });
  await query("MATCH (n) WITH collect(n) AS transactions MATCH (t) WHERE t IN transactions RETURN t.id AS x");
  expect(run).toHaveLength(1);
});

/** Only the plan is dangerous; the texts look harmless. */
test.each<[string, Explained[], RegExp]>([
  ["an operator that is not on the list", [{ plan: plan("ProduceResults", "x", plan("SetProperty")) }], /SetProperty/],
  [
    "a procedure",
    [{ plan: plan("Limit", "1", plan("ProcedureCall", "dbms.listConfig() :: (x :: STRING)")) }],
    /dbms.listConfig/,
  ],
  [
    "a function of a plugin",
    [{ plan: plan("Limit", "1", plan("Projection", "apoc.text.join([]) AS x")) }],
    /apoc.text.join/,
  ],
  ["a function that tells of files", [{ plan: plan("Limit", "1", plan("Projection", "file() AS x")) }], /file/],
  ["a query that also writes", [{ queryType: "rw" }], /change something/],
  ["a query for the schema", [{ queryType: "s" }], /change something/],
  ["a server that shows no plan", [{ plan: false }], /no plan/],
])("%s is refused by the plan and not run", async (_what, explained, reason) => {
  const { run, query } = server(...explained);
  await expect(query("MATCH (n) RETURN n.a AS x")).rejects.toThrow(reason);
  expect(run).toEqual([]);
});

/** Only the text is dangerous; the server's plan shows nothing. */
test.each<[string, string, RegExp, GraphRow?]>([
  ["no text", " ; ", /empty/],
  ["a long text", `RETURN '${"a".repeat(4_000)}' AS x`, /4,000 characters/],
  ["a text that can be read in two ways", "RETURN 'a\\u0027 AS x", /escape/],
  ["another beginning", "SHOW SETTINGS", /not with SHOW/],
  ["a plan instead of rows", "EXPLAIN RETURN 1 AS x", /not with EXPLAIN/],
  ["two statements", "RETURN 1 AS x; RETURN 2 AS x", /one statement/],
  ["files", "WITH 1 AS y LOAD CSV FROM 'file:///x' AS x RETURN x", /LOAD CSV/],
  ["transactions", "MATCH (n) CALL (n) { RETURN 1 AS x } IN TRANSACTIONS RETURN x", /IN TRANSACTIONS/],
  ["transactions of a size", "MATCH (n) CALL (n) { RETURN 1 AS x } IN 2 TRANSACTIONS RETURN x", /IN TRANSACTIONS/],
  [
    "many at once",
    "MATCH (n) CALL (n) { RETURN 1 AS x } IN $n CONCURRENT TRANSACTIONS RETURN x",
    /IN TRANSACTIONS/,
    { n: 2 },
  ],
  ["another graph", "CALL () { USE system RETURN 1 AS x } RETURN x", /USE/],
  ["a parameter without a value", "RETURN $x AS x", /no value/],
  ["a procedure", "CALL dbms.listConfig() YIELD name RETURN name AS x", /dbms.listConfig/],
  ["a function", "RETURN apoc.version() AS x", /apoc.version/],
  ["a pattern that takes for ever", "MATCH (n) WHERE n.a =~ '(a+)+' RETURN 1 AS x", /pattern after =~/],
  ["a query that takes for ever to plan", `MATCH ${"()-->".repeat(21)}() RETURN 1 AS x`, /20 relationships/],
  ["a long text in a longer one", `WITH ${"n.a + ".repeat(90)}n.a AS s RETURN s CONTAINS s AS x`, /looked for/],
  ["no end", "MATCH (n) FINISH", /RETURN/],
])("%s is refused by the text and not run", async (_what, cypher, reason, parameters) => {
  const { run, query } = server({ plan: LIMITED });
  await expect(query(cypher, parameters)).rejects.toThrow(reason);
  expect(run).toEqual([]);
});
