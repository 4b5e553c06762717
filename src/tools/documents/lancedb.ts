import { StoreUnavailableError, UsageError } from "../../errors.js";
import { hasWords } from "../../text/tokens.js";
import type { Embeddings } from "../embeddings/port.js";
import { isOneOf } from "../lancedb/table-folder.js";
import { versionedTable } from "../lancedb/versioned-table.js";
import { fuse } from "./fusion.js";
import { byVector, byWords, listDocuments, select } from "./lance-queries.js";
import { PASSAGES } from "./passage-schema.js";
import type { Documents } from "./port.js";
import { CANDIDATES } from "./rank.js";
import { passageTerms, passageText } from "./terms.js";
import { tidyPassages } from "./tidy.js";
import { checkKind } from "./vector-kind.js";

export interface LanceDocumentsOptions {
  /** The folder of the store. The first write makes it; readers never do. */
  path: string;
  /** Adds vectors. A store keeps the model it was made with. */
  embeddings?: Embeddings;
  /** Refuses to write. Default false. */
  readOnly?: boolean;
  /** Called when a write has waited a second for another process, with a sentence that names it. */
  onWait?: ((message: string) => void) | undefined;
}

/**
 * Documents in a folder, by LanceDB: BM25 over analysed terms, with words that stand together favoured, and vectors
 * where embeddings are given. Readers see whole versions; one process writes at a time, others wait up to ten minutes.
 * Nothing is opened before its use.
 */
export function lanceDocuments({ path, embeddings, readOnly = false, onWait }: LanceDocumentsOptions): Documents {
  const passages = versionedTable(path, PASSAGES, { onWait });
  const about = { store: `The store in ${path}`, startAgain: "delete the folder" };
  let hasWritten = false;

  const mayWrite = () => {
    if (readOnly) throw new StoreUnavailableError(`The store in ${path} was opened for reading only.`);
  };

  return {
    async upsert(given, { signal } = {}) {
      mayWrite();
      const rows = [...new Map(given.map((passage) => [passage.id, passage])).values()];
      if (rows.length === 0) return;
      const stored = await passages.read(async ({ variant }) => ({ vectors: variant }));
      if (stored) checkKind(stored.vectors, embeddings && { model: embeddings.model }, about);
      signal?.throwIfAborted();
      const vectors = await embeddings?.embed(rows.map(passageText), signal && { signal });
      const kind = embeddings && { model: embeddings.model, dimensions: vectors?.[0]?.length ?? 0 };
      const data = rows.map((row, i) => ({
        ...row,
        terms: passageTerms(row).join(" "),
        ...(vectors && { vector: vectors[i] }),
      }));
      const documents = isOneOf(
        "documentId",
        rows.map((row) => row.documentId),
      );
      await passages.write(
        async (table, there) => {
          checkKind(there, kind, about);
          await table
            .mergeInsert("id")
            .whenMatchedUpdateAll()
            .whenNotMatchedInsertAll()
            .whenNotMatchedBySourceDelete({ where: documents })
            .execute(data);
          hasWritten = true;
          await tidyPassages(table, there !== undefined, "whileWriting").catch(() => {});
        },
        { create: { variant: kind }, signal },
      );
    },

    async remove(documentIds, { signal } = {}) {
      mayWrite();
      if (documentIds.length === 0) return 0;
      const removed = await passages.write(
        async (table) => {
          const { numDeletedRows } = await table.delete(isOneOf("documentId", documentIds));
          return numDeletedRows;
        },
        { signal },
      );
      return removed ?? 0;
    },

    async search({ text, mode = "hybrid", exclude = [] }, limit, { signal } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 200)
        throw new UsageError(`A search returns 1 to 200 passages, not ${limit}.`);
      signal?.throwIfAborted();
      if (!hasWords(text)) return [];
      const by = embeddings ? mode : "fullText";
      const vector = by === "fullText" ? undefined : await queryVector(text, signal);
      signal?.throwIfAborted();
      const candidates = Math.max(limit, CANDIDATES);
      const excluded = new Set(exclude);
      const rankings = await passages.read(({ table }) =>
        Promise.all([
          by === "vector" ? [] : byWords(table, text, candidates, excluded),
          vector ? byVector(table, vector, candidates, excluded) : [],
        ]),
      );
      signal?.throwIfAborted();
      const [words = [], meanings = []] = rankings ?? [];
      const best = by === "hybrid" ? fuse(words, meanings, candidates) : [...words, ...meanings];
      return best.slice(0, limit).map(({ passage, score }) => ({ ...passage(), score }));
    },

    async get(ids) {
      if (ids.length === 0) return [];
      const found = await passages.read(({ table }) => select(table, isOneOf("id", ids)));
      const byId = new Map(found?.map((passage) => [passage.id, passage]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    async neighbours(id, distance = 1) {
      const found = await passages.read(async ({ table }) => {
        const [middle] = await select(table, isOneOf("id", [id]));
        if (!middle) return [];
        const near = `position BETWEEN ${middle.position - distance} AND ${middle.position + distance}`;
        return select(table, `${isOneOf("documentId", [middle.documentId])} AND ${near}`);
      });
      return (found ?? []).filter((passage) => passage.id !== id).sort((a, b) => a.position - b.position);
    },

    async list() {
      return (await passages.read(({ table }) => listDocuments(table))) ?? [];
    },

    tidy,

    async close() {
      if (hasWritten) await tidy();
      await passages.close();
    },
  };

  /** Where it fails nothing is lost, and the next one tries again; who else writes now will do it at the end. */
  async function tidy(): Promise<void> {
    hasWritten = false;
    if (readOnly) return;
    const work = passages.write((table, there) => tidyPassages(table, there !== undefined, "atTheEnd"), {
      patience: 0,
    });
    await work.catch(() => {});
  }

  /** Undefined where there is nothing to compare it with yet. */
  async function queryVector(text: string, signal: AbortSignal | undefined): Promise<readonly number[] | undefined> {
    const stored = await passages.read(async ({ variant }) => ({ vectors: variant }));
    if (!stored || !embeddings) return undefined;
    checkKind(stored.vectors, { model: embeddings.model }, about);
    const [vector = []] = await embeddings.embed([text], signal && { signal });
    checkKind(stored.vectors, { model: embeddings.model, dimensions: vector.length }, about);
    return vector;
  }
}
