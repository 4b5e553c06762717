import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder and its parents. An existing folder stays as it is. Node's own recursive `mkdir` never returns if a
 * parent exists but cannot hold folders, such as /proc.
 * @param mode the permissions of new folders.
 * @throws the system's error.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  const refusal = await refusalOf(path, mode);
  if (!refusal) return;
  if (refusal.code !== "ENOENT" || dirname(path) === path) throw refusal;
  await makeFolder(dirname(path), mode);
  const again = await refusalOf(path, mode);
  if (again) throw again;
}

/** Tries to create a folder. Returns the error if there is no such folder afterwards. */
async function refusalOf(path: string, mode: number | undefined): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, mode);
    return undefined;
  } catch (error) {
    const isThere = await stat(path).then(
      (it) => it.isDirectory(),
      () => false,
    );
    return isThere ? undefined : (error as NodeJS.ErrnoException);
  }
}
