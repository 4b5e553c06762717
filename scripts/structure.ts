import { readFileSync } from "node:fs";
import { posix, sep } from "node:path";
import { globSync } from "tinyglobby";

/**
 * `npm run structure` counts the files, lines and folders of the sources, and fails if two of them import each other,
 * directly or in a circle: files, folders, or a file and a folder beside it. Imports of types count as well.
 */

const IMPORT = /^(?:import|export)\b[^"';]*?from "(\.[^"]+)"|^import "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;
const ROOT = new URL("../src/", import.meta.url);
const paths = globSync("**/*.{ts,tsx}", { cwd: ROOT }).map((path) => path.split(sep).join("/"));
const texts = new Map(paths.map((path) => [path, readFileSync(new URL(path, ROOT), "utf8")]));
const lines = [...texts.values()].map((text) => text.split("\n").length - 1).sort((a, b) => a - b);
const imports = importsOf(texts);
const importers = Map.groupBy(imports, ([, there]) => there);
const folders = new Set(paths.flatMap(foldersAbove));
const cycles = [...folders].flatMap((folder) => cyclesIn(importsWithin(folder)));

console.log({
  files: texts.size,
  lines: lines.reduce((sum, count) => sum + count, 0),
  median: lines[Math.floor(lines.length / 2)],
  folders: folders.size - 1,
  "with one importer": paths.filter((path) => importers.get(path)?.length === 1).length,
});
for (const rooms of cycles) console.error(`These import each other: ${rooms.join(", ")}.`);
process.exitCode = cycles.length > 0 ? 1 : 0;

/** Each pair of files of which the first imports the second, once. */
function importsOf(texts: ReadonlyMap<string, string>): [string, string][] {
  const pairs = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(IMPORT)].map(([, from, bare, late]) => {
      const there = posix.join(posix.dirname(path), from ?? bare ?? late ?? "").replace(/\.js$/, ".ts");
      return [path, texts.has(there) ? there : `${there}x`] as [string, string];
    }),
  );
  return [...new Map(pairs.filter(([, there]) => texts.has(there)).map((pair) => [pair.join(), pair])).values()];
}

/** The folders that a file is in, from its own to the root, which is empty. */
function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, i) => parts.slice(0, i).join("/"));
}

/** What imports what among the files and folders directly in a folder. */
function importsWithin(folder: string): Map<string, Set<string>> {
  const within = new Map<string, Set<string>>();
  const roomOf = (path: string) =>
    path
      .split("/")
      .slice(0, folder === "" ? 1 : folder.split("/").length + 1)
      .join("/");
  const isIn = (path: string) => folder === "" || path.startsWith(`${folder}/`);
  for (const [from, to] of imports) {
    if (!isIn(from) || !isIn(to) || roomOf(from) === roomOf(to)) continue;
    within.set(roomOf(from), (within.get(roomOf(from)) ?? new Set()).add(roomOf(to)));
  }
  return within;
}

/** Groups of rooms that reach each other. */
function cyclesIn(within: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map([...within.keys()].map((room) => [room, reachableFrom(room, within)]));
  const together = (room: string) =>
    [...(reached.get(room) ?? [])].filter((other) => reached.get(other)?.has(room)).sort();
  const groups = [...reached.keys()].filter((room) => reached.get(room)?.has(room)).map(together);
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}

function reachableFrom(room: string, within: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const left = [room];
  for (let next = left.pop(); next !== undefined; next = left.pop())
    for (const there of within.get(next) ?? []) {
      if (reached.has(there)) continue;
      reached.add(there);
      left.push(there);
    }
  return reached;
}
