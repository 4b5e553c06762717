import { type Dirent, readdir, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import nodePath from "node:path";
import { glob } from "tinyglobby";
import { UsageError } from "../../../errors.js";
import { EXTENSIONS, loaderFor } from "./loaders.js";

/** Something that was to be read and was not, and why. */
export interface Failure {
  path: string;
  reason: string;
}

export interface Found {
  /** Absolute paths, sorted by document id, each once. */
  files: { path: string; documentId: string }[];
  /** The folders that were searched, absolute. */
  folders: string[];
  failures: Failure[];
}

/**
 * The files under these paths that can be read. Below a folder, names that begin with a dot, node_modules and symbolic
 * links are passed over (a link's target is found where it lies, or lies outside); a file that is named is always taken.
 * @throws UsageError when a path does not exist.
 */
export async function findFiles(paths: readonly string[], cwd: string): Promise<Found> {
  const files = new Map<string, string>();
  const folders: string[] = [];
  const failures: Failure[] = [];
  for (const given of paths) {
    const path = nodePath.resolve(cwd, given);
    const info = await stats(path, given);
    if (info instanceof Error) failures.push({ path: documentIdOf(path, cwd), reason: info.message });
    else if (info.isDirectory()) {
      folders.push(path);
      for (const file of await filesUnder(path, cwd, failures)) files.set(documentIdOf(file, cwd), file);
    } else if (info.isFile() && loaderFor(path)) files.set(documentIdOf(path, cwd), path);
    else
      failures.push({
        path: documentIdOf(path, cwd),
        reason: `This kind of file is not read. Read are: ${EXTENSIONS.join(" ")}`,
      });
  }
  return {
    files: [...files]
      .map(([documentId, path]) => ({ documentId, path }))
      .sort((a, b) => (a.documentId < b.documentId ? -1 : 1)),
    folders,
    failures,
  };
}

/** A path relative to `cwd`, absolute when outside of it; with forward slashes on every system. */
export function documentIdOf(path: string, cwd: string, { relative, isAbsolute, sep } = nodePath): string {
  const inside = relative(cwd, path);
  const outside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return (outside ? path : inside).replaceAll(sep, "/");
}

async function stats(path: string, given: string): Promise<Stats | Error> {
  try {
    return await stat(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw new UsageError(`There is no file or folder ${given}.`);
    return new Error(`Cannot be opened (${code}).`);
  }
}

async function filesUnder(folder: string, cwd: string, failures: Failure[]): Promise<string[]> {
  const list = (
    path: string,
    options: { withFileTypes: true },
    done: (error: Error | null, entries: Dirent[]) => void,
  ) =>
    readdir(path, options, (error, entries) => {
      if (error)
        failures.push({ path: documentIdOf(path, cwd), reason: `The folder cannot be opened (${codeOf(error)}).` });
      done(error, error ? [] : entries);
    });
  const found = await glob("**/*", {
    cwd: folder,
    absolute: true,
    ignore: ["**/node_modules/**"],
    expandDirectories: false,
    followSymbolicLinks: false,
    fs: { readdir: list as typeof readdir },
  });
  return found.filter((path) => loaderFor(path)).map((path) => nodePath.resolve(path));
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";

/** Whether an id or a name is an address, as of a page, and no path. One letter is a drive. */
export const hasScheme = (text: string) => /^[a-z][a-z0-9+.-]+:/i.test(text);

/** Whether a path lies below a folder; both absolute. */
export function contains(folder: string, path: string): boolean {
  const inside = nodePath.relative(folder, path);
  return inside !== "" && inside !== ".." && !inside.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(inside);
}

/**
 * The documents that came from a file or from below a folder, whether or not it is still there; from a page or from
 * below its address; or that have the name as their id.
 * @param cwd what ids are relative to.
 * @param here what the name is relative to. Default: `cwd`.
 */
export function documentsFrom(
  name: string,
  ids: readonly string[],
  { cwd, here = cwd }: { cwd: string; here?: string },
): string[] {
  if (hasScheme(name)) return ids.filter((id) => id === name || id.startsWith(name.endsWith("/") ? name : `${name}/`));
  const path = nodePath.resolve(here, name);
  return ids.filter((id) => {
    if (id === name) return true;
    const itself = nodePath.resolve(cwd, id);
    return !hasScheme(id) && (itself === path || contains(path, itself));
  });
}
