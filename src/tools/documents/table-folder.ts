import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Connection, connect, Index, type Table } from "@lancedb/lancedb";
import { DataType, Field, FixedSizeList, Float32, Int32, Schema, Utf8 } from "apache-arrow";
import { StoreUnavailableError } from "../../errors.js";
import { Passage } from "../../types/evidence.js";

/** How the vectors of a store were made. */
export interface VectorKind {
  model: string;
  dimensions: number;
}

export const TABLE = "passages";

/** The name that LanceDB gives the index of the column `terms`. */
export const TERMS_INDEX = "terms_idx";

/**
 * Which table is there: another one after the folder was deleted and filled again. Undefined where there is none.
 * Looks only, makes nothing.
 * @throws StoreUnavailableError where something else is in its place.
 */
export async function tableThere(folder: string): Promise<string | undefined> {
  const table = await statOf(join(folder, `${TABLE}.lance`));
  if (table) return `${table.ino} ${table.birthtimeMs}`;
  const there = await statOf(folder);
  if (!there) return undefined;
  if (!there.isDirectory()) throw notAStore(folder, "it is a file");
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  if (names.some((name) => !name.startsWith(".") && !name.endsWith(".lance")))
    throw notAStore(folder, "it holds other files");
  return undefined;
}

const statOf = (path: string) =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw unreadable(path, error);
  });

export async function openTable(folder: string): Promise<{ connection: Connection; live: Table }> {
  // Without the interval a table shows for ever what it held when it was opened.
  const connection = await connect(folder, { readConsistencyInterval: 0 });
  const live = await connection.openTable(TABLE);
  if ((await live.schema()).metadata.get(FORMAT) === CURRENT_FORMAT) return { connection, live };
  throw new StoreUnavailableError(`The store in ${folder} was written by another version. ${START_AGAIN}`);
}

/** Built aside and moved into place, so that nobody ever meets a table without its index. */
export async function makeTable(folder: string, vectors: VectorKind | undefined): Promise<void> {
  const aside = join(folder, `.new-${randomUUID()}`);
  try {
    const connection = await connect(aside);
    const table = await connection.createEmptyTable(TABLE, schemaOf(vectors));
    await table.createIndex("terms", { config: termsIndex() });
    table.close();
    connection.close();
    await rename(join(aside, `${TABLE}.lance`), join(folder, `${TABLE}.lance`));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Undefined where the table has no vectors. */
export function vectorKind(schema: Schema): VectorKind | undefined {
  const type = schema.fields.find(({ name }) => name === "vector")?.type;
  if (!DataType.isFixedSizeList(type)) return undefined;
  return { model: schema.metadata.get(MODEL) ?? "", dimensions: type.listSize };
}

export const unreadable = (folder: string, cause: unknown) =>
  new StoreUnavailableError(`The store in ${folder} cannot be read (${reason(cause)}). ${START_AGAIN}`, { cause });

export const unwritable = (folder: string, cause: unknown) =>
  new StoreUnavailableError(
    `The store in ${folder} cannot be written (${reason(cause)}). What it held is untouched. Check the folder's permissions and the free space.`,
    { cause },
  );

const notAStore = (folder: string, why: string) =>
  new StoreUnavailableError(`${folder} is not a store: ${why}. Name a new or an empty folder.`);

const START_AGAIN = "Delete the folder and ingest the documents again.";

/** LanceDB's messages go on with the places in its own source. */
const reason = (cause: unknown) =>
  (cause instanceof Error ? cause.message : String(cause)).split(/\n|, \/|\s{2}/)[0]?.slice(0, 200) ?? "";

/** Raised when stored terms no longer match the terms of queries. */
const CURRENT_FORMAT = "1";
const FORMAT = "emend.format";
const MODEL = "emend.embeddings";

/** Terms come analysed: the index takes them as they are. */
const termsIndex = () =>
  Index.fts({
    baseTokenizer: "whitespace",
    withPosition: false,
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    maxTokenLength: 256,
  });

const schemaOf = (vectors: VectorKind | undefined) => {
  const text = (name: string) => new Field(name, new Utf8(), false);
  const fields: Field[] = [
    ...Object.keys(Passage.shape).map((name) =>
      name === "position" ? new Field(name, new Int32(), false) : text(name),
    ),
    text("terms"),
  ];
  if (!vectors) return new Schema(fields, new Map([[FORMAT, CURRENT_FORMAT]]));
  const vector = new FixedSizeList(vectors.dimensions, new Field("item", new Float32(), true));
  return new Schema(
    [...fields, new Field("vector", vector, false)],
    new Map([
      [FORMAT, CURRENT_FORMAT],
      [MODEL, vectors.model],
    ]),
  );
};
