import { writeFileSync } from "node:fs";
import { localEntailment, rowOf } from "../src/tools/entailment/local.js";
import type { Thresholds } from "../src/tools/entailment/port.js";
import { coverage } from "./baseline.js";
import { boost, leafOf, type Row, type Tree } from "./boost.js";
import { type ClaimRow, isMade, isSummedits, readClaimSets } from "./claim-sets.js";
import { auc, balancedAccuracy, bestThreshold, calibrationError, predictAt, quantile, type Scored } from "./metrics.js";

const SURE = 0.95;
/** No cut is set on fewer claims than this share. */
const LEAST = 0.02;
/**
 * `tsx eval/fit-support.ts <data> [--groups] [--write]`: fits the trees that tell whether sources state a claim, and prints
 * what they score on documents, domains and data sets that they were not fitted on. `--groups` adds each group of signs
 * alone and left out; `--write` fits on everything and writes src/tools/entailment/weights.ts.
 */
const [folder = "", ...flags] = process.argv.slice(2);
const started = performance.now();
const rows = readClaimSets(folder);
const sets = [...new Set(rows.map((row) => row.set))];
console.log(`${rows.length} claims counted in ${Math.round(performance.now() - started)} ms`);

const everything = (row: ClaimRow) => rowOf(row.signs);
const real = sets.filter((set) => !isMade(set));
const overlap = rows.map((row) => (isMade(row.set) ? 0 : coverage(row.claim, row.sources)));
const byDocument = heldOut(documentParts(5), everything);
const byDomain = heldOut(
  real.map((set) => (row) => row.set === set),
  everything,
);
const cuts = cutsOf(byDocument, byDomain);
report("lexical overlap, best threshold on the set itself", overlap, real, true);
report("documents held out (5 parts)", byDocument, sets);
report("domain held out", byDomain, real);
report(
  "data set held out",
  heldOut([isSummed, (row) => row.set === "wice", (row) => isMade(row.set)], everything),
  sets,
);
report("made claims only", heldOut([(row) => !isMade(row.set)], everything), real);

told("real claims, documents held out", byDocument, real);
told("real claims, domain held out", byDomain, real);
told("made claims, documents held out", byDocument, sets.filter(isMade));
await speed();
if (flags.includes("--write"))
  writeFileSync("src/tools/entailment/weights.ts", written(fitted(rows, everything), cuts));
if (flags.includes("--groups")) {
  for (const group of Object.keys(rows[0]?.signs ?? {})) {
    const only = (row: ClaimRow) => rowOf({ [group]: row.signs[group] ?? {} });
    const without = (row: ClaimRow) =>
      rowOf(Object.fromEntries(Object.entries(row.signs).filter(([name]) => name !== group)));
    report(`${group} alone, documents held out`, heldOut(documentParts(5), only), sets);
    report(
      `without ${group}, domain held out`,
      heldOut(
        real.map((set) => (row) => row.set === set),
        without,
      ),
      real,
    );
  }
}

/**
 * On what was held out, each set and each label counting alike: right in 19 of 20 that are accepted or rejected; in
 * between, best for real claims with documents and with domains held out.
 */
function cutsOf(scores: readonly number[], strangers: readonly number[]): Thresholds {
  const grid = Array.from({ length: 97 }, (_, i) => (i + 2) / 100);
  const at = grid.map((cut) => ({
    cut,
    ...rightness(scores, cut, sets),
    balanced: rightness(scores, cut, real).balanced + rightness(strangers, cut, real).balanced,
  }));
  const enough = at.filter(({ accepted, precision }) => accepted >= LEAST && precision >= SURE);
  const little = at.filter(({ rejected, rejectedRightly }) => rejected >= LEAST && rejectedRightly >= SURE);
  const decideAt = at.reduce((a, b) => (b.balanced > a.balanced ? b : a)).cut;
  return {
    acceptAt: Math.max(decideAt, Math.min(...enough.map(({ cut }) => cut), 0.98)),
    rejectBelow: Math.min(decideAt, Math.max(...little.map(({ cut }) => cut), 0.02)),
    decideAt,
  };
}

/** Shares of the claims of some sets, each set counting alike and each label as much as the other. */
function rightness(scores: readonly number[], cut: number, some: readonly string[]) {
  const recalls = some.map((set) => {
    const of = (supported: boolean) => {
      const found = rows.flatMap((row, i) => (row.set === set && row.supported === supported ? [scores[i] ?? 0] : []));
      return found.filter((score) => score >= cut).length / found.length;
    };
    return { right: of(true), wrong: of(false) };
  });
  const right = recalls.reduce((sum, recall) => sum + recall.right, 0) / recalls.length;
  const wrong = recalls.reduce((sum, recall) => sum + recall.wrong, 0) / recalls.length;
  return {
    balanced: (right + 1 - wrong) / 2,
    accepted: (right + wrong) / 2,
    precision: right / (right + wrong || 1),
    rejected: (2 - right - wrong) / 2,
    rejectedRightly: (1 - wrong) / (2 - right - wrong || 1),
  };
}

function told(title: string, scores: readonly number[], some: readonly string[]) {
  console.log(
    `\n${title}: share accepted at or above a cut, of these supported; rejected below it, of these unsupported; balanced accuracy`,
  );
  for (const cut of [cuts.rejectBelow, 0.1, 0.2, 0.3, 0.4, cuts.decideAt, 0.5, 0.6, 0.7, 0.8, cuts.acceptAt]) {
    const found = rightness(scores, cut, some);
    const shares = [found.accepted, found.precision, found.rejected, found.rejectedRightly, found.balanced];
    console.log(`  ${cut.toFixed(2)}  ${shares.map((share) => share.toFixed(3)).join("  ")}`);
  }
}

async function speed() {
  const entailment = localEntailment();
  for (const set of ["wice", "summedits samsum", "made cmrc"]) {
    const times: number[] = [];
    for (const { claim, sources } of rows.filter((row) => row.set === set).slice(0, 150)) {
      const start = performance.now();
      await entailment.score([{ claim, sources }]);
      times.push(performance.now() - start);
    }
    console.log(
      `${set}: ${quantile(times, 0.5)?.toFixed(1)} ms a claim (median), ${quantile(times, 0.95)?.toFixed(1)} (95th of 100)`,
    );
  }
}

function isSummed(row: ClaimRow) {
  return isSummedits(row.set);
}

/** WiCE counts for two domains of SummEdits, the made English for half of one; in each what is supported counts as much as what is not. */
function weighed(some: readonly ClaimRow[], signs: (row: ClaimRow) => Float64Array): Row[] {
  const sizes = Map.groupBy(some, (row) => `${row.set} ${row.supported}`);
  return some.map((row) => ({
    signs: signs(row),
    label: row.supported,
    weight: worth(row.set) / (sizes.get(`${row.set} ${row.supported}`)?.length ?? 1),
  }));
}

function worth(set: string): number {
  if (set === "wice") return 2;
  return set === "made xquad-en" ? 0.5 : 1;
}

function fitted(some: readonly ClaimRow[], signs: (row: ClaimRow) => Float64Array): Tree[] {
  return boost(weighed(some, signs), {
    trees: 140,
    leaves: 6,
    rate: 0.05,
    leastRows: 40,
    ridge: 10,
    signShare: 0.3,
    rowShare: 0.7,
  });
}

/** Scores for what each part leaves out, NaN for what no part does. */
function heldOut(parts: readonly ((row: ClaimRow) => boolean)[], signs: (row: ClaimRow) => Float64Array): number[] {
  const scores = rows.map(() => Number.NaN);
  for (const part of parts) {
    const trees = fitted(
      rows.filter((row) => !part(row)),
      signs,
    );
    for (const [i, row] of rows.entries()) {
      if (!part(row)) continue;
      const own = signs(row);
      const odds = trees.reduce((sum, tree) => sum + leafOf(tree, own), 0);
      scores[i] = 1 / (1 + Math.exp(-odds));
    }
  }
  return scores;
}

function documentParts(parts: number) {
  return Array.from({ length: parts }, (_, part) => (row: ClaimRow) => partOf(row.group, parts) === part);
}

function partOf(group: string, parts: number): number {
  let hash = 17;
  for (const letter of group) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return (hash >>> 7) % parts;
}

function report(title: string, scores: readonly number[], some: readonly string[], best = false) {
  console.log(`\n${title}`);
  const lines: [string, (row: ClaimRow) => boolean][] = some.map((set) => [set, (row) => row.set === set]);
  lines.push(["summedits, all", isSummed]);
  for (const [name, has] of lines) {
    const items: Scored[] = rows.flatMap((row, i) => {
      const score = scores[i] ?? Number.NaN;
      return has(row) && !Number.isNaN(score) ? [{ score, positive: row.supported }] : [];
    });
    if (items.length === 0) continue;
    const accuracy = best ? bestThreshold(items)?.balancedAccuracy : balancedAccuracy(predictAt(cuts.decideAt, items));
    const calibration = best ? "" : `  calibration error ${(calibrationError(items) ?? 0).toFixed(3)}`;
    console.log(
      `  ${name.padEnd(24)} n=${String(items.length).padEnd(5)} balanced accuracy ${(accuracy ?? 0).toFixed(3)}  AUC ${(auc(items) ?? 0).toFixed(3)}${calibration}`,
    );
  }
}

function written(trees: readonly Tree[], thresholds: Thresholds): string {
  const line = (tree: Tree): string =>
    "leaf" in tree
      ? `=${Number(tree.leaf.toPrecision(3))}`
      : `${tree.sign}<${Number(tree.most.toPrecision(4))} ${line(tree.left)} ${line(tree.right)}`;
  return [
    'import type { Thresholds } from "./port.js";',
    "",
    "/**",
    " * What `eval/fit-support.ts` learned: a tree a line, in prefix order; `n<m` asks whether sign n is at most m, then come",
    " * the tree for yes and the tree for no; `=x` is a leaf. See `../trees.ts`.",
    " */",
    `export const WEIGHTS = \`\n${trees.map(line).join("\n")}\n\`;`,
    "",
    `export const THRESHOLDS: Thresholds = ${JSON.stringify(thresholds)};`,
    "",
  ].join("\n");
}
