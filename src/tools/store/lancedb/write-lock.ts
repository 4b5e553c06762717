import { randomUUID } from "node:crypto";
import { link, lstat, open, readFile, rename, rm, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreUnavailableError } from "../../../errors.js";

export interface Waiting {
  /** Milliseconds to wait for another process that writes. Default: ten minutes. */
  patience?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called once when the wait takes more than a second, with a sentence about the process that writes. */
  onWait?: ((message: string) => void) | undefined;
}

/**
 * Takes the exclusive lock for writing into a folder, across processes. A lock is taken over when its process has ended or
 * has not renewed it for a minute, even if another process has the same number by now; an empty lock after five seconds.
 * Readers need no lock.
 * @returns a function that releases the lock.
 * @throws StoreUnavailableError when another process keeps the lock too long; the system's error when no file can be made
 * in the folder; the signal's reason when it aborts.
 */
export async function writeLock(
  folder: string,
  { patience = PATIENCE, signal, onWait }: Waiting = {},
): Promise<() => Promise<void>> {
  const path = join(folder, ".lock");
  const mine = JSON.stringify({ process: process.pid, host: hostname(), token: randomUUID() });
  const began = performance.now();
  let isTold = false;
  while (!(await created(path, mine))) {
    const theirs = await contentOf(path);
    if ((await isAbandoned(path, theirs)) && (await clearAway(path, theirs))) continue;
    const writing = `Another process${holder(theirs)} is writing to ${folder}.`;
    const waited = performance.now() - began;
    if (waited > patience)
      throw new StoreUnavailableError(`${writing} Nothing was written; try again when it is done.`);
    if (waited > UNTOLD && !isTold) onWait?.(writing);
    isTold ||= waited > UNTOLD;
    await sleep(PAUSE, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
  const renewal = setInterval(() => utimes(path, new Date(), new Date()).catch(() => {}), RENEWED_EVERY).unref();
  return async () => {
    clearInterval(renewal);
    if ((await contentOf(path)) === mine) await rm(path, { force: true }).catch(() => {});
  };
}

/** True for a file that was left behind by a process killed while it took over a lock. */
export const isLeftOver = async (path: string) => (await ageOf(path, "ctimeMs")) > ABANDONED_AFTER;

export const PATIENCE = 600_000;
export const UNTOLD = 1_000;
const PAUSE = 50;
const RENEWED_EVERY = 10_000;
const ABANDONED_AFTER = 60_000;
/** A lock is empty between its creation and its first write; it stays so if the process is killed in between. */
const UNNAMED_AFTER = 5_000;

async function created(path: string, content: string): Promise<boolean> {
  const file = await open(path, "wx").catch((error: unknown) => {
    if (isCode(error, "EEXIST")) return undefined;
    throw error;
  });
  if (!file) return false;
  try {
    await file.writeFile(content);
  } catch (error) {
    // The disk may be full: an empty lock would keep every other process waiting.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
  return true;
}

async function isAbandoned(path: string, content: string): Promise<boolean> {
  if ((await ageOf(path, "mtimeMs")) > (content ? ABANDONED_AFTER : UNNAMED_AFTER)) return true;
  const { process: id, host } = read(content);
  return host === hostname() && id !== undefined && !isRunning(id);
}

/** Milliseconds since a file was renewed; 0 without a file. If the clock was set back, the time may be in the future. */
const ageOf = (path: string, time: "mtimeMs" | "ctimeMs") =>
  lstat(path).then(
    (it) => Math.abs(Date.now() - it[time]),
    () => 0,
  );

/**
 * Moves an abandoned lock away. Two processes may find the same one, and the second may move the new lock of the first:
 * it puts that back.
 * @returns true if a file was moved.
 */
async function clearAway(path: string, abandoned: string): Promise<boolean> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return false;
  }
  if ((await contentOf(aside)) !== abandoned) await link(aside, path).catch(() => {});
  await rm(aside, { recursive: true, force: true });
  return true;
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

function holder(content: string): string {
  const { process: id, host } = read(content);
  return id === undefined ? "" : ` (${id} on ${host})`;
}

/** Returns an empty text if the lock is gone or cannot be read. */
const contentOf = (path: string) => readFile(path, "utf8").catch(() => "");

/** A lock that is still being written names no process yet. */
function read(content: string): { process?: number; host?: string } {
  try {
    const { process: id, host } = JSON.parse(content);
    return { process: Number(id), host: String(host) };
  } catch {
    return {};
  }
}

const isCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;
