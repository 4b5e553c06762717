import { lstat, readdir } from "node:fs/promises";
import nodePath from "node:path";
import { codeOf, UsageError } from "../errors.js";
import { documentIdOf, hasScheme } from "../tools/documents/document-id.js";
import type { Found, ReadFailure } from "./find.js";
import { isReadable } from "./formats/registry.js";

/** What becomes of documents from folders that are missing or empty. */
export type Missing = "keep" | "remove";

/** Stored documents to remove, by reason, and what to report. */
interface Vanished {
  /** Their file was deleted. */
  gone: string[];
  /** Their file is left out by a rule file. */
  ignored: string[];
  /** Folders that are missing or empty, and the documents from there that stay. */
  kept: Kept[];
}

interface Kept {
  /** The name of the folder or file. */
  path: string;
  why: string;
  ids: readonly string[];
}

/**
 * Reports the folders that are missing or empty.
 * @param moved the documents that do not stay after all, since their files are elsewhere now.
 */
export const keptAway = (kept: readonly Kept[], moved: ReadonlySet<string>): ReadFailure[] =>
  kept.map(({ path, why, ids }) => {
    const left = ids.filter((id) => !moved.has(id)).length;
    const stay = left === 1 ? "1 document from it stays" : `${left} documents from it stay`;
    const reason =
      left === 0
        ? why
        : `${why} ${stay} in the store, since a disk may only be unmounted. To remove what is gone for good, add --remove-missing.`;
    return { path, reason };
  });

/**
 * Finds the stored documents that vanished from the places searched. Leaves out those whose file cannot be reached, and
 * those that never were files (an address, a name given by a program). Documents from a folder that is missing or empty
 * are kept unless `choice` is "remove", since a disk may have been mounted there. The folder is reported either way.
 * @throws UsageError if there is nothing at a path, nothing stored came from it, and `choice` is undefined.
 */
export async function vanished(
  ids: readonly string[],
  { files, places, missing, ignored }: Found,
  cwd: string,
  choice: Missing | undefined,
): Promise<Vanished> {
  const out: Vanished = { gone: [], ignored: [], kept: [] };
  const paths = new Map(ids.filter((id) => !hasScheme(id)).map((id) => [id, nodePath.resolve(cwd, id)]));
  for (const { given, covers } of missing) {
    const left = [...paths].flatMap(([id, path]) => (covers(path) ? [id] : []));
    if (left.length === 0 && choice === undefined) throw new UsageError(`There is no file or folder ${given}.`);
    leave(left, given, "There is no such file or folder.");
  }

  const present = new Set(files.map(({ documentId }) => documentId));
  const emptied: { empty: string; id: string }[] = [];
  for (const [id, path] of paths) {
    if (present.has(id) || !isReadable(id)) continue;
    const place = places.find(({ isFolder, covers }) => isFolder && covers(path));
    if (!place) continue;
    if (isLeftOut(path, place.top, ignored)) out.ignored.push(id);
    else if (await isGone(lstat(path).then((it) => it.isFile()))) {
      const empty = await emptyAbove(path, place.top);
      if (empty === undefined) out.gone.push(id);
      else emptied.push({ empty, id });
    }
  }
  for (const [folder, left] of Map.groupBy(emptied, ({ empty }) => empty))
    leave(
      left.map(({ id }) => id),
      documentIdOf(folder, cwd) || ".",
      "The folder is empty.",
    );
  return out;

  function leave(left: readonly string[], name: string, why: string): void {
    if (choice === "remove") out.gone.push(...left);
    out.kept.push({ path: name, why, ids: choice === "remove" ? [] : left });
  }
}

/** True if a rule leaves out the file or a folder above it. */
function isLeftOut(path: string, top: string, ignored: Found["ignored"]): boolean {
  return (
    ignored.has(path) ||
    (path !== top && path !== nodePath.dirname(path) && isLeftOut(nodePath.dirname(path), top, ignored))
  );
}

/** Returns the nearest existing folder above a deleted file, if it is empty. */
async function emptyAbove(path: string, top: string): Promise<string | undefined> {
  const folder = nodePath.dirname(path);
  const names = await readdir(folder).catch(() => undefined);
  if (names) return names.length === 0 ? folder : undefined;
  return folder === top ? undefined : emptyAbove(folder, top);
}

async function isGone(isThere: Promise<boolean>): Promise<boolean> {
  try {
    return !(await isThere);
  } catch (error) {
    return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
  }
}
