import type { Plan, ResultSummary } from "neo4j-driver";
import { describe, expect, test } from "vitest";
import { readCypher } from "../../../src/tools/neo4j/cypher-tokens.js";
import { checkPlan, FUNCTIONS, guard, OPERATORS, PROCEDURES } from "../../../src/tools/neo4j/guard.js";
import { checkGrowth, checkSize } from "../../../src/tools/neo4j/guard-limits.js";
import type { GraphRow } from "../../../src/types/knowledge.js";

/** The plan of a server that would run anything. */
const explained = async () => {
  const plan: Plan = { operatorType: "ProduceResults@neo4j", identifiers: [], arguments: {}, children: [] };
  return { queryType: "r", plan } as ResultSummary;
};

const texts = (cypher: string) => readCypher(cypher).tokens.map(({ text }) => text);

describe("reading Cypher", () => {
  test("removes comments, and keeps text like a comment in strings and names", () => {
    const read = readCypher("MATCH (n) /* a */ WHERE n.x = '// b' // c\nRETURN n.`/* d */`;  ");
    expect(read.cypher).toBe("MATCH (n)   WHERE n.x = '// b'  \nRETURN n.`/* d */`");
  });

  test("decodes escaped letters, and refuses every other escape", () => {
    expect(readCypher("RETURN '\\u5f20\\u4F1F' AS n").cypher).toBe("RETURN '张伟' AS n");
    for (const escaped of ["\\u0027", "\\u0060", "\\u002f", "\\u0041", "\\u000a", "\\u00", "\\U0027"])
      expect(() => readCypher(`RETURN 'a${escaped}b' AS n`)).toThrow(/escape/);
  });

  test("keeps an escaped backslash", () => {
    expect(texts('RETURN \'a\\\\u0041\' AS n, "it\\"s"')).toEqual([
      "RETURN",
      "'a\\\\u0041'",
      "AS",
      "n",
      ",",
      '"it\\"s"',
    ]);
  });

  test("splits names, numbers and parameters as the server does", () => {
    expect(texts("n.`a``b`[1..$to]<-[:名*2..]-(x)")).toEqual([
      "n",
      ".",
      "`a``b`",
      "[",
      "1",
      "..",
      "$to",
      "]",
      "<",
      "-",
      "[",
      ":",
      "名",
      "*",
      "2",
      "..",
      "]",
      "-",
      "(",
      "x",
      ")",
    ]);
  });

  test("refuses ambiguous or incomplete text", () => {
    for (const cypher of ["RETURN a$b", "RETURN 1x", "RETURN 'a", "RETURN `a", "/* a", "RETURN a\u200b", "RETURN \\a"])
      expect(() => readCypher(cypher), cypher).toThrow(/Cannot read|escape/);
    for (const cypher of ["RETURN (1", "RETURN 1)", "RETURN [1)"])
      expect(() => readCypher(cypher), cypher).toThrow(/bracket/);
  });
});

describe("limiting a query", () => {
  const limit = (text: string) => guard(text, {}, explained);

  test("adds a limit if there is none at the end", async () => {
    expect(await limit("MATCH (n) WITH n LIMIT 5 RETURN n.limit;")).toBe(
      "MATCH (n) WITH n LIMIT 5 RETURN n.limit\nLIMIT 100",
    );
  });

  test.each([
    "RETURN 1 AS x LIMIT 7",
    "RETURN 1 AS x SKIP 3 LIMIT 1_000",
    "MATCH (a) RETURN a.x AS x UNION MATCH (b) RETURN b.x AS x",
    "CALL db.labels",
    "CALL db.labels() YIELD *",
  ])("leaves a query unchanged that has a limit, a union or only a call: %s", async (cypher) => {
    expect(await limit(cypher)).toBe(cypher);
  });

  test.each(["MATCH (n) FINISH", "MATCH (n) CALL (n) { RETURN 1 AS x }", "CALL () { RETURN 1 AS x }"])(
    "refuses a query that returns nothing: %s",
    async (cypher) => {
      await expect(limit(cypher)).rejects.toThrow(/RETURN/);
    },
  );
});

describe("the check of a plan", () => {
  const plan = (operatorType: string, Details = "", ...children: Plan[]): Plan => ({
    operatorType: `${operatorType}@neo4j`,
    identifiers: [],
    arguments: { Details },
    children,
  });

  test("refuses an operator that is not on the list, at any depth", () => {
    const reads = plan("ProduceResults", "n", plan("Limit", "100", plan("VarLengthExpand(All)", "(m)<-[r*]-(n)")));
    expect(() => checkPlan(reads)).not.toThrow();
    for (const operator of [
      "Create",
      "SetProperty",
      "LoadCSV",
      "ShowSettings",
      "TerminateTransactions",
      "TransactionApply",
      "RunQueryAt",
      "Whatever",
    ])
      expect(() => checkPlan(plan("ProduceResults", "", plan("Apply", "", reads, plan(operator)))), operator).toThrow(
        operator,
      );
  });

  test("refuses quoted and spaced calls of functions that are not on the lists", () => {
    expect(() =>
      checkPlan(plan("Projection", 'point.distance(a.x, b.x) AS `d`, toUpper("apoc.x(\'") AS t')),
    ).not.toThrow();
    for (const call of ["`apoc`.`text` . join (x)", "a + linenumber()"])
      expect(() => checkPlan(plan("Projection", `${call} AS x`)), call).toThrow(/not allowed/);
  });

  test("has no dangerous operator, procedure or function on its lists", () => {
    for (const name of ["file", "linenumber", "graph.byname", "graph.byelementid", "reduce"])
      expect(FUNCTIONS.has(name)).toBe(false);
    for (const name of PROCEDURES)
      expect(name).toMatch(/^db\.(labels|relationshipTypes|propertyKeys|index\.\w+\.query\w+)$/);
    for (const name of OPERATORS)
      expect(name).not.toMatch(/Create|Delete|Set|Remove|Merge|Foreach|Show|Load|Transaction|Run/);
  });
});

describe("growth within one expression", () => {
  const check = (cypher: string, parameters: GraphRow = {}) => guard(cypher, parameters, explained);

  test.each([
    "UNWIND range(1, 1000) AS i RETURN i",
    "RETURN range($from, $to, 5) AS x",
    "MATCH p = ()-[*..3]-() RETURN [n IN nodes(p) | [l IN labels(n) | toUpper(l)]] AS l",
    "MATCH p = ()-[*..4]-() WHERE all(n IN nodes(p) WHERE single(m IN nodes(p) WHERE m = n)) RETURN p",
    "MATCH (n) WITH collect(n) AS l RETURN [n IN l | [t IN n.tags WHERE t <> 'x']] AS x",
    "MATCH (n)-->(d) RETURN [t IN n.tags | {tag: t, of: d.name}] AS x",
    "MATCH (n) WHERE all(g IN ['a', 'b'] WHERE any(h IN n.genres WHERE h = g)) RETURN n",
    "MATCH (n) WITH n, count(*) AS c WITH n, c, c * 2 AS d WITH n, c, d, d / c AS e RETURN n, c, d, e, c + d + e AS f",
    "RETURN replace(replace($name, '-', ' '), ', ', '') AS x",
  ])("is accepted for %s", async (cypher) => {
    await expect(check(cypher, { from: 1, to: 4_000, name: "Ada" })).resolves.toContain("RETURN");
  });

  test.each([
    ["RETURN range(1, 1001) AS x", /range/],
    ["RETURN `range`(1, $huge) AS x", /range/],
    ["MATCH (n) RETURN range(1, n.age) AS x", /range/],
    ["RETURN reduce(s = 'a', i IN [1, 2] | s + s) AS x", /reduce/],
    ["WITH [1] AS l RETURN [a IN l | [b IN l | b]] AS x", /nested/],
    ["MATCH (n) WITH collect(n.id) AS l RETURN size([a IN l WHERE all(b IN l WHERE b <> -a)]) AS x", /nested/],
    ["WITH [1] AS l RETURN [a IN l | [a, a, a, a, a, a, a, a, a]] AS x", /each element/],
    [`MATCH (n) WITH collect(n.id) AS l RETURN [x IN l | toString(x) + '${"a".repeat(21)}'] AS x`, /each element/],
    ["WITH 'a' AS s WITH s + s + s + s + s AS s WITH s + s + s + s + s AS s WITH s + s + s AS s RETURN s", /copies/],
    [`RETURN ${"`replace`(".repeat(9)}'a'${", 'a', 'aaaaaaaaaa')".repeat(9)} AS x`, /copies/],
    [`WITH [1] AS l ${"WITH [x IN l | [x, x, x]] AS l ".repeat(9)} RETURN l`, /copies/],
    ["MATCH (n) RETURN [x IN n.tags | $huge] AS x", /its own element/],
    // The list is repeated once for each of its elements.
    ["MATCH (c) WITH collect(c) AS cs RETURN [i IN range(0, size(cs) - 2) | cs] AS x", /range/],
    ["MATCH (c) WITH collect(c) AS cs RETURN [i IN [0, 0, 0, 0] | cs[i]] AS x", /its own element/],
    ["MATCH (c) WITH collect(c) AS cs UNWIND range(0, 9) AS k RETURN [i IN range(0, 9) | cs[k]] AS x", /its own/],
    ["MATCH (c) WITH collect(c) AS cs, avg(c.n) AS x WITH cs AS x, cs RETURN [c IN cs | x] AS x", /its own element/],
    ["MATCH (c) WITH collect(c) AS cs, count(*) AS n WITH cs MATCH n = (a)-->() RETURN [c IN cs | n] AS x", /its own/],
    [
      "MATCH (c) WITH collect(c) AS cs, count(*) AS node WITH cs CALL db.index.fulltext.queryNodes('i', 'a') YIELD node RETURN [c IN cs | node] AS x",
      /its own/,
    ],
    ["MATCH (c) WITH collect(c) AS cs, collect(c.a) AS y RETURN [x IN cs | y] AS a, [y IN cs | 1] AS b", /its own/],
    ["WITH {a: 'text'} AS m RETURN [x IN [1, 2] | m.a] AS x", /its own element/],
    // Every element becomes a range of elements.
    ["MATCH (c) WITH collect(c) AS cs RETURN [x IN cs | [y IN range(0, 999) | [x, x]]] AS x", /range/],
    ["MATCH (c) WITH collect(c) AS cs RETURN [x IN cs | `range`(0, 999)] AS x", /range/],
    ["CALL db.index.vector.queryNodes('i', $huge, [1.0]) YIELD node RETURN node", /neighbours/],
  ])("is refused for %s", async (cypher, reason) => {
    await expect(check(cypher, { huge: 1_000_000 })).rejects.toThrow(reason);
  });
});

describe("a search for one text in another", () => {
  const look = (cypher: string) => () => checkGrowth(readCypher(cypher).tokens, { p: "a".repeat(15_000), name: "ada" });
  const sum = (times: number) => `WITH ${Array(times).fill("$p").join(" + ")} AS s `;

  test.each([
    "MATCH (n) WHERE n.text CONTAINS n.other AND toLower(n.name) CONTAINS toLower($name) RETURN n",
    "MATCH (n) WITH n.first + ' ' + n.last AS s WHERE s CONTAINS $name OR s CONTAINS 'x' RETURN s",
    "MATCH (n) WHERE any(t IN n.tags WHERE n.text CONTAINS t) RETURN [w IN split(replace(n.text, $name, ''), ' ') | w] AS x",
    "MATCH p = ()-->(n) WHERE n.name CONTAINS 'x' RETURN reduce(t = 0, r IN relationships(p) | t + r.km) AS x",
    `${sum(50)}RETURN s CONTAINS 'b' AS x`,
  ])("is accepted: %.70s", (cypher) => {
    expect(look(cypher)).not.toThrow();
  });

  test.each([
    `${sum(50)}RETURN s CONTAINS (left(s, 300000) + 'b') AS x`,
    `${sum(50)}RETURN s CONTAINS left(s, 300000) AS x`,
    `${sum(50)}RETURN s CONTAINS s AS x`,
    `${sum(50)}RETURN s CONTAINS 'b' + s AS x`,
    `${sum(50)}RETURN size(replace(s, left(s, 300000), 'c')) AS x`,
    `${sum(50)}RETURN size(\`split\`(s, left(s, 300000))) AS x`,
    `${sum(50)}RETURN size(split(s, left(s, 300000) + 'b')) AS x`,
    `${sum(5)}RETURN size([i IN range(1, 999) WHERE s CONTAINS left(s, 9000)]) AS x`,
    `${sum(50)}WITH s + s AS s WITH s + s AS s RETURN s CONTAINS $p AS x`,
    `RETURN ${Array(50).fill("$p").join(" + ")} CONTAINS ${Array(49).fill("$p").join(" + ")} AS x`,
  ])("is refused if the query made both texts long: %.70s", (cypher) => {
    expect(look(cypher)).toThrow(/too long|copies/);
  });
});

test("a query that the server would plan for minutes is refused by its size", () => {
  const size = (cypher: string) => () => checkSize(readCypher(cypher).tokens);
  expect(size(`MATCH ${"()-->".repeat(20)}() RETURN 1 AS x`)).not.toThrow();
  expect(size(`MATCH ${"()-->".repeat(21)}() RETURN 1 AS x`)).toThrow(/20 relationships/);
  expect(size(`MATCH (n) WHERE n.id IN [${"12345, ".repeat(500)}1] RETURN n`)).not.toThrow();
  expect(size(`MATCH (n) RETURN n${".a".repeat(11)} AS x`)).toThrow(/chain/);
  expect(size(`MATCH (n) RETURN ${"n.a, n.b, ".repeat(20)}n.c`)).not.toThrow();
});

describe("alternative labels", () => {
  const size = (cypher: string) => () => checkSize(readCypher(cypher).tokens);
  const many = (times: number, text: (i: number) => string, between: string) =>
    Array.from({ length: times }, (_, i) => text(i)).join(between);

  test.each([
    `MATCH (n:${many(12, (i) => `L${i}`, "|")}) RETURN n`,
    `MATCH ${many(9, () => "()-[:A|B|C|D|E]-", "")}() RETURN 1 AS x`,
    "MATCH (n:A&(B|C)&!D) WHERE n:E OR n:F OR n:G OR n:H RETURN n",
    "MATCH (n:A:B:C)-[r:T {a: 1}]->(m IS D|E) WHERE n.a IS NOT NULL OR m.b IS NULL RETURN {a: n.x, b: [y IN n.l | y]} AS x",
    `MATCH (n) WHERE ${many(20, (i) => `(n.a${i} = 1 OR n.b${i} IS NULL)`, " AND ")} RETURN n`,
  ])("are accepted: %s", (cypher) => {
    expect(size(cypher)).not.toThrow();
  });

  test.each([
    `MATCH (n:${many(15, (i) => `(A${i}|B${i})`, "&")}) RETURN n`,
    `MATCH (n IS ${many(15, (i) => `(A${i}|B${i})`, "&")}) RETURN n`,
    `MATCH (n:${many(15, (i) => `(A${i}&B${i})`, "|")}) RETURN n`,
    `MATCH ${many(15, (i) => `(n:A${i}|B${i})`, ", ")} RETURN n`,
    `MATCH (n) WHERE ${many(15, (i) => `(n:A${i} OR n:B${i})`, " AND ")} RETURN n`,
    `MATCH (n) WHERE ${many(15, (i) => `(n IS A${i} OR n IS B${i})`, " AND ")} RETURN n`,
    `MATCH (n) WHERE ${many(15, (i) => `n:A${i}|B${i}`, " AND ")} RETURN n`,
    `MATCH (n:${"!".repeat(300)}A) RETURN n`,
    `MATCH (n:${many(100, (i) => `L${i}`, "&")}) RETURN n`,
    `MATCH (n:${many(100, (i) => `L${i}`, ":")}) RETURN n`,
    `MATCH ()-[r:${many(15, (i) => `(A${i}|!B${i})`, "&")}]->() RETURN r`,
  ])("are refused if they have too many combinations to plan: %.60s", (cypher) => {
    expect(size(cypher)).toThrow(/labels/);
  });
});

test("invalid or too many parameters are refused before the server is asked", async () => {
  const asked = () => Promise.reject(new Error("asked"));
  const nested = (depth: number): GraphRow => (depth === 0 ? {} : { a: nested(depth - 1) });
  for (const parameters of [
    { long: "a".repeat(20_000) },
    { "a`b": 1 },
    { "": 1 },
    { number: Number.NaN },
    nested(12),
    Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, i])),
  ])
    await expect(guard("RETURN 1 AS x", parameters, asked)).rejects.toThrow(/arameters/);
  await expect(guard("RETURN $名 AS x", { 名: ["张伟", { born: 1990 }] }, asked)).rejects.toThrow("asked");
  await expect(guard("RETURN $constructor AS x", {}, asked)).rejects.toThrow(/\$constructor has no value/);
});
