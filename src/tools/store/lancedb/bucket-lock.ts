import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, Table } from "@lancedb/lancedb";
import { z } from "zod";
import { StoreUnavailableError } from "../../../errors.js";
import { PATIENCE, UNTOLD, type Waiting } from "./write-lock.js";

/**
 * Takes the exclusive lock for writing to object storage: a table of one row that names its holder. An update that finds
 * the row changed by somebody else is done again on the changed row, so of all who take a free lock one succeeds. No clocks
 * are compared: a lock is taken over when its holder has not renewed it for half a minute of the one who waits.
 * @returns a function that releases the lock.
 * @throws StoreUnavailableError when another process keeps the lock too long; the signal's reason when it aborts; LanceDB's
 * error when the storage fails.
 */
export async function bucketLock(
  connection: Connection,
  address: string,
  { patience = PATIENCE, signal, onWait }: Waiting,
): Promise<() => Promise<void>> {
  const table = await lockTable(connection);
  const mine = `${process.pid} on ${hostname().replaceAll("'", "")} ${randomUUID()}`;
  const began = performance.now();
  let seen = { state: "", since: began };
  let isTold = false;
  for (;;) {
    signal?.throwIfAborted();
    // A table reads what it was when it was opened, unless its connection says otherwise.
    await table.checkoutLatest();
    const { holder, renewed } = Row.parse((await table.query().limit(1).toArray())[0]);
    const state = `${holder} ${renewed}`;
    if (state !== seen.state) seen = { state, since: performance.now() };
    if (performance.now() - seen.since >= quietFor(holder, renewed)) {
      const isAsSeen = `holder = '${holder}' AND renewed = ${renewed}`;
      if (await changed(table, isAsSeen, mine, 0)) break;
      continue;
    }
    const writing = `Another process (${holder.replace(/ \S+$/, "")}) is writing to ${address}.`;
    const waited = performance.now() - began;
    if (waited > patience)
      throw new StoreUnavailableError(`${writing} Nothing was written; try again when it is done.`);
    if (waited > UNTOLD && !isTold && holder !== "") {
      onWait?.(writing);
      isTold = true;
    }
    // Not all at the same moment.
    await sleep(PAUSE * (0.5 + Math.random()), undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
  let renewals = 0;
  const isMine = `holder = '${mine}'`;
  let renewal: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewal = changed(table, isMine, mine, ++renewals).catch(() => {});
  }, RENEWED_EVERY).unref();
  return async () => {
    clearInterval(timer);
    await renewal;
    // If this fails, the next process waits half a minute.
    await changed(table, isMine, "", 0).catch(() => {});
    // Each change leaves small objects behind.
    if ((await table.version().catch(() => 1)) % CLEARED_EVERY < 2)
      await table.optimize({ cleanupOlderThan: new Date(Date.now() - 2 * ABANDONED_AFTER) }).catch(() => {});
  };
}

const PAUSE = 200;
const RENEWED_EVERY = 5_000;
const ABANDONED_AFTER = 30_000;
const CLEARED_EVERY = 100;

/** Returns for how many milliseconds a row has to stay as it is before it may be taken. */
function quietFor(holder: string, renewed: number): number {
  if (holder !== "") return ABANDONED_AFTER;
  return renewed === NEVER_TAKEN ? SETTLED_AFTER : 0;
}

/**
 * Of several that make a table at once, LanceDB lets a late one replace the table of an early one, so a new lock is left
 * alone until they must be done.
 */
const SETTLED_AFTER = 3_000;
const NEVER_TAKEN = -1;

/** Opens the table of the lock, and makes it if there is none. */
async function lockTable(connection: Connection): Promise<Table> {
  for (let tries = 1; ; tries++) {
    try {
      if (!(await connection.tableNames()).includes(NAME))
        await connection.createTable(NAME, [{ holder: "", renewed: NEVER_TAKEN }]);
      return await connection.openTable(NAME);
    } catch (error) {
      // Somebody else may be making it.
      if (tries === MOST_TRIES || !/already exists|conflict|was not found/.test(String(error))) throw error;
      await sleep(PAUSE);
    }
  }
}

const NAME = "lock";
const MOST_TRIES = 10;

/** Returns true if the row was as the condition says, and is changed. */
async function changed(table: Table, where: string, holder: string, renewed: number): Promise<boolean> {
  try {
    return (await table.update({ where, values: { holder, renewed } })).rowsUpdated === 1;
  } catch (error) {
    if (/conflict|concurrent/i.test(String(error))) return false;
    throw error;
  }
}

const Row = z.object({ holder: z.string(), renewed: z.number() });
