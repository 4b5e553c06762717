import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { findFiles, type NamedFile } from "./find.js";

interface WatchOptions {
  /** The folder that paths are relative to. */
  here: string;
  signal: AbortSignal;
  /** Milliseconds between two polls, if a poll does not take long. Default: one second. */
  pause?: number;
}

/**
 * Polls files, folders and globs. Yields at once, and then whenever files were added, removed or changed and then
 * stayed the same for one poll, or kept changing for ten. It yields a function that is true for files unchanged since
 * the previous yield. Ends when aborted.
 *
 * Compares the times and size of each file instead of using the system's file events. Those differ between systems, hit
 * limits on open files or watches, end when a folder is replaced, and miss changes on network disks.
 */
export async function* fileChanges(
  paths: readonly (string | NamedFile)[],
  { here, signal, pause = 1_000 }: WatchOptions,
): AsyncGenerator<(path: string) => boolean> {
  let reported: Stamps | undefined;
  let before: Stamps = new Map();
  for (let restless = 0; !signal.aborted; ) {
    const began = performance.now();
    const now = await stamps(paths, here);
    const took = performance.now() - began;
    const isNews = reported === undefined || !areEqual(now, reported);
    restless = isNews ? restless + 1 : 0;
    if (reported === undefined || (isNews && (areEqual(now, before) || restless > MOST_RESTLESS))) {
      const known = reported;
      yield (path) => known?.has(path) === true && known.get(path) === now.get(path);
      [reported, restless] = [now, 0];
    }
    before = now;
    await sleep(Math.max(pause, took * SPARING), undefined, { signal }).catch(() => {});
  }
}

/** The state of each file by its path. */
type Stamps = ReadonlyMap<string, string>;

async function stamps(paths: readonly (string | NamedFile)[], here: string): Promise<Stamps> {
  const { files } = await findFiles(paths, here);
  const read = files.map(async ({ path }) => {
    const state = await stat(path).then(
      ({ ctimeMs, mtimeMs, size }) => `${ctimeMs} ${mtimeMs} ${size}`,
      () => "",
    );
    return [path, state] as const;
  });
  return new Map(await Promise.all(read));
}

const areEqual = (one: Stamps, other: Stamps) =>
  one.size === other.size && [...one].every(([path, state]) => other.get(path) === state);

/** The number of polls after which changes are reported even if they go on. */
const MOST_RESTLESS = 10;
/**
 * A pause is at least this many times as long as the poll before it, so that polling takes at most a twentieth of one
 * core.
 */
const SPARING = 20;
