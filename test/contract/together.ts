import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withFacts } from "../../src/ingest/facts/keep-facts.js";
import { fakePassage } from "../../src/testing/index.js";
import { triple } from "../../src/testing/knowledge-team.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { OpenOptions } from "../../src/tools/store/port.js";
import { keeps } from "./keeps.js";
import { storeContract } from "./store.js";

const EDITIONS = 8;

/** Every engine writes documents and facts in one transaction. `newPlace` prepares an empty place for each test. */
export function togetherContract(name: string, newPlace: () => Promise<string>) {
  keeps(
    name,
    storeContract(async () => {
      const database = openDatabase(await newPlace());
      return { documents: sqlDocuments(database), knowledge: sqlKnowledge(database) };
    }),
  );

  describe(`${name} writes a document and its facts in one transaction`, { timeout: 60_000 }, () => {
    let writer: ReturnType<typeof opened>;
    let other: ReturnType<typeof opened>;
    let place: string;
    beforeEach(async () => {
      place = await newPlace();
      writer = opened(place);
      other = opened(place);
    });
    afterEach(async () => {
      await writer.database.close();
      await other.database.close();
    });

    test("which nobody sees before its end, and everybody sees at once", async () => {
      await writer.write("guide", 1);
      await withFacts(
        writer.documents,
        () => writer.writeDocument("guide", 2),
        async () => {
          await writer.writeFacts("guide", 2);
          expect(await other.stored()).toEqual(["guide 1 1"]);
        },
      );
      expect(await other.stored()).toEqual(["guide 2 2"]);
      expect(await other.documents.search({ text: "edition" }, 9)).toHaveLength(3);
      expect((await other.knowledge.facts(["guide"], "")).map(({ others }) => others)).toEqual([["edition 2"]]);
    });

    test("so that a reader never sees the document of one edition and the facts of another", async () => {
      await writer.write("guide", 0);
      const seen = new Set<string>();
      let isWriting = true;
      const read = async () => {
        while (isWriting) for (const one of await other.stored()) seen.add(one);
      };
      const write = async () => {
        try {
          for (let edition = 1; edition <= EDITIONS; edition++) await writer.write("guide", edition);
        } finally {
          isWriting = false;
        }
      };
      await Promise.all([write(), read()]);
      for (const one of seen) expect(one).toMatch(/^guide (\d) \1$/);
    });

    test("which changes nothing if it fails, and does not stop the next one", async () => {
      await writer.write("guide", 1);
      const failed = withFacts(
        writer.documents,
        () => writer.writeDocument("guide", 2),
        async () => {
          await writer.writeFacts("guide", 2);
          await writer.documents.remove(["guide"]);
          throw new Error("the plug was pulled");
        },
      );
      await expect(failed).rejects.toThrow("the plug was pulled");
      expect(await writer.stored()).toEqual(["guide 1 1"]);
      await writer.write("guide", 3);
      expect(await other.stored()).toEqual(["guide 3 3"]);
    });

    test("so that two writers of the same document leave one edition of both", async () => {
      const work = [writer, other].map(async (one, i) => {
        for (let edition = i; edition < EDITIONS; edition += 2) await one.write("guide", edition);
      });
      await Promise.all(work);
      expect(await writer.stored()).toEqual([expect.stringMatching(/^guide (\d) \1$/)]);
    });

    test("for which a second writer of the same document waits, says so, and gives up when aborted", async () => {
      const messages: string[] = [];
      const waiting = opened(place, { onWait: (message) => messages.push(message) });
      await withFacts(
        writer.documents,
        () => writer.writeDocument("guide", 1),
        async () => {
          const leaving = new AbortController();
          const left = waiting.writeDocument("guide", 2, leaving.signal);
          await expect.poll(() => messages, { timeout: 20_000 }).toHaveLength(1);
          expect(messages[0]).toBe(`Another process is writing to ${waiting.database.name}.`);
          leaving.abort(new Error("the user left"));
          await expect(left).rejects.toThrow("the user left");
          await writer.writeFacts("guide", 1);
        },
      );
      expect(await other.stored()).toEqual(["guide 1 1"]);
      await waiting.write("guide", 3);
      await waiting.database.close();
      expect(await other.stored()).toEqual(["guide 3 3"]);
      expect(messages).toHaveLength(1);
    });

    test("which joins another one that it is a part of", async () => {
      const failed = writer.database.together(async () => {
        await writer.write("guide", 1);
        await writer.write("map", 1);
        expect(await other.stored()).toEqual([]);
        throw new Error("the plug was pulled");
      });
      await expect(failed).rejects.toThrow("the plug was pulled");
      expect(await other.stored()).toEqual([]);
    });
  });
}

/** Opens a store. The edition of a document is its hash, and the object of its only fact. */
function opened(place: string, options?: OpenOptions) {
  const database = openDatabase(place, options);
  const documents = sqlDocuments(database);
  const knowledge = sqlKnowledge(database);
  const writeDocument = (documentId: string, edition: number, signal?: AbortSignal) =>
    documents.upsert(
      [0, 1, 2].map((n) =>
        fakePassage(`${documentId}#${n}`, `Part ${n}, edition ${edition}.`, { documentId, hash: `${edition}` }),
      ),
      signal && { signal },
    );
  const writeFacts = (documentId: string, edition: number) => {
    const source = { id: `${documentId}#0`, documentId, title: "", uri: "", section: "", reviewedAt: "" };
    const triples = [triple(documentId, "is", `edition ${edition}`)];
    return knowledge.upsert([{ source: { ...source, hash: `${edition}` }, triples }]);
  };
  return {
    database,
    documents,
    knowledge,
    writeDocument,
    writeFacts,
    write: (documentId: string, edition: number) =>
      withFacts(
        documents,
        () => writeDocument(documentId, edition),
        () => writeFacts(documentId, edition),
      ),
    /** Returns each document with the edition of its passages and that of its facts, as one query sees them. */
    async stored(): Promise<string[]> {
      const sql = `SELECT d.id, d.hash AS edition, s.hash AS facts FROM emend.documents d
        FULL JOIN emend.sources s ON s.document = d.id ORDER BY d.id`;
      const [rows = []] = await database.read([{ sql }]);
      return rows.map(({ id, edition, facts }) => `${id} ${edition} ${facts}`);
    },
  };
}
