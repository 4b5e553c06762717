import { closeSync, openSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Creates a folder and its parents, which only this user can open. An existing folder stays as it is. Node's own
 * recursive `mkdir` never returns if a parent exists but cannot hold folders, such as /proc.
 * @throws the system's error.
 */
export async function makeFolder(path: string): Promise<void> {
  const refusal = await refusalOf(path);
  if (!refusal) return;
  if (refusal.code !== "ENOENT" || dirname(path) === path) throw refusal;
  await makeFolder(dirname(path));
  const again = await refusalOf(path);
  if (again) throw again;
}

/** Tries to create a folder. Returns the error if there is no such folder afterwards. */
async function refusalOf(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, 0o700);
    return undefined;
  } catch (error) {
    const isThere = await stat(path).then(
      (it) => it.isDirectory(),
      () => false,
    );
    return isThere ? undefined : (error as NodeJS.ErrnoException);
  }
}

/** For files that emend creates: only this user can read and write them. Windows has no such modes. */
export const PRIVATE = { mode: 0o600 } as const;

/** Creates an empty private file. Returns false if there is a file already. @throws the system's error. */
export function makeFile(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", PRIVATE.mode));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Makes files of emend private, and their folder too if nothing else is in it. Leaves alone what belongs to another user,
 * links, and everything on Windows. Never throws: some disks have no modes.
 * @param isOwn true for the names of emend's files and folders.
 */
export async function makePrivate(folder: string, isOwn: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch(() => undefined);
  if (!names || process.platform === "win32") return;
  const own = names.filter(isOwn).map((name) => join(folder, name));
  await Promise.all((own.length === names.length ? [folder, ...own] : own).map(makeOnePrivate));
}

async function makeOnePrivate(path: string): Promise<void> {
  try {
    const about = await lstat(path);
    const isWide = (about.mode & 0o077) !== 0 && about.uid === process.getuid?.();
    if (isWide && (about.isFile() || about.isDirectory())) await chmod(path, about.mode & 0o700);
  } catch {
    // It is gone, or the disk has no modes.
  }
}
