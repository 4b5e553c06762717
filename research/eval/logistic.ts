/** One observation: its features, its label and its weight. */
export interface Row {
  x: readonly number[];
  y: boolean;
  weight: number;
}

/**
 * Logistic regression by Newton's method, with a ridge on all coefficients but the first.
 * @returns the intercept, then one coefficient per feature.
 */
export function logistic(rows: readonly Row[], ridge = 3, steps = 12): number[] {
  const size = (rows[0]?.x.length ?? 0) + 1;
  let coefficients = new Array<number>(size).fill(0);
  for (let step = 0; step < steps; step++) {
    const gradient = coefficients.map((value, i) => (i === 0 ? 0 : -ridge * value));
    const curvature = gradient.map((_, i) => gradient.map((_, j) => (i === j ? (i === 0 ? 1e-6 : ridge) : 0)));
    for (const { x, y, weight } of rows) {
      const input = [1, ...x];
      const p = probability(coefficients, x);
      for (let i = 0; i < size; i++) {
        gradient[i] = (gradient[i] ?? 0) + weight * ((y ? 1 : 0) - p) * (input[i] ?? 0);
        const row = curvature[i] ?? [];
        for (let j = 0; j < size; j++)
          row[j] = (row[j] ?? 0) + weight * p * (1 - p) * (input[i] ?? 0) * (input[j] ?? 0);
      }
    }
    const change = solved(curvature, gradient);
    coefficients = coefficients.map((value, i) => value + (change[i] ?? 0));
  }
  return coefficients;
}

export const odds = ([bias = 0, ...rest]: readonly number[], x: readonly number[]) =>
  rest.reduce((sum, coefficient, i) => sum + coefficient * (x[i] ?? 0), bias);

const probability = (coefficients: readonly number[], x: readonly number[]) =>
  1 / (1 + Math.exp(-odds(coefficients, x)));

/** Gauss-Jordan elimination, with the largest pivot. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 0; i < rows.length; i++) {
    let pivot = i;
    for (let k = i + 1; k < rows.length; k++) if (Math.abs(at(k, i)) > Math.abs(at(pivot, i))) pivot = k;
    const [a, b] = [rows[i] ?? [], rows[pivot] ?? []];
    rows[i] = b;
    rows[pivot] = a;
    const divisor = at(i, i);
    rows[i] = b.map((value) => value / divisor);
    for (let k = 0; k < rows.length; k++) {
      const factor = at(k, i);
      if (k !== i && factor !== 0) rows[k] = (rows[k] ?? []).map((value, j) => value - factor * at(i, j));
    }
  }
  return rows.map((row) => row.at(-1) ?? 0);
}
