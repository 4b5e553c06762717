import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folders and the questions of eval: real text, in English and Chinese, with 205 questions about it. */
const SETS = ["company", "natural", "tables", "versions"];

const beside = (path: string) => fileURLToPath(new URL(`../eval/${path}`, import.meta.url));

export const realFolders = SETS.map((set) => beside(`${set}/files`));

/** Returns this many questions, from all sets in turn. Up to 205, all are different. */
export function realQuestions(count: number): string[] {
  const sets = SETS.map((set) =>
    readFileSync(beside(`${set}/questions.jsonl`), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { question: string }).question),
  );
  const longest = Math.max(...sets.map(({ length }) => length));
  const all = Array.from({ length: longest }, (_, i) => sets.flatMap((set) => set[i] ?? [])).flat();
  return Array.from({ length: count }, (_, i) => all[i % all.length] ?? "");
}
