/** The cells of a Markdown table row, trimmed; a bar behind a backslash belongs to its cell. */
export function cells(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** A row as a sentence, each cell under its heading: "Plan: Pro; Price: $20". Empty cells are left out. */
export function readRow(header: string, row: string): string {
  const names = cells(header);
  return cells(row)
    .flatMap((cell, i) => (cell === "" ? [] : [names[i] ? `${names[i]}: ${cell}` : cell]))
    .join("; ");
}

export const isRow = (line: string) => /^\|.*\|$/s.test(line.trim()) || line.split(" | ").length > 2;
