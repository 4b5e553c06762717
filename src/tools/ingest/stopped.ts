import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Remembers which contents took a reader too long or too much memory, so that each is tried once. */
export interface Stopped {
  /** Returns why a content is not tried again, by its hash; undefined if it never failed. */
  reasonOf(hash: string): Promise<string | undefined>;
  /** Never throws: what cannot be remembered is tried again. */
  add(hash: string, reason: string): Promise<void>;
}

/** Remembers in a file, at most a thousand contents. One that is missing or damaged counts as empty. */
export function stoppedIn(path: string): Stopped {
  let loaded: Promise<Map<string, string>> | undefined;
  const load = () => {
    loaded ??= readFile(path, "utf8").then(
      (text) => new Map(text.split("\n").flatMap((line) => (PAIR.test(line) ? [pairOf(line)] : []))),
      () => new Map<string, string>(),
    );
    return loaded;
  };
  return {
    async reasonOf(hash) {
      const reason = (await load()).get(hash);
      return reason && `${reason} It has not changed since, so it was not tried again: to try it, delete ${path}.`;
    },
    async add(hash, reason) {
      const known = await load();
      known.set(hash, reason.replace(/\s+/g, " "));
      const lines = [...known].slice(-MOST).map(([key, why]) => `${key} ${why}\n`);
      await mkdir(dirname(path), { recursive: true }).catch(() => {});
      await writeFile(path, lines.join("")).catch(() => {});
    },
  };
}

const MOST = 1_000;
const PAIR = /^[0-9a-f]{64} \S/;
const pairOf = (line: string) => [line.slice(0, 64), line.slice(65)] as const;
