import { StoreUnavailableError } from "../../errors.js";
import { check, exactly, part } from "../../options.js";
import { hasWords } from "../../text/tokens.js";
import type { Passage } from "../../types/evidence.js";
import type { Filter } from "../../types/filter.js";
import { Language } from "../../types/language.js";
import type { Embeddings } from "../encoder/port.js";
import { editsIn, meeting, noteEdit } from "../store/metadata.js";
import { aDatabase, type Database, type Row, type SqlQuery, type Value, type Writing } from "../store/port.js";
import { HEAD_COLUMNS, HEAD_TABLES, tableOf } from "../store/tables.js";
import type { DocumentHead, Documents, StoreDescription } from "./port.js";
import { candidatesFor } from "./rank.js";
import { COLUMNS, headsOf, passageOf, TABLES, titledText } from "./sql-rows.js";
import { countsIn, countsQuery, searched } from "./sql-search.js";
import { ensureModel, keepVectors, modelIn, modelQuery, unit } from "./sql-vectors.js";
import { deleteDocuments, type Made, replaceDocuments, restateDocuments } from "./sql-write.js";
import { passageTerms, passageText, tableTerms } from "./terms.js";

export interface SqlDocumentsOptions {
  /** Enables vector search. Until `embed` is called, a store with vectors of another model is searched by words. */
  embeddings?: Embeddings | undefined;
}

const Given = exactly({ database: aDatabase, embeddings: part<Embeddings>("embed").optional() });

/**
 * Stores documents in a database (`openDatabase`). Searches by BM25 over analysed terms, reranked by phrases, and by
 * vectors if embeddings are given. Leaves out passages whose text does not match its checksum, such as after a flipped
 * bit. `close` closes the database.
 */
export function sqlDocuments(database: Database, options: SqlDocumentsOptions = {}): Documents {
  check(Given, { ...options, database });
  const { embeddings } = options;
  const { dialect } = database;
  let hasWritten = false;
  let stated: { edits: string; heads: Promise<DocumentHead[]> } | undefined;

  const one = async (query: SqlQuery, signal?: AbortSignal): Promise<Row[]> =>
    (await database.read([query], { signal }))[0] ?? [];

  return {
    async upsert(given, { signal, embed = false, tables = [] } = {}) {
      const passages = [...new Map(given.map((passage) => [passage.id, passage])).values()];
      if (passages.length === 0) return;
      signal?.throwIfAborted();
      // Done before the transaction, which keeps others from writing.
      const analysed = passages.map((passage) => ({ passage, terms: passageTerms(passage) }));
      const found = tables.map((table) => ({ table, terms: tableTerms(table) }));
      const made = embed ? await newVectors(passages, signal) : undefined;
      await database.write((to) => replaceDocuments(to, dialect, analysed, found, made), { signal });
      hasWritten = true;
    },

    async restate(changes, { signal } = {}) {
      if (changes.length === 0 || !(await database.exists())) return;
      await database.write((to) => restateDocuments(to, dialect, changes), { signal });
    },

    async embed({ signal, onProgress } = {}) {
      if (!embeddings) return;
      const { identity } = embeddings;
      const model = modelIn(await one(modelQuery(identity)))?.n ?? 0;
      const [left] = await one({
        sql: `SELECT (SELECT count(*) FROM emend.passages)
          - (SELECT count(*) FROM emend.vectors WHERE model = $1) AS passages`,
        values: [model],
      });
      const total = Number(left?.passages ?? 0);
      let last = 0;
      let first: number | undefined;
      // The first batches are small, so that progress shows soon.
      for (let done = 0, size = FIRST_BATCH; ; size = Math.min(size * 2, EMBED_BATCH)) {
        onProgress?.(done, Math.max(done, total));
        signal?.throwIfAborted();
        const pending = await unembedded(identity, last, size);
        if (pending.length === 0) {
          if (last === 0) return;
          // Passages before this one may have lost their vectors, or become visible only now, as others write too.
          last = 0;
          continue;
        }
        if (last === 0 && pending[0]?.n === first)
          throw new StoreUnavailableError("The store does not keep the vectors of some passages. Run emend doctor.");
        if (last === 0) first = pending[0]?.n;
        const vectors = await embeddings.embed(pending.map(passageText), { as: "passage", signal });
        if (vectors.length !== pending.length || vectors.some(({ length }) => length === 0))
          throw new StoreUnavailableError(
            `The model ${identity} gave ${vectors.filter(({ length }) => length > 0).length} vectors for ${pending.length} passages, so these are not embedded. Try again, or set another model.`,
          );
        const isNew = await database.write((to) => keepEmbedded(to, pending, vectors.map(unit)), { signal });
        hasWritten = true;
        done += pending.length;
        // With a new model, earlier passages may have lost vectors of another length, so start again.
        last = isNew ? 0 : (pending.at(-1)?.n ?? last);
        if (isNew) first = undefined;
      }
    },

    async remove(documentIds, { signal } = {}) {
      if (documentIds.length === 0 || !(await database.exists())) return 0;
      const ids = [...new Set(documentIds)];
      const removed = await database.write((to) => deleteDocuments(to, dialect, ids), { signal });
      hasWritten ||= removed > 0;
      return removed;
    },

    async search({ text, mode = "hybrid", exclude = [], filter = [] }, limit, { signal } = {}) {
      const candidates = candidatesFor(limit);
      signal?.throwIfAborted();
      if (!hasWords(text)) return [];
      const asksMeaning = embeddings && mode !== "fullText" ? [modelQuery(embeddings.identity)] : [];
      const [counted = [], known = []] = await database.read([countsQuery(database, text), ...asksMeaning], { signal });
      const model = modelIn(known);
      const [vector] = model ? ((await embeddings?.embed([text], { as: "question", signal })) ?? []) : [];
      signal?.throwIfAborted();
      // If the length differs, the name now stands for another model.
      const isComparable = model && vector?.length === model.dimensions;
      return searched(database, {
        text,
        mode,
        exclude: new Set(exclude),
        filter,
        counts: countsIn(counted),
        meaning: isComparable ? { model, vector: unit(vector) } : undefined,
        candidates,
        limit,
        signal,
      });
    },

    async get(ids, { filter = [] } = {}) {
      if (ids.length === 0) return [];
      const passages = await passagesWhere({
        where: dialect.isOneOf("p.id", "$1"),
        values: [[...new Set(ids)]],
        filter,
      });
      const byId = new Map(passages.map((passage) => [passage.id, passage]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    neighbours: (id, distance = 1, { filter = [] } = {}) =>
      passagesWhere({
        join: "JOIN emend.passages m ON m.id = $1 AND m.document = p.document",
        where: "p.n <> m.n AND p.position BETWEEN m.position - $2 AND m.position + $2",
        values: [id, distance],
        filter,
        order: "p.position",
      }),

    async find(words, limit, { filter = [], signal } = {}) {
      const values = patternsOf(words);
      if (values.length === 0) return [];
      const text = "lower(p.title || ' ' || p.section || ' ' || p.text)";
      const where = `(${values.map((_, i) => `${text} LIKE $${i + 1} ESCAPE '!'`).join(" OR ")})`;
      const order = `d.id, p.position LIMIT ${Math.min(MAX_FOUND, Math.max(1, Math.floor(limit)))}`;
      return passagesWhere({ where, values, filter, order, signal });
    },

    open: (documentId, { filter = [], signal } = {}) =>
      passagesWhere({ where: "d.id = $1", values: [documentId], filter, order: "p.position", signal }),

    contents(limit, { filter = [], signal } = {}) {
      const order = `d.id LIMIT ${Math.min(MAX_LISTED, Math.max(1, Math.floor(limit)))}`;
      return passagesWhere({ where: "p.position = 0", values: [], filter, order, signal });
    },

    async embedded(ids) {
      if (ids.length === 0 || !embeddings) return [];
      const rows = await one({
        sql: `SELECT p.id FROM emend.vectors v JOIN emend.models m ON m.n = v.model AND m.identity = $1
          JOIN emend.passages p ON p.n = v.passage WHERE ${dialect.isOneOf("p.id", "$2")}`,
        values: [embeddings.identity, [...ids]],
      });
      const found = new Set(rows.map((row) => row.id));
      return ids.filter((id) => found.has(id));
    },

    isEmpty: async () => (await one({ sql: "SELECT n FROM emend.passages LIMIT 1" })).length === 0,

    async list() {
      const rows = await one({
        sql: `SELECT d.id, d.hash, counted.passages FROM emend.documents d
          JOIN (SELECT document, count(*) AS passages FROM emend.passages GROUP BY document) counted
          ON counted.document = d.n`,
      });
      return rows
        .map(({ id, hash, passages }) => ({ documentId: `${id}`, hash: `${hash}`, passages: Number(passages) }))
        .sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
    },

    async heads() {
      const edits = await editsIn(database);
      if (stated?.edits !== edits) {
        const heads = headsOf(database);
        stated = { edits, heads };
        // Failures are not cached.
        heads.catch(() => (stated = undefined));
      }
      return stated.heads;
    },

    async describe() {
      const [byLanguage = [], byModel = [], [edit] = [], [tables] = []] = await database.read([
        { sql: "SELECT language, count(*) AS passages FROM emend.passages GROUP BY language" },
        {
          sql: `SELECT m.identity, count(*) AS vectors FROM emend.vectors v JOIN emend.models m ON m.n = v.model
            GROUP BY m.identity`,
        },
        { sql: "SELECT at FROM emend.edits ORDER BY n DESC LIMIT 1" },
        { sql: "SELECT count(*) AS tables FROM emend.tables" },
      ]);
      const languages: StoreDescription["languages"] = { en: 0, zh: 0, other: 0 };
      for (const { language, passages } of byLanguage) languages[Language.parse(language)] = Number(passages);
      const sum = (rows: readonly Row[]) => rows.reduce((total, { vectors }) => total + Number(vectors), 0);
      const own = sum(byModel.filter(({ identity }) => identity === embeddings?.identity));
      return {
        languages,
        tables: Number(tables?.tables ?? 0),
        embedded: own,
        embeddedByOthers: sum(byModel) - own,
        writtenAt: `${edit?.at ?? ""}`,
      };
    },

    async damaged({ signal } = {}) {
      const passages = `SELECT p.n, ${COLUMNS}, v.embedding FROM ${TABLES} LEFT JOIN emend.vectors v ON v.passage = p.n
        WHERE p.n > $1 ORDER BY p.n LIMIT ${CHECKED}`;
      const tables = `SELECT t.n, ${HEAD_COLUMNS}, t.content FROM ${HEAD_TABLES} WHERE t.n > $1 ORDER BY t.n LIMIT ${TABLES_CHECKED}`;
      const isWhole = (row: Row) =>
        passageOf(row).length > 0 && (row.embedding === null || dialect.read(row.embedding).length > 0);
      const isTableWhole = (row: Row) => tableOf(row).length > 0;
      const found = new Set<string>();
      for (const [sql, passes] of [
        [passages, isWhole],
        [tables, isTableWhole],
      ] as const)
        for (let last = 0, rows: Row[] = []; ; last = Number(rows.at(-1)?.n)) {
          signal?.throwIfAborted();
          rows = await one({ sql, values: [last] }, signal);
          if (rows.length === 0) break;
          for (const row of rows) if (!passes(row)) found.add(`${row.document}`);
        }
      return [...found];
    },

    together: (work) => database.together(work),
    tidy,

    async close() {
      if (hasWritten) await tidy();
      await database.close();
    },
  };

  /** Returns the passages that meet a condition and a filter, without damaged ones. */
  async function passagesWhere({ join = "", where, values, filter, order, signal }: Condition): Promise<Passage[]> {
    const met = meeting(filter, dialect, "p", values.length + 1);
    const sql = `SELECT ${COLUMNS} FROM ${TABLES} ${join} WHERE ${where} ${met ? `AND ${met.sql}` : ""}
      ${order ? `ORDER BY ${order}` : ""}`;
    const rows = await one({ sql, values: [...values, ...(met?.values ?? [])] }, signal);
    return rows.flatMap(passageOf);
  }

  /** Ignores failures: no data is lost, and the next writer tries again. */
  async function tidy(): Promise<void> {
    hasWritten = false;
    await database.tidy().catch(() => {});
  }

  /** Embeds the texts that have no vector yet in the same documents. */
  async function newVectors(passages: readonly Passage[], signal: AbortSignal | undefined): Promise<Made | undefined> {
    if (!embeddings) return undefined;
    const rows = await one({
      sql: `SELECT p.title, p.section, p.text FROM emend.vectors v JOIN emend.models m ON m.n = v.model AND m.identity = $1
        JOIN emend.passages p ON p.n = v.passage JOIN emend.documents d ON d.n = p.document
        WHERE ${dialect.isOneOf("d.id", "$2")}`,
      values: [embeddings.identity, [...new Set(passages.map(({ documentId }) => documentId))]],
    });
    const known = new Set(rows.map((row) => passageText(titledText(row))));
    const texts = [...new Set(passages.map(passageText))].filter((text) => !known.has(text));
    const vectors = texts.length > 0 ? await embeddings.embed(texts, { as: "passage", signal }) : [];
    const { identity } = embeddings;
    return { identity, vectors: new Map(texts.map((text, i) => [text, unit(vectors[i] ?? [])])) };
  }

  /** Returns the next passages without a vector of the model, oldest first. */
  async function unembedded(identity: string, last: number, limit: number): Promise<Pending[]> {
    const rows = await one({
      sql: `SELECT p.n, p.language, p.stated, p.title, p.section, p.text FROM emend.passages p
        WHERE p.n > $1 AND NOT EXISTS (
          SELECT 1 FROM emend.vectors v JOIN emend.models m ON m.n = v.model WHERE v.passage = p.n AND m.identity = $2
        ) ORDER BY p.n LIMIT $3`,
      values: [last, identity, limit],
    });
    return rows.map((row) => ({
      n: Number(row.n),
      language: Language.parse(row.language),
      stated: row.stated === null ? null : Number(row.stated),
      ...titledText(row),
    }));
  }

  /** Stores the vectors of passages that still exist. Returns true if they are the first of the model. */
  async function keepEmbedded(to: Writing, pending: readonly Pending[], vectors: readonly (readonly number[])[]) {
    const { n: model, isNew } = await ensureModel(to, embeddings?.identity ?? "", vectors[0]?.length ?? 0);
    const rows = await to.all(`SELECT n FROM emend.passages WHERE ${dialect.isOneOf("n", "$1")} ${dialect.keeping}`, [
      pending.map(({ n }) => n),
    ]);
    const there = new Set(rows.map(({ n }) => Number(n)));
    const found = pending.flatMap(({ n, language, stated }, i) => {
      const vector = vectors[i];
      return vector && there.has(n) ? [{ passage: n, model, language, stated, embedding: dialect.stored(vector) }] : [];
    });
    await keepVectors(to, dialect, found);
    await noteEdit(to);
    return isNew;
  }
}

/** What `passagesWhere` selects, in SQL. Its parameters come before those of the filter. */
interface Condition {
  join?: string;
  where: string;
  values: readonly Value[];
  filter: Filter;
  order?: string;
  signal?: AbortSignal | undefined;
}

/** A passage to embed. */
interface Pending {
  n: number;
  language: Language;
  stated: number | null;
  title: string;
  section: string;
  text: string;
}

/**
 * Returns the patterns for LIKE of exact words, with "!" as the escape. A space stands for any one character, since lines
 * are broken anywhere.
 */
const patternsOf = (words: string): string[] =>
  words
    .slice(0, MAX_WORDS)
    .split("|")
    .map((one) => one.trim().replace(/\s+/g, " "))
    .filter(hasWords)
    .slice(0, MAX_PATTERNS)
    .flatMap(inEachCase)
    .map((one) => {
      const [first = "", ...rest] = one
        .split("*")
        .map((part) => part.replace(/[!%_]/g, "!$&").replaceAll(" ", "_"))
        .filter((part) => part !== "");
      return `%${[first, ...rest.slice(0, MAX_GAPS)].join("%")}%`;
    });

/** SQLite ignores the case of ASCII letters alone. */
const inEachCase = (words: string): string[] => {
  const lower = words.toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
  return /^[\x00-\x7f]*$/.test(words) ? [lower] : [...new Set([lower, words, capitalised(lower), words.toUpperCase()])];
};

const capitalised = (text: string) => text.replace(/(?<!\S)\S/gu, (letter) => letter.toUpperCase());

/** Each pattern is compared with the whole store, and each gap multiplies the work. */
const MAX_WORDS = 200;
const MAX_PATTERNS = 6;
const MAX_GAPS = 3;
const MAX_FOUND = 200;
const MAX_LISTED = 1_000;

/** The number of passages, and of tables, in a batch that is checked for damage. */
const CHECKED = 1_000;
const TABLES_CHECKED = 20;

/** The number of passages in a batch, which grows from the first number to the second: a few seconds of work. */
const FIRST_BATCH = 8;
const EMBED_BATCH = 128;
