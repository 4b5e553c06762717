import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { StoreUnavailableError } from "../../../../src/errors.js";
import { fakePassage } from "../../../../src/testing/index.js";
import { linkMentions } from "../../../../src/tools/documents/neo4j/mentions.js";
import { neo4jDocuments } from "../../../../src/tools/documents/neo4j/neo4j.js";
import type { Embeddings } from "../../../../src/tools/encoder/port.js";
import { neo4jKnowledge } from "../../../../src/tools/knowledge/neo4j/neo4j.js";
import type { Triple, TripleSource } from "../../../../src/tools/knowledge/port.js";
import { neo4jConnection } from "../../../../src/tools/store/neo4j/connection.js";
import { asRow } from "../../../../src/tools/store/neo4j/values.js";
import { conceptEmbeddings, documentsContract } from "../../../contract/documents.js";

const connection = neo4jConnection({
  uri: process.env.EMEND_TEST_NEO4J_URI ?? "",
  username: "neo4j",
  password: process.env.EMEND_TEST_NEO4J_PASSWORD ?? "",
});

beforeAll(async () => {
  await deleteNodes();
  for (const { name, type } of await indexes())
    await write(type === "RANGE" ? `DROP CONSTRAINT ${name} IF EXISTS` : `DROP INDEX ${name} IF EXISTS`);
  for (const { name } of await indexes()) await write(`DROP INDEX ${name} IF EXISTS`);
});
afterAll(() => connection.close());

const rows = async (cypher: string, parameters = {}) => (await connection.read(cypher, parameters)).map(asRow);
const write = (cypher: string, parameters = {}) => connection.write([{ cypher, parameters }]);
const indexes = () => rows("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name, type");

async function deleteNodes() {
  const count = async () => (await rows("MATCH (n) RETURN count(n) AS n"))[0]?.n;
  while ((await count()) !== 0) await write("MATCH (n) WITH n LIMIT 5000 DETACH DELETE n");
}

const page = (documentId: string, text: string) => fakePassage(`${documentId}#0`, text, { documentId, title: "" });
const open = (embeddings?: Embeddings) => neo4jDocuments({ connection, ...(embeddings && { embeddings }) });

describe("a Neo4j where nothing was stored yet", () => {
  beforeEach(deleteNodes);

  test("is not changed by reading, removing or closing", async () => {
    for (const documents of [open(), open(conceptEmbeddings)]) {
      expect(await documents.search({ text: "anything" }, 5)).toEqual([]);
      expect(await documents.search({ text: "anything", mode: "vector" }, 5)).toEqual([]);
      await documents.list();
      await documents.get(["a"]);
      await documents.neighbours("a");
      await documents.remove(["a"]);
      await documents.upsert([]);
      await documents.close();
    }
    expect(await linkMentions(connection)).toBe(0);
    expect(await indexes()).toEqual([]);
    expect(await rows("MATCH (n) RETURN n")).toEqual([]);
  });

  test("takes the first writes of several at once", async () => {
    await Promise.all(["a", "b", "c"].map((name) => open().upsert([page(name, "apple")])));
    expect((await open().list()).map(({ documentId }) => documentId)).toEqual(["a", "b", "c"]);
  });
});

documentsContract("Neo4j", async () => {
  await deleteNodes();
  return (options) => neo4jDocuments({ connection, ...options });
});

describe("documents in Neo4j", () => {
  beforeEach(deleteNodes);

  test("stand in the graph as documents with their passages", async () => {
    const passages = [0, 1].map((position) =>
      fakePassage(`guide.md#${position}`, `part ${position}`, { documentId: "guide.md", position, hash: "h" }),
    );
    await open().upsert(passages);
    expect(
      await rows(
        "MATCH (d:EmendDocument)<-[:EMEND_PART_OF]-(p:EmendPassage) RETURN d.id, d.hash, p.text ORDER BY p.position",
      ),
    ).toEqual([
      { "d.id": "guide.md", "d.hash": "h", "p.text": "part 0" },
      { "d.id": "guide.md", "d.hash": "h", "p.text": "part 1" },
    ]);
  });

  test("leave what others keep in the database as it is", async () => {
    await write("CREATE (:Film {title: 'Apple'})-[:MADE_BY {year: 1999}]->(:Studio {id: 'a#0', documentId: 'a'})");
    const before = await rows("MATCH (f:Film)-[r]->(s:Studio) RETURN f, r, s");
    const documents = open(conceptEmbeddings);
    await documents.upsert([page("a", "apple")]);
    await documents.embed?.();
    await documents.upsert([page("a", "apple pie")]);
    await documents.remove(["a"]);
    await documents.close();
    expect(await rows("MATCH (f:Film)-[r]->(s:Studio) RETURN f, r, s")).toEqual(before);
    expect(await rows("MATCH (n) WHERE NOT n:Film AND NOT n:Studio RETURN labels(n) AS labels")).toEqual([
      { labels: ["EmendState"] },
    ]);
  });

  test("keep what a user's own relations say of a document that is replaced", async () => {
    await open().upsert([page("a", "apple")]);
    await write("MATCH (d:EmendDocument {id: 'a'}) CREATE (:Team {name: 'Fruit'})-[:OWNS]->(d)");
    await open().upsert([page("a", "apple pie")]);
    expect(await rows("MATCH (t:Team)-[:OWNS]->(d)<-[:EMEND_PART_OF]-(p) RETURN p.text")).toEqual([
      { "p.text": "apple pie" },
    ]);
  });

  test("leave nothing of their older selves behind when closed", async () => {
    const documents = open();
    await documents.upsert([page("a", "the first text")]);
    await documents.upsert([page("a", "the second text")]);
    await documents.close();
    expect(await rows("MATCH (n) WHERE n.text IS NOT NULL RETURN n.text")).toEqual([{ "n.text": "the second text" }]);
  });

  test("take a passage over from another document, which goes with its last one", async () => {
    await open().upsert([page("a", "apple"), page("b", "banana")]);
    await open().upsert([{ ...page("c", "cherry"), id: "a#0" }]);
    expect((await open().list()).map(({ documentId }) => documentId)).toEqual(["b", "c"]);
    expect(await open().get(["a#0"])).toMatchObject([{ text: "cherry", documentId: "c" }]);
  });

  test("are stored again when somebody deleted their node and left the passages", async () => {
    await open().upsert([page("a", "apple")]);
    await write("MATCH (d:EmendDocument) DETACH DELETE d");
    await open().upsert([page("a", "apple pie")]);
    expect(await open().search({ text: "apple" }, 5)).toMatchObject([{ text: "apple pie" }]);
    expect(await open().list()).toMatchObject([{ documentId: "a", passages: 1 }]);
  });

  test("are stored all or not at all, when the server refuses one of them", async () => {
    await open().upsert([page("a", "before")]);
    const many = Array.from({ length: 700 }, (_, i) => page(`${i}`, "during"));
    const writing = open().upsert([page("a", "during"), ...many, page("x".repeat(20_000), "during")]);
    await expect(writing).rejects.toThrow(StoreUnavailableError);
    expect((await open().list()).map(({ documentId }) => documentId)).toEqual(["a"]);
    expect((await open().search({ text: "before during" }, 5)).map(({ text }) => text)).toEqual(["before"]);
  });

  test("are found among more than one message holds, by words and by vectors", async () => {
    const onCircle: Embeddings = {
      identity: "circle",
      embed: async (texts) =>
        texts.map((text) => {
          const angle = (Number(text.match(/\d+/)?.[0]) / 1_200) * Math.PI;
          return [Math.cos(angle), Math.sin(angle), 0];
        }),
    };
    const documents = open(onCircle);
    await documents.upsert(Array.from({ length: 1_200 }, (_, i) => page(`${i}`, `number ${i}`)));
    await documents.embed?.();
    expect((await documents.list()).length).toBe(1_200);
    expect((await documents.search({ text: "1100", mode: "fullText" }, 5)).map(({ id }) => id)).toEqual(["1100#0"]);
    const nearest = await documents.search({ text: "600", mode: "vector" }, 3);
    expect(nearest.map(({ id }) => id)).toEqual(["600#0", "599#0", "601#0"]);
  });

  test("with equal scores come in the order of their ids", async () => {
    const ids = ["d", "b", "e", "a", "c"];
    for (const id of ids) await open(conceptEmbeddings).upsert([page(id, "holiday 休假")]);
    await open(conceptEmbeddings).embed?.();
    for (const mode of ["fullText", "vector", "hybrid"] as const) {
      const found = await open(conceptEmbeddings).search({ text: "holiday 休假", mode }, 5);
      expect(found.map(({ documentId }) => documentId)).toEqual(ids.toSorted());
    }
  });

  test("say what to do when an index is gone, and the next write makes it again", async () => {
    await open().upsert([page("a", "apple")]);
    await write("DROP INDEX emend_passages");
    const searching = open().search({ text: "apple" }, 5);
    await expect(searching).rejects.toThrow(StoreUnavailableError);
    await expect(searching).rejects.toThrow(/emend_passages.*next document that is ingested/);
    await open().upsert([page("b", "apple")]);
    expect((await open().search({ text: "apple" }, 5)).map(({ id }) => id)).toEqual(["a#0", "b#0"]);
  });

  test("leave the connection open for others when they are closed", async () => {
    await open().close();
    expect(await rows("RETURN 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("say so where no server answers", async () => {
    const nowhere = neo4jConnection({ uri: "bolt://127.0.0.1:1", username: "neo4j", password: "secret word" });
    const documents = neo4jDocuments({ connection: nowhere });
    for (const use of [
      () => documents.search({ text: "apple" }, 5),
      () => documents.list(),
      () => documents.upsert([page("a", "apple")]),
      () => documents.remove(["a"]),
    ]) {
      await expect(use()).rejects.toThrow(StoreUnavailableError);
      await expect(use()).rejects.not.toThrow(/secret/);
    }
    await documents.close();
  });
});

describe("documents in Neo4j with embeddings", () => {
  beforeEach(deleteNodes);
  const other = (identity: string, dimensions: number): Embeddings => ({
    identity,
    embed: async (texts) => texts.map(() => [1, ...Array<number>(dimensions - 1).fill(0)]),
  });

  test.each([
    ["another model", other("another", 5), 5],
    ["the same model in another length", other("concepts", 7), 7],
  ])("of %s are not compared with, and take the place of those there are", async (_, embeddings, dimensions) => {
    await open(conceptEmbeddings).upsert([page("a", "holiday")]);
    await open(conceptEmbeddings).embed?.();
    await open(embeddings).upsert([page("b", "refund")]);
    expect((await open(embeddings).search({ text: "holiday" }, 5)).map(({ id }) => id)).toEqual(["a#0"]);
    await open(embeddings).embed?.();
    expect(await open(embeddings).search({ text: "anything", mode: "vector" }, 5)).toHaveLength(2);
    const stored = await rows("MATCH (p:EmendPassage) RETURN [k IN keys(p) WHERE k STARTS WITH 'vector'] AS vectors");
    expect(stored).toEqual([{ vectors: [`vector${dimensions}_en`] }, { vectors: [`vector${dimensions}_en`] }]);
  });

  test("of an older version's store, which had one property for all languages, are made anew", async () => {
    await open().upsert([page("a", "holiday")]);
    await write("MATCH (p:EmendPassage) SET p.vector5 = [1, 0, 0, 0, 0]");
    await write("MATCH (s:EmendState) SET s.model = 'concepts', s.dimensions = 5");
    await open(conceptEmbeddings).upsert([page("b", "badge")]);
    expect((await open(conceptEmbeddings).search({ text: "holiday" }, 5)).map(({ id }) => id)).toEqual(["a#0"]);
    await open(conceptEmbeddings).embed?.();
    expect((await open(conceptEmbeddings).search({ text: "vacation" }, 5))[0]?.id).toBe("a#0");
    expect(await rows("MATCH (p:EmendPassage) WHERE p.vector5 IS NOT NULL RETURN p")).toEqual([]);
  });
});

describe("passages in Neo4j and the entities they name", () => {
  beforeEach(deleteNodes);
  const knowledge = neo4jKnowledge({ connection });

  const source = (id: string): TripleSource => ({
    id,
    documentId: id,
    title: "",
    uri: "",
    section: "",
    reviewedAt: "",
    hash: "",
  });
  const triple = (subject: string, object: string, aliases: readonly string[] = []): Triple => ({
    subject: { name: subject, type: "", aliases },
    predicate: "is near",
    object: { name: object, type: "", aliases: [] },
    quote: "",
  });
  const mentioned = async (id: string) => {
    const found = await rows(
      "MATCH (:EmendPassage {id: $id})-[:EMEND_MENTIONS]->(e:EmendEntity) RETURN e.name AS name",
      {
        id,
      },
    );
    return found.map(({ name }) => String(name)).toSorted();
  };

  test("are linked as they are written, in any spelling and by other names", async () => {
    await knowledge.upsert([
      {
        source: source("s"),
        triples: [triple("Nimbus Platform", "Harbor Cluster", ["NP-7"]), triple("平安公司", "北京东路", ["平安"])],
      },
    ]);
    await open().upsert([
      page("en", "The NIMBUS platform was moved. Its owner is unknown."),
      page("alias", "Ask for NP-7 at the desk."),
      page("zh", "平安公司位于北京东路。"),
      page("none", "A harbour of clusters; nimbus clouds."),
    ]);
    expect(await mentioned("en#0")).toEqual(["Nimbus Platform"]);
    expect(await mentioned("alias#0")).toEqual(["Nimbus Platform"]);
    expect(await mentioned("zh#0")).toEqual(["北京东路", "平安公司"]);
    expect(await mentioned("none#0")).toEqual([]);
  });

  test("are linked afterwards to entities that came later, and unlinked from what they no longer name", async () => {
    await open().upsert([page("a", "Nimbus runs in the Harbor Cluster."), page("b", "青云平台很快。")]);
    await knowledge.upsert([{ source: source("s"), triples: [triple("Nimbus", "青云平台")] }]);
    expect(await mentioned("a#0")).toEqual([]);
    expect(await linkMentions(connection)).toBe(2);
    expect(await mentioned("a#0")).toEqual(["Nimbus"]);
    expect(await mentioned("b#0")).toEqual(["青云平台"]);
    await write(
      "MATCH (p:EmendPassage {id: 'b#0'}), (e:EmendEntity {name: 'Nimbus'}) CREATE (p)-[:EMEND_MENTIONS]->(e)",
    );
    expect(await linkMentions(connection)).toBe(2);
    expect(await mentioned("b#0")).toEqual(["青云平台"]);
  });

  test("lose their links with their text, and with the entity", async () => {
    await knowledge.upsert([{ source: source("s"), triples: [triple("Nimbus", "Harbor")] }]);
    await open().upsert([page("a", "Nimbus is in Harbor.")]);
    expect(await mentioned("a#0")).toEqual(["Harbor", "Nimbus"]);
    await open().upsert([page("a", "Nimbus is gone.")]);
    expect(await mentioned("a#0")).toEqual(["Nimbus"]);
    await knowledge.remove(["s"]);
    expect(await mentioned("a#0")).toEqual([]);
    expect(await open().get(["a#0"])).toHaveLength(1);
  });

  test("do not keep an entity alive, nor show among its facts", async () => {
    await knowledge.upsert([{ source: source("s"), triples: [triple("Nimbus", "Harbor")] }]);
    await open().upsert([page("a", "Nimbus is in Harbor.")]);
    const facts = await knowledge.facts(["Nimbus"], "Where is Nimbus?");
    expect(facts.map(({ predicate }) => predicate)).toEqual(["is near"]);
    await knowledge.remove(["s"]);
    expect(await rows("MATCH (e:EmendEntity) RETURN e")).toEqual([]);
  });
});
