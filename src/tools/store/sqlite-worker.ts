import { parentPort } from "node:worker_threads";
import type { NearestQuery, Query, Row } from "./port.js";
import { type SqliteReader, sqliteReader } from "./sqlite-reader.js";

/** What the thread that reads SQLite files is asked, with the number of the question. */
export type Asked = { id: number; path: string } & (
  | { read: readonly (Query | NearestQuery)[] }
  | { check: true }
  | { backup: string }
  | { close: true }
);
export type Replied = { id: number } & ({ result: Row[][] | string[] | undefined } | { error: Fault });

/** An error without what a message cannot carry. */
export interface Fault {
  message: string;
  /** SQLite's result code. */
  code: number | undefined;
}

const readers = new Map<string, SqliteReader>();

function answer(asked: Asked) {
  const reader = readers.get(asked.path) ?? sqliteReader(asked.path);
  readers.set(asked.path, reader);
  if ("read" in asked) return reader.read(asked.read);
  if ("check" in asked) return reader.check();
  if ("backup" in asked) return void reader.backup(asked.backup);
  readers.delete(asked.path);
  return reader.close() as undefined;
}

parentPort?.on("message", (asked: Asked) => {
  const { id } = asked;
  try {
    parentPort?.postMessage({ id, result: answer(asked) } satisfies Replied);
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    parentPort?.postMessage({ id, error: { message, code: errcode } } satisfies Replied);
  }
});
