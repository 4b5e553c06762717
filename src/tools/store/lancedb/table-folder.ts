import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Connection, connect, Index, type Table } from "@lancedb/lancedb";
import { type Field, Schema } from "apache-arrow";
import { StoreUnavailableError } from "../../../errors.js";
import { isLeftOver } from "./write-lock.js";

/** What has to be known of a table to look for it. */
export interface TableName {
  name: string;
  /** Raised when what is stored no longer means the same. */
  format: string;
  /** What a user does about a table that cannot be read. */
  startAgain: string;
}

/** What a table in a folder holds when it is made. */
export interface TableKind extends TableName {
  fields(): Field[];
  /** Every index by its column, made with the table. Each can be used once. */
  indexes: Readonly<Record<string, () => Index>>;
}

/**
 * Which table is there: another one after the folder was deleted and filled again. Undefined where there is none.
 * Looks only, makes nothing.
 * @throws StoreUnavailableError where something else is in its place.
 */
export async function tableThere(folder: string, kind: TableName): Promise<string | undefined> {
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

/** What a store's folder may hold: tables, the folder of its graph, and what is hidden. */
const OURS = /^\.|\.lance$|^knowledge$/;

const statOf = (path: string) =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw unreachable(path, error);
  });

export async function openTable(folder: string, kind: TableName): Promise<{ connection: Connection; live: Table }> {
  // Without the interval a table shows for ever what it held when it was opened.
  const connection = await connect(folder, { readConsistencyInterval: 0 });
  const live = await connection.openTable(kind.name);
  if ((await live.schema()).metadata.get(FORMAT) === kind.format) return { connection, live };
  throw new StoreUnavailableError(`The store in ${folder} was written by another version. ${kind.startAgain}`);
}

/** Built aside and moved into place, so that nobody ever meets a table without its indexes. */
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

/** Removes what a process that was killed left behind. Only for whoever may write: nobody else builds a table then. */
export async function clearLeftOvers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith(ASIDE) || (name.startsWith(".lock.") && (await isLeftOver(path)))) await clear(path);
  }
}

/** What cannot be removed now is in nobody's way: the next write tries again. */
const clear = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {});
const ASIDE = ".new-";

/** What is missing or makes no sense is damaged. Whatever else the system refuses is no reason to delete anything. */
export const unreadable = (folder: string, { startAgain }: TableName, cause: unknown) =>
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

/** An index over terms that come analysed, split at white space and taken as they are. */
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

/** The name that LanceDB gives the index of a column. */
export const indexOf = (column: string) => `${column}_idx`;

/** A condition for LanceDB's SQL. Inside quotes only the quote itself means anything. */
export const isOneOf = (column: string, values: Iterable<string>) =>
  `"${column}" IN (${[...new Set(values)].map((value) => `'${value.replaceAll("'", "''")}'`).join(", ")})`;

const notAStore = (folder: string, why: string) =>
  new StoreUnavailableError(`${folder} is not a store: ${why}. Name a new or an empty folder.`);

/** LanceDB's messages go on with the places in its own source. */
const reason = (cause: unknown) =>
  (cause instanceof Error ? cause.message : String(cause)).split(/\n|, \/|\s{2}/)[0]?.slice(0, 200) ?? "";

const FORMAT = "emend.format";
