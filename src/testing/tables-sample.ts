import { packed } from "../tables/packed.js";
import type { Documents } from "../tools/documents/port.js";
import type { Column, Table, TableValue } from "../types/table.js";
import { pagesOf } from "./documents-sample.js";

/** Fills in every field of a table. Its rows are objects: a value, or a value and how it is written. */
export function fakeTable(
  id: string,
  columns: readonly (Partial<Column> & Pick<Column, "name">)[],
  rows: readonly (readonly (TableValue | readonly [TableValue, string])[])[],
  rest: Partial<Table> = {},
): Table {
  const [documentId = id] = id.split("#");
  const cells = rows.map((row) => row.map((cell) => (Array.isArray(cell) ? `${cell[1]}` : `${cell ?? ""}`)));
  const values = rows.map((row) => row.map((cell) => (Array.isArray(cell) ? cell[0] : cell) as TableValue));
  return {
    id,
    documentId,
    name: documentId,
    title: documentId,
    uri: `${documentId}.csv`,
    section: "",
    reviewedAt: "",
    language: "en",
    columns: columns.map((column, c) => ({
      type: "text",
      unit: "",
      empty: values.filter((row) => row[c] === null).length,
      odd: 0,
      values: [...new Set(cells.map((row) => row[c] ?? ""))].filter((cell) => cell !== ""),
      isWhole: true,
      different: new Set(values.flatMap((row) => (row[c] === null ? [] : [`${row[c]}`.toLowerCase()]))).size,
      ...column,
    })),
    rows: rows.length,
    firstRows: cells.slice(0, 3),
    struck: 0,
    notes: [],
    metadata: {},
    cells,
    values,
    passages: rows.map((_, i) => Math.floor(i / 2)),
    ...rest,
  };
}

export const JOBS = fakeTable(
  "jobs#table0",
  [{ name: "Job" }, { name: "City" }, { name: "State" }, { name: "Cost", type: "money", unit: "EUR" }],
  [
    ["Roof", "Berlin", "open", [1204.5, "1.204,50 €"]],
    ["Door", "Paris", "closed", [80, "80 €"]],
    ["Lift", "Berlin", "open", [null, "n/a"]],
    ["Sign", "Rome", "open", [15.25, "15,25 €"]],
  ],
  { name: "Jobs", metadata: { department: "field" } },
);
export const SALARIES = fakeTable(
  "salaries#table0",
  [{ name: "Name" }, { name: "City" }, { name: "Salary", type: "money", unit: "EUR" }],
  [
    ["Ann Lee", "Berlin", [4000, "4,000"]],
    ["Bo Chen", "Paris", [5000, "5,000"]],
  ],
  { name: "Salaries", metadata: { department: "hr" } },
);
export const SHOPS = fakeTable(
  "shops#table0",
  [{ name: "门店" }, { name: "城市" }, { name: "面积", type: "number", unit: "m²" }],
  [
    ["一号店", "上海", 120],
    ["二号店", "北京", 80],
  ],
  { name: "门店清单", language: "zh", metadata: { department: "field" } },
);

/** A document of a table for each, with this text in place of the table's. */
export async function keep(documents: Documents, tables: readonly Table[], text = "Listed below."): Promise<void> {
  const passages = tables.flatMap(({ documentId, metadata }) =>
    pagesOf(documentId, [textOf(tables, documentId) || text]).map((passage) => ({
      ...passage,
      ...(metadata && { metadata }),
    })),
  );
  await documents.upsert(passages, { tables: tables.map(packed) });
}

const textOf = (tables: readonly Table[], documentId: string) =>
  tables
    .filter((table) => table.documentId === documentId)
    .map(({ name, columns, cells }) =>
      [name, ...[columns.map((column) => column.name), ...cells].map((row) => `| ${row.join(" | ")} |`)].join("\n"),
    )
    .join("\n\n");
