import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { neo4jKnowledge } from "../../../src/tools/neo4j/knowledge.js";
import { MOVIES, SHOP } from "./graphs.js";
import { connect, wipe } from "./server.js";

const connection = connect();
const schema = () => neo4jKnowledge({ connection }).schema();
const run = (cypher: string, parameters = {}) => connection.write([{ cypher, parameters }]);

beforeEach(() => wipe(connection));
afterAll(() => connection.close());

describe("the schema of a graph that emend did not fill", () => {
  test("names labels with their properties and types, and relations with the labels at their ends", async () => {
    await run(MOVIES);
    await run(SHOP);
    const { nodes, relations } = await schema();
    expect(nodes.find(({ label }) => label === "Person")?.properties).toEqual([
      { name: "born", type: "INTEGER" },
      { name: "name", type: "STRING" },
      { name: "names", type: "LIST<STRING>" },
    ]);
    const from = (start: string) =>
      relations.filter(({ from }) => from === start).map(({ type, to }) => `${type} ${to}`);
    expect(from("Person")).toEqual(["ACTED_IN Movie", "DIRECTED Movie"]);
    expect(from("Employee")).toEqual(["REPORTS_TO Employee", "SOLD Order", "WORKS_IN Region"]);
    const orders = relations.find(({ type }) => type === "ORDERS");
    expect(orders?.properties.map(({ name }) => name)).toEqual(["discount", "quantity"]);
  });

  test("gives the values of a property if they are few and short", async () => {
    await run(`UNWIND range(1, 40) AS i CREATE (:Ticket {
      status: ['open', 'closed', '处理中'][i % 3], number: 'T-' + i, text: reduce(t = '', x IN range(1, 80) | t + 'x') })`);
    const [ticket] = (await schema()).nodes;
    expect(ticket?.properties).toEqual([
      { name: "number", type: "STRING" },
      { name: "status", type: "STRING", values: ["closed", "open", "处理中"] },
      { name: "text", type: "STRING" },
    ]);
  });

  test("stays small for a graph of hundreds of labels, and keeps the most frequent", { timeout: 120_000 }, async () => {
    const labels = Array.from({ length: 300 }, (_, i) => `Label${i}`);
    await run("UNWIND $labels AS label CREATE (:$(label) {name: label})-[:$('REL_' + label)]->(:Common)", { labels });
    const { nodes, relations } = await schema();
    expect(nodes.length).toBeLessThanOrEqual(60);
    expect(relations.length).toBeLessThanOrEqual(80);
    expect(nodes.map(({ label }) => label)).toContain("Common");
  });

  test("is read with any names of labels, types and properties, without changing anything", async () => {
    const hostile = [
      "a`b",
      "x) DETACH DELETE (n",
      "\\u0060) MATCH (m) DETACH DELETE m //",
      "back\\",
      "`",
      "$label",
      "空 格",
      "//",
    ];
    for (const name of hostile)
      await run("CREATE (n:$($name))-[r:$($name)]->(n) SET n[$name] = 'v', r[$name] = 1", { name });
    const { nodes, relations } = await schema();
    expect(nodes.map(({ label }) => label).toSorted()).toEqual(hostile.toSorted());
    expect(relations.map(({ type }) => type).toSorted()).toEqual(hostile.toSorted());
    for (const { label, properties } of nodes) expect(properties).toEqual([{ name: label, type: "STRING" }]);
    await neo4jKnowledge({ connection }).prepare();
    expect(await connection.read("MATCH (n) RETURN n")).toHaveLength(hostile.length);
  });

  test("is cached for a minute, and read again after a write by emend", async () => {
    const graph = neo4jKnowledge({ connection });
    expect((await graph.schema()).nodes).toEqual([]);
    await run("CREATE (:Later)");
    expect((await graph.schema()).nodes).toEqual([]);
    await graph.upsert([
      {
        source: { id: "s", documentId: "", title: "", uri: "", section: "", reviewedAt: "", hash: "" },
        triples: [],
      },
    ]);
    expect((await graph.schema()).nodes.map(({ label }) => label)).toEqual(["Later"]);
  });
});
