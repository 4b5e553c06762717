import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import nodePath from "node:path";
import { UsageError } from "../../../errors.js";
import { extensionOf, isReadable, READ } from "./loaders.js";

/** A file or page that was not read, and why. */
export interface Failure {
  path: string;
  reason: string;
}

export interface Found {
  /** Distinct files with absolute paths, sorted by document id. */
  files: { path: string; documentId: string }[];
  /** The folders searched, absolute. */
  folders: string[];
  failures: Failure[];
  /** The numbers of files of kinds that are not read, by extension with its dot; empty for files without one. */
  skipped: Record<string, number>;
}

/**
 * Finds the supported files under these paths. Below a folder, names that begin with a dot, node_modules and symbolic links
 * are skipped. A file that is named itself is always taken.
 * @throws UsageError if a path does not exist.
 */
export async function findFiles(paths: readonly string[], cwd: string): Promise<Found> {
  const files = new Map<string, string>();
  const folders: string[] = [];
  const failures: Failure[] = [];
  const others = new Set<string>();
  for (const given of paths) {
    const path = nodePath.resolve(cwd, given);
    const info = await stats(path, given);
    if (info instanceof Error) failures.push({ path: documentIdOf(path, cwd), reason: info.message });
    else if (info.isDirectory()) {
      folders.push(path);
      for (const file of await filesBelow(path, cwd, failures))
        if (isReadable(file)) files.set(documentIdOf(file, cwd), file);
        else others.add(file);
    } else if (info.isFile() && isReadable(path)) files.set(documentIdOf(path, cwd), path);
    else
      failures.push({
        path: documentIdOf(path, cwd),
        reason: `This kind of file is not read. Read are ${READ}.`,
      });
  }
  return {
    files: [...files]
      .map(([documentId, path]) => ({ documentId, path }))
      .sort((a, b) => (a.documentId < b.documentId ? -1 : 1)),
    folders,
    failures,
    skipped: counted([...others].map((path) => (extensionOf(path) === "" ? "" : `.${extensionOf(path)}`))),
  };
}

/** Counts names, the most frequent first. */
function counted(names: readonly string[]): Record<string, number> {
  const groups = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length] as const);
  return Object.fromEntries(groups.sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1)));
}

/** Returns the path relative to `cwd`, or absolute if outside, with forward slashes on every system. */
export function documentIdOf(path: string, cwd: string, system = nodePath): string {
  const relative = system.relative(cwd, path);
  return (isInside(relative, system) ? relative : path).replaceAll(system.sep, "/");
}

const isInside = (relative: string, { isAbsolute, sep } = nodePath) =>
  relative !== ".." && !relative.startsWith(`..${sep}`) && !isAbsolute(relative);

async function stats(path: string, given: string): Promise<Stats | Error> {
  try {
    return await stat(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw new UsageError(`There is no file or folder ${given}.`);
    return new Error(`Cannot be opened (${code}).`);
  }
}

async function filesBelow(folder: string, cwd: string, failures: Failure[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    failures.push({ path: documentIdOf(folder, cwd), reason: `The folder cannot be opened (${codeOf(error)}).` });
    return [];
  });
  const files = entries
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .map((entry) => {
      const path = nodePath.join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path, cwd, failures);
      return entry.isFile() ? [path] : [];
    });
  return (await Promise.all(files)).flat();
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";

/** True for an address, such as that of a page, and false for a path. A single letter is a drive. */
export const hasScheme = (text: string) => /^[a-z][a-z0-9+.-]+:/i.test(text);

/** True if the path is below the folder. Both are absolute. */
export function contains(folder: string, path: string): boolean {
  const relative = nodePath.relative(folder, path);
  return relative !== "" && isInside(relative);
}

/**
 * Returns the documents that came from a file, a folder or an address (also from below it), even if it no longer exists, and
 * those with this id.
 * @param cwd the folder that ids are relative to.
 * @param here the folder that the name is relative to. Default: `cwd`.
 */
export function documentsFrom(name: string, ids: readonly string[], cwd: string, here = cwd): string[] {
  if (hasScheme(name)) return ids.filter((id) => id === name || id.startsWith(name.endsWith("/") ? name : `${name}/`));
  const path = nodePath.resolve(here, name);
  return ids.filter((id) => {
    if (id === name) return true;
    const itself = nodePath.resolve(cwd, id);
    return !hasScheme(id) && (itself === path || contains(path, itself));
  });
}
