import type { Connection, Table } from "@lancedb/lancedb";
import { StoreUnavailableError, UsageError } from "../../../errors.js";
import { makeFolder } from "../make-folder.js";
import {
  clearLeftOvers,
  makeTable,
  openTable,
  type TableKind,
  tableThere,
  unmakable,
  unreadable,
  unwritable,
} from "./table-folder.js";
import { type Waiting, writeLock } from "./write-lock.js";

/** One version of the table; writes do not change what it shows. */
export interface Snapshot {
  table: Table;
  version: number;
}

/**
 * A table in a folder. Readers create nothing and see whole versions; there is one writer at a time, across processes.
 */
export function versionedTable(folder: string, kind: TableKind, { onWait }: Pick<Waiting, "onWait"> = {}) {
  let known: { identity: string; opened: Promise<Opened> } | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();

  /** Undefined where there is no table. */
  async function current(): Promise<Opened | undefined> {
    const identity = await tableThere(folder, kind);
    if (identity !== known?.identity) known = identity ? { identity, opened: openTable(folder, kind) } : undefined;
    return known?.opened;
  }

  async function newest(): Promise<Snapshot | undefined> {
    const there = await current();
    if (!there) return undefined;
    const version = await there.live.version();
    if (there.snapshot?.version !== version) {
      const table = await there.connection.openTable(kind.name, [], { version });
      there.snapshot = { table, version };
    }
    return there.snapshot;
  }

  /** Runs on the newest version, and again if that fails, for the store may have been replaced. Undefined without one. */
  async function read<T>(use: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    const attempt = async () => {
      const snapshot = await newest();
      return snapshot && (await use(snapshot));
    };
    const reopen = (error: unknown) => {
      if (signal?.aborted || error instanceof UsageError) throw error;
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
      throw unreadable(folder, kind, reopen(error));
    });
  }

  /** Runs alone on the newest version. Without a store it creates one if `create` is set, or else returns undefined. */
  async function write<T>(
    use: (table: Table) => Promise<T>,
    { create = false, ...waiting }: { create?: boolean } & Pick<Waiting, "patience" | "signal"> = {},
  ): Promise<T | undefined> {
    const { signal } = waiting;
    if (!(await tableThere(folder, kind)) && !create) return undefined;
    const release = await locked(folder, { onWait, ...waiting });
    try {
      signal?.throwIfAborted();
      await clearLeftOvers(folder);
      if (create && !(await tableThere(folder, kind))) await makeTable(folder, kind);
      const there = await current();
      return there && (await use(there.live));
    } catch (error) {
      known = undefined;
      if (signal?.aborted || error instanceof UsageError || error instanceof StoreUnavailableError) throw error;
      throw unwritable(folder, error);
    } finally {
      await release();
    }
  }

  return {
    read,
    write: ((...parameters: Parameters<typeof write>) => {
      const mine = lastWrite.then(() => write(...parameters));
      lastWrite = mine.catch(() => {});
      return mine;
    }) as typeof write,
    /** Waits for the last write. LanceDB's handles are garbage collected: closing one that is in use fails. */
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

async function locked(folder: string, waiting: Waiting): Promise<() => Promise<void>> {
  await makeFolder(folder).catch((error: unknown) => {
    throw unmakable(folder, error);
  });
  try {
    return await writeLock(folder, waiting);
  } catch (error) {
    if (waiting.signal?.aborted || error instanceof StoreUnavailableError) throw error;
    throw unwritable(folder, error);
  }
}
