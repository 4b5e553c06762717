import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, rmSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { codeOf as codeIn, StoreUnavailableError, toError, UsageError } from "../../errors.js";
import { makeFile, makeFolder, makePrivate } from "./make-folder.js";
import { forgetUnused } from "./metadata.js";
import { type Database, type OpenOptions, type Row, STORE_VERSION, type Writing } from "./port.js";
import { SQLITE_SCHEMA } from "./schema.js";
import { preparedStatements, readerOf, type SqliteReader, sqliteDialect } from "./sqlite-reader.js";
import { askThread, isThreadRunning } from "./sqlite-thread.js";

/** The file of a store, in its folder. */
const FILE = "emend.db";

/**
 * A store in one SQLite file in a folder (`node:sqlite`, write-ahead log). Many processes can read it while one writes;
 * a second writer waits. Searches run in a separate thread. ":memory:" stores nothing on disk.
 */
export function sqliteDatabase(folder: string, { onWait }: OpenOptions = {}): Database {
  const inMemory = folder === ":memory:";
  const path = inMemory ? folder : resolve(folder, FILE);
  const around = new AsyncLocalStorage<Together>();
  let writer: Writer | undefined;
  let turns: Promise<unknown> = Promise.resolve();

  const open = async (): Promise<Writer> => {
    if (!inMemory) refuseOthers(folder, path);
    // If the file was deleted or replaced, writes to the old one would be lost.
    if (writer && !inMemory && writer.file !== inode(path)) {
      writer.connection.close();
      writer = undefined;
    }
    writer ??= await openWriter(path, folder);
    return writer;
  };

  /** Runs the transactions of this program one after another, since they share a connection. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turns.then(work);
    turns = mine.catch(() => {});
    return mine;
  };

  const begin = async (began: number, signal?: AbortSignal): Promise<Writer> => {
    let told = false;
    for (;;) {
      signal?.throwIfAborted();
      const opened = await open();
      try {
        opened.connection.exec("BEGIN IMMEDIATE");
        return opened;
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      const waited = performance.now() - began;
      if (waited > WRITER_PATIENCE)
        throw new StoreUnavailableError(
          `Another process has been writing to ${path} for ${Math.round(waited / 1000)} seconds. Nothing was written. Try again once it is done.`,
        );
      if (waited > 1_000 && !told) {
        told = true;
        onWait?.(`Another process is writing to ${folder}.`);
      }
      // A random delay, so that two waiting processes do not keep colliding.
      await setTimeout(5 + Math.random() * 20, undefined, { signal: signal ?? undefined }).catch(() => {});
    }
  };

  const finish = (opened: Writer | undefined, how: "COMMIT" | "ROLLBACK") => {
    // On a full disk, SQLite has already rolled the transaction back.
    if (opened?.connection.isTransaction) opened.connection.exec(how);
  };

  /** Begins, works, and commits or rolls back. */
  const transaction = <T>(work: (outer: Together) => Promise<T>): Promise<T> =>
    inTurn(async () => {
      const outer: Together = { opened: undefined, writes: [] };
      try {
        // A write that has not ended would begin the transaction later, or go on after it.
        const result = await work(outer).finally(() => Promise.allSettled(outer.writes));
        finish(outer.opened, "COMMIT");
        return result;
      } catch (error) {
        finish(outer.opened, "ROLLBACK");
        throw sqliteError(error, path);
      }
    });

  const write: Database["write"] = async (work, { signal } = {}) => {
    signal?.throwIfAborted();
    // Includes the wait for earlier transactions of this program.
    const began = performance.now();
    const run = async (outer: Together) => {
      outer.beginning ??= begin(began, signal);
      outer.opened = await outer.beginning;
      const result = await work(outer.opened.writing);
      signal?.throwIfAborted();
      return result;
    };
    const outer = around.getStore();
    if (!outer) return transaction(run);
    const written = run(outer);
    outer.writes.push(written);
    return written;
  };

  /** Reads through the connection that writes, which is the only one of a store in memory. */
  const direct = async () => {
    const opened = await open();
    opened.reader ??= readerOf(opened.connection);
    return opened.reader;
  };

  const database: Database = {
    name: folder,
    dialect: sqliteDialect,

    async read(queries, { signal } = {}) {
      signal?.throwIfAborted();
      if (!inMemory) refuseOthers(folder, path);
      try {
        if (inMemory) {
          const read = async () => (await direct()).read(queries);
          return await (around.getStore() ? read() : inTurn(read));
        }
        return (await askThread({ path, read: queries }, signal)) as Row[][];
      } catch (error) {
        signal?.throwIfAborted();
        throw sqliteError(error, path);
      }
    },

    write,
    together: (work) => (around.getStore() ? work() : transaction((outer) => around.run(outer, work))),
    exists: async () => inMemory || existsSync(path),

    async tidy() {
      if (!inMemory && !existsSync(path)) return;
      // Waits only briefly: another writer tidies when it is done.
      await forgetUnused(database, AbortSignal.timeout(TIDYING));
      // Without `optimize`: its statistics become those of a smaller store, and a reader keeps the ones that it opened
      // with. By such statistics, a search by words read all passages.
      await inTurn(async () => (await open()).connection.exec("PRAGMA wal_checkpoint(PASSIVE)"));
    },

    async check() {
      if (!inMemory) refuseOthers(folder, path);
      try {
        if (inMemory) return (await direct()).check();
        return (await askThread({ path, check: true })) as string[];
      } catch (error) {
        if (isDamage(error)) return [toError(error).message];
        throw sqliteError(error, path);
      }
    },

    async backup(file) {
      refuseOthers(folder, path);
      if (!existsSync(path)) throw new UsageError(`There is no store in ${folder}.`);
      const to = resolve(file);
      // SQLite fills an empty file and keeps its mode.
      if (!makeCopy(to)) throw new UsageError(`The file ${file} already exists. Name a new one.`);
      try {
        await askThread({ path, backup: to });
      } catch (error) {
        rmSync(to, { force: true });
        throw sqliteError(error, path);
      }
    },

    async close() {
      await turns;
      // The reader closes first. The last connection that closes empties the log, so it must be able to write.
      if (!inMemory && isThreadRunning()) await askThread({ path, close: true }).catch(() => {});
      writer?.connection.close();
      writer = undefined;
    },
  };
  return database;
}

/** As `makeFile`. @throws StoreUnavailableError if no file can be made there. */
function makeCopy(file: string): boolean {
  try {
    return makeFile(file);
  } catch (error) {
    throw new StoreUnavailableError(`The copy ${file} cannot be written (${codeIn(error)}). Name another file.`, {
      cause: error,
    });
  }
}

/** A transaction that others join. */
interface Together {
  beginning?: Promise<Writer>;
  opened: Writer | undefined;
  /** The writes that joined it. */
  writes: Promise<unknown>[];
}

interface Writer {
  connection: DatabaseSync;
  file: number | undefined;
  writing: Writing;
  reader?: SqliteReader;
}

/** @throws StoreUnavailableError if the path cannot hold a store. */
function refuseOthers(folder: string, path: string): void {
  try {
    statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    const isBelowFile = code === "ENOTDIR";
    const above = isBelowFile && ancestors(path).find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
    throw new StoreUnavailableError(
      above
        ? `${relative(".", above) || above} is a file, not a store. Name another folder with --store or EMEND_STORE.`
        : `The store ${folder} cannot be read (${code}). Check its permissions, or name another folder with --store or EMEND_STORE.`,
      { cause: error },
    );
  }
}

const ancestors = (path: string): string[] =>
  dirname(path) === path ? [] : [dirname(path), ...ancestors(dirname(path))];

async function openWriter(path: string, folder: string): Promise<Writer> {
  if (path !== ":memory:")
    await makeFolder(dirname(path)).catch((error: NodeJS.ErrnoException) => {
      throw new StoreUnavailableError(
        `No store can be made in ${folder} (${error.code}). Check its permissions, or name another folder with --store or EMEND_STORE.`,
        { cause: error },
      );
    });
  if (path !== ":memory:") {
    // Made before SQLite opens it: SQLite gives its other files the same mode. Closing a file later would drop its locks.
    await makeStore(path);
  }
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const connection = new DatabaseSync(path, { timeout: OPENING, enableForeignKeyConstraints: true });
  try {
    connection.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -64000; PRAGMA wal_autocheckpoint = 4000",
    );
    makeTables(connection, folder);
    // `begin` waits between attempts. Waiting inside SQLite would block the event loop.
    connection.exec("PRAGMA busy_timeout = 0");
  } catch (error) {
    connection.close();
    throw error;
  }
  const statements = preparedStatements(connection);
  const writing: Writing = {
    all: async (sql, values) => statements.all(sql, values),
    async insert(table, rows, conflict = "") {
      const columns = Object.keys(rows[0] ?? {});
      if (columns.length === 0) return;
      const places = columns.map((_, i) => `$${i + 1}`);
      const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places.join(", ")}) ${conflict}`;
      for (const row of rows) statements.run(sql, Object.values(row));
    },
    lock: async () => {},
  };
  return { connection, file: path === ":memory:" ? undefined : inode(path), writing };
}

/** Creates the file of a new store, and makes what emend wrote into its folder private. Leaves errors to SQLite. */
async function makeStore(path: string): Promise<void> {
  try {
    if (!existsSync(path)) makeFile(path);
  } catch {}
  const pages = await readdir(resolve(path, "../pages")).catch(() => []);
  const own = [...OWN, ...(pages.every((name) => /\.(?:page|unfinished)$/.test(name)) ? ["pages"] : [])];
  await makePrivate(dirname(path), (name) => own.includes(name));
}

/** What emend writes into the folder of a store, apart from the cached pages. */
const OWN = [FILE, `${FILE}-wal`, `${FILE}-shm`, `${FILE}-journal`, "unread.txt", "scans", "sites.json"];

/** Creates the tables of a new store. @throws StoreUnavailableError if another version of emend made the store. */
function makeTables(connection: DatabaseSync, folder: string): void {
  const version = () => Number(connection.prepare("PRAGMA user_version").get()?.user_version);
  if (version() === STORE_VERSION) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have created them by now.
    const made = version();
    if (made === 0) connection.exec(SQLITE_SCHEMA);
    else if (made !== STORE_VERSION)
      throw new StoreUnavailableError(
        `The store in ${folder} was made by another version of emend. Use that one, or name another folder and ingest the documents again.`,
      );
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

const inode = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino;

/** Milliseconds that a write waits for another process. */
const WRITER_PATIENCE = 20_000;
/** Milliseconds that tidying may take, including the wait for another process. */
const TIDYING = 1_000;
/** Milliseconds that creating the tables waits for another process. */
const OPENING = 10_000;

const codeOf = (error: unknown): number => {
  const code = typeof error === "object" && error !== null && "errcode" in error ? Number(error.errcode) : 0;
  return code & 0xff;
};
const isBusy = (error: unknown) => codeOf(error) === 5 || codeOf(error) === 6;
const isDamage = (error: unknown) => codeOf(error) === 11 || codeOf(error) === 26;

/** Turns an error of SQLite or the system into one line that says what to do. Returns other errors unchanged. */
function sqliteError(error: unknown, path: string): Error {
  const fault = toError(error);
  const code = codeOf(error);
  const system = "code" in fault ? `${fault.code}` : "";
  if (code === 0 && system !== "ERR_SQLITE_ERROR") return fault;
  const remedy = REMEDIES[code] ?? "Check the file, its folder and their permissions.";
  return new StoreUnavailableError(`The store ${path} cannot be used: ${fault.message}. ${remedy}`, { cause: error });
}

/** By SQLite's result codes. */
const REMEDIES: Readonly<Record<number, string>> = {
  1: "Was the file made by another program? Move it away, or name another folder and ingest the documents again.",
  5: "Another process is writing. Try again once it is done.",
  6: "Another process is writing. Try again once it is done.",
  8: "Check the permissions of the file and its folder.",
  10: "The disk cannot be read or written. Is it full or damaged?",
  11: "The file is damaged: see emend doctor. Put a backup in its place, or delete it and ingest the documents again.",
  13: "The disk is full. Free some space; what was stored before is untouched.",
  14: "Check that the folder exists, and its permissions, or name another folder with --store or EMEND_STORE.",
  26: "The file is not a store of emend, or it is damaged. Put a backup in its place, move it away, or name another folder.",
};
