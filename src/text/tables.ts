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

/** The same, and a bare number with the unit that its heading has in brackets: "Width (cm): 160 cm". */
export function underHead(header: string, row: string): string {
  const names = cells(header);
  return measured(header, row)
    .flatMap((cell, i) => (cell === "" ? [] : [names[i] ? `${names[i]}: ${cell}` : cell]))
    .join("; ");
}

/** The cells of a row, a bare number with the unit of its heading. */
export function measured(header: string, row: string): string[] {
  const names = cells(header);
  return cells(row).map((cell, i) => {
    const unit = /[(（]([^()（）]{1,20})[)）]\s*$/u.exec(names[i] ?? "")?.[1];
    return unit && /^[\d.,\s]*\d$/.test(cell) ? `${cell} ${unit}` : cell;
  });
}

export const isRow = (line: string) => /^\|.*\|$/s.test(line.trim()) || line.split(" | ").length > 2;
