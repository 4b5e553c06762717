import { randomUUID } from "node:crypto";
import { link, lstat, open, readFile, rename, rm, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreUnavailableError } from "../../../errors.js";

export interface Waiting {
  /** Milliseconds to wait for a process that goes on writing. Default: ten minutes. */
  patience?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called once when the wait takes more than a second, with what is known of the process that writes. */
  onWait?: ((message: string) => void) | undefined;
}

/**
 * The one permit to write into a folder, among all processes. A permit whose process has ended, or has not renewed it
 * for a minute, is taken over, also where another process has got the number of the one that ended; one that names
 * nobody, after five seconds. Readers need none.
 * @returns gives it back.
 * @throws StoreUnavailableError when another process keeps it too long; the system's error where no file can be made in
 * the folder; the signal's reason when it aborts.
 */
export async function writeLock(
  folder: string,
  { patience = PATIENCE, signal, onWait }: Waiting = {},
): Promise<() => Promise<void>> {
  const path = join(folder, ".lock");
  const mine = JSON.stringify({ process: process.pid, host: hostname(), token: randomUUID() });
  const began = Date.now();
  let isTold = false;
  while (!(await created(path, mine))) {
    const theirs = await contentOf(path);
    if ((await isAbandoned(path, theirs)) && (await clearAway(path, theirs))) continue;
    const writing = `Another process${holder(theirs)} is writing to ${folder}.`;
    const waited = Date.now() - began;
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

/** What a process that ended while it took over a permit may have left. Nobody puts one back after so long. */
export const isLeftOver = async (path: string) => (await ageOf(path, "ctimeMs")) > ABANDONED_AFTER;

const PATIENCE = 600_000;
const UNTOLD = 1_000;
const PAUSE = 50;
const RENEWED_EVERY = 10_000;
const ABANDONED_AFTER = 60_000;
/** A permit is empty for the moment between its making and its naming. Whoever was killed in it left it so. */
const UNNAMED_AFTER = 5_000;

async function created(path: string, content: string): Promise<boolean> {
  const file = await open(path, "wx").catch((error: unknown) => {
    if (codeOf(error) === "EEXIST") return undefined;
    throw error;
  });
  if (!file) return false;
  try {
    await file.writeFile(content);
  } catch (error) {
    // A full disk: an empty permit would keep everybody waiting for a minute.
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

/** Milliseconds since a file was renewed, or since a moment to come: then the clock was put back. None: not at all. */
const ageOf = (path: string, time: "mtimeMs" | "ctimeMs") =>
  lstat(path).then(
    (it) => Math.abs(Date.now() - it[time]),
    () => 0,
  );

/**
 * Of two that find the same abandoned permit one may move the other's new one: that is put back.
 * @returns whether it could be moved.
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
    return codeOf(error) === "EPERM";
  }
}

function holder(content: string): string {
  const { process: id, host } = read(content);
  return id === undefined ? "" : ` (${id} on ${host})`;
}

/** Empty where it was given back meanwhile, or cannot be read. */
const contentOf = (path: string) => readFile(path, "utf8").catch(() => "");

/** A permit may be read while it is being written: then it names nobody yet. */
function read(content: string): { process?: number; host?: string } {
  try {
    const { process: id, host } = JSON.parse(content);
    return { process: Number(id), host: String(host) };
  } catch {
    return {};
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);
