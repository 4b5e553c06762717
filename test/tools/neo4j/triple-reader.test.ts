import { expect, test } from "vitest";
import type { ReadRows } from "../../../src/tools/neo4j/connection.js";
import { neo4jReader } from "../../../src/tools/neo4j/triple-reader.js";

const FILTER = [{ key: "team", values: ["ops"] }];
const rows = (count: number, predicate: string) =>
  Array.from({ length: count }, (_, i) => ({
    id: `${predicate}${i}`,
    source: "passage:a.md#1",
    predicate,
    subject: "Ann",
    object: `${predicate} ${i}`,
    quote: "",
  }));

test("a filtered look-up reports that triples were cut, and includes the relations asked for", async () => {
  const read: ReadRows = async (cypher, { wanted } = {}) => {
    if (wanted) return rows(2, "LEADS");
    return cypher.includes("LIMIT") ? rows(3, "KNOWS") : [{ predicate: "KNOWS" }, { predicate: "LEADS" }];
  };
  const about = (most: number) =>
    neo4jReader(read, FILTER).about(["ann"], [], { most, asked: (predicate) => predicate === "LEADS" });
  const cut = await about(3);
  expect([cut.isCut, cut.triples.map(({ object }) => object)]).toEqual([
    true,
    ["KNOWS 0", "KNOWS 1", "KNOWS 2", "LEADS 0", "LEADS 1"],
  ]);
  const all = await about(4);
  expect([all.isCut, all.triples.length]).toEqual([false, 3]);
});

test("the other ends of a fact come only from its own document and names", async () => {
  const [known, elsewhere, another] = rows(3, "KNOWS");
  const read: ReadRows = async () => [
    { ...known },
    { ...elsewhere, source: "passage:a.md.old#1" },
    { ...another, subject: "Ann Lee" },
  ];
  const fact = { keys: ["ann"], direction: "out", predicate: "KNOWS", whole: "passage:a.md" } as const;
  expect(await neo4jReader(read, FILTER).others(fact)).toEqual(new Set(["knows 0"]));
});
