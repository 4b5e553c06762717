type Tree = number | { sign: number; most: number; yes: Tree; no: Tree };

/** Trees as the fits under `eval` write them, a tree a line. The same weights are read once. */
export function treesOf(weights: string): readonly Tree[] {
  const trees = known.get(weights) ?? weights.trim().split("\n").map(read);
  known.set(weights, trees);
  return trees;
}

const known = new Map<string, readonly Tree[]>();

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
