import { randomUUID } from "node:crypto";
import { link, readFile, rename, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreUnavailableError } from "../../errors.js";

/**
 * The one permit to write into a folder, among all processes. A permit whose process has ended, or has not renewed it
 * for a minute, is taken over. Readers need none.
 * @returns gives it back.
 * @throws StoreUnavailableError when another process keeps it longer than `patience` milliseconds (default 30,000).
 */
export async function writeLock(folder: string, patience = 30_000): Promise<() => Promise<void>> {
  const path = join(folder, ".lock");
  const mine = JSON.stringify({ process: process.pid, host: hostname(), token: randomUUID() });
  const deadline = Date.now() + patience;
  while (!(await created(path, mine))) {
    const theirs = await readFile(path, "utf8").catch(() => undefined);
    if (theirs === undefined) continue;
    if (await isAbandoned(path, theirs)) await clearAway(path, theirs);
    else if (Date.now() > deadline)
      throw new StoreUnavailableError(
        `Another process${holder(theirs)} is writing to ${folder}. Nothing was written; try again when it is done.`,
      );
    else await sleep(PAUSE);
  }
  const renewal = setInterval(() => utimes(path, new Date(), new Date()).catch(() => {}), RENEWED_EVERY).unref();
  return async () => {
    clearInterval(renewal);
    if ((await readFile(path, "utf8").catch(() => undefined)) === mine) await unlink(path).catch(() => {});
  };
}

const PAUSE = 50;
const RENEWED_EVERY = 10_000;
const ABANDONED_AFTER = 60_000;

async function created(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function isAbandoned(path: string, content: string): Promise<boolean> {
  const renewed = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Date.now(),
  );
  if (Date.now() - renewed > ABANDONED_AFTER) return true;
  const { process: id, host } = read(content);
  return host === hostname() && id !== undefined && !isRunning(id);
}

/** Of two that find the same abandoned permit one may move the other's new one: that is put back. */
async function clearAway(path: string, abandoned: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readFile(aside, "utf8")) !== abandoned) await link(aside, path).catch(() => {});
  await unlink(aside);
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
