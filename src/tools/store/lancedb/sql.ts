import { Index, type Table } from "@lancedb/lancedb";
import { type Filter, pairsIn } from "../../../types/filter.js";

/** Makes an index over terms that are already analysed: it splits them at white space and changes nothing. */
export const termsIndex = () =>
  Index.fts({
    baseTokenizer: "whitespace",
    withPosition: false,
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    maxTokenLength: 256,
  });

/** Returns the name that LanceDB gives the index of a column. */
export const indexOf = (column: string) => `${column}_idx`;

/** Writes a condition for LanceDB's SQL. Inside quotes only the quote itself has a meaning. */
export const isOneOf = (column: string, values: Iterable<string>) =>
  `"${column}" IN (${[...new Set(values)].map(quoted).join(", ")})`;

/** Writes a filter as a condition on the column `metadata`, which has pairs such as `key=value`. Rows without it meet none. */
export const meetsFilter = (filter: Filter) =>
  [
    "metadata IS NOT NULL",
    ...filter.map((condition) => {
      const pairs = pairsIn(condition);
      const isThere = pairs.length > 0 ? `array_has_any(metadata, [${pairs.map(quoted).join(", ")}])` : "false";
      return condition.not ? `NOT ${isThere}` : isThere;
    }),
  ].join(" AND ");

/** False for a filter on a table of an older version, of whose rows nobody knows what they meet. */
export const canMeet = async (table: Table, filter: Filter): Promise<boolean> =>
  filter.length === 0 || hasColumn(table, "metadata");

/** Adds the column `metadata` to a table of an older version. */
export const addMetadata = (table: Table) => addColumn(table, "metadata", "List(Utf8)");

/** Adds an empty column of this Arrow type to a table of an older version. */
export async function addColumn(table: Table, name: string, type: string): Promise<void> {
  if (!(await hasColumn(table, name))) await table.addColumns([{ name, valueSql: `arrow_cast(NULL, '${type}')` }]);
}

const hasColumn = async (table: Table, column: string) =>
  (await table.schema()).fields.some(({ name }) => name === column);

/** Writes a text for LanceDB's SQL. */
export const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Splits values into parts that are few enough for one condition. */
export const inParts = (values: readonly string[]) =>
  Array.from({ length: Math.ceil(values.length / PART) }, (_, i) => values.slice(i * PART, (i + 1) * PART));
export const PART = 2_000;
