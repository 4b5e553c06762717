import { Index } from "@lancedb/lancedb";

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
  `"${column}" IN (${[...new Set(values)].map((value) => `'${value.replaceAll("'", "''")}'`).join(", ")})`;

/** Splits values into parts that are few enough for one condition. */
export const inParts = (values: readonly string[]) =>
  Array.from({ length: Math.ceil(values.length / PART) }, (_, i) => values.slice(i * PART, (i + 1) * PART));
export const PART = 2_000;
