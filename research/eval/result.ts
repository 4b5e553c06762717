/** A measure: a number (null where it is not defined), or rows of numbers such as a threshold sweep. */
export type Metric = number | null | readonly Readonly<Record<string, number | null>>[];
export type Metrics = Readonly<Record<string, Metric>>;

/** What a suite returns, and what `--json` prints. */
export interface Result {
  kind: string;
  data: string;
  /** How many items were measured. */
  n: number;
  metrics: Metrics;
  /** The same measures for each baseline, by name. */
  baselines: Readonly<Record<string, Metrics>>;
  items: readonly Readonly<Record<string, unknown>>[];
}

/** A suite's result without the path of its data. */
export type Measured = Omit<Result, "kind" | "data">;

/** Formats the result as a table: a row per measure, a column per system, then the sweeps. */
export function asTable({ kind, data, n, metrics, baselines }: Result): string {
  const systems: [string, Metrics][] = [["measured", metrics], ...Object.entries(baselines)];
  const names = [...new Set(systems.flatMap(([, values]) => Object.keys(values)))];
  const plain = names.filter((name) => !systems.some(([, values]) => Array.isArray(values[name])));
  const rows = plain.map((name) => [name, ...systems.map(([, values]) => shown(values[name]))]);
  const parts = [`${kind}  ${data}  n=${n}`, grid([["", ...systems.map(([name]) => name)], ...rows])];
  for (const [name, value] of Object.entries(metrics)) {
    if (!Array.isArray(value) || value.length === 0) continue;
    const columns = Object.keys(value[0]);
    parts.push(name, grid([columns, ...value.map((row) => columns.map((column) => shown(row[column])))]));
  }
  return `${parts.join("\n\n")}\n`;
}

/** Numbers as they are reported: four decimals are more than the data can tell apart. */
export function rounded<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, inner) => (typeof inner === "number" ? Math.round(inner * 10_000) / 10_000 : inner)),
  );
}

function shown(value: Metric | undefined): string {
  if (typeof value !== "number") return "-";
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

function grid(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}
