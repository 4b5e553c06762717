import { join } from "node:path";
import type { Connection, Table } from "@lancedb/lancedb";
import { isBucket, type S3Settings } from "../../../config.js";
import { StoreUnavailableError, UsageError } from "../../../errors.js";
import { tableBucket } from "./table-bucket.js";
import { tableFolder } from "./table-folder.js";
import type { TableKind } from "./table-place.js";
import type { Waiting } from "./write-lock.js";

/** One version of the table; writes do not change what it shows. */
export interface Snapshot {
  table: Table;
  version: number;
}

interface Options extends Pick<Waiting, "onWait"> {
  /** For a table on object storage. */
  s3?: S3Settings | undefined;
}

/**
 * A table in a folder, or at an address such as s3://bucket/prefix. Readers create nothing and see whole versions; there is
 * one writer at a time, across processes and machines.
 */
export function versionedTable(path: string, kind: TableKind, { onWait, s3 }: Options = {}) {
  const place = isBucket(path) ? tableBucket(path, kind, s3) : tableFolder(path, kind);
  let known: { identity: string; opened: Promise<Opened> } | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();

  /** Undefined where there is no table. */
  async function current(): Promise<Opened | undefined> {
    const identity = await place.there(known?.identity);
    if (identity !== known?.identity) known = identity ? { identity, opened: place.open() } : undefined;
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
      throw place.unreadable(reopen(error));
    });
  }

  /** Runs alone on the newest version. Without a store it creates one if `create` is set, or else returns undefined. */
  async function write<T>(
    use: (table: Table) => Promise<T>,
    { create = false, ...waiting }: { create?: boolean } & Pick<Waiting, "patience" | "signal"> = {},
  ): Promise<T | undefined> {
    const { signal } = waiting;
    if (!(await place.there(known?.identity)) && !create) return undefined;
    const release = await place.lock({ onWait, ...waiting });
    try {
      signal?.throwIfAborted();
      if (create && !(await place.there(known?.identity))) await place.make();
      const there = await current();
      return there && (await use(there.live));
    } catch (error) {
      known = undefined;
      if (signal?.aborted || error instanceof UsageError || error instanceof StoreUnavailableError) throw error;
      throw place.unwritable(error);
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

/** Returns the path or the address of a part of a store. */
export const partOf = (store: string, part: string) =>
  isBucket(store) ? `${store.replace(/\/+$/, "")}/${part}` : join(store, part);
