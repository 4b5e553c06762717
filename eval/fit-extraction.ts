import { writeFileSync } from "node:fs";
import { measure } from "../src/tools/page-reader/blocks.js";
import { aboutOf } from "../src/tools/page-reader/known.js";
import { keep } from "../src/tools/page-reader/main-text.js";
import { signsOf, withoutNames } from "../src/tools/page-reader/signs.js";
import { parseTree } from "../src/tools/page-reader/tree.js";
import { boost, leafOf, type Row, type Tree } from "./boost.js";
import { readPages, type TruePage } from "./pages.js";
import { averaged, shingleScore, wordsOf } from "./shingles.js";

/** How much a page without its names counts, beside itself. */
const UNNAMED = 0.3;

/**
 * `tsx eval/fit-extraction.ts <data> [--write]`: fits the trees that tell a page's text from its frame. Prints what they
 * score on pages of sites that they were not fitted on (each quarter of the sites by trees fitted on the others; then
 * one half by the other, both ways); `--write` fits on all pages and writes src/tools/page-reader/weights.ts.
 */
const [folder = "", flag] = process.argv.slice(2);
const pages = readPages(folder).map(prepared);
console.log(`${pages.length} pages, ${pages.reduce((n, page) => n + page.rows.length, 0)} blocks`);
for (const parts of [4, 2]) {
  const scores = Array.from({ length: parts }, (_, part) => {
    const held = pages.filter((page) => partOf(page.site, parts) === part);
    const trees = fitted(pages.filter((page) => !held.includes(page)));
    return held.map((page) => shingleScore(page.truth, textOf(page, trees)));
  });
  for (const [part, some] of scores.entries())
    console.log(`  held out ${part + 1} of ${parts}, n=${some.length}`, averaged(some));
  console.log(`held out, ${parts} parts, n=${pages.length}`, averaged(scores.flat()));
}
if (flag === "--write") {
  const trees = fitted(pages);
  console.log("on the pages themselves", averaged(pages.map((page) => shingleScore(page.truth, textOf(page, trees)))));
  writeFileSync("src/tools/page-reader/weights.ts", written(trees));
}

type Page = ReturnType<typeof prepared>;

/** Sees every page twice, for less without its names: pages elsewhere are named in other words, or not at all. */
function fitted(some: readonly Page[]): Tree[] {
  const rows = some.flatMap((page) => page.rows);
  const unnamed = rows.map((row) => ({ ...row, signs: withoutNames(row.signs), weight: row.weight * UNNAMED }));
  return boost([...rows, ...unnamed]);
}

function prepared({ html, truth, url }: TruePage) {
  const tree = parseTree(html);
  const measured = measure(tree);
  const signs = signsOf(measured, aboutOf(tree, url));
  const labels = labelled(
    measured.blocks.map((block) => block.text),
    truth,
  );
  const wanted = labels.reduce((sum, { label, words }) => sum + (label ? words : 0), 0);
  const rows: Row[] = labels.map(({ label, words }, i) => ({
    signs: signs[i] ?? new Float64Array(),
    label,
    // The score counts every page alike, so each block counts by its share of its page.
    weight: (words + 3) / Math.max(60, wanted),
  }));
  return { site: new URL(url).hostname.split(".").slice(-2).join("."), truth, measured, rows };
}

/** Which blocks are in the true text: those most of whose words stand in runs of four that are; of those said twice, the first. */
function labelled(texts: readonly string[], truth: string): { label: boolean; words: number }[] {
  const wanted = wordsOf(truth);
  const runs = new Set(wanted.slice(3).map((_, i) => wanted.slice(i, i + 4).join(" ")));
  const flat: string[] = [];
  const starts = texts.map((text) => {
    const start = flat.length;
    flat.push(...wordsOf(text));
    return start;
  });
  const covered = new Uint8Array(flat.length);
  for (let i = 0; i + 4 <= flat.length; i++) if (runs.has(flat.slice(i, i + 4).join(" "))) covered.fill(1, i, i + 4);
  const seen = new Set<string>();
  return texts.map((text, i) => {
    const from = starts[i] ?? 0;
    const to = starts[i + 1] ?? flat.length;
    const share = covered.subarray(from, to).reduce((sum, hit) => sum + hit, 0) / Math.max(1, to - from);
    const again = text.length > 60 && seen.has(text);
    const label = share > 0.5 && !again;
    if (label) seen.add(text);
    return { label, words: to - from };
  });
}

function textOf({ measured, rows }: Page, trees: readonly Tree[]): string {
  const odds = rows.map(({ signs }) => trees.reduce((sum, tree) => sum + leafOf(tree, signs), 0));
  return keep(measured, odds)
    .map((block) => block.text)
    .join("\n");
}

function partOf(site: string, parts: number): number {
  let hash = 17;
  for (const letter of site) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return (hash >>> 7) % parts;
}

function written(trees: readonly Tree[]): string {
  const line = (tree: Tree): string =>
    "leaf" in tree
      ? `=${Number(tree.leaf.toPrecision(3))}`
      : `${tree.sign}<${Number(tree.most.toPrecision(4))} ${line(tree.left)} ${line(tree.right)}`;
  return [
    "/**",
    " * What `eval/fit-extraction.ts` learned: a tree a line, in prefix order; `n<m` asks whether sign n is at most m, then come",
    " * the tree for yes and the tree for no; `=x` is a leaf. See `trees.ts`.",
    " */",
    `export const WEIGHTS = \`\n${trees.map(line).join("\n")}\n\`;`,
    "",
  ].join("\n");
}
