import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Takes the pages least recently used out of a cache's folder until nine tenths of its size are left. Other files stay. */
export async function evict(folder: string, most: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(PAGE) || name.endsWith(UNFINISHED));
  const files = (await Promise.all(names.map((name) => sized(join(folder, name))))).filter(
    (file) => file !== undefined,
  );
  const gone = (path: string) => rm(path, { force: true }).catch(() => {});

  const abandoned = files.filter(({ path, used }) => path.endsWith(UNFINISHED) && used < Date.now() - HOUR);
  for (const { path } of abandoned) await gone(path);

  const pages = files.filter(({ path }) => path.endsWith(PAGE)).sort((a, b) => b.used - a.used);
  if (pages.reduce((sum, { size }) => sum + size, 0) <= most) return;
  let room = most * 0.9;
  for (const { path, size } of pages) {
    room -= size;
    if (room < 0) await gone(path);
  }
}

/** How the files of a cache end. */
export const PAGE = ".page";
export const UNFINISHED = ".unfinished";

async function sized(path: string) {
  try {
    const { size, mtimeMs } = await stat(path);
    return { path, size, used: mtimeMs };
  } catch {
    return undefined;
  }
}

const HOUR = 60 * 60 * 1_000;
