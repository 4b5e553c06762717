import { mkdir } from "node:fs/promises";
import type { Connection, Table } from "@lancedb/lancedb";
import { StoreUnavailableError, UsageError } from "../../errors.js";
import {
  makeTable,
  openTable,
  TABLE,
  tableThere,
  unreadable,
  unwritable,
  type VectorKind,
  vectorKind,
} from "./table-folder.js";
import { writeLock } from "./write-lock.js";

/** One version of the table: what is read through it is of one moment, whatever is written meanwhile. */
export interface Snapshot {
  table: Table;
  version: number;
  /** Undefined where the store has no vectors. */
  vectors: VectorKind | undefined;
}

/**
 * The table of passages in a folder. Readers make nothing and see whole versions; writers come one at a time, also from
 * other processes.
 */
export function passageTable(folder: string) {
  let known: { identity: string; opened: Promise<Opened> } | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();

  /** Undefined where there is no table, or no longer. */
  async function current(): Promise<Opened | undefined> {
    const identity = await tableThere(folder);
    if (identity !== known?.identity) known = identity ? { identity, opened: openTable(folder) } : undefined;
    return known?.opened;
  }

  async function newest(): Promise<Snapshot | undefined> {
    const there = await current();
    if (!there) return undefined;
    const version = await there.live.version();
    if (there.snapshot?.version !== version) {
      const table = await there.connection.openTable(TABLE, [], { version });
      there.snapshot = { table, version, vectors: vectorKind(await table.schema()) };
    }
    return there.snapshot;
  }

  /**
   * Runs on the newest version, and once more where that failed: the store may have been replaced by another.
   * Undefined where there is no store.
   */
  async function read<T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T | undefined> {
    const attempt = async () => {
      const snapshot = await newest();
      return snapshot && (await use(snapshot));
    };
    const reopen = (error: unknown) => {
      known = undefined;
      if (error instanceof StoreUnavailableError) throw error;
      return error;
    };
    try {
      return await attempt();
    } catch (error) {
      reopen(error);
    }
    return attempt().catch((error: unknown) => {
      throw unreadable(folder, reopen(error));
    });
  }

  /** Runs alone on the newest version. Where there is no store, one is made of the kind given, or undefined comes back. */
  async function write<T>(
    use: (table: Table, vectors: VectorKind | undefined) => Promise<T>,
    { create, signal }: { create?: { vectors: VectorKind | undefined }; signal?: AbortSignal | undefined } = {},
  ): Promise<T | undefined> {
    if (!create && !(await tableThere(folder))) return undefined;
    const release = await locked(folder);
    try {
      signal?.throwIfAborted();
      return await change(use, create);
    } catch (error) {
      known = undefined;
      if (signal?.aborted || error instanceof UsageError || error instanceof StoreUnavailableError) throw error;
      throw unwritable(folder, error);
    } finally {
      await release();
    }
  }

  async function change<T>(
    use: (table: Table, vectors: VectorKind | undefined) => Promise<T>,
    create: { vectors: VectorKind | undefined } | undefined,
  ): Promise<T | undefined> {
    if (create && !(await tableThere(folder))) await makeTable(folder, create.vectors);
    const there = await current();
    return there && use(there.live, vectorKind(await there.live.schema()));
  }

  return {
    read,
    write: ((...parameters: Parameters<typeof write>) => {
      const mine = lastWrite.then(() => write(...parameters));
      lastWrite = mine.catch(() => {});
      return mine;
    }) as typeof write,
    /** Waits for the last write. LanceDB's handles go with the garbage: closing them fails while one is in use. */
    async close(): Promise<void> {
      await lastWrite;
      known = undefined;
    },
  };
}

interface Opened {
  connection: Connection;
  live: Table;
  snapshot?: Snapshot;
}

async function locked(folder: string): Promise<() => Promise<void>> {
  try {
    await mkdir(folder, { recursive: true });
    return await writeLock(folder);
  } catch (error) {
    throw error instanceof StoreUnavailableError ? error : unwritable(folder, error);
  }
}
