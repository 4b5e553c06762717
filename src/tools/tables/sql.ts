import { TableQueryError } from "../../errors.js";
import { namedTables } from "../../tables/named-tables.js";
import type { Filter } from "../../types/filter.js";
import type { Table, TableHead } from "../../types/table.js";
import { bestFirst, timesIn } from "../documents/rank.js";
import { countsIn, countsQuery, inverseFrequencyIn, rarest, type TermCounts } from "../documents/sql-search.js";
import { FIELD, queryTerms } from "../documents/terms.js";
import { meeting } from "../store/metadata.js";
import type { Database, Row, SqlQuery } from "../store/port.js";
import { HEAD_COLUMNS, HEAD_TABLES, headOf, tableOf } from "../store/tables.js";
import { computed } from "./computed.js";
import type { Tables } from "./port.js";

/** The tables of the documents in a database (`openDatabase`). Leaves out tables that do not match their checksums. */
export function sqlTables(database: Database): Tables {
  const { dialect } = database;

  return {
    async search(question, limit, { near = [], filter = [], signal } = {}) {
      const [counted = []] = await database.read([countsQuery(database, question)], { signal });
      const counts = countsIn(counted);
      const queries = [wordsQuery(database, question, counts, filter), nearQuery(database, near, filter)];
      const rows = await database.read(
        queries.filter((query) => query !== undefined),
        { signal },
      );
      return ranked(question, counts, near, rows.flat()).values().flatMap(headOf).take(limit).toArray();
    },

    heads: async (ids, options) => inOrder(ids, (await rowsOf(ids, HEAD_COLUMNS, options)).flatMap(headOf)),
    get: tablesOf,

    async query(sql, ids, options = {}) {
      const heads = inOrder(ids, (await rowsOf(ids, HEAD_COLUMNS, options)).flatMap(headOf));
      // The names of the others would be those of other tables.
      if (heads.length < ids.length)
        throw new TableQueryError("One of these tables is no longer in the store, or may not be seen.", false);
      const wanted = namedTables(heads).filter(({ name }) => inLowerCase(sql).includes(inLowerCase(name)));
      const read = await tablesOf(
        wanted.map(({ table }) => table.id),
        options,
      );
      if (read.length < wanted.length)
        throw new TableQueryError("The rows of one of these tables are damaged in the store, or gone.", false);
      const byId = new Map(read.map((table) => [table.id, table]));
      // The others are only named, in errors.
      const named = namedTables(
        heads.map((head) => byId.get(head.id) ?? { ...head, cells: [], values: [], passages: [] }),
      );
      return computed(sql, named, options.signal);
    },
  };

  async function tablesOf(ids: readonly string[], options?: Reading): Promise<Table[]> {
    return inOrder(ids, (await rowsOf(ids, `${HEAD_COLUMNS}, t.content`, options)).flatMap(tableOf));
  }

  async function rowsOf(ids: readonly string[], columns: string, { filter = [], signal }: Reading = {}) {
    if (ids.length === 0) return [];
    const met = meeting(filter, dialect, "t", 2);
    const sql = `SELECT ${columns} FROM ${HEAD_TABLES} WHERE ${dialect.isOneOf("t.id", "$1")} ${met ? `AND ${met.sql}` : ""}`;
    const [rows = []] = await database.read([{ sql, values: [[...new Set(ids)], ...(met?.values ?? [])] }], { signal });
    return rows;
  }
}

/** As SQLite compares names. */
const inLowerCase = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

interface Reading {
  filter?: Filter;
  signal?: AbortSignal;
}

const inOrder = <T extends TableHead>(ids: readonly string[], found: readonly T[]): T[] => {
  const byId = new Map(found.map((table) => [table.id, table]));
  return ids.flatMap((id) => byId.get(id) ?? []);
};

/** Finds tables by the words of a question, as passages are found. Undefined if no document has one of them. */
function wordsQuery({ dialect }: Database, question: string, counts: TermCounts, filter: Filter): SqlQuery | undefined {
  const terms = rarest(queryTerms(question), counts);
  if (terms.length === 0) return undefined;
  const weight = inverseFrequencyIn(counts);
  const { sql, values } = dialect.matching({
    table: "tables",
    terms: terms.map((term) => ({ term, weight: weight(term) })),
    limit: CANDIDATES,
    where: meeting(filter, dialect, "t", 1),
  });
  return {
    sql: `WITH found AS (${sql}) SELECT ${HEAD_COLUMNS}, t.terms
      FROM found JOIN ${HEAD_TABLES.replace("emend.tables t", "emend.tables t ON t.n = found.n")}`,
    values,
  };
}

/** Finds the tables of documents. */
function nearQuery({ dialect }: Database, documents: readonly string[], filter: Filter): SqlQuery | undefined {
  if (documents.length === 0) return undefined;
  const met = meeting(filter, dialect, "t", 2);
  return {
    sql: `SELECT ${HEAD_COLUMNS}, t.terms FROM ${HEAD_TABLES}
      WHERE ${dialect.isOneOf("d.id", "$1")} ${met ? `AND ${met.sql}` : ""} ORDER BY t.n LIMIT ${CANDIDATES}`,
    values: [[...new Set(documents)], ...(met?.values ?? [])],
  };
}

const CANDIDATES = 60;

/**
 * Ranks tables by the share of the question's terms that they have, by weight, and by where a search found their document.
 * A term counts once, and less in a cell than in a name or a heading.
 */
function ranked(question: string, counts: TermCounts, near: readonly string[], rows: readonly Row[]): Row[] {
  const weight = inverseFrequencyIn(counts);
  const asked = queryTerms(question).map((term) => [term, weight(term)] as const);
  const all = asked.reduce((sum, [, weight]) => sum + weight, 0) || 1;
  const places = new Map(near.map((documentId, place) => [documentId, place]));
  const scoreOf = ({ terms, document }: Row) => {
    const [names = "", headings = "", cells = ""] = `${terms}`.split(FIELD);
    const has = (field: string, term: string) => timesIn(field.trim(), term) > 0;
    const worth = (term: string) => (has(names, term) || has(headings, term) ? 1 : has(cells, term) ? IN_CELLS : 0);
    const words = asked.reduce((sum, [term, weight]) => sum + weight * worth(term), 0) / all;
    const place = places.get(`${document}`);
    // A question that says the whole name of a table means it.
    const own = names
      .trim()
      .split(" ")
      .filter((term) => term !== "");
    const isNamed = own.length > 0 && own.every((term) => asked.some(([one]) => one === term));
    return (isNamed ? NAMED : 0) + words + (place === undefined ? 0 : NEAR * (1 - place / (2 * near.length)));
  };
  const scored = new Map(rows.map((row) => [`${row.id}`, { id: `${row.id}`, score: scoreOf(row), row }]));
  return [...scored.values()].sort(bestFirst).map(({ row }) => row);
}

const NAMED = 0.3;
const IN_CELLS = 0.7;
/** What the tables of the best document are worth, in shares of the question. */
const NEAR = 0.2;
