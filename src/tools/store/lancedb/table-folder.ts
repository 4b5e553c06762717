import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Connection, connect, Index, type Table } from "@lancedb/lancedb";
import { type Field, Schema } from "apache-arrow";
import { StoreUnavailableError } from "../../../errors.js";
import { type Filter, pairsIn } from "../../../types/filter.js";
import { isLeftOver } from "./write-lock.js";

/** A table with its columns and indexes. */
export interface TableKind {
  name: string;
  /** Changed when stored values change their meaning. */
  format: string;
  /** Tells users what to do about a table that cannot be read. */
  startAgain: string;
  fields(): Field[];
  /** Every index by its column. An `Index` can be used once, so each is made anew. */
  indexes: Readonly<Record<string, () => Index>>;
}

/**
 * Returns the identity of the table, which changes when the folder is deleted and filled again; undefined where there is
 * no table. Creates nothing.
 * @throws StoreUnavailableError where something else is in its place.
 */
export async function tableThere(folder: string, kind: TableKind): Promise<string | undefined> {
  const table = await statOf(join(folder, `${kind.name}.lance`));
  if (table) return `${table.ino} ${table.birthtimeMs}`;
  const there = await statOf(folder);
  if (!there) return undefined;
  if (!there.isDirectory()) throw notAStore(folder, "it is a file");
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreachable(folder, error);
  });
  if (names.some((name) => !OURS.test(name))) throw notAStore(folder, "it holds other files");
  return undefined;
}

/** A store's folder may hold tables, the folder of its graph, and hidden files. */
const OURS = /^\.|\.lance$|^knowledge$/;

const statOf = (path: string) =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw unreachable(path, error);
  });

export async function openTable(folder: string, kind: TableKind): Promise<{ connection: Connection; live: Table }> {
  // Without the interval a table never shows later versions.
  const connection = await connect(folder, { readConsistencyInterval: 0 });
  const live = await connection.openTable(kind.name);
  if ((await live.schema()).metadata.get(FORMAT) === kind.format) return { connection, live };
  throw new StoreUnavailableError(`The store in ${folder} was written by another version. ${kind.startAgain}`);
}

/** Builds a table aside and moves it into place, so that no reader sees it without its indexes. */
export async function makeTable(folder: string, kind: TableKind): Promise<void> {
  const aside = join(folder, `${ASIDE}${randomUUID()}`);
  try {
    const connection = await connect(aside);
    const table = await connection.createEmptyTable(
      kind.name,
      new Schema(kind.fields(), new Map([[FORMAT, kind.format]])),
    );
    for (const [column, index] of Object.entries(kind.indexes)) await table.createIndex(column, { config: index() });
    table.close();
    connection.close();
    await rename(join(aside, `${kind.name}.lance`), join(folder, `${kind.name}.lance`));
  } finally {
    await clear(aside);
  }
}

/** Removes what killed processes left behind. Call it only with the write lock, when nobody else builds a table. */
export async function clearLeftOvers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith(ASIDE) || (name.startsWith(".lock.") && (await isLeftOver(path)))) await clear(path);
  }
}

/** A failure does no harm: the next write tries again. */
const clear = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {});
const ASIDE = ".new-";

/** Advises to start again only where files are missing or damaged, not after any other error of the system. */
export const unreadable = (folder: string, { startAgain }: TableKind, cause: unknown) =>
  /\(os error (?![23]\))/.test(String(cause))
    ? unreachable(folder, cause)
    : new StoreUnavailableError(`The store in ${folder} cannot be read (${reason(cause)}). ${startAgain}`, { cause });

export const unmakable = (folder: string, cause: unknown) =>
  new StoreUnavailableError(
    `No store can be made in ${folder} (${reason(cause)}). Put that right, or name another folder with --store or EMEND_STORE.`,
    { cause },
  );

const unreachable = (path: string, cause: unknown) =>
  new StoreUnavailableError(
    `The store at ${path} cannot be read (${reason(cause)}). Check its name and its permissions, or name another folder with --store or EMEND_STORE.`,
    { cause },
  );

export const unwritable = (folder: string, cause: unknown) =>
  new StoreUnavailableError(
    `The store in ${folder} cannot be written (${reason(cause)}). What it held is untouched. Check the folder's permissions and the free space.`,
    { cause },
  );

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
  filter.length === 0 || hasMetadata(table);

/** Adds the column `metadata` to a table of an older version. */
export async function addMetadata(table: Table): Promise<void> {
  if (!(await hasMetadata(table)))
    await table.addColumns([{ name: "metadata", valueSql: "arrow_cast(NULL, 'List(Utf8)')" }]);
}

const hasMetadata = async (table: Table) => (await table.schema()).fields.some(({ name }) => name === "metadata");

/** Writes a text for LanceDB's SQL. */
export const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Splits values into parts that are few enough for one condition. */
export const inParts = (values: readonly string[]) =>
  Array.from({ length: Math.ceil(values.length / PART) }, (_, i) => values.slice(i * PART, (i + 1) * PART));
export const PART = 2_000;

const notAStore = (folder: string, why: string) =>
  new StoreUnavailableError(`${folder} is not a store: ${why}. Name a new or an empty folder.`);

/** Cuts LanceDB's messages, which go on with places in its own source. */
const reason = (cause: unknown) =>
  (cause instanceof Error ? cause.message : String(cause)).split(/\n|, \/|\s{2}/)[0]?.slice(0, 200) ?? "";

const FORMAT = "emend.format";
