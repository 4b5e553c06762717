import { parentPort } from "node:worker_threads";
import type { NearestQuery, Row, SqlQuery } from "./port.js";
import { type SqliteReader, sqliteReader } from "./sqlite-reader.js";

/** A numbered request to the thread that reads SQLite files. */
export type WorkerRequest = { id: number; path: string } & (
  | { read: readonly (SqlQuery | NearestQuery)[] }
  | { check: true }
  | { backup: string }
  | { close: true }
);
export type WorkerReply = { id: number } & ({ result: Row[][] | string[] | undefined } | { error: WorkerFault });

/** The parts of an error that can be sent in a message. */
export interface WorkerFault {
  message: string;
  /** SQLite's result code. */
  code: number | undefined;
}

const readers = new Map<string, SqliteReader>();

function answer(asked: WorkerRequest) {
  const reader = readers.get(asked.path) ?? sqliteReader(asked.path);
  readers.set(asked.path, reader);
  if ("read" in asked) return reader.read(asked.read);
  if ("check" in asked) return reader.check();
  if ("backup" in asked) return void reader.backup(asked.backup);
  readers.delete(asked.path);
  return reader.close() as undefined;
}

parentPort?.on("message", (asked: WorkerRequest) => {
  const { id } = asked;
  try {
    parentPort?.postMessage({ id, result: answer(asked) } satisfies WorkerReply);
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    parentPort?.postMessage({ id, error: { message, code: errcode } } satisfies WorkerReply);
  }
});
