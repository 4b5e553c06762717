import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { StoreUnavailableError } from "../../../errors.js";
import { makeFolder } from "../make-folder.js";
import { addIndexes, checkedFormat, emptyTable, reasonOf, type TableKind, type TablePlace } from "./table-place.js";
import { isLeftOver, writeLock } from "./write-lock.js";

/** A table in a folder of this machine. */
export function tableFolder(folder: string, kind: TableKind): TablePlace {
  const file = join(folder, `${kind.name}.lance`);
  return {
    there: () => tableThere(folder, file),

    async open() {
      // Without the interval a table never shows later versions.
      const connection = await connect(folder, { readConsistencyInterval: 0 });
      return { connection, live: await checkedFormat(await connection.openTable(kind.name), kind, folder) };
    },

    /** Builds the table aside and moves it into place. */
    async make() {
      const aside = join(folder, `${ASIDE}${randomUUID()}`);
      try {
        const connection = await connect(aside);
        const table = await emptyTable(connection, kind);
        await addIndexes(table, kind);
        table.close();
        connection.close();
        await rename(join(aside, `${kind.name}.lance`), file);
      } finally {
        await clear(aside);
      }
    },

    async lock(waiting) {
      await makeFolder(folder).catch((error: unknown) => {
        throw unmakable(folder, error);
      });
      try {
        const release = await writeLock(folder, waiting);
        await clearLeftOvers(folder);
        return release;
      } catch (error) {
        if (waiting.signal?.aborted || error instanceof StoreUnavailableError) throw error;
        throw unwritable(folder, error);
      }
    },

    // Advises to start again only where files are missing or damaged, not after any other error of the system.
    unreadable: (cause) =>
      /\(os error (?![23]\))/.test(String(cause))
        ? unreachable(folder, cause)
        : new StoreUnavailableError(`The store in ${folder} cannot be read (${reasonOf(cause)}). ${kind.startAgain}`, {
            cause,
          }),

    unwritable: (cause) => unwritable(folder, cause),
  };
}

async function tableThere(folder: string, file: string): Promise<string | undefined> {
  const table = await statOf(file);
  if (table) return `${table.ino} ${table.birthtimeMs}`;
  const there = await statOf(folder);
  if (!there) {
    const inTheWay = await fileAbove(folder);
    if (inTheWay) throw isAFile(inTheWay);
    return undefined;
  }
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

/** Returns the file that stands where a folder above this path should be. */
async function fileAbove(path: string): Promise<string | undefined> {
  const parent = dirname(path);
  if (parent === path) return undefined;
  const there = await statOf(parent);
  if (!there) return fileAbove(parent);
  return there.isDirectory() ? undefined : parent;
}

/** Removes what killed processes left behind. Call it only with the write lock, when nobody else builds a table. */
async function clearLeftOvers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith(ASIDE) || (name.startsWith(".lock.") && (await isLeftOver(path)))) await clear(path);
  }
}

/** A failure does no harm: the next write tries again. */
const clear = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {});
const ASIDE = ".new-";

const unmakable = (folder: string, cause: unknown) =>
  new StoreUnavailableError(
    `No store can be made in ${folder} (${reasonOf(cause)}). Put that right, or name another folder with --store or EMEND_STORE.`,
    { cause },
  );

const unreachable = (path: string, cause: unknown) =>
  new StoreUnavailableError(
    `The store at ${path} cannot be read (${reasonOf(cause)}). Check its name and its permissions, or name another folder with --store or EMEND_STORE.`,
    { cause },
  );

const unwritable = (folder: string, cause: unknown) =>
  new StoreUnavailableError(
    `The store in ${folder} cannot be written (${reasonOf(cause)}). What it held is untouched. Check the folder's permissions and the free space.`,
    { cause },
  );

const isAFile = (path: string) =>
  new StoreUnavailableError(`${path} is a file, not a store. Name another folder with --store or EMEND_STORE.`);

const notAStore = (folder: string, why: string) =>
  new StoreUnavailableError(`${folder} is not a store: ${why}. Name a new or an empty folder.`);
