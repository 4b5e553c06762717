import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fact } from "../../../src/tools/knowledge/port.js";
import { rowReader } from "../../../src/tools/neo4j/connection.js";
import { neo4jKnowledge } from "../../../src/tools/neo4j/knowledge.js";
import { neo4jReader } from "../../../src/tools/neo4j/stored-facts.js";
import { MOVIES, SHOP } from "./graphs.js";
import { connect, wipe } from "./server.js";

const connection = connect();
const graph = neo4jKnowledge({ connection });
const says = ({ entity, predicate, direction, others }: Fact) =>
  `${entity} ${direction === "out" ? `-${predicate}->` : `<-${predicate}-`} ${others.toSorted().join(", ")}`;
const said = async (entities: readonly string[], question = "") =>
  (await graph.facts(entities, question, { limit: 100 })).map(says);

beforeAll(async () => {
  await wipe(connection);
  await connection.write([{ cypher: MOVIES }, { cypher: SHOP }]);
});
afterAll(() => connection.close());

describe.each([
  ["without an index of names", async () => {}],
  ["with the index of names", () => graph.prepare()],
])("on a graph that emend did not fill, %s", (_, prepare) => {
  beforeAll(prepare);

  test.each([
    [["Keanu Reeves"], "", "Keanu Reeves -ACTED_IN-> The Matrix, The Matrix Reloaded"],
    [["keanu reevs"], "", "Keanu Reeves -born-> 1964"],
    [["Penelope Cruz"], "", "Penélope Cruz -born-> 1974"],
    [[], "who directed the matrix", "The Matrix <-DIRECTED- Lana Wachowski"],
    [[], "《英雄》是谁导演的？", "英雄 <-DIRECTED- 张艺谋"],
    [[], "大红灯笼高高挂什么时候上映", "大红灯笼高高挂 -released-> 1991"],
    [["大红灯笼高高桂"], "", "大红灯笼高高挂 -genre-> 剧情"],
    [["Zhang Yimou"], "", "张艺谋 -born-> 1950-04-02"],
    [["It"], "", "It -released-> 2017"],
    [["The Matrix"], "Who played Neo?", "Keanu Reeves ACTED_IN The Matrix -roles-> Neo"],
    [[], "What is the unit price of chai?", "Chai -unitPrice-> 18"],
    [["豆腐"], "豆腐多少钱", "豆腐 -unitPrice-> 23.25"],
    [["Beverages"], "", "Beverages <-PART_OF- Chai"],
    [["Nancy Davolio"], "", "Nancy Davolio -REPORTS_TO-> 雷 李"],
    [["李雷"], "", "雷 李 -title-> 采购部经理"],
    [["Eastern"], "", "Eastern <-WORKS_IN- Nancy Davolio"],
    [["ALFKI"], "", "Alfreds Futterkiste -contactName-> Maria Anders"],
    [["Maria Anders"], "", "Alfreds Futterkiste -PURCHASED-> Order 10248"],
    [[], "What did order 10248 contain?", "Order 10248 -ORDERS-> Chai"],
    [["Order 10248", "Chai"], "quantity", "Order 10248 ORDERS Chai -quantity-> 12"],
  ] as const)("finds for %j and %j: %s", async (entities, question, fact) => {
    expect(await said(entities, question)).toContain(fact);
  });

  test.each([
    ["Who directed the matrix?", "The Matrix <-DIRECTED- Lana Wachowski"],
    [
      "Which movies did the director of The Matrix direct?",
      "Lana Wachowski -DIRECTED-> The Matrix, The Matrix Reloaded",
    ],
    ["Who does Nancy Davolio report to?", "Nancy Davolio -REPORTS_TO-> 雷 李"],
    ["When was 英雄 released?", "英雄 -released-> 2002"],
  ])("returns the requested fact among the first three for %j", async (question, fact) => {
    expect((await said([], question)).slice(0, 3)).toContain(fact);
  });

  test.each([
    [["Keanu"], "Is Keanu here?"],
    [["Nobody"], "谁是无名氏？"],
    [["Matrix Rebooted"], ""],
    [["张三", "1964"], ""],
  ])("finds nothing for %j and %j", async (entities, question) => {
    expect(await said(entities, question)).toEqual([]);
  });

  test("prefers the entity with a name over one that only mentions the name", async () => {
    const facts = await graph.facts(["Alfreds Futterkiste"], "", { limit: 100 });
    expect(facts.filter(({ score }) => score >= 0.3).map(({ entity }) => entity)).not.toContain("Order 10248");
  });

  test("returns no lists of numbers, and every fact once", async () => {
    const facts = await graph.facts(["Chai", "Keanu Reeves", "The Matrix"], "role", { limit: 100 });
    expect(facts.map(({ predicate }) => predicate)).not.toContain("embedding");
    const others = await graph.facts(["The Matrix"], "Who played Neo?", { limit: 100 });
    for (const told of [facts, others]) expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  });

  test("returns every fact with its query, parameters and rows", async () => {
    const facts = await graph.facts(["Chai", "Keanu Reeves", "张艺谋"], "", { limit: 100 });
    expect(facts.length).toBeGreaterThan(10);
    for (const { others, entity, provenance, source } of facts) {
      const rows = JSON.stringify(provenance.rows);
      for (const text of [...others, ...entity.split(" ")]) expect(rows).toContain(text);
      const [again] = await connection.read(provenance.cypher, provenance.parameters);
      expect(again).toBeDefined();
      expect(source).toBeUndefined();
    }
  });
});

test("finds names of new labels after the index is prepared again", async () => {
  await connection.write([{ cypher: "CREATE (:城市 {名称: '苏州', 人口: 12750000})" }]);
  await graph.prepare();
  expect(await said([], "苏州的人口是多少？")).toEqual(["苏州 -人口-> 12750000"]);
});

test("counts the relations of a node with very many, and puts named entities first", async () => {
  await connection.write([
    {
      cypher: `CREATE (hub:Country {name: '大国'}) WITH hub
               UNWIND range(1, 30000) AS i CREATE (:Town {name: 'Town ' + i})-[:LIES_IN]->(hub)`,
    },
  ]);
  await graph.prepare();
  const [fact] = (await graph.facts(["大国", "Town 29999"], "")).filter(({ entity }) => entity === "大国");
  expect(fact).toMatchObject({ predicate: "LIES_IN", direction: "in", total: 30_000 });
  expect(fact?.others).toHaveLength(50);
  expect(fact?.others[0]).toBe("Town 29999");
});

describe("emend's own facts in that graph", () => {
  const source = { id: "s", documentId: "d", title: "T", uri: "u", section: "", reviewedAt: "", hash: "h" };
  const entity = (name: string, type: string) => ({ name, type, aliases: [] });
  const counted = async () =>
    (await connection.read("MATCH (n) WHERE NOT n:EmendState RETURN count(n) + COUNT { ()--() } AS all"))[0]?.get(
      "all",
    );

  test("do not change the existing data, and can be removed without a trace", async () => {
    const before = await counted();
    const triples = [
      {
        subject: entity("Keanu Reeves", "Person"),
        predicate: "lives in",
        object: entity("Toronto", "City"),
        quote: "",
      },
    ];
    await graph.upsert([{ source, triples }]);
    const facts = await said(["Keanu Reeves"]);
    expect(facts).toContain("Keanu Reeves -lives in-> Toronto");
    expect(facts).toContain("Keanu Reeves -born-> 1964");
    expect(await graph.remove(["s"])).toBe(1);
    expect(await counted()).toEqual(before);
  });

  test("are refused with the reason if a constraint of the graph forbids them", async () => {
    await connection.write([{ cypher: "CREATE CONSTRAINT FOR (p:Movie) REQUIRE p.name IS UNIQUE" }]);
    await connection.write([{ cypher: "CREATE (:Movie {name: 'Speed'})" }]);
    const triples = [
      { subject: entity("Speed", "Movie"), predicate: "stars", object: entity("Keanu Reeves", "Person"), quote: "" },
    ];
    await expect(graph.upsert([{ source, triples }])).rejects.toMatchObject({
      name: "StoreUnavailableError",
      message: expect.stringContaining("Movie"),
    });
    expect(await graph.sources()).toEqual([]);
  });

  test("are separated again if no source states any more that two names are the same", async () => {
    const says = (subject: string, predicate: string, aliases: string[] = []) => [
      { subject: { name: subject, type: "Project", aliases }, predicate, object: entity("x", ""), quote: "" },
    ];
    await graph.upsert([
      { source: { ...source, id: "a" }, triples: says("Apollo", "costs") },
      { source: { ...source, id: "b" }, triples: says("Mercury", "needs") },
    ]);
    await graph.upsert([
      { source: { ...source, id: "wrong" }, triples: says("Apollo", "owns", ["Mercury", "Hermes"]) },
    ]);
    expect(await said(["Hermes"])).toEqual(expect.arrayContaining(["Mercury -costs-> x", "Mercury -needs-> x"]));
    await graph.remove(["wrong"]);
    expect(await said(["Hermes"])).toEqual([]);
    expect((await said(["Apollo"])).filter((fact) => fact.startsWith("Apollo"))).toEqual(["Apollo -costs-> x"]);
    expect((await said(["Mercury"])).filter((fact) => fact.startsWith("Mercury"))).toEqual(["Mercury -needs-> x"]);
    expect(await graph.remove(["a", "b"])).toBe(2);
    expect(await connection.read("MATCH (n:EmendEntity|EmendSource) RETURN n")).toEqual([]);
  });

  test("are read again if they were written during the look-up", async () => {
    const edition = (n: number) =>
      graph.upsert([
        {
          source: { ...source, hash: `${n}` },
          triples: [
            { subject: entity("The Book", "Book"), predicate: "has", object: entity(`page of ${n}`, ""), quote: "" },
          ],
        },
      ]);
    await edition(1);
    let isWritten = false;
    const read: typeof connection.read = async (cypher, ...rest) => {
      const records = await connection.read(cypher, ...rest);
      if (!isWritten && cypher.includes("(e)-[r]->(other:EmendEntity)")) {
        isWritten = true;
        await edition(2);
      }
      return records;
    };
    const facts = await neo4jKnowledge({ connection: { ...connection, read } }).facts(["The Book"], "has");
    expect(facts.map(says)).toEqual(["The Book -has-> page of 2"]);
    expect(facts[0]?.source?.hash).toBe("2");
    await graph.remove(["s"]);
  });

  test("are counted by source for a node with very many relations", async () => {
    const lying = (town: string) => ({
      ...{ subject: entity(town, "Town"), predicate: "lies in", object: entity("Wideland", "Country"), quote: "" },
    });
    const many = { a: 700, b: 90, c: 3 };
    for (const [id, count] of Object.entries(many))
      await graph.upsert([
        { source: { ...source, id }, triples: Array.from({ length: count }, (_, i) => lying(`${id} town ${i}`)) },
      ]);
    const facts = (await graph.facts(["Wideland", "b town 77"], "")).filter((fact) => fact.entity === "Wideland");
    const b = facts.find((fact) => fact.source?.id === "b");
    expect(b).toMatchObject({ direction: "in", total: 90 });
    expect(b?.others).toContain("b town 77");
    const twin = { subject: entity("Wideland", "Country"), predicate: "twinned with", object: entity("Farland", "") };
    await graph.upsert([{ source: { ...source, id: "twin" }, triples: [{ ...twin, quote: "" }] }]);
    // If not all are read, those asked for are, and those between two of the entities.
    const reader = neo4jReader(rowReader(connection), []);
    const options = { most: 50, asked: (predicate: string) => predicate === "twinned with" };
    const { triples, isCut } = await reader.about(["wideland"], ["wideland", "farland"], options);
    expect([isCut, triples.length < 200]).toEqual([true, true]);
    expect(triples.map(({ predicate }) => predicate)).toContain("twinned with");
    const whole = { keys: ["wideland"], direction: "in", predicate: "lies in", whole: "a" } as const;
    expect((await reader.others(whole)).size).toBe(700);
    expect(await graph.remove(["twin"])).toBe(1);
    for (const fact of facts) expect(fact.total).toBe(new Map(Object.entries(many)).get(fact.source?.id ?? ""));
    expect(await graph.remove(["a", "b", "c"])).toBe(3);
    expect(await connection.read("MATCH (n:EmendEntity) RETURN n")).toEqual([]);
  });
});
