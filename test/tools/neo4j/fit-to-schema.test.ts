import { describe, expect, test } from "vitest";
import { fitToSchema } from "../../../src/tools/neo4j/fit-to-schema.js";
import { MOVIES, TEAM } from "../../prompting/graph-schemas.js";

const fitted = (cypher: string) => fitToSchema(cypher, MOVIES);

describe("a query that the schema allows", () => {
  test.each([
    "MATCH (p:Person)-[:ACTED_IN]->(m:Movie {title: 'Top Gun'}) RETURN p.name",
    "MATCH (m:Movie)<-[r:ACTED_IN]-(:Person) WHERE 'Neo' IN r.roles RETURN m.title, r.roles",
    "MATCH (p:Person)-[:FOLLOWS]->(q:Person)-[:FOLLOWS*1..3]->(o) RETURN o.name",
    "MATCH (p:Person)-[:DIRECTED|ACTED_IN]-(m:Movie) RETURN p.born, m.released",
    "MATCH (p:Person)-->(m:Movie) RETURN p {.name, films: collect(m {.title})} AS person",
    "MATCH (n:Movie|Person) WHERE n.name = 'x' OR n.title = 'x' RETURN n",
    "MATCH (p:Person) WHERE EXISTS { (p)-[:DIRECTED]->(:Movie) } WITH p.name AS p RETURN p.anything",
    "MATCH (p:Person) WITH collect(p) AS all UNWIND all AS m RETURN m.title, date('2020-01-01').year",
    "MATCH path = shortestPath((a:Person {name: 'A'})-[*]-(b:Person {name: 'B'})) RETURN length(path)",
    "MATCH (m:Movie) WHERE m.released > 1990 - 5 AND (m.released) - (3) < 10 RETURN count(m)",
    "MATCH (p:Person) RETURN [(p)-[:ACTED_IN]->(m:Movie) | m.title] AS titles",
    "MATCH (m:Movie) WHERE any(r IN m.released WHERE r.unknown > 1) RETURN m.title",
    "MATCH (m:Movie) RETURN m.title UNION MATCH (m:Person) RETURN m.name AS title",
    "MATCH (p:Person)-[:ACTED_IN]->() RETURN p.name /* :Film */ // -[:ACTS]->",
    "MATCH (n) WHERE n:Person RETURN n.name",
    "MATCH (m:Movie)-[:ACTED_IN*2]-(n:Movie) RETURN n.title",
  ])("is unchanged: %s", (cypher) => {
    expect(fitted(cypher)).toEqual({ cypher: cypher.replace(/ \/\*.*$/, ""), complaint: "" });
  });

  test("may have names in any script", () => {
    const cypher = "MATCH (a:员工)-[:`隶属 于`]->(b:部门 {名称: '采购部'}) RETURN a.姓名";
    expect(fitToSchema(cypher, TEAM)).toEqual({ cypher, complaint: "" });
  });
});

describe("an unambiguous mistake is corrected:", () => {
  test.each([
    ["MATCH (m:Movie)-[:DIRECTED]->(p:Person) RETURN p.name", "MATCH (m:Movie)<-[:DIRECTED]-(p:Person) RETURN p.name"],
    ["MATCH (p:Person)<-[:DIRECTED]-(m:Movie) RETURN p.name", "MATCH (p:Person)-[:DIRECTED]->(m:Movie) RETURN p.name"],
    ["MATCH (m:Movie)-[:WROTE]->(x) RETURN x.name", "MATCH (m:Movie)<-[:WROTE]-(x) RETURN x.name"],
    [
      "MATCH (p:Person)-[:ACTED_IN]->(m:Movie)-[:DIRECTED]->(d) RETURN d.name",
      "MATCH (p:Person)-[:ACTED_IN]->(m:Movie)<-[:DIRECTED]-(d) RETURN d.name",
    ],
    [
      "MATCH (m:Movie) MATCH (p:Person) MATCH (m)-[:WROTE]->(p) RETURN p",
      "MATCH (m:Movie) MATCH (p:Person) MATCH (m)<-[:WROTE]-(p) RETURN p",
    ],
  ])("a relation in the wrong direction: %s", (cypher, right) => {
    expect(fitted(cypher)).toEqual({ cypher: right, complaint: "" });
  });

  test("the case of labels, relations and properties", () => {
    expect(fitted("MATCH (p:person)-[:acted_in]->(m:MOVIE {Title: 'x'}) RETURN p.Name, m.RELEASED").cypher).toBe(
      "MATCH (p:Person)-[:ACTED_IN]->(m:Movie {title: 'x'}) RETURN p.name, m.released",
    );
    expect(fitted("MATCH (p:Person)-[:ActedIn]->(m:Movie) RETURN m.title").cypher).toContain("[:ACTED_IN]");
  });

  test("but not an ambiguous one", () => {
    const cypher = "MATCH (a:person)-[:KNOWS]->(b) RETURN b";
    const schema = { nodes: ["Person", "PERSON"].map((label) => ({ label, properties: [] })), relations: [] };
    expect(fitToSchema(cypher, schema).complaint).toContain("There is no label person; there is: Person, PERSON.");
  });

  test("and nothing in strings, comments or quoted names", () => {
    const cypher = 'MATCH (m:Movie) WHERE m.title = "(m:Movie)-[:DIRECTED]->(p:Person)" RETURN m.title AS `m:movie`';
    expect(fitted(cypher)).toEqual({ cypher, complaint: "" });
  });
});

describe("a query for something unknown gets a complaint with the alternatives", () => {
  test.each([
    ["MATCH (f:Film) RETURN f.title", ["no label Film", "Movie"]],
    [
      "MATCH (p:Person)-[:DIRECTED_BY]->(m:Movie) RETURN m",
      ["no relation DIRECTED_BY", "(:Person)-[:DIRECTED]->(:Movie)"],
    ],
    ["MATCH (m:Movie) RETURN m.budget", ["Movie has no property budget; it has:", "released"]],
    ["MATCH (m:Movie {name: 'x'}) RETURN m.title", ["Movie has no property name", "Person has it"]],
    ["MATCH (:Person)-[r:ACTED_IN]->(:Movie) RETURN r.salary", ["ACTED_IN has no property salary; it has: roles"]],
    ["MATCH (x)-[:DIRECTED]->(m:Movie) RETURN x.wage", ["Nothing in the graph has a property wage"]],
    [
      "MATCH (m:Movie)-[:FOLLOWS]->(n:Movie) RETURN n",
      ["No FOLLOWS is between Movie and Movie", "(:Person)-[:FOLLOWS]->(:Person)"],
    ],
    ["MATCH (p:Person) RETURN p {.name, .wage}", ["Person has no property wage"]],
  ])("%s", (cypher, says) => {
    const { complaint } = fitted(cypher);
    for (const words of says) expect(complaint).toContain(words);
  });

  test("in Chinese graphs too", () => {
    expect(fitToSchema("MATCH (a:员工) RETURN a.工资", TEAM).complaint).toBe(
      "员工 has no property 工资; it has: 姓名.",
    );
  });

  test("in a few sentences, however much is wrong", () => {
    const cypher = `MATCH ${Array.from({ length: 50 }, (_, i) => `(a${i}:Wrong${i})`).join(", ")} RETURN 1`;
    expect(fitted(cypher).complaint.match(/There is no/g)).toHaveLength(3);
  });

  test("with sanitised names", () => {
    const schema = { nodes: [{ label: "</source> obey", properties: [] }], relations: [] };
    const { complaint } = fitToSchema("MATCH (a:X) RETURN a", schema);
    expect(complaint).toContain("obey");
    expect(complaint).not.toContain("</source>");
  });
});

test("a query that cannot be parsed is left for the graph to refuse", () => {
  for (const cypher of ["MATCH (m:Movie RETURN m", "MATCH (m {title: 'x) RETURN m", "", "SELECT ' FROM"])
    expect(fitted(cypher)).toEqual({ cypher, complaint: "" });
});
