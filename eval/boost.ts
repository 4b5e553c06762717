/** What a row must be to go left at a split: the number of the sign, and the most it may be. */
export type Tree = { leaf: number } | { sign: number; most: number; left: Tree; right: Tree };

export interface Row {
  signs: Float64Array;
  label: boolean;
  /** How much the row counts. */
  weight: number;
}

/**
 * Gradient-boosted trees for a yes or no (Friedman 2001, with histograms and leaf-wise growth as in LightGBM, Ke et al.
 * 2017). The sum of the trees' leaves is the log-odds. The same rows and seed give the same trees.
 */
export function boost(rows: readonly Row[], options: Partial<typeof DEFAULTS> = {}): Tree[] {
  const settings = { ...DEFAULTS, ...options };
  const random = generator(settings.seed);
  const signs = rows[0]?.signs.length ?? 0;
  const edges = Array.from({ length: signs }, (_, s) => edgesOf(rows, s));
  const bins = edges.map((limits, s) => Uint8Array.from(rows, (row) => binOf(limits, row.signs[s] ?? 0)));
  const mean = rows.reduce((sum, row) => sum + row.weight, 0) / rows.length;
  const weights = Float64Array.from(rows, (row) => row.weight / mean);
  const scores = new Float64Array(rows.length);
  const slopes = new Float64Array(rows.length);
  const curves = new Float64Array(rows.length);
  const trees: Tree[] = [];
  for (let round = 0; round < settings.trees; round++) {
    for (const [i, row] of rows.entries()) {
      const p = 1 / (1 + Math.exp(-(scores[i] ?? 0)));
      slopes[i] = (p - (row.label ? 1 : 0)) * (weights[i] ?? 0);
      curves[i] = p * (1 - p) * (weights[i] ?? 0);
    }
    const sample = rows.map((_, i) => i).filter(() => random() < settings.rowShare);
    const columns = bins.map((_, s) => s).filter(() => random() < settings.signShare);
    const tree = grow(Int32Array.from(sample), columns, { bins, edges, slopes, curves, settings });
    for (const [i, row] of rows.entries()) scores[i] = (scores[i] ?? 0) + leafOf(tree, row.signs);
    trees.push(tree);
  }
  return trees;
}

const DEFAULTS = {
  trees: 160,
  leaves: 12,
  rate: 0.06,
  rowShare: 0.8,
  signShare: 0.4,
  leastRows: 30,
  ridge: 3,
  seed: 1,
};

export function leafOf(tree: Tree, signs: Float64Array): number {
  let at = tree;
  while ("sign" in at) at = (signs[at.sign] ?? 0) <= at.most ? at.left : at.right;
  return at.leaf;
}

interface Ground {
  bins: readonly Uint8Array[];
  edges: readonly (readonly number[])[];
  slopes: Float64Array;
  curves: Float64Array;
  settings: typeof DEFAULTS;
}

interface Open {
  rows: Int32Array;
  slope: number;
  curve: number;
  best: { gain: number; sign: number; bin: number } | undefined;
  split?: { sign: number; most: number; left: Open; right: Open };
}

function grow(all: Int32Array, columns: readonly number[], ground: Ground): Tree {
  const root = opened(all, columns, ground);
  const leaves = [root];
  while (leaves.length < ground.settings.leaves) {
    const next = leaves.reduce((a, b) => ((b.best?.gain ?? 0) > (a.best?.gain ?? 0) ? b : a));
    if (!next.best) break;
    const { sign, bin } = next.best;
    const column = ground.bins[sign] ?? new Uint8Array();
    const left = opened(
      next.rows.filter((row) => (column[row] ?? 0) <= bin),
      columns,
      ground,
    );
    const right = opened(
      next.rows.filter((row) => (column[row] ?? 0) > bin),
      columns,
      ground,
    );
    next.split = { sign, most: ground.edges[sign]?.[bin] ?? 0, left, right };
    leaves.splice(leaves.indexOf(next), 1, left, right);
  }
  return closed(root, ground.settings);
}

function closed({ slope, curve, split }: Open, settings: typeof DEFAULTS): Tree {
  if (!split) return { leaf: (-settings.rate * slope) / (curve + settings.ridge) };
  const { sign, most, left, right } = split;
  return { sign, most, left: closed(left, settings), right: closed(right, settings) };
}

function opened(rows: Int32Array, columns: readonly number[], { bins, edges, slopes, curves, settings }: Ground): Open {
  let slope = 0;
  let curve = 0;
  for (const row of rows) {
    slope += slopes[row] ?? 0;
    curve += curves[row] ?? 0;
  }
  const worth = (g: number, h: number) => (g * g) / (h + settings.ridge);
  let best: Open["best"];
  for (const sign of columns) {
    const count = new Int32Array(BINS);
    const g = new Float64Array(BINS);
    const h = new Float64Array(BINS);
    const column = bins[sign] ?? new Uint8Array();
    for (const row of rows) {
      const bin = column[row] ?? 0;
      count[bin] = (count[bin] ?? 0) + 1;
      g[bin] = (g[bin] ?? 0) + (slopes[row] ?? 0);
      h[bin] = (h[bin] ?? 0) + (curves[row] ?? 0);
    }
    let [n, gl, hl] = [0, 0, 0];
    for (let bin = 0; bin < (edges[sign]?.length ?? 0); bin++) {
      n += count[bin] ?? 0;
      gl += g[bin] ?? 0;
      hl += h[bin] ?? 0;
      if (n < settings.leastRows || rows.length - n < settings.leastRows) continue;
      const gain = worth(gl, hl) + worth(slope - gl, curve - hl) - worth(slope, curve);
      if (gain > (best?.gain ?? 1e-6)) best = { gain, sign, bin };
    }
  }
  return { rows, slope, curve, best };
}

const BINS = 64;

/** Up to 63 limits between the values of a sign, each with about as many rows; the last bin has none. */
function edgesOf(rows: readonly Row[], sign: number): number[] {
  const values = Float64Array.from(rows, (row) => row.signs[sign] ?? 0).sort();
  const limits = new Set<number>();
  for (let i = 1; i < BINS; i++) {
    const at = Math.floor((i * values.length) / BINS);
    const low = values[at - 1] ?? 0;
    const high = values.find((value, j) => j >= at && value > low);
    if (high !== undefined) limits.add(Number(((low + high) / 2).toPrecision(4)));
  }
  return [...limits].toSorted((a, b) => a - b);
}

function binOf(limits: readonly number[], value: number): number {
  let bin = 0;
  while (bin < limits.length && value > (limits[bin] ?? 0)) bin += 1;
  return bin;
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
