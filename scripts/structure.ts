import { readFileSync } from "node:fs";
import { posix, sep } from "node:path";
import { globSync } from "tinyglobby";

/**
 * `npm run structure` counts the files, lines and folders of the sources, and fails if folders import each other in a
 * circle. Imports of types count as well.
 */

const IMPORT = /^(?:import|export)\b[^"';]*?from "(\.[^"]+)"|^import "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;
const ROOT = new URL("../src/", import.meta.url);
const paths = globSync("**/*.{ts,tsx}", { cwd: ROOT }).map((path) => path.split(sep).join("/"));
const texts = new Map(paths.map((path) => [path, readFileSync(new URL(path, ROOT), "utf8")]));
const lines = [...texts.values()].map((text) => text.split("\n").length - 1).sort((a, b) => a - b);
const cycles = cyclesIn(importsOf(texts));

console.log({
  files: texts.size,
  lines: lines.reduce((sum, count) => sum + count, 0),
  median: lines[Math.floor(lines.length / 2)],
  folders: new Set(paths.map((path) => posix.dirname(path))).size,
});
for (const rooms of cycles) console.error(`These import each other: ${rooms.join(", ")}.`);
process.exitCode = cycles.length > 0 ? 1 : 0;

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

function importsOf(texts: ReadonlyMap<string, string>): Imports {
  const imports = new Map<string, Set<string>>();
  for (const [path, text] of texts)
    for (const [, from, bare, late] of text.matchAll(IMPORT)) {
      const [here, there] = [path, posix.join(posix.dirname(path), from ?? bare ?? late ?? "")].map(roomOf);
      if (here && there && here !== there) imports.set(here, (imports.get(here) ?? new Set()).add(there));
    }
  return imports;
}

/** A room is a folder, or a single file directly in src: those import everything, or everything imports them. */
function roomOf(path: string): string {
  return path.includes("/") ? posix.dirname(path) : path.replace(/\.js$/, ".ts");
}

/** Groups of rooms that reach each other. */
function cyclesIn(imports: Imports): string[][] {
  const reached = new Map([...imports.keys()].map((room) => [room, reachableFrom(room, imports)]));
  const together = (room: string) =>
    [...(reached.get(room) ?? [])].filter((other) => reached.get(other)?.has(room)).sort();
  const groups = [...reached.keys()].filter((room) => reached.get(room)?.has(room)).map(together);
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}

function reachableFrom(room: string, imports: Imports): Set<string> {
  const reached = new Set<string>();
  const left = [room];
  for (let next = left.pop(); next !== undefined; next = left.pop())
    for (const there of imports.get(next) ?? []) {
      if (reached.has(there)) continue;
      reached.add(there);
      left.push(there);
    }
  return reached;
}
