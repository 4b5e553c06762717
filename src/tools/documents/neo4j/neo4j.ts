import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CypherError, StoreUnavailableError, UsageError } from "../../../errors.js";
import { hasWords } from "../../../language/tokens.js";
import { Passage } from "../../../types/evidence.js";
import type { Embeddings } from "../../encoder/port.js";
import type { Neo4jConnection } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import { fuse } from "../fusion.js";
import type { Documents } from "../port.js";
import { CANDIDATES } from "../rank.js";
import { passageText } from "../terms.js";
import { namedEntities, storeMentions } from "./mentions.js";
import { prepareIndexes, storedVectors } from "./schema.js";
import { findPassages, passageOf, unembedded } from "./search.js";
import { REMOVE_RETIRED, removeDocuments, storeMeans, storePassages, storeVectors } from "./write.js";

export interface Neo4jDocumentsOptions {
  /** Shared with others; whoever opened it closes it. */
  connection: Neo4jConnection;
  /** Adds meaning to words. Where the store has vectors of another model, words alone count until `embed`. */
  embeddings?: Embeddings | undefined;
}

/**
 * Documents in a Neo4j 5.26 or newer: full text over analysed terms, with words that stand together favoured, and vectors
 * where embeddings are given. What it writes are nodes labelled EmendDocument and EmendPassage, with links to the entities
 * that are named; nothing else is ever changed. Nothing is made before the first write, and one writes at a time.
 */
export function neo4jDocuments({ connection, embeddings }: Neo4jDocumentsOptions): Documents {
  let hasRetired = false;

  /** @throws StoreUnavailableError where the server refuses what the store needs. */
  async function kept<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CypherError)) throw error;
      throw new StoreUnavailableError(
        `The document store in Neo4j at ${connection.name} cannot be used: ${error.message} If an index is missing, the next document that is ingested makes it again.`,
      );
    }
  }

  return {
    async upsert(given, { signal } = {}) {
      const passages = [...new Map(given.map((passage) => [passage.id, passage])).values()];
      if (passages.length === 0) return;
      signal?.throwIfAborted();
      await kept(async () => {
        await prepareIndexes(connection, undefined, { signal });
        const named = await namedEntities(connection, { signal });
        const mentions = named && passages.map(({ id, text }) => ({ id, entities: named.in(text) }));
        await connection.change(
          async (run) => {
            await storePassages(run, passages, randomUUID());
            if (mentions) await storeMentions(run, mentions);
          },
          { signal, timeout: LONGEST_WRITING },
        );
      });
      hasRetired = true;
    },

    async embed({ signal, onProgress } = {}) {
      if (!embeddings) return;
      const model = embeddings.identity;
      const pending = () => kept(() => unembedded(connection, model, EMBEDDED_AT_ONCE, { signal }));
      let { total, passages } = await pending();
      let done = 0;
      for (; passages.length > 0; { passages } = await pending()) {
        onProgress?.(done, Math.max(done, total));
        signal?.throwIfAborted();
        const vectors = await embeddings.embed(passages.map(passageText), { as: "passage", signal });
        await kept(async () => {
          await prepareIndexes(connection, vectors[0]?.length, { signal });
          await connection.change((run) => storeVectors(run, passages, vectors, model), {
            signal,
            timeout: LONGEST_WRITING,
          });
        });
        done += passages.length;
      }
      onProgress?.(done, done);
      if (done > 0) await kept(() => connection.change(storeMeans, { signal, timeout: LONGEST_WRITING }));
    },

    async remove(documentIds, { signal } = {}) {
      if (documentIds.length === 0) return 0;
      return kept(() =>
        connection.change((run) => removeDocuments(run, documentIds), { signal, timeout: LONGEST_WRITING }),
      );
    },

    async search({ text, mode = "hybrid", exclude = [] }, limit, { signal } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 200)
        throw new UsageError(`A search returns 1 to 200 passages, not ${limit}.`);
      signal?.throwIfAborted();
      if (!hasWords(text)) return [];
      const asked = mode === "fullText" ? undefined : await questionVector(text, signal);
      const candidates = Math.max(limit, CANDIDATES);
      const wanted = {
        text: asked && mode === "vector" ? undefined : text,
        vector: asked?.vector,
        limit: candidates,
        exclude: new Set(exclude),
      };
      const { words, meanings } = await kept(() => findPassages(connection, wanted, { signal }));
      const best = asked ? fuse({ question: text, ...asked, words, meanings }) : words;
      return best.slice(0, limit).map((one) => ({ ...Passage.parse(one), score: one.score }));
    },

    async get(ids) {
      if (ids.length === 0) return [];
      const found = await read(`MATCH (p:EmendPassage) WHERE p.id IN $ids RETURN ${passageOf("p")} AS passage`, {
        ids: [...ids],
      });
      const byId = new Map(found.map((passage) => [passage.id, passage]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    neighbours: (id, distance = 1) =>
      read(
        `MATCH (middle:EmendPassage {id: $id}) MATCH (p:EmendPassage {documentId: middle.documentId})
         WHERE p.position >= middle.position - $distance AND p.position <= middle.position + $distance AND p.id <> $id
         RETURN ${passageOf("p")} AS passage ORDER BY p.position`,
        { id, distance },
      ),

    async isEmpty() {
      return (await kept(() => connection.read("MATCH (p:EmendPassage) RETURN p.id LIMIT 1", {}))).length === 0;
    },

    async list() {
      const cypher = `MATCH (d:EmendDocument)
        RETURN d.id AS documentId, d.hash AS hash, COUNT { (d)<-[:EMEND_PART_OF]-() } AS passages`;
      const records = await kept(() => connection.read(cypher, {}, { timeout: LONGEST_LISTING }));
      const documents = z.array(ListedDocument).parse(records.map(asRow));
      return documents.sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
    },

    async close() {
      if (hasRetired) await connection.write([{ cypher: REMOVE_RETIRED }]).catch(() => {});
      hasRetired = false;
    },
  };

  async function read(cypher: string, parameters: { [key: string]: string | number | string[] }): Promise<Passage[]> {
    const records = await kept(() => connection.read(cypher, parameters));
    return records.map((record) => Passage.parse(asRow(record).passage));
  }

  /** Undefined where there is nothing to compare it with yet. */
  async function questionVector(text: string, signal: AbortSignal | undefined) {
    const stored = embeddings && (await kept(() => storedVectors(connection, { signal })));
    if (!embeddings || stored?.model !== embeddings.identity) return undefined;
    const [vector] = await embeddings.embed([text], { as: "question", signal });
    return vector?.length === stored.dimensions ? { vector, means: stored.means } : undefined;
  }
}

/** Passages that are embedded and written together: some seconds' work, so that little is lost where it is stopped. */
const EMBEDDED_AT_ONCE = 128;

/** Milliseconds. A thousand passages take a second or two; other writers may have to be waited for. */
const LONGEST_WRITING = 600_000;
const LONGEST_LISTING = 60_000;

const ListedDocument = z.object({ documentId: z.string(), hash: z.string(), passages: z.number() });
