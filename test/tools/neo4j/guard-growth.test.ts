import { describe, expect, test } from "vitest";
import { readCypher } from "../../../src/tools/neo4j/cypher-tokens.js";
import { checkGrowth } from "../../../src/tools/neo4j/guard-limits.js";
import type { GraphRow } from "../../../src/types/knowledge.js";

const check = (cypher: string, parameters: GraphRow = {}) => checkGrowth(readCypher(cypher).tokens, parameters);
const long = "ab".repeat(2_000);
const many = Array.from({ length: 2_000 }, (_, i) => `name ${i}`);
const joined = (value: string) => Array<string>(40).fill(value).join(" + ");
const names = ["Tom Hanks", "Meg Ryan", "Kevin Bacon"];

describe("a query that the server could not stop is refused:", () => {
  test.each([
    ["a trim of the characters of a parameter", "RETURN btrim($s + $s, $t) AS x", { s: long, t: long }],
    [
      "a trim of the characters of a parameter in a loop",
      "RETURN all(x IN $few WHERE ltrim(x, $s) = '') AS x",
      { few: names, s: long },
    ],
    [
      "a text that grows in upper case",
      `WITH ${joined("$s")} AS t RETURN size(toUpper(t)) AS x`,
      { s: "ß".repeat(4_000) },
    ],
    [
      "twenty loops over a parameter",
      `RETURN ${Array.from({ length: 20 }, (_, i) => `size([x IN $many WHERE reverse($s) = x]) AS x${i}`).join(", ")}`,
      { many, s: long },
    ],
    ["two loops over a long parameter", "RETURN [x IN $many WHERE any(y IN $many WHERE y = x)] AS x", { many }],
    [
      "a loop over letters in another",
      "RETURN [x IN split($s, '') WHERE any(y IN split($s, '') WHERE x = y)] AS x",
      { s: long },
    ],
    [
      "a loop over the letters of a joined parameter by another name",
      `WITH ${joined("$s")} AS t RETURN any(x IN split(t, '') WHERE reverse(t) + x = 'a') AS x`,
      { s: long },
    ],
    [
      "the same in a map",
      `WITH {a: ${joined("$s")}} AS m RETURN any(x IN split(m.a, '') WHERE reverse(m.a) + x = 'a') AS x`,
      { s: long },
    ],
    [
      "the same by way of rows",
      `UNWIND [${joined("$s")}] AS t RETURN any(x IN split(t, '') WHERE reverse(t) + x = 'a') AS x`,
      { s: long },
    ],
    [
      "the letters as a list of their own",
      `WITH ${joined("$s")} AS t WITH t, split(t, '') AS l RETURN any(x IN l WHERE reverse(t) + x = 'a') AS x`,
      { s: long },
    ],
    [
      "a search for a short text in a long one, for each of its letters",
      `WITH ${joined("$s")} AS t RETURN any(x IN split(t, '') WHERE t CONTAINS 'qz') AS x`,
      { s: long },
    ],
    [
      "loops over lists in maps that a query made",
      "WITH {a: $many} AS m RETURN any(x IN m.a WHERE any(y IN m.a WHERE reverse($s) + x = y)) AS x",
      { many, s: long },
    ],
    [
      "a long text read for each of many collected elements",
      "MATCH (a), (b) WITH collect(a.id) AS l RETURN size([x IN l WHERE reverse($s) + reverse($s) = x]) AS x",
      { s: long },
    ],
    [
      "a search for each of many collected elements",
      "MATCH (a), (b) WITH collect(a.id) AS l RETURN size([x IN l WHERE $s CONTAINS left($s, 900) + x]) AS x",
      { s: long },
    ],
    [
      "two loops over a list inside a parameter",
      "RETURN any(a IN $m.list WHERE any(b IN $m.list WHERE NOT a IN $m.list)) AS x",
      { m: { list: many } },
    ],
    [
      "the letters of a property in those of a property",
      "MATCH (n) RETURN any(x IN split(n.text, '') WHERE any(y IN split(n.text, '') WHERE reverse(n.text) + x = y)) AS x",
      {},
    ],
    [
      "the letters of a joined property",
      `MATCH (n) RETURN [x IN [${joined("n.text")}] WHERE any(y IN split(x, '') WHERE reverse(x) + y = 'a')] AS x`,
      {},
    ],
  ])("%s", (_, cypher, parameters) =>
    expect(() => check(cypher, parameters)).toThrow(/too (?:long|much|deep)|quoted text/),
  );
});

describe("a query that models commonly write is accepted:", () => {
  test.each([
    ["MATCH (p:Person) WHERE toLower(trim(p.name)) = toLower($name) RETURN p.born", { name: "Tom Hanks" }],
    ["MATCH (p:Person) WHERE any(n IN $names WHERE toLower(p.name) CONTAINS toLower(n)) RETURN p.name", { names }],
    ["MATCH (m:Movie) RETURN m.title, [x IN split(m.tagline, ' ') WHERE size(x) > 3 | toUpper(x)] AS words", {}],
    ["MATCH (p:Person)-[r:ACTED_IN]->(m) RETURN [role IN r.roles | trim(role)] AS roles", {}],
    ["MATCH (p:Person) WHERE p.name IN [x IN $names | trim(x)] RETURN p.name", { names }],
    ["MATCH (c:Customer) RETURN btrim(c.phone, '()- ') AS phone, ltrim(c.fax, '0') AS fax", {}],
    ["MATCH (c:Customer) RETURN trim(BOTH ' ' FROM c.companyName) AS name", {}],
    ["MATCH (o:Order) WHERE split(o.orderDate, '-')[0] = $year RETURN count(o) AS n", { year: "1997" }],
    ["MATCH (p:Product) WHERE none(w IN ['Tofu', 'Chai'] WHERE p.productName STARTS WITH w) RETURN p.productName", {}],
    [
      "MATCH path = (a:Person)-[:ACTED_IN*..4]-(b:Person) WHERE all(n IN nodes(path) WHERE n.name <> $name) RETURN b.name",
      { name: "Meg Ryan" },
    ],
    ["MATCH (p:Person) RETURN replace(p.name, $from, $to) AS name", { from: "Tom", to: "Thomas" }],
    [
      "MATCH (m:Movie) WITH m, [a IN [(m)<-[:ACTED_IN]-(x) | x.name] WHERE a IN $names] AS known RETURN m.title, known",
      { names },
    ],
    [
      "MATCH (p:Person) WHERE any(w IN split(p.name, ' ') WHERE toLower(w) = toLower($name)) RETURN p.name",
      { name: "Tom" },
    ],
    ["MATCH (p:Person), (m:Movie) WHERE any(w IN split(p.name, ' ') WHERE m.tagline CONTAINS w) RETURN m.title", {}],
    [
      "MATCH (p:Person) WITH p, split(p.name, ' ') AS parts WHERE any(x IN parts WHERE x IN $names) RETURN p.first + ' ' + p.last AS name",
      { names },
    ],
    [
      "MATCH (m:Movie) WITH m.title + ' (' + m.released + ')' AS title, [x IN labels(m) WHERE x <> 'Movie'] AS kinds RETURN title, [k IN kinds WHERE k CONTAINS $name] AS kinds",
      { name: "Film" },
    ],
    [
      "MATCH (p:Person) WITH collect(p.name) AS all UNWIND all AS one RETURN one, size([x IN all WHERE x STARTS WITH $name]) AS n",
      { name: "Tom Hanks" },
    ],
  ])("%s", (cypher, parameters) => expect(() => check(cypher, parameters)).not.toThrow());
});
