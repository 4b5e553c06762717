import { readFileSync } from "node:fs";
import { UsageError } from "./errors.js";
import type { Tools } from "./state/tools.js";
import { type Aliases, aliasKey } from "./text/aliases.js";
import type { Documents, ScoredPassage } from "./tools/documents/port.js";
import type { KnowledgeGraph } from "./tools/knowledge/port.js";
import type { Task } from "./types/reasoners.js";

/**
 * Reads a file of names that mean the same: one group per line, with " = " between the names. Blank lines and lines
 * that begin with # are left out.
 * @throws UsageError if the file cannot be read, a line has fewer than two names, or a name is on two lines.
 */
export function readAliases(path: string): string[][] {
  const lineOf = new Map<string, number>();
  return textOf(path)
    .split(/\r\n?|\n/)
    .flatMap((line, i): string[][] => {
      if (line.trim() === "" || line.trimStart().startsWith("#")) return [];
      const names = line.split(/[=＝]/).map((name) => name.trim());
      if (names.length < 2 || names.includes(""))
        throw new UsageError(
          `${path}:${i + 1}: a line has names with = between them: HR = Human Resources = 人力资源部`,
        );
      for (const name of names) {
        const before = lineOf.get(aliasKey(name));
        if (before !== undefined && before !== i)
          throw new UsageError(
            `${path}:${i + 1}: “${name}” also stands in line ${before + 1}. Put both groups on one line.`,
          );
        lineOf.set(aliasKey(name), i);
      }
      return [names];
    });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UsageError(`EMEND_ALIASES: ${path} cannot be read.`, { cause: error });
  }
}

/** Searches with every wording of a question. A passage gets its best score. */
export const searchedByAliases = (documents: Documents, { wordings }: Aliases): Documents => ({
  ...documents,
  async search(query, limit, options) {
    const found = await Promise.all(
      wordings(query.text).map((text) => documents.search({ ...query, text }, limit, options)),
    );
    if (found.length === 1) return found.flat();
    const best = new Map<string, ScoredPassage>();
    for (const passage of found.flat().toSorted((a, b) => b.score - a.score))
      if (!best.has(passage.id)) best.set(passage.id, passage);
    return [...best.values()].slice(0, limit);
  },
});

/** Looks up what the question mentions under all of its names. */
export const linkedByAliases = <Graph extends KnowledgeGraph>(graph: Graph, { found }: Aliases): Graph => ({
  ...graph,
  facts: (entities, question, options) =>
    graph.facts([...entities, ...found(question).flatMap(({ others }) => others)], question, options),
});

/** Appends the other names to the question that a chat model gets. */
export function toldOfAliases<Parts extends Required<Pick<Tools, "generator" | "checker">>>(
  parts: Parts,
  { found }: Aliases,
): Parts {
  const { generator, checker } = parts;
  const told = <T extends Task>(task: T): T => {
    const notes = found(task.question).map(({ name, others }) => `${name} = ${others.join(" = ")}`);
    return notes.length === 0 ? task : { ...task, question: `${task.question} (${[...new Set(notes)].join("; ")})` };
  };
  return {
    ...parts,
    generator: { ...generator, generate: (task, call, onClaim) => generator.generate(told(task), call, onClaim) },
    checker: { ...checker, check: (task, call) => checker.check(told(task), call) },
  };
}
