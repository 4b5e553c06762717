import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { findFiles, type NamedFile } from "./find.js";

interface WatchOptions {
  /** The folder that paths are relative to. */
  here: string;
  signal: AbortSignal;
  /** Milliseconds between two looks, if a look does not take long. Default: one second. */
  pause?: number;
}

/**
 * Looks at files, folders and globs again and again. Yields at once, and then whenever files came, went or changed and were
 * at rest for one look, or kept changing for ten. What it yields is true for files that are as they were the time before.
 * Ends when aborted.
 *
 * It looks at the time and size of each file instead of asking the system to tell. What systems tell differs, stops at
 * limits of open files or watches, ends with a folder that is replaced, and says nothing of network disks.
 */
export async function* fileChanges(
  paths: readonly (string | NamedFile)[],
  { here, signal, pause = 1_000 }: WatchOptions,
): AsyncGenerator<(path: string) => boolean> {
  let told: Stamps | undefined;
  let before: Stamps = new Map();
  for (let restless = 0; !signal.aborted; ) {
    const began = performance.now();
    const now = await stamps(paths, here);
    const took = performance.now() - began;
    const isNews = told === undefined || !areEqual(now, told);
    restless = isNews ? restless + 1 : 0;
    if (told === undefined || (isNews && (areEqual(now, before) || restless > MOST_RESTLESS))) {
      const known = told;
      yield (path) => known?.has(path) === true && known.get(path) === now.get(path);
      [told, restless] = [now, 0];
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

/** Looks after which changes are told although they go on. */
const MOST_RESTLESS = 10;
/** A pause is so many times as long as the look before it, so that looking takes at most a twentieth of one core. */
const SPARING = 20;
