/** Returns the cells of a Markdown table row, trimmed; a bar after a backslash belongs to its cell. */
export function cells(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  // Most rows have no backslash, and a long table has many rows.
  if (!inner.includes("\\")) return inner.split("|").map((cell) => cell.trim());
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/**
 * Writes a row as a sentence, each cell under its heading: "Plan: Pro; Price: $20", 套餐：专业版；价格：20元. Empty cells are
 * left out.
 */
export const readRow = (header: string, row: string): string =>
  labelled(cells(header), cells(row), /\p{Script=Han}/u.test(header) ? ["：", "；"] : undefined);

/** The same, and a bare number gets the unit that its heading has in brackets: "Width (cm): 160 cm". */
export const underHead = (header: string, row: string): string => labelled(cells(header), withUnits(header, row));

const labelled = (names: readonly string[], values: readonly string[], [is, and] = [": ", "; "]) =>
  values
    .map((cell, i) => (cell !== "" && names[i] ? `${names[i]}${is}${cell}` : cell))
    .filter((text) => text !== "")
    .join(and);

/** Returns the cells of a row, and adds to a bare number the unit that its heading has in brackets. */
export function withUnits(header: string, row: string): string[] {
  const names = cells(header);
  return cells(row).map((cell, i) => {
    const unit = /[(（]([^()（）]{1,20})[)）]\s*$/u.exec(names[i] ?? "")?.[1];
    return unit && /^[\d.,\s]*\d$/.test(cell) ? `${cell} ${unit}` : cell;
  });
}
