import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CypherError, StoreUnavailableError } from "../../../errors.js";
import { hasWords } from "../../../language/tokens.js";
import { Language, Passage } from "../../../types/evidence.js";
import type { Filter } from "../../../types/filter.js";
import type { GraphRow } from "../../../types/knowledge.js";
import type { Embeddings } from "../../encoder/port.js";
import type { Neo4jConnection } from "../../store/neo4j/connection.js";
import { asFilter, meetsFilter } from "../../store/neo4j/filter.js";
import { asRow } from "../../store/neo4j/values.js";
import type { Documents } from "../port.js";
import { candidatesFor, fuse } from "../rank.js";
import { passageText } from "../terms.js";
import { entityFinder, storeMentions } from "./mentions.js";
import { prepareIndexes, storedVectors, vectorOf } from "./schema.js";
import { findPassages, passageOf, StoredPassage, unembedded } from "./search.js";
import { REMOVE_RETIRED, removeDocuments, storeMeans, storePassages, storeVectors } from "./write.js";

export interface Neo4jDocumentsOptions {
  /** Not closed here: it may be shared. */
  connection: Neo4jConnection;
  /** Enables vector search. A store with vectors of another model is searched by words until `embed`. */
  embeddings?: Embeddings | undefined;
}

/**
 * Stores documents in Neo4j 5.26 or newer. Searches full text over analysed terms, reranked by phrases, and vectors if
 * embeddings are given. Writes only nodes labelled EmendDocument, EmendPassage, EmendRetiredPassage and EmendState, and links
 * to the entities that are named. Creates nothing before the first write; one process writes at a time.
 */
export function neo4jDocuments({ connection, embeddings }: Neo4jDocumentsOptions): Documents {
  let hasRetired = false;

  const checked = <T>(result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      if (!(error instanceof CypherError)) throw error;
      throw new StoreUnavailableError(
        `The document store in Neo4j at ${connection.name} cannot be used: ${error.message} If an index is missing, the next document that is ingested makes it again.`,
      );
    });
  /** The connection, with StoreUnavailableError if the server refuses a query of the store. */
  const store: Neo4jConnection = {
    ...connection,
    read: (...query) => checked(connection.read(...query)),
    write: (...queries) => checked(connection.write(...queries)),
    change: (work, options) => checked(connection.change(work, { timeout: LONGEST_WRITING, ...options })),
  };

  return {
    async upsert(given, { signal } = {}) {
      const passages = [...new Map(given.map((passage) => [passage.id, passage])).values()];
      if (passages.length === 0) return;
      signal?.throwIfAborted();
      await prepareIndexes(store, undefined, { signal });
      const stored = await storedVectors(store, { signal });
      if (stored) await prepareIndexes(store, stored.dimensions, { signal });
      const entitiesIn = await entityFinder(store, { signal });
      const mentions = entitiesIn && passages.map(({ id, text }) => ({ id, entities: entitiesIn(text) }));
      await store.change(
        async (run) => {
          await storePassages(run, passages, randomUUID());
          if (mentions) await storeMentions(run, mentions);
        },
        { signal },
      );
      hasRetired = true;
    },

    async embed({ signal, onProgress } = {}) {
      if (!embeddings) return;
      const model = embeddings.identity;
      const pending = () => unembedded(store, model, EMBED_BATCH, { signal });
      let { total, passages } = await pending();
      let done = 0;
      for (; passages.length > 0; { passages } = await pending()) {
        onProgress?.(done, Math.max(done, total));
        signal?.throwIfAborted();
        const vectors = await embeddings.embed(passages.map(passageText), { as: "passage", signal });
        await prepareIndexes(store, vectors[0]?.length, { signal });
        await store.change((run) => storeVectors(run, passages, vectors, model), { signal });
        done += passages.length;
      }
      onProgress?.(done, done);
      if (done > 0) await store.change(storeMeans, { signal });
    },

    async remove(documentIds, { signal } = {}) {
      if (documentIds.length === 0) return 0;
      return store.change((run) => removeDocuments(run, documentIds), { signal });
    },

    async search({ text, mode = "hybrid", exclude = [], filter = [] }, limit, { signal } = {}) {
      const candidates = candidatesFor(limit);
      signal?.throwIfAborted();
      if (!hasWords(text)) return [];
      const asked = mode === "fullText" ? undefined : await questionVector(text, signal);
      const wanted = {
        text: asked && mode === "vector" ? undefined : text,
        vector: asked?.vector,
        limit: candidates,
        exclude: new Set(exclude),
        filter,
      };
      const { words, meanings } = await findPassages(store, wanted, { signal });
      const best = asked ? fuse({ question: text, ...asked, words, meanings }) : words;
      return best.slice(0, limit).map((one) => ({ ...Passage.parse(one), score: one.score }));
    },

    async get(ids, { filter } = {}) {
      if (ids.length === 0) return [];
      const found = await read("MATCH (p:EmendPassage) WHERE p.id IN $ids", { ids: [...ids] }, filter);
      const byId = new Map(found.map((passage) => [passage.id, passage]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    neighbours: (id, distance = 1, { filter } = {}) =>
      read(
        `MATCH (middle:EmendPassage {id: $id}) MATCH (p:EmendPassage {documentId: middle.documentId})
         WHERE p.position >= middle.position - $distance AND p.position <= middle.position + $distance AND p.id <> $id`,
        { id, distance },
        filter,
      ),

    async embedded(ids) {
      const stored = embeddings && (await storedVectors(store, {}));
      if (!embeddings || stored?.model !== embeddings.identity) return [];
      const vector = vectorOf("p", stored.dimensions);
      const cypher = `MATCH (p:EmendPassage) WHERE p.id IN $ids AND ${vector} IS NOT NULL RETURN p.id AS id`;
      const records = await store.read(cypher, { ids: [...ids] });
      const found = new Set(records.map((record) => String(record.get("id"))));
      return ids.filter((id) => found.has(id));
    },

    isEmpty: async () => (await store.read("MATCH (p:EmendPassage) RETURN p.id LIMIT 1")).length === 0,

    async list() {
      const cypher = `MATCH (d:EmendDocument)
        RETURN d.id AS documentId, d.hash AS hash, COUNT { (d)<-[:EMEND_PART_OF]-() } AS passages`;
      const records = await store.read(cypher, {}, { timeout: 60_000 });
      const documents = z.array(ListedDocument).parse(records.map(asRow));
      return documents.sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
    },

    async describe() {
      const stored = await storedVectors(store, {});
      const vector = stored ? vectorOf("p", stored.dimensions) : "null";
      const cypher = `MATCH (p:EmendPassage) RETURN p.language AS language, count(p) AS passages, count(${vector}) AS embedded`;
      const records = await store.read(cypher, {}, { timeout: 60_000 });
      const rows = z.array(CountedLanguage).parse(records.map(asRow));
      const languages = {
        en: 0,
        zh: 0,
        other: 0,
        ...Object.fromEntries(rows.map((row) => [row.language, row.passages])),
      };
      const all = rows.reduce((sum, row) => sum + row.embedded, 0);
      const embedded = stored && stored.model === embeddings?.identity ? all : 0;
      return { languages, embedded, embeddedByOthers: all - embedded, writtenAt: "" };
    },

    async close() {
      if (hasRetired) await connection.write([{ cypher: REMOVE_RETIRED }]).catch(() => {});
      hasRetired = false;
    },
  };

  /** Returns the passages `p` that a MATCH with a WHERE finds and that meet the filter. */
  async function read(found: string, parameters: GraphRow, filter: Filter = []): Promise<Passage[]> {
    const where = filter.length > 0 ? ` AND ${meetsFilter("p")}` : "";
    const cypher = `${found}${where} RETURN ${passageOf("p")} AS passage ORDER BY p.position`;
    const records = await store.read(cypher, { ...parameters, filter: asFilter(filter) });
    return records.map((record) => StoredPassage.parse(asRow(record).passage));
  }

  /** Undefined if there are no vectors to compare with. */
  async function questionVector(text: string, signal: AbortSignal | undefined) {
    const stored = embeddings && (await storedVectors(store, { signal }));
    if (!embeddings || stored?.model !== embeddings.identity) return undefined;
    const [vector] = await embeddings.embed([text], { as: "question", signal });
    return vector?.length === stored.dimensions ? { vector, means: stored.means } : undefined;
  }
}

/** Passages embedded and written at once: a few seconds of work, so that an interruption loses little. */
const EMBED_BATCH = 128;

/** Milliseconds. A thousand passages take one or two seconds, but there may be other writers to wait for. */
const LONGEST_WRITING = 600_000;

const ListedDocument = z.object({ documentId: z.string(), hash: z.string(), passages: z.number() });
const CountedLanguage = z.object({ language: Language, passages: z.number(), embedded: z.number() });
