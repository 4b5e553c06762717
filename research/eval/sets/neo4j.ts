import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import type { GraphRow, GraphValue } from "../../../src/types/knowledge.js";
import { BadDataError } from "../data.js";

/** The statements that make a graph: each list runs in one transaction, the lists one after another. */
export type Script = readonly (readonly Statement[])[];

interface Statement {
  cypher: string;
  parameters?: GraphRow;
}

/** A Cypher script as published, a statement up to each semicolon that ends a line. */
export const cypherScript = (path: string): Script =>
  text(path)
    .split(/;[ \t]*(?:\r?\n|$)/)
    .flatMap((cypher) => (cypher.trim() === "" ? [] : [[{ cypher }]]));

/**
 * Northwind from its published tables. Columns other than pictures become properties, and foreign keys become
 * relations.
 */
export function northwind(folder: string): Script {
  const keys = TABLES.map(({ label, key }) => [
    { cypher: `CREATE CONSTRAINT IF NOT EXISTS FOR (n:${label}) REQUIRE n.${key} IS UNIQUE` },
  ]);
  const nodes = TABLES.map(({ file, label }) => ({
    cypher: `UNWIND $rows AS row CREATE (n:${label}) SET n = row`,
    parameters: { rows: table(folder, file).map((row) => properties(row, (column) => !LEFT_OUT.test(column))) },
  }));
  const relations = RELATIONS.map(({ file, from, type, to, own = [] }) => ({
    cypher: `UNWIND $rows AS row MATCH (a:${from.label} {${from.key}: row.from}), (b:${to.label} {${to.key}: row.to}) CREATE (a)-[r:${type}]->(b) SET r = row.own`,
    parameters: {
      rows: table(folder, file)
        .filter((row) => row[to.column] !== "NULL")
        .map((row) => ({
          from: typed(from.key, row[from.column] ?? ""),
          to: typed(to.key, row[to.column] ?? ""),
          own: properties(row, (column) => own.includes(column)),
        })),
    },
  }));
  return [...keys, nodes, relations];
}

const TABLES = [
  { file: "categories.csv", label: "Category", key: "categoryID" },
  { file: "customers.csv", label: "Customer", key: "customerID" },
  { file: "employees.csv", label: "Employee", key: "employeeID" },
  { file: "orders.csv", label: "Order", key: "orderID" },
  { file: "products.csv", label: "Product", key: "productID" },
  { file: "regions.csv", label: "Region", key: "regionID" },
  { file: "shippers.csv", label: "Shipper", key: "shipperID" },
  { file: "suppliers.csv", label: "Supplier", key: "supplierID" },
  { file: "territories.csv", label: "Territory", key: "territoryID" },
] as const;

interface End {
  label: string;
  key: string;
  column: string;
}

const end = (label: string, key: string, column = key): End => ({ label, key, column });

const RELATIONS: readonly { file: string; from: End; type: string; to: End; own?: readonly string[] }[] = [
  { file: "products.csv", from: end("Product", "productID"), type: "PART_OF", to: end("Category", "categoryID") },
  { file: "products.csv", from: end("Supplier", "supplierID"), type: "SUPPLIES", to: end("Product", "productID") },
  { file: "orders.csv", from: end("Customer", "customerID"), type: "PURCHASED", to: end("Order", "orderID") },
  { file: "orders.csv", from: end("Employee", "employeeID"), type: "SOLD", to: end("Order", "orderID") },
  { file: "orders.csv", from: end("Order", "orderID"), type: "SHIPPED_BY", to: end("Shipper", "shipperID", "shipVia") },
  {
    file: "order-details.csv",
    from: end("Order", "orderID"),
    type: "CONTAINS",
    to: end("Product", "productID"),
    own: ["unitPrice", "quantity", "discount"],
  },
  {
    file: "employees.csv",
    from: end("Employee", "employeeID"),
    type: "REPORTS_TO",
    to: end("Employee", "employeeID", "reportsTo"),
  },
  {
    file: "employee-territories.csv",
    from: end("Employee", "employeeID"),
    type: "WORKS_IN",
    to: end("Territory", "territoryID"),
  },
  { file: "territories.csv", from: end("Territory", "territoryID"), type: "IN_REGION", to: end("Region", "regionID") },
];

/** Pictures, and keys that become relations. */
const LEFT_OUT = /^(?:picture|photo|photoPath|reportsTo|shipVia)$/;

const WHOLE = /^(?:(?:category|employee|order|product|region|shipper|supplier)ID|units\w+|reorderLevel|quantity)$/;
const FRACTION = /^(?:unitPrice|freight|discount)$/;

type Row = Readonly<Record<string, string>>;

function properties(row: Row, wanted: (column: string) => boolean): GraphRow {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column, value]) => wanted(column) && value !== "NULL" && value !== "")
      .map(([column, value]) => [column, typed(column, value)]),
  );
}

function typed(column: string, value: string): GraphValue {
  if (column === "discontinued") return value === "1";
  if (WHOLE.test(column) || FRACTION.test(column)) return Number(value);
  return /^\d{4}-\d\d-\d\d 00:/.test(value) ? value.slice(0, 10) : value;
}

function table(folder: string, file: string): Row[] {
  const path = join(folder, file);
  const [columns = [], ...rows]: string[][] = parse(text(path), {
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
  });
  return rows.map((parts, index) => {
    const fields = parts.length > columns.length ? rejoined(parts) : parts;
    if (fields.length !== columns.length)
      throw new BadDataError(`${path}: row ${index + 1} has ${fields.length} fields for ${columns.length} columns.`);
    return Object.fromEntries(columns.map((column, i) => [column, fields[i]?.trim() ?? ""]));
  });
}

/** Some fields have commas without quotes. Those commas are followed by a space; the ones between fields are not. */
const rejoined = (parts: readonly string[]) => parts.join("\n").replaceAll("\n ", ", ").split("\n");

function text(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new BadDataError(`${path}: cannot be read.`);
  }
}
