import neo4j, { Record as Neo4jRecord } from "neo4j-driver";
import { expect, test } from "vitest";
import { fakePassage } from "../../../../src/testing/index.js";
import { findPassages } from "../../../../src/tools/documents/neo4j/search.js";
import type { Neo4jConnection } from "../../../../src/tools/store/neo4j/connection.js";
import type { Passage } from "../../../../src/types/evidence.js";

test("a search that meets a document half as it was and half as it is looks again", async () => {
  const old = { ...fakePassage("a#0", "apple, as it was"), documentId: "a", edition: "1" };
  const now = { ...fakePassage("a#1", "apple, as it is"), documentId: "a", edition: "2" };
  const other = { ...fakePassage("b#0", "apple elsewhere"), documentId: "b", edition: "1" };
  const connection = connectionThatAnswers([
    [byWords(old), byWords(other), byMeaning(now)],
    [byWords(now), byWords(other), byMeaning(now)],
  ]);
  const { words, meanings } = await findPassages(connection, { ...WANTED, vector: [1, 0] }, {});
  expect(words.map(({ id }) => id)).toEqual(["a#1", "b#0"]);
  expect(meanings).toMatchObject([{ id: "a#1", score: 0.5, metadata: {} }]);
  expect(words[0]?.metadata).toEqual({ a: "b" });
});

const WANTED = { text: "apple", limit: 10, exclude: new Set<string>(), filter: [] };

type Stored = Passage & { edition: string };
const byWords = (passage: Stored) =>
  ["words", 2, null, { ...passage, metadata: ["a=b"], terms: "appl", position: neo4j.int(0) }] as const;
const byMeaning = (passage: Stored) =>
  ["meaning", 0.75, 0.75, { ...passage, metadata: null, position: neo4j.int(0) }] as const;

/** The server cannot be made to answer in the middle of a commit. */
function connectionThatAnswers(answers: (readonly unknown[])[][]): Neo4jConnection {
  const never = () => Promise.reject(new Error("not asked for"));
  return {
    name: "a fake",
    read: async () =>
      (answers.shift() ?? []).map((row) => new Neo4jRecord(["by", "score", "similarity", "passage"], [...row])),
    write: never,
    change: never,
    explain: never,
    close: never,
  };
}
