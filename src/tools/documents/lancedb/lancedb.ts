import { Index, type Table } from "@lancedb/lancedb";
import { Field, Int32, List, Utf8 } from "apache-arrow";
import type { S3Settings } from "../../../config.js";
import { StoreUnavailableError } from "../../../errors.js";
import { hasWords } from "../../../language/tokens.js";
import { Passage } from "../../../types/evidence.js";
import { pairsOf } from "../../../types/metadata.js";
import type { Embeddings } from "../../encoder/port.js";
import { addColumn, addMetadata, canMeet, indexOf, isOneOf, termsIndex } from "../../store/lancedb/sql.js";
import type { TableKind } from "../../store/lancedb/table-place.js";
import { tidy } from "../../store/lancedb/tidy.js";
import { versionedTable } from "../../store/lancedb/versioned-table.js";
import type { DocumentHead, Documents, ScoredPassage } from "../port.js";
import { candidatesFor, fuse, type LanguageMeans } from "../rank.js";
import { passageTerms, passageText } from "../terms.js";
import { byVector, byWords, checksumOf, headsOf, listDocuments, select } from "./queries.js";
import {
  columnOf,
  countUnembedded,
  describeTable,
  dropOldVectors,
  EMPTY,
  idsWithVector,
  meansOf,
  prepareColumn,
  storeVectors,
  unembedded,
  vectorColumns,
  vectorsByText,
} from "./vectors.js";

export interface LanceDocumentsOptions {
  /** The folder of the store, or an address such as s3://bucket/prefix. The first write creates it; reading never does. */
  path: string;
  /** The object storage of such an address. */
  s3?: S3Settings | undefined;
  /** Enables vector search. A store with vectors of another model is searched by words until `embed`. */
  embeddings?: Embeddings | undefined;
  /** Refuses to write. Default false. */
  readOnly?: boolean;
  /** Called with a message when a write has waited a second for another process. */
  onWait?: ((message: string) => void) | undefined;
}

/**
 * Stores documents in a folder or on object storage with LanceDB. Searches by BM25 over analysed terms, reranked by phrases, and by vectors if
 * embeddings are given. Leaves out a passage whose words are not those that were stored (a flipped bit). Readers see whole
 * versions. One process writes at a time; others wait up to ten minutes.
 * Opens nothing before its first use.
 */
export function lanceDocuments({ path, s3, embeddings, readOnly = false, onWait }: LanceDocumentsOptions): Documents {
  const passages = versionedTable(path, PASSAGES, { onWait, s3 });
  let hasWritten = false;
  let sampled: { table: Table; means: Promise<LanguageMeans> } | undefined;
  let stated: { table: Table; heads: Promise<DocumentHead[]> } | undefined;

  const mayWrite = () => {
    if (readOnly) throw new StoreUnavailableError(`The store in ${path} was opened for reading only.`);
  };

  return {
    async upsert(given, { signal, embed = false } = {}) {
      mayWrite();
      const rows = [...new Map(given.map((passage) => [passage.id, passage])).values()];
      if (rows.length === 0) return;
      signal?.throwIfAborted();
      const documents = isOneOf(
        "documentId",
        rows.map((row) => row.documentId),
      );
      // Before the lock is taken, for which others may be waiting.
      const analysed = rows.map((row) => passageTerms(row).join(" "));
      const made = embed ? await newVectors(rows, documents, signal) : undefined;
      await passages.write(
        async (table) => {
          await dropOldVectors(table);
          await addMetadata(table);
          await addColumn(table, "checksum", "Utf8");
          const [vector] = made?.values() ?? [];
          if (vector && embeddings) await prepareColumn(table, columnOf(embeddings.identity), vector.length);
          const [column] = await vectorColumns(table);
          const known = column && (await vectorsByText(table, column.name, documents));
          const vectorOf = (text: string) => known?.get(text) ?? made?.get(text) ?? null;
          const data = rows.map((row, i) => ({
            ...row,
            metadata: row.metadata ? pairsOf(row.metadata) : null,
            terms: analysed[i] ?? "",
            checksum: checksumOf(row),
            ...(column && { [column.name]: vectorOf(passageText(row)) }),
          }));
          await table
            .mergeInsert("id")
            .whenMatchedUpdateAll()
            .whenNotMatchedInsertAll()
            .whenNotMatchedBySourceDelete({ where: documents })
            .execute(data);
          await afterWrite(table);
        },
        { create: true, signal },
      );
    },

    async embed({ signal, onProgress } = {}) {
      if (!embeddings) return;
      mayWrite();
      const column = columnOf(embeddings.identity);
      const total = (await passages.read(({ table }) => countUnembedded(table, column))) ?? 0;
      const tried = new Set<string>();
      for (let done = 0; ; ) {
        onProgress?.(done, Math.max(done, total));
        const limit = Math.min(MOST_EMBEDDED, Math.max(EMBED_BATCH, Math.ceil(total / 100)));
        const pending = await passages.read(({ table }) => unembedded(table, column, limit));
        if (!pending?.length) return;
        const before = tried.size;
        for (const { id, hash } of pending) tried.add(`${id} ${hash}`);
        if (tried.size === before)
          throw new StoreUnavailableError(
            `The store in ${path} keeps no vector of ${pending[0]?.id}. Ingest the file under another name.`,
          );
        const vectors: (readonly number[])[] = [];
        try {
          while (vectors.length < pending.length) {
            signal?.throwIfAborted();
            if (vectors.length > 0) onProgress?.(done + vectors.length, Math.max(done + pending.length, total));
            const texts = pending.slice(vectors.length, vectors.length + EMBED_BATCH).map(passageText);
            vectors.push(...(await embeddings.embed(texts, { as: "passage", signal })));
          }
        } catch (error) {
          onProgress?.(done, Math.max(done, total));
          throw error;
        }
        await passages.write(
          async (table) => {
            await storeVectors(table, column, pending, vectors);
            await afterWrite(table);
          },
          { signal },
        );
        done += pending.length;
      }
    },

    async remove(documentIds, { signal } = {}) {
      mayWrite();
      if (documentIds.length === 0) return 0;
      const removed = await passages.write((table) => table.delete(isOneOf("documentId", documentIds)), { signal });
      return removed?.numDeletedRows ?? 0;
    },

    async search({ text, mode = "hybrid", exclude = [], filter = [] }, limit, { signal } = {}) {
      const candidates = candidatesFor(limit);
      signal?.throwIfAborted();
      if (!hasWords(text)) return [];
      const vector = mode === "fullText" ? undefined : await questionVector(text, signal);
      signal?.throwIfAborted();
      const wanted = { limit: candidates, exclude: new Set(exclude), filter };
      const best = await passages.read(async ({ table }) => {
        if (!(await canMeet(table, filter))) return [];
        const column = vector && (await columnFor(table, vector.length));
        if (!column) return byWords(table, text, undefined, wanted);
        const asked = { column, vector };
        if (sampled?.table !== table) sampled = { table, means: meansOf(table, column) };
        const [words, meanings, means] = await Promise.all([
          mode === "vector" ? [] : byWords(table, text, asked, wanted),
          byVector(table, asked, wanted),
          sampled.means,
        ]);
        return fuse({ question: text, vector, words, meanings, means });
      });
      signal?.throwIfAborted();
      const found: ScoredPassage[] = [];
      for (const { passage, score } of best ?? []) {
        if (found.length === limit) break;
        found.push(...passage().map((one) => ({ ...one, score })));
      }
      return found;
    },

    async get(ids, { filter } = {}) {
      if (ids.length === 0) return [];
      const found = await passages.read(({ table }) => select(table, isOneOf("id", ids), filter));
      const byId = new Map(found?.map((passage) => [passage.id, passage]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    async neighbours(id, distance = 1, { filter } = {}) {
      const found = await passages.read(async ({ table }) => {
        const [middle] = await select(table, isOneOf("id", [id]));
        if (!middle) return [];
        const near = `position BETWEEN ${middle.position - distance} AND ${middle.position + distance}`;
        return select(table, `${isOneOf("documentId", [middle.documentId])} AND ${near}`, filter);
      });
      return (found ?? []).filter((passage) => passage.id !== id).sort((a, b) => a.position - b.position);
    },

    async embedded(ids) {
      if (ids.length === 0) return [];
      const found = await passages.read(async ({ table }) => {
        const column = await columnFor(table);
        return column ? idsWithVector(table, column, isOneOf("id", ids)) : undefined;
      });
      return ids.filter((id) => found?.has(id));
    },

    isEmpty: async () => !(await passages.read(({ table }) => table.countRows())),
    list: async () => (await passages.read(({ table }) => listDocuments(table))) ?? [],

    async heads() {
      const heads = await passages.read(({ table }) => {
        if (stated?.table !== table) stated = { table, heads: headsOf(table) };
        return stated.heads;
      });
      return heads ?? [];
    },

    async describe() {
      const column = embeddings && columnOf(embeddings.identity);
      return (await passages.read(({ table, version }) => describeTable(table, version, column))) ?? EMPTY;
    },

    tidy,

    async close() {
      if (hasWritten) await tidy();
      await passages.close();
    },
  };

  /** Embeds the texts of these rows that their documents do not have already. Returns vectors by text. */
  async function newVectors(rows: readonly Passage[], documents: string, signal: AbortSignal | undefined) {
    if (!embeddings) return undefined;
    const known = await passages.read(async ({ table }) => {
      const column = await columnFor(table);
      return column ? vectorsByText(table, column, documents) : undefined;
    });
    const texts = [...new Set(rows.map(passageText))].filter((text) => !known?.has(text));
    const vectors = texts.length > 0 ? await embeddings.embed(texts, { as: "passage", signal }) : [];
    return new Map(texts.map((text, i) => [text, vectors[i] ?? []]));
  }

  /** Ignores failures: nothing is lost, and the next writer tries again. */
  async function afterWrite(table: Table): Promise<void> {
    hasWritten = true;
    await tidyPassages(table, "whileWriting").catch(() => {});
  }

  /** Ignores failures, and skips if another process is writing: that one tidies at its end. */
  async function tidy(): Promise<void> {
    hasWritten = false;
    if (!readOnly) await passages.write((table) => tidyPassages(table, "atTheEnd"), { patience: 0 }).catch(() => {});
  }

  /** Undefined if there are no vectors to compare with. */
  async function questionVector(text: string, signal: AbortSignal | undefined): Promise<readonly number[] | undefined> {
    if (!embeddings || !(await passages.read(({ table }) => columnFor(table)))) return undefined;
    const [vector] = await embeddings.embed([text], { as: "question", signal });
    return vector;
  }

  /** The vector column of the current model, if there is one and its vectors have this length. */
  async function columnFor(table: Table, dimensions?: number): Promise<string | undefined> {
    const name = embeddings && columnOf(embeddings.identity);
    const column = (await vectorColumns(table)).find((one) => one.name === name);
    return column && column.dimensions === (dimensions ?? column.dimensions) ? name : undefined;
  }
}

/**
 * Passages embedded at once, a few seconds of work, and the most that are written at once. Each write goes through the whole
 * store, so in a large one a hundredth of the work is written at once, and an interruption loses no more than that.
 */
const EMBED_BATCH = 128;
const MOST_EMBEDDED = 10_000;

/** The table of passages. Vector columns are added later, see `vectors.ts`. */
export const PASSAGES: TableKind = {
  name: "passages",
  format: "1",
  fields: () =>
    [...Object.keys(Passage.shape), "terms", "checksum"].map((name) => {
      if (name === "metadata") return new Field(name, new List(new Field("item", new Utf8(), true)), true);
      return new Field(name, name === "position" ? new Int32() : new Utf8(), name === "checksum");
    }),
  indexes: { terms: termsIndex },
  startAgain: "Delete the folder and ingest the documents again.",
};

/** Tidies the table, and indexes the vectors once a full scan takes too long. */
async function tidyPassages(table: Table, when: "whileWriting" | "atTheEnd"): Promise<void> {
  const isTidied = await tidy(table, when);
  const [vectors] = await vectorColumns(table);
  if (!vectors || (when === "whileWriting" && !isTidied)) return;
  const { name } = vectors;
  if ((await table.countRows(`${name} IS NOT NULL`)) >= SCANNED_ROWS && !(await table.indexStats(indexOf(name))))
    await table.createIndex(name, { config: Index.ivfFlat({ distanceType: "dot" }) });
}

/** Scanning fewer vectors takes less than 10 ms (384 dimensions); ten times as many take 50 ms. */
const SCANNED_ROWS = 10_000;
