import { lstat } from "node:fs/promises";
import nodePath from "node:path";
import { codeOf } from "../errors.js";
import { documentIdOf, hasScheme } from "../tools/documents/document-id.js";

/**
 * Finds the stored documents whose file was moved to one of the files just found, so that nothing is stored twice after
 * a folder was renamed or moved, alone or with its store. A file was moved if it is gone and a found file has its name
 * and its content. Then the other files of its folder were moved too, even if they have changed, as far as they are
 * found at the same place below the new folder.
 * @param stored the ids of documents with their hashes.
 * @param found the ids of the files found with their hashes.
 * @param cwd the folder that ids are relative to.
 */
export async function movedAway(
  stored: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
  cwd: string,
): Promise<string[]> {
  const pathOf = (id: string) => nodePath.resolve(cwd, id);
  const away = [...stored].filter(([id]) => !found.has(id) && !hasScheme(id));
  const nameOf = (id: string, hash: string) => `${hash} ${nodePath.basename(pathOf(id))}`;
  const byName = new Map([...found].map(([id, hash]) => [nameOf(id, hash), id]));
  const gone = new Set<string>();
  const folders = new Map<string, string>();
  for (const [id, hash] of away) {
    const now = byName.get(nameOf(id, hash));
    if (now === undefined || !(await isGone(pathOf(id)))) continue;
    gone.add(id);
    const [from, to] = withoutEnd(pathOf(id), pathOf(now));
    folders.set(from, to);
  }
  for (const [id] of away) {
    if (gone.has(id)) continue;
    for (
      let folder = nodePath.dirname(pathOf(id));
      folder !== nodePath.dirname(folder);
      folder = nodePath.dirname(folder)
    ) {
      const to = folders.get(folder);
      if (to === undefined) continue;
      const now = documentIdOf(nodePath.join(to, nodePath.relative(folder, pathOf(id))), cwd);
      if (found.has(now) && (await isGone(pathOf(id)))) gone.add(id);
      break;
    }
  }
  return [...gone];
}

/** Returns two paths without the folders and the name at their ends that are the same. */
function withoutEnd(one: string, other: string): [string, string] {
  let [from, to] = [one, other];
  while (nodePath.basename(from) === nodePath.basename(to) && from !== nodePath.dirname(from))
    [from, to] = [nodePath.dirname(from), nodePath.dirname(to)];
  return [from, to];
}

const isGone = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: unknown) => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR",
  );
