import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it; one that is there already stays as it is. Node's own recursive `mkdir` tries for
 * ever where a folder is there but nothing can be made in it, as in /proc.
 * @param mode the permissions of folders that are made.
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

/** Why there is no folder after trying to make one. What a system says where one is there already differs. */
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
