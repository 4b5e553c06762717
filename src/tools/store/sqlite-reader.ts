import { statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { toError } from "../../errors.js";
import type { Language } from "../../types/language.js";
import {
  type Dialect,
  LANGUAGES,
  type NearestQuery,
  type Row,
  type SqlQuery,
  STORE_VERSION,
  type Value,
} from "./port.js";
import { cosineOf, floatsIn, packed, type Signs, signsOf, unpacked } from "./signs.js";

/** Reads a SQLite file, in its own thread or in the caller's. */
export interface SqliteReader {
  /** Runs queries on one snapshot of the file. Without a file there are no rows. */
  read(queries: readonly (SqlQuery | NearestQuery)[]): Row[][];
  check(): string[];
  backup(file: string): void;
  close(): void;
}

/** Reads a file through its own connection, which is reopened when the file is replaced. */
export function sqliteReader(path: string): SqliteReader {
  let opened: { file: number; connection: DatabaseSync; reader: SqliteReader; once?: boolean } | undefined;

  const current = (): SqliteReader | undefined => {
    const file = statSync(path, { throwIfNoEntry: false })?.ino;
    if (opened && (opened.file !== file || opened.once)) close();
    if (file === undefined) return undefined;
    if (opened) return opened.reader;
    const use = (connection: DatabaseSync, once = false): SqliteReader | undefined => {
      try {
        const made = connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
        // Another process has created the file, but not yet its tables.
        if (!made) return void connection.close();
        if (connection.prepare("PRAGMA user_version").get()?.user_version !== STORE_VERSION)
          throw new OtherVersionError();
        connection.exec("PRAGMA query_only = 1; PRAGMA cache_size = -64000");
        opened = { file, connection, reader: readerOf(connection), once };
        return opened.reader;
      } catch (error) {
        connection.close();
        throw error;
      }
    };
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    try {
      // Not read-only, since the last connection that closes must empty the write-ahead log.
      return use(new DatabaseSync(path, { timeout: READER_PATIENCE }));
    } catch (error) {
      // On a full or write-protected disk, the file that readers share cannot be created. Without a log, nobody is
      // writing.
      const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      if (!/disk I\/O|unable to open|readonly|full/.test(`${error}`) || log > 0) throw error;
      const url = pathToFileURL(path);
      url.search = "immutable=1";
      return use(new DatabaseSync(url, { readOnly: true }), true);
    }
  };
  const close = () => {
    opened?.connection.close();
    opened = undefined;
  };

  return {
    read: (queries) => current()?.read(queries) ?? queries.map(() => []),
    check: () => current()?.check() ?? [],
    backup: (file) => current()?.backup(file),
    close,
  };
}

/** With the result code of SQLite for a file that does not have the expected tables. */
class OtherVersionError extends Error {
  readonly errcode = 1;
  constructor() {
    super("it was made by another version of emend");
  }
}

/** Milliseconds that a reader waits while a writer empties its log. */
const READER_PATIENCE = 10_000;

/** Reads through this connection. */
export function readerOf(connection: DatabaseSync): SqliteReader {
  const statements = preparedStatements(connection);
  let known: { key: string; signs: Signs } | undefined;
  connection.function("cosine", { deterministic: true }, (stored, question) =>
    question instanceof Uint8Array ? (cosineOf(stored, floatsIn(question)) ?? null) : null,
  );

  /** Updates the vectors in memory to this snapshot of the file. */
  const signsFor = (model: number): Signs | undefined => {
    const [found] = statements.all("SELECT dimensions FROM models WHERE n = $1", [model]);
    if (!found) return undefined;
    const means = statements.all("SELECT language, vectors, mean FROM means WHERE model = $1 ORDER BY language", [
      model,
    ]);
    const key = [model, ...means.map(({ language, vectors }) => `${language} ${vectors}`)].join();
    if (known?.key !== key) {
      const centers = LANGUAGES.map((language) => means.find((one) => one.language === language)?.mean);
      known = {
        key,
        signs: signsOf(
          Number(found.dimensions),
          centers.map((mean) => (mean instanceof Uint8Array ? floatsIn(mean) : undefined)),
        ),
      };
    }
    const { signs } = known;
    const newer = "SELECT n, language, stated, embedding FROM vectors WHERE n > $1 AND +model = $2 ORDER BY n";
    for (const { n, language, stated, embedding } of statements.each(newer, [signs.newest, model])) {
      const vector = unpacked(embedding);
      if (vector)
        signs.add({
          n: Number(n),
          language: LANGUAGES.indexOf(language as Language),
          stated: Number(stated ?? 0),
          ...vector,
        });
    }
    return signs;
  };

  const nearest = ({ model, vector, limit, among }: NearestQuery["nearest"]): [n: number, cosine: number][] => {
    let isIn: ((stated: number) => boolean) | undefined;
    if (among) {
      const allowed = new Set(statements.all(among.sql, among.values).map(({ n }) => n));
      isIn = (stated) => allowed.has(stated);
    }
    // Signs are less exact with fewer dimensions.
    const candidates = Math.max(CANDIDATES, limit * 4) * Math.max(1, Math.ceil(256 / vector.length));
    const exact = (language: number): [number, number][] => {
      for (;;) {
        const signs = signsFor(model);
        const ns = signs?.nearest(vector, language, candidates, isIn) ?? [];
        const stored = statements.all(
          "SELECT n, passage, embedding FROM vectors WHERE n IN (SELECT value FROM json_each($1))",
          [ns],
        );
        if (stored.length < ns.length) {
          const there = new Set(stored.map(({ n }) => n));
          const gone = ns.filter((n) => !there.has(n));
          // Removed vectors are detected only here. If there are many, all vectors are read again.
          if (gone.length > ns.length / 8) known = undefined;
          else signs?.drop(new Set(gone));
          continue;
        }
        return stored
          .flatMap(({ passage, embedding }): [number, number][] => {
            const cosine = cosineOf(embedding, vector);
            return cosine === undefined ? [] : [[Number(passage), cosine]];
          })
          .sort((a, b) => b[1] - a[1] || a[0] - b[0])
          .slice(0, limit);
      }
    };
    return LANGUAGES.flatMap((_, language) => exact(language));
  };

  /** Compares the index of the words of a table with the table. */
  const indexFaults = (table: string): string[] => {
    const index = `${table}_terms`;
    try {
      connection.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
      return [];
    } catch (error) {
      return [`the index of words of ${table}: ${toError(error).message}`];
    }
  };

  /** For statements that SQLite takes for writes. */
  const writable = <T>(work: () => T): T => {
    const { query_only: before } = connection.prepare("PRAGMA query_only").get() ?? {};
    connection.exec("PRAGMA query_only = 0");
    try {
      return work();
    } finally {
      connection.exec(`PRAGMA query_only = ${before}`);
    }
  };

  return {
    read(queries) {
      // A store in memory has one connection, which may be in the middle of a transaction that writes.
      const isOwn = !connection.isTransaction;
      if (isOwn) connection.exec("BEGIN");
      try {
        return queries.map((query) => {
          if (!("nearest" in query)) return statements.all(query.sql, query.values);
          const found = JSON.stringify(nearest(query.nearest));
          const { length = 0 } = query.values ?? [];
          const table = `WITH nearest (n, cosine) AS (SELECT value ->> 0, value ->> 1 FROM json_each($${length + 1}))`;
          return statements.all(`${table} ${query.sql}`, [...(query.values ?? []), found]);
        });
      } finally {
        if (isOwn) connection.exec("COMMIT");
      }
    },
    check: () => [
      ...["integrity_check(20)", "foreign_key_check"].flatMap((pragma) =>
        statements
          .all(`PRAGMA ${pragma}`)
          .map((row) => Object.values(row).join(" "))
          .filter((said) => said !== "ok"),
      ),
      ...writable(() => ["passages", "entities", "tables"].flatMap(indexFaults)),
    ],
    backup: (file) => writable(() => void connection.prepare("VACUUM INTO ?").run(file)),
    close: () => connection.close(),
  };
}

/** The least number of candidates that are compared exactly. */
const CANDIDATES = 400;

/** Prepares each statement once. Binds values to numbered parameters such as $2, which may occur in any order. */
export function preparedStatements(connection: DatabaseSync) {
  const prepared = new Map<string, { statement: StatementSync; order: readonly number[] }>();
  const bound = (sql: string, values: readonly Value[]) => {
    let one = prepared.get(sql);
    if (!one) {
      const order: number[] = [];
      const text = sql.replaceAll("emend.", "").replace(/\$(\d+)/g, (_, n) => {
        order.push(Number(n) - 1);
        return "?";
      });
      one = { statement: connection.prepare(text), order };
      if (prepared.size >= MAX_STATEMENTS) prepared.clear();
      prepared.set(sql, one);
    }
    const { statement, order } = one;
    return { statement, given: order.map((n) => plain(values[n])) };
  };
  return {
    all(sql: string, values: readonly Value[] = []): Row[] {
      const { statement, given } = bound(sql, values);
      return statement.all(...given);
    },
    each(sql: string, values: readonly Value[] = []): Iterable<Row> {
      const { statement, given } = bound(sql, values);
      return statement.iterate(...given);
    },
    run(sql: string, values: readonly Value[]): void {
      const { statement, given } = bound(sql, values);
      statement.run(...given);
    },
  };
}

const MAX_STATEMENTS = 500;

const plain = (value: Value | undefined): SQLInputValue =>
  value === undefined ? null : Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);

export const sqliteDialect: Dialect = {
  isOneOf: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,

  matching({ table, terms, limit, where }) {
    const values: Value[] = [...(where?.values ?? [])];
    // Only the quote is special inside quotes.
    values.push(terms.map(({ term }) => `"${term.replaceAll('"', '""')}"`).join(" OR "), limit);
    const [match, most] = [values.length - 1, values.length];
    const join = where ? `JOIN ${table} t ON t.n = f.rowid` : "";
    return {
      sql: `SELECT f.rowid AS n FROM ${table}_terms f ${join}
        WHERE ${table}_terms MATCH $${match} ${where ? `AND ${where.sql}` : ""} ORDER BY f.rank LIMIT $${most}`,
      values,
    };
  },

  addingUp: `ON CONFLICT (term) DO UPDATE SET passages = passages + excluded.passages, length = length + excluded.length`,

  keeping: "",
  cosine: (column, parameter) => `cosine(${column}, ${parameter})`,
  question: (vector) => new Uint8Array(new Float32Array(vector).buffer),
  stored: packed,

  read(stored) {
    const vector = unpacked(stored);
    return vector ? Array.from(vector.values, (value) => value * vector.scale) : [];
  },
};
