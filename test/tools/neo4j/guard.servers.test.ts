import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CypherError } from "../../../src/errors.js";
import { boundedPattern, checkPlan, guard } from "../../../src/tools/neo4j/guard.js";
import { guardedQuery } from "../../../src/tools/neo4j/knowledge.js";
import type { GraphRow } from "../../../src/types/knowledge.js";
import { pattern, text } from "./cypher-patterns.js";
import { HOSTILE_QUERIES } from "./hostile-queries.js";
import type { HostileQuery } from "./hostile-query.js";
import { connect, wipe } from "./server.js";

const connection = connect();
const TIMEOUT = 1_000;
/** Margin for a busy machine and the server's clock, which may tick every two seconds. Unstopped queries take minutes. */
const MARGIN = 10_000;
/** The time limit for work that ends by itself, even on a busy machine. */
const PATIENCE = { timeout: 60_000 };

beforeAll(async () => {
  await wipe(connection);
  for (const cypher of GRAPH) await connection.write([{ cypher }]);
  await connection.read("CALL db.awaitIndexes(60)", {}, PATIENCE);
});
afterAll(async () => {
  await wipe(connection);
  await connection.close();
});

/** A graph so dense that its paths cannot be counted. */
const GRAPH = [
  "CREATE CONSTRAINT person_id FOR (n:Person) REQUIRE n.id IS UNIQUE",
  "CREATE FULLTEXT INDEX person_names FOR (n:Person) ON EACH [n.name]",
  "CREATE VECTOR INDEX person_vectors FOR (n:Person) ON n.vector OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}",
  "UNWIND range(0, 299) AS id CREATE (:Person {id: id, name: ['Ada', '张伟', 'Bob', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa'][id % 4] + ' ' + id, vector: [1.0, id / 300.0, 0.5]})",
  "MATCH (a:Person), (b:Person) WHERE (b.id - a.id + 300) % 300 IN range(1, 20) CREATE (a)-[:KNOWS {since: a.id}]->(b)",
];

/** Everything that a query could change: data, labels, properties, indexes, constraints, users and settings. */
async function everything(): Promise<string> {
  const hash = createHash("sha256");
  for (const query of [
    "MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties ORDER BY id",
    "MATCH (a)-[r]->(b) RETURN elementId(r) AS id, elementId(a) AS a, elementId(b) AS b, type(r) AS type, properties(r) AS properties ORDER BY id",
    "SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name",
    "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name",
    "CALL db.labels() YIELD label RETURN label ORDER BY label",
    "CALL db.relationshipTypes() YIELD relationshipType AS type RETURN type ORDER BY type",
    "CALL db.propertyKeys() YIELD propertyKey AS key RETURN key ORDER BY key",
    "SHOW USERS YIELD user, passwordChangeRequired RETURN * ORDER BY user",
    "SHOW SETTINGS YIELD name, value RETURN * ORDER BY name",
  ])
    hash.update(JSON.stringify((await connection.read(query)).map((record) => record.toObject())));
  return hash.digest("hex");
}

const running = async () =>
  (await connection.read("SHOW TRANSACTIONS YIELD currentQuery WHERE NOT currentQuery STARTS WITH 'SHOW' RETURN *"))
    .length;

const kinds = [...new Set(HOSTILE_QUERIES.map(({ kind }) => kind))];
const of = (kind: string) => HOSTILE_QUERIES.filter((query) => query.kind === kind);

describe.each(kinds)("hostile queries: %s", (kind) => {
  test("are refused or bounded as expected, change nothing, and hold no connection beyond the time limit", async () => {
    const before = await everything();
    const wrong: unknown[] = [];
    let longest = 0;
    for (const query of of(kind)) {
      const began = performance.now();
      const outcome = await tried(query);
      const held = performance.now() - began;
      if (query.expect === "bounded") longest = Math.max(longest, held);
      if (outcome.result !== query.expect || longest > TIMEOUT + MARGIN) wrong.push({ ...query, ...outcome, held });
    }
    if (longest > 0) console.log(`${kind}: held at most ${Math.round(longest)} ms, with a time limit of ${TIMEOUT} ms`);
    expect(wrong).toEqual([]);
    await expect.poll(running, PATIENCE).toBe(0);
    expect(await everything()).toBe(before);
    expect((await connection.read("RETURN 1 AS one")).map((record) => record.toObject())).toHaveLength(1);
  });
});

async function tried(query: HostileQuery): Promise<{ result: string; message?: string }> {
  const { cypher, parameters = {} } = query;
  try {
    // Refused queries are never run, but planning them may be slow on a busy server.
    const options = query.expect === "refused" ? PATIENCE : { timeout: TIMEOUT };
    const { rows } = await guardedQuery(connection, cypher, parameters, options);
    return { result: rows.length <= 100 ? "bounded" : "unbounded" };
  } catch (error) {
    if (!(error instanceof CypherError)) throw error;
    return { result: error.repairable ? "refused" : "bounded", message: error.message };
  }
}

test("more than 150 hostile queries are expected to be refused", () => {
  expect(HOSTILE_QUERIES.filter(({ expect }) => expect === "refused").length).toBeGreaterThan(150);
});

/** Whether the server runs this query in READ mode without the guard. */
async function runsBare({ cypher, parameters = {} }: HostileQuery): Promise<boolean> {
  return connection.read(cypher, parameters, PATIENCE).then(
    () => true,
    () => false,
  );
}

test("without the guard, READ mode runs exactly the hostile queries that are marked as running there", async () => {
  const safe = HOSTILE_QUERIES.filter(({ bare, expect }) => bare !== "unsafe" && expect === "refused");
  const ran: HostileQuery[] = [];
  for (const query of safe) if (await runsBare(query)) ran.push(query);
  const [setting] = await connection.read(
    "SHOW SETTINGS YIELD name, value WHERE name = 'dbms.security.allow_csv_import_from_file_urls' RETURN value",
  );
  const isOpen = setting?.get("value") === "true";
  console.log(
    `READ mode alone runs ${ran.length} of ${safe.length} (LOAD CSV from files is ${isOpen ? "open" : "closed"})`,
  );
  const said = safe.filter(({ bare }) => bare === "runs" || (bare === "open" && isOpen));
  expect(ran.map(({ cypher }) => cypher)).toEqual(said.map(({ cypher }) => cypher));
});

test("the server's plan alone exposes queries that do more than read the graph, except for some keywords", async () => {
  const through: string[] = [];
  for (const { cypher, parameters = {} } of kinds
    .filter((kind) => /writes|schema|administration|procedures|files|transactions/.test(kind))
    .flatMap(of)) {
    try {
      const { queryType, plan } = await connection.explain(cypher, parameters, PATIENCE);
      if (!plan || queryType !== "r") continue;
      checkPlan(plan);
      through.push(cypher);
    } catch {
      // Refused by the server or by its plan.
    }
  }
  // Plans do not show these, since their effect is decided before planning.
  expect(through.filter((cypher) => !/USE |CYPHER|EXPLAIN|PROFILE|\\u0050ROFILE|FINISH/.test(cypher))).toEqual([]);
});

test("every bomb is valid Cypher that the server would run without the guard", async () => {
  const wrong: string[] = [];
  for (const { kind, cypher, parameters = {} } of HOSTILE_QUERIES) {
    if (!/loops|bombs/.test(kind)) continue;
    const type = await connection.explain(cypher, parameters, PATIENCE).then(
      ({ queryType }) => queryType,
      (error: Error) => error.message,
    );
    if (type !== "r") wrong.push(`${cypher}: ${type}`);
  }
  expect(wrong).toEqual([]);
});

describe("patterns after =~", () => {
  const bounded = (given: string) => boundedPattern(given) ?? given;

  test("match the same texts on the server before and after they are bounded", async () => {
    const cases = fc
      .sample(pattern, { numRuns: 600, seed: 12 })
      .map((given) => ({ given, bounded: bounded(given) }))
      .filter((each) => each.bounded !== each.given);
    const texts = fc.sample(text, { numRuns: 100, seed: 12 });
    const differ = await connection.read(
      "UNWIND $cases AS c UNWIND $texts AS t WITH c, t WHERE (t =~ c.given) <> (t =~ c.bounded) RETURN c.given, c.bounded, t",
      { cases, texts },
      PATIENCE,
    );
    expect(cases.length).toBeGreaterThan(100);
    expect(differ.map((record) => record.toObject())).toEqual([]);
  });
});

describe("an accepted query", () => {
  const columnsAndRows = async (cypher: string, parameters: GraphRow = {}) => {
    const { columns, rows } = await guardedQuery(connection, cypher, parameters, PATIENCE);
    return { columns, rows: rows.length, first: rows[0] };
  };
  const bounded = (cypher: string, parameters: GraphRow = {}) =>
    guard(cypher, parameters, (text, given) => connection.explain(text, given, PATIENCE));

  test("keeps its columns, their order and the order of its rows", async () => {
    expect(await columnsAndRows("MATCH (p:Person) RETURN p.name, p.id AS id, 1 + 1 ORDER BY id DESC;")).toEqual({
      columns: ["p.name", "id", "1 + 1"],
      rows: 100,
      first: { "p.name": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa 299", id: 299, "1 + 1": 2 },
    });
  });

  test("is limited as a whole if it is a union, even with unnamed columns", async () => {
    const union =
      "MATCH (p:Person) RETURN p.id, p.name AS b UNION ALL MATCH (q:Person) RETURN q.id AS `p.id`, q.name AS b";
    expect(await columnsAndRows(union)).toMatchObject({
      columns: ["p.id", "b"],
      rows: 100,
      // The server decides the order.
      first: { "p.id": expect.any(Number) },
    });
  });

  test("keeps a lower limit that is a number, a parameter or a sum", async () => {
    const ordered = "MATCH (p:Person) RETURN DISTINCT p.id ORDER BY p.id DESC";
    for (const limit of ["3", "$most", "1 + 2"])
      expect(await columnsAndRows(`${ordered} LIMIT ${limit}`, { most: 3 })).toMatchObject({
        columns: ["p.id"],
        rows: 3,
        first: { "p.id": 299 },
      });
  });

  test("gets a limit if only a subquery has one", async () => {
    const cypher = "MATCH (a:Person) WITH a LIMIT 200 CALL (a) { MATCH (a)-->(b) RETURN b LIMIT 1 } RETURN b.id";
    expect(await columnsAndRows(cypher)).toMatchObject({ rows: 100 });
    expect(await columnsAndRows("MATCH (p:Person) RETURN p LIMIT 5000")).toMatchObject({ rows: 100 });
  });

  test("may call procedures that list names and search indexes", async () => {
    expect(await columnsAndRows("CALL db.labels")).toMatchObject({ columns: ["label"], rows: 1 });
    expect(await columnsAndRows("CALL db.labels() YIELD *")).toMatchObject({ columns: ["label"], rows: 1 });
    const search = "CALL db.index.fulltext.queryNodes('person_names', $name) YIELD node, score";
    expect(await columnsAndRows(search, { name: "张伟" })).toMatchObject({ columns: ["node", "score"], rows: 75 });
    const nearest = "CALL db.index.vector.queryNodes('person_vectors', 5, [1.0, 0.5, 0.5]) YIELD node RETURN node.id";
    expect(await columnsAndRows(nearest)).toMatchObject({ columns: ["node.id"], rows: 5 });
  });

  test("may use every reading clause of the language", async () => {
    for (const cypher of GOOD)
      expect(await bounded(cypher, { name: "Ada 0", pattern: "(?i)ada.*" })).toContain("LIMIT");
  });

  test("is refused with the server's error if it is not valid Cypher", async () => {
    await expect(bounded("MATCH (p:Person) WHERE p.name RETRUN p")).rejects.toThrow(/RETRUN/);
    await expect(bounded("MATCH (p:Person) RETURN q")).rejects.toThrow(/`q` not defined/);
  });
});

const GOOD = [
  "MATCH (p:Person {name: $name})-[:KNOWS*1..3]->(q) WHERE NOT (q)-[:KNOWS]->(p) RETURN DISTINCT q.name",
  "MATCH p = shortestPath((a:Person {name: $name})-[:KNOWS*]-(b:Person {id: 9})) RETURN [n IN nodes(p) | n.name] AS names",
  "MATCH (p:Person) RETURN p.name, size([x IN labels(p) WHERE x <> 'Person' | toUpper(x)]) AS others",
  "MATCH (p:Person) WHERE p.name =~ '(?i)ada.*|.*张.*' OR p.name =~ $pattern RETURN count(*) AS n",
  "UNWIND range(1990, 2020) AS year RETURN year, date({year: year}).week AS week",
  "MATCH (p:Person) WHERE EXISTS { (p)-[:KNOWS]->(:Person {name: '张伟 1'}) } RETURN p.name AS `名字`",
  "MATCH (人:Person) WHERE 人.name CONTAINS '张' RETURN 人.name AS 名字, COUNT { (人)--() } AS 数量 // 说明; DELETE",
  "MATCH (p:Person) RETURN p.name + '; DETACH DELETE n // /* LOAD CSV' AS `CREATE (n)`, \"it's\" AS s",
  "CALL { MATCH (p:Person) RETURN p ORDER BY p.id LIMIT 3 } RETURN p.name, [(p)-->(q) | q.name][..2] AS some",
  "MATCH (p:Person) USING INDEX p:Person(id) WHERE p.id = 3 RETURN p",
  "MATCH ANY SHORTEST (a:Person {id: 1})-[:KNOWS]->+(b:Person {id: 99}) RETURN a.name, b.name",
  "MATCH (p:Person) RETURN CASE p.id WHEN 1 THEN 'one' ELSE toString(p.id) END AS x ORDER BY p.id SKIP 2 LIMIT 7",
  "MATCH (n:Person) RETURN n.name AS limit, n.id AS `return`, {use: n.id, load: 1} AS csv",
  "MATCH (n:Person) RETURN point.distance(point({x: n.id, y: 0}), point({x: 0, y: 0})) AS d, duration.between(date('2020-01-01'), date()).years AS years",
];
