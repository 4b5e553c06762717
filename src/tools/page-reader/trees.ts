import { WEIGHTS } from "./weights.js";

type Tree = number | { sign: number; most: number; yes: Tree; no: Tree };

/** The log-odds that a block with these signs is the page's own text. */
export function oddsOf(signs: Float64Array): number {
  trees ??= treesOf(WEIGHTS);
  return sumOf(trees, signs);
}

let trees: readonly Tree[] | undefined;

/** Trees as the fits under `eval` write them: a tree a line. */
export const treesOf = (weights: string): readonly Tree[] => weights.trim().split("\n").map(read);

/** What the leaves that these signs lead to add up to. */
export function sumOf(trees: readonly Tree[], signs: Float64Array): number {
  let sum = 0;
  for (const tree of trees) {
    let at = tree;
    while (typeof at !== "number") at = (signs[at.sign] ?? 0) <= at.most ? at.yes : at.no;
    sum += at;
  }
  return sum;
}

function read(line: string): Tree {
  const words = line.split(" ").values();
  const next = (): Tree => {
    const word = words.next().value ?? "=0";
    if (word.startsWith("=")) return Number(word.slice(1));
    const [sign, most] = word.split("<").map(Number);
    return { sign: sign ?? 0, most: most ?? 0, yes: next(), no: next() };
  };
  return next();
}
