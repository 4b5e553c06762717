import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { globSync } from "tinyglobby";

/** How the sources are arranged: `npm run structure` prints it, and a test holds that no folders import each other in a circle. */
export interface Structure {
  files: number;
  lines: number;
  folders: number;
  /** Folders that can be reached from each other by imports that are still there when the program runs. */
  cycles: string[][];
  /** The same with imports of types alone. */
  cyclesOfTypes: string[][];
}

export function structure(root: string): Structure {
  const paths = globSync("**/*.{ts,tsx}", { cwd: root }).sort();
  const texts = new Map(paths.map((path) => [path.split(sep).join("/"), readFileSync(join(root, path), "utf8")]));
  return {
    files: texts.size,
    lines: [...texts.values()].reduce((sum, text) => sum + text.split("\n").length - 1, 0),
    folders: new Set([...texts.keys()].map(folderOf)).size,
    cycles: cyclesIn(importsOf(texts, VALUES)),
    cyclesOfTypes: cyclesIn(importsOf(texts, ALL)),
  };
}

const ALL = /^(?:import|export)\b[^"';]*?from "(\.[^"]+)"|^import "(\.[^"]+)"/gm;
const VALUES = /^(?:import|export)\b(?! type\b)[^"';]*?from "(\.[^"]+)"|^import "(\.[^"]+)"/gm;

/** A file at the top is a room of its own: what is there is imported by all, or imports all. */
const roomOf = (path: string) => (path.includes("/") ? folderOf(path) : path);
const folderOf = (path: string) => dirname(path);

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

function importsOf(texts: ReadonlyMap<string, string>, pattern: RegExp): Imports {
  const imports = new Map<string, Set<string>>();
  for (const [path, text] of texts)
    for (const [, from, bare] of text.matchAll(pattern)) {
      const imported = join(dirname(path), from ?? bare ?? "")
        .split(sep)
        .join("/")
        .replace(/\.js$/, ".ts");
      const [here, there] = [roomOf(path), roomOf(imported)];
      if (here !== there) imports.set(here, (imports.get(here) ?? new Set()).add(there));
    }
  return imports;
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = join(import.meta.dirname, "..", "src");
  console.log(`${relative(process.cwd(), root) || "."}: ${JSON.stringify(structure(root), undefined, 2)}`);
}
