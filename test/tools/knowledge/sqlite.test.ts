import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakePassage } from "../../../src/testing/index.js";
import { entity, says, sourceOf, TEAM, triple } from "../../../src/testing/knowledge-team.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import type { Triple } from "../../../src/tools/knowledge/port.js";
import { sqlKnowledge, sqlReader } from "../../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { keeps } from "../../contract/keeps.js";
import { ownKnowledgeContract } from "../../contract/knowledge.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "emend-graph-"));
  folders.push(folder);
  return folder;
}

keeps(
  "SQLite",
  ownKnowledgeContract(async () => {
    const path = join(await newFolder(), "store");
    return () => sqlKnowledge(openDatabase(path));
  }),
);

describe("a graph on disk", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await newFolder();
    path = join(folder, "store");
  });
  const open = () => sqlKnowledge(openDatabase(path));
  const store = (id: string, ...triples: Triple[]) => open().upsert([{ source: sourceOf(id), triples }]);
  /** The number of rows in each table of the graph. */
  const rows = () => {
    const database = new DatabaseSync(join(path, "emend.db"), { readOnly: true });
    const tables = ["sources", "entities", "triples", "aliases", "stated"];
    const counts = tables.map((table) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    database.close();
    return counts;
  };

  test("is not created by reading, removing or closing", async () => {
    const graph = open();
    await graph.facts(["Ann"], "Who is Ann?");
    await graph.schema();
    await graph.sources();
    await graph.remove(["a"]);
    await graph.upsert([]);
    await graph.tidy?.();
    await graph.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test("is in one file with the documents, and a group of writes to both is applied completely or not at all", async () => {
    const database = openDatabase(path);
    const [documents, graph] = [sqlDocuments(database), sqlKnowledge(database)];
    const passage = fakePassage("a", "Ann likes tea.");
    const both = async () => {
      await documents.upsert([passage]);
      await graph.upsert(TEAM);
    };
    const failing = documents.together?.(async () => {
      await both();
      throw new Error("the power went");
    });
    await expect(failing).rejects.toThrow("the power went");
    expect([await documents.list(), await graph.sources()]).toEqual([[], []]);
    await documents.together?.(both);
    await documents.close();
    await graph.close();
    expect(await documents.search({ text: "tea" }, 5)).toHaveLength(1);
    expect(await graph.sources()).toHaveLength(TEAM.length);
    await graph.close();
    expect(await readdir(path)).toEqual(["emend.db"]);
  });

  test.each(["'Pea'", "x'ff00'"])(
    "leaves out a triple that was changed on disk, and returns the rest: %s",
    async (damage) => {
      await store("a", triple("Ann", "likes", "Tea"), triple("Ann", "knows", "Ben"));
      const database = new DatabaseSync(join(path, "emend.db"));
      database.exec(`UPDATE triples SET object_name = ${damage} WHERE object_name = 'Tea'`);
      database.close();
      expect((await open().facts(["Ann"], "")).map(says)).toEqual(["Ann -knows-> Ben"]);
    },
  );

  test("keeps no row of removed or replaced sources", async () => {
    const named = triple(entity("Ann Lee", "", ["李安"]), "likes", entity("Tea", "", ["茶"]));
    await store("kept", triple("Ben", "knows", "Cy"));
    const before = rows();
    await store("gone", named);
    expect(rows()).not.toEqual(before);
    await store("gone");
    await store("gone", named);
    await store("other", named);
    await open().remove(["gone", "other"]);
    expect(rows()).toEqual(before);
  });

  test("removes the aliases that only a removed source stated", async () => {
    await store("joins", triple(entity("Ann Lee", "", ["李安"]), "based in", "Oslo"));
    await store("one", triple("Ann Lee", "makes", "widgets"));
    await store("two", triple("李安", "founded in", "1950"));
    const told = async (name: string) => (await open().facts([name], "")).map(({ predicate }) => predicate).toSorted();
    expect(await told("李安")).toEqual(["based in", "founded in", "makes"]);
    await open().remove(["joins"]);
    expect(await told("李安")).toEqual(["founded in"]);
    expect(await told("Ann Lee")).toEqual(["makes"]);
  });

  test("finds the only relation between two entities with thousands of triples each", async () => {
    const [berlin, paris] = [entity("Berlin", "City"), entity("Paris", "City")];
    const crowd = Array.from({ length: 1_100 }, (_, i) => [
      triple(berlin, "hosts", `event ${i}`),
      triple(`resident ${i}`, "lives in", paris),
    ]).flat();
    await store("register", ...crowd, triple(berlin, "twinned with", paris));
    expect((await open().facts(["Berlin", "Paris"], "How are they connected?")).map(says)).toContain(
      "Berlin -twinned with-> Paris",
    );
  });

  test("combines the facts of several passages of a document, and separates those of other documents", async () => {
    const works = (name: string, team: string) => triple(name, "team", team);
    const passage = (id: string, section: string, ...triples: Triple[]) => ({
      source: { ...sourceOf(`passage:${id}`), section },
      triples,
    });
    await open().upsert([
      passage("o'neil.csv#1", "A", works("Ann", "Sales"), works("李雷", "销售组")),
      passage("o'neil.csv#2", "B", works("Ben", "Sales"), works("韩梅", "销售组")),
      passage("o'neil.csv.old#3", "A", works("Cleo", "Sales")),
    ]);
    const facts = await open().facts(["Sales"], "Who is on the Sales team?");
    const all = facts.filter(({ entity, direction }) => entity === "Sales" && direction === "in");
    expect(all.map(({ others, total }) => [others, total])).toEqual([
      [["Ann", "Ben"], 2],
      [["Cleo"], 1],
    ]);
    expect(all.map(({ source }) => source?.section)).toEqual(["", "A"]);
    expect((await open().facts(["销售组"], "销售组有谁？"))[0]).toMatchObject({ others: ["李雷", "韩梅"], total: 2 });
    const fact = { keys: ["sales"], direction: "in", predicate: "team", whole: "passage:o'neil.csv" } as const;
    const others = await sqlReader(openDatabase(path)).others(fact);
    expect([...others].sort()).toEqual(["ann", "ben"]);
  });

  describe("with an entity that has thousands of triples", () => {
    let crowded: string;
    const open = () => sqlKnowledge(openDatabase(crowded));
    beforeAll(async () => {
      crowded = join(await newFolder(), "store");
      const residents = (from: number, count: number) =>
        Array.from({ length: count }, (_, i) =>
          triple(`resident ${from + i}`, "lives in 居住", entity("Berlin", "City")),
        );
      const graph = open();
      await graph.upsert([{ source: sourceOf("register"), triples: residents(0, 3_000) }]);
      await graph.upsert(
        Array.from({ length: 700 }, (_, i) => ({ source: sourceOf(`file ${i}`), triples: residents(5_000 + i, 1) })),
      );
      const kai = triple(entity("Kai W", "Person"), "mayor of", entity("Berlin", "City"));
      const ann = triple("Ann", "visits", entity("Berlin", "City"));
      await graph.upsert([{ source: sourceOf("office"), triples: [kai] }]);
      await graph.upsert([{ source: sourceOf("near"), triples: [ann] }]);
    });

    test("finds the only triple with another relation", async () => {
      expect((await open().facts(["Berlin"], "Who is the mayor of Berlin?")).map(says)[0]).toBe(
        "Berlin <-mayor of- Kai W",
      );
      expect((await open().facts(["Ann"], "Who is the mayor of where Ann is?")).map(says)[0]).toBe(
        "Berlin <-mayor of- Kai W",
      );
    });

    test("counts all of them and names 50", async () => {
      const facts = await open().facts(["Berlin"], "Who lives in Berlin?", { limit: 100 });
      const all = facts.find(({ source }) => source?.id === "register");
      expect(all).toMatchObject({ total: 3_000, predicate: "lives in 居住" });
      expect(new Set(all?.others).size).toBe(50);
      expect(facts.filter(({ source }) => source?.id.startsWith("file")).map(({ total }) => total)).toEqual(
        expect.arrayContaining([1]),
      );
    });

    test("reads only as many as allowed, including the requested relation, and still knows their total", async () => {
      const reader = sqlReader(openDatabase(crowded));
      const asked = (predicate: string) => predicate === "mayor of";
      const { triples, isCut } = await reader.about(["berlin"], ["berlin"], { most: 1_000, asked });
      expect(isCut).toBe(true);
      expect(triples.length).toBeLessThan(2_100);
      expect(triples.map(({ predicate }) => predicate)).toContain("mayor of");
      const register = { direction: "in", predicate: "lives in 居住", whole: sourceOf("register").id } as const;
      expect((await reader.others({ keys: ["berlin"], ...register })).size).toBe(3_000);
    });

    test("finds the relation to another named entity", async () => {
      const facts = await open().facts(["Berlin"], "Does resident 2999 live in Berlin?");
      expect(facts.map(says)).toContain("resident 2999 -lives in 居住-> Berlin");
    });
  });
});
