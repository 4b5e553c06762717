import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import nodePath from "node:path";
import picomatch from "picomatch";
import { codeOf } from "../errors.js";
import { documentIdOf, hasScheme, isInside, slashed } from "../tools/documents/document-id.js";
import { NO_FILE } from "./bytes.js";
import { extensionOf, isReadable } from "./formats/registry.js";
import { NO_RULES, type Rules, rulesIn } from "./ignore.js";

/** A file or page that was not read, and why. */
export interface ReadFailure {
  path: string;
  reason: string;
}

/** A file that is stored under another name than its path, such as text from stdin. */
export interface NamedFile {
  /** Absolute. Its extension determines the format. */
  path: string;
  documentId: string;
}

/** A file, a folder or a glob to ingest from. */
export interface SearchRoot {
  given: string;
  /** The file, or the folder where the search begins; absolute. */
  top: string;
  isFolder: boolean;
  /** The number of folder levels to search, including `top`. */
  levels: number;
  /** True for an absolute path that it includes, whether or not a file is there. */
  covers(path: string): boolean;
}

export interface Found {
  /** Distinct files with absolute paths, sorted by document id. */
  files: NamedFile[];
  /** What was named and exists. */
  places: SearchRoot[];
  /** What was named and does not exist. */
  missing: SearchRoot[];
  failures: ReadFailure[];
  /** The number of files of each kind that is not read, by extension with its dot; empty for files without one. */
  skipped: Record<string, number>;
  /** A file of each of these kinds, by document id. */
  examples: Record<string, string>;
  /** The folders that are not searched because their name begins with a dot, by document id; without those of git and emend. */
  hidden: string[];
  /** The files and folders that a rule file leaves out, by absolute path, with the document id of the rule file. */
  ignored: ReadonlyMap<string, string>;
}

/**
 * Finds the supported files at these paths and globs. Below a folder, names that begin with a dot, node_modules,
 * symbolic links and what .gitignore and .emendignore leave out are skipped. A file that is named directly is always
 * included, if its kind is read.
 * @param cwd the folder that document ids are relative to.
 * @param here the folder that paths are relative to. Default: `cwd`.
 */
export async function findFiles(given: readonly (string | NamedFile)[], cwd: string, here = cwd): Promise<Found> {
  const files = new Map<string, string>();
  const places: SearchRoot[] = [];
  const missing: SearchRoot[] = [];
  const failures: ReadFailure[] = [];
  const others = new Set<string>();
  const ignored = new Map<string, string>();
  const hidden: string[] = [];
  for (const one of given) {
    if (typeof one !== "string") {
      files.set(one.documentId, one.path);
      continue;
    }
    const { place, info, isGlob } = await searchRootOf(one, here);
    const { top } = place;
    if (info === "none") {
      missing.push(place);
      continue;
    }
    places.push(place);
    if (typeof info === "string")
      failures.push({ path: documentIdOf(top, cwd), reason: `Cannot be opened (${info}).` });
    else if (place.isFolder) {
      const below = await filesBelow(top, NO_RULES, { place, cwd, failures, ignored, hidden });
      for (const file of below)
        if (isReadable(file)) files.set(documentIdOf(file, cwd), file);
        else others.add(file);
      if (isGlob && below.length === 0) failures.push({ path: one, reason: "No file matches it." });
    } else if (!info.isFile()) failures.push({ path: documentIdOf(top, cwd), reason: NO_FILE });
    else if (isReadable(top)) files.set(documentIdOf(top, cwd), top);
    else others.add(top);
  }
  return {
    files: [...files]
      .map(([documentId, path]) => ({ documentId, path }))
      .sort((a, b) => (a.documentId < b.documentId ? -1 : 1)),
    places,
    missing,
    // Folders are read in parallel, so their order varies.
    failures: failures.sort((a, b) => (a.path < b.path ? -1 : 1)),
    skipped: countNames([...others].map(kindOf)),
    examples: Object.fromEntries(
      [...others]
        .sort()
        .reverse()
        .map((path) => [kindOf(path), documentIdOf(path, cwd)]),
    ),
    hidden: hidden.sort(),
    ignored: new Map([...ignored].sort()),
  };
}

/**
 * Returns the search root for a path, and what is there. If nothing is there and the path is a glob, the root is the
 * folder where it begins.
 */
export async function searchRootOf(given: string, here: string) {
  const path = nodePath.resolve(here, given);
  const info = await stats(path);
  const { base, glob, isGlob, negated } = picomatch.scan(given.replaceAll(nodePath.sep, "/"));
  if (info !== "none" || !isGlob || negated) {
    const isFolder = typeof info !== "string" && info.isDirectory();
    const covers = (other: string) => other === path || contains(path, other);
    return { place: { given, top: path, isFolder, levels: Number.POSITIVE_INFINITY, covers }, info, isGlob: false };
  }
  const top = nodePath.resolve(here, base);
  const matches = picomatch(glob);
  const covers = (other: string) => contains(top, other) && matches(slashed(nodePath.relative(top, other)));
  const levels = /\*\*|[{(]/.test(glob) ? Number.POSITIVE_INFINITY : glob.split("/").length;
  return { place: { given, top, isFolder: true, levels, covers }, info: await stats(top), isGlob: true };
}

/** Returns the extension of a file in lower case, with its dot; empty if there is none. */
export const kindOf = (path: string) => (extensionOf(path) === "" ? "" : `.${extensionOf(path)}`);

/** Counts names, the most frequent first. */
export function countNames(names: readonly string[]): Record<string, number> {
  const groups = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length] as const);
  return Object.fromEntries(groups.sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1)));
}

/** Returns "none" if nothing is there, or the error code if the path cannot be looked up. */
async function stats(path: string): Promise<Stats | string> {
  try {
    return await stat(path);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "none" : code;
  }
}

/** What a search below a folder needs at every level, and what it adds to. */
interface Search {
  place: SearchRoot;
  cwd: string;
  failures: ReadFailure[];
  ignored: Map<string, string>;
  hidden: string[];
}

/** The name of a folder with uploaded files. These are documents already, which may state other metadata. */
export const UPLOADS_FOLDER = ".emend-uploads";

/** Folders of programs, of which nobody expects that they are searched. */
const UNTOLD = new Set([".git", ".emend", UPLOADS_FOLDER]);

async function filesBelow(folder: string, above: Rules, search: Search): Promise<string[]> {
  const { place, cwd, failures, ignored, hidden } = search;
  const fail = (reason: string) => void failures.push({ path: documentIdOf(folder, cwd) || ".", reason });
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    fail(`The folder cannot be opened (${codeOf(error)}).`);
    return [];
  });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const rules = await rulesIn(folder, place.top, names, above, (path) => documentIdOf(path, cwd)).catch(
    (error: Error) => fail(error.message),
  );
  if (!rules) return [];
  const files = entries
    .filter((entry) => entry.name !== "node_modules" && (entry.isDirectory() || !entry.name.startsWith(".")))
    .map((entry) => {
      const path = nodePath.join(folder, entry.name);
      const isFolder = entry.isDirectory();
      const below = slashed(nodePath.relative(place.top, path));
      const isMeant = isFolder ? below.split("/").length < place.levels : entry.isFile() && place.covers(path);
      if (!isMeant) return [];
      const rule = rules.leftOutBy(below, isFolder);
      if (rule !== undefined) ignored.set(path, rule);
      else if (!isFolder) return [path];
      else if (!entry.name.startsWith(".")) return filesBelow(path, rules, search);
      else if (!UNTOLD.has(entry.name)) hidden.push(documentIdOf(path, cwd));
      return [];
    });
  return (await Promise.all(files)).flat();
}

/** True if the path is below the folder. Both are absolute. */
function contains(folder: string, path: string): boolean {
  const relative = nodePath.relative(folder, path);
  return relative !== "" && isInside(relative);
}

/**
 * Returns the ids of the documents that came from a file, a folder or an address, or from below it, even if it no
 * longer exists. `name` may also be an id.
 * @param cwd the folder that ids are relative to.
 * @param here the folder that the name is relative to. Default: `cwd`.
 */
export function documentsFrom(name: string, ids: readonly string[], cwd: string, here = cwd): string[] {
  if (hasScheme(name) && !ids.includes(`./${name}`))
    return ids.filter((id) => id === name || id.startsWith(name.endsWith("/") ? name : `${name}/`));
  const path = nodePath.resolve(here, name);
  return ids.filter((id) => {
    if (id === name) return true;
    const itself = nodePath.resolve(cwd, id);
    return !hasScheme(id) && (itself === path || contains(path, itself));
  });
}
