import { open } from "node:fs/promises";
import nodePath from "node:path";
import ignore, { type Ignore } from "ignore";
import { toError } from "../errors.js";
import { decode } from "../text/decode.js";

/** What the rule files of a folder and of the folders above it leave out, by the rules of git. */
export interface Rules {
  /**
   * Returns the rule file that leaves out a file or folder, if one does. Assumes that the folders above it are
   * searched.
   * @param path relative to the folder where the search began, with forward slashes.
   */
  leftOutBy(path: string, isFolder: boolean): string | undefined;
  /** The patterns by kind of rule file, from the top down. */
  readonly patterns: Readonly<Record<RuleFile, readonly Pattern[]>>;
}

/** A pattern relative to the folder where the search began, and the rule file that contains it. */
interface Pattern {
  pattern: string;
  mark: string;
}

/**
 * Of two rules that disagree, the one in the later kind of file wins; within a kind, the deeper one, then the later
 * one.
 */
const RULE_FILES = [".gitignore", ".emendignore"] as const;
type RuleFile = (typeof RULE_FILES)[number];

export const NO_RULES: Rules = { leftOutBy: () => undefined, patterns: { ".gitignore": [], ".emendignore": [] } };

/**
 * Returns the rules in a folder: those of the folders above, and those of its own rule files.
 * @param folder absolute.
 * @param top the folder where the search began, absolute.
 * @param names the names of the files in the folder.
 * @param nameOf returns the name of a rule file for the user.
 * @throws Error with a message for the user if a rule file cannot be used. The folder must not be read then: the rules
 * may hide it.
 */
export async function rulesIn(
  folder: string,
  top: string,
  names: readonly string[],
  above: Rules,
  nameOf: (path: string) => string,
): Promise<Rules> {
  const here = RULE_FILES.filter((name) => names.includes(name));
  if (here.length === 0) return above;
  const patterns = { ...above.patterns };
  const below = nodePath.relative(top, folder).split(nodePath.sep).filter(Boolean).map(literal).join("/");
  for (const name of here) {
    const path = nodePath.join(folder, name);
    const mark = nameOf(path);
    const lines = (await linesOf(path, mark)).map((line) => ({ pattern: moved(line, below), mark }));
    patterns[name] = [...patterns[name], ...lines];
  }
  // As git does by default on systems whose file names ignore case.
  const ignorecase = process.platform === "win32" || process.platform === "darwin";
  const rules: Ignore = ignore({ ignorecase }).add(RULE_FILES.flatMap((name) => patterns[name]));
  return { patterns, leftOutBy: (path, isFolder) => rules.test(isFolder ? `${path}/` : path).rule?.mark };
}

/** Returns the patterns of a rule file, without comments and blank lines. */
async function linesOf(path: string, name: string): Promise<string[]> {
  const bytes = await start(path).catch((error) => {
    throw new Error(`${name} cannot be read (${toError(error).message}), so its folder is not read.`);
  });
  if (bytes.length > LARGEST)
    throw new Error(`${name} is larger than ${LARGEST / 1024} kB, so its folder is not read.`);
  const lines = decode(bytes)
    .split(/\r?\n/)
    .map(trimmed)
    .filter((line) => line !== "" && !line.startsWith("#"));
  const slow = lines.find((line) => line.split("/**/").length - 1 > MOST_GLOBSTARS);
  if (slow !== undefined)
    throw new Error(
      `${name} has a rule with /**/ more than ${MOST_GLOBSTARS} times, so its folder is not read. Write it as several rules: ${slow.slice(0, 100)}`,
    );
  return lines;
}

/** Reads at most one byte more than is accepted. */
async function start(path: string): Promise<Uint8Array> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(LARGEST + 1), 0, LARGEST + 1, 0);
  return buffer.subarray(0, bytesRead);
}

/** In bytes. */
const LARGEST = 100 * 1024;

/** With three globstars in a rule, matching a name below 300 nested folders takes seconds. */
const MOST_GLOBSTARS = 2;

/** Removes the spaces at the end of a line, except one after a backslash. */
function trimmed(line: string): string {
  const without = line.trimEnd();
  return without.endsWith("\\") && without.length < line.length ? `${without} ` : without;
}

/** Rewrites a pattern of a deeper folder for the folder where the search began. */
function moved(pattern: string, below: string): string {
  if (below === "") return pattern;
  const [mark, body] = pattern.startsWith("!") ? ["!", pattern.slice(1)] : ["", pattern];
  const isAnchored = body.slice(0, -1).includes("/");
  return `${mark}/${below}/${isAnchored ? body.replace(/^\//, "") : `**/${body}`}`;
}

/** Escapes a folder's name for a pattern. */
const literal = (name: string) => name.replace(/[\\*?[\]!# ]/g, "\\$&");
