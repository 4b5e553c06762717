import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { loadSettings, type Settings } from "../config.js";
import { cannotBe, UsageError } from "../errors.js";
import type { openTools } from "../open.js";
import { openDatabase } from "../tools/store/open.js";
import { isDatabase, storeFolder } from "../tools/store/settings.js";
import type { Options } from "./options.js";

export const settingsOf = ({ store }: Options): Settings => loadSettings(store === undefined ? {} : { store });

/** Settings per question as JSON, without groups that set nothing. */
export const contextInWords = (context: Settings["context"] = {}) =>
  JSON.stringify(Object.fromEntries(Object.entries(context).filter(([, value]) => JSON.stringify(value) !== "{}")));

/**
 * Returns the folder that document ids are relative to: the parent of the store's folder, so that ids do not depend on
 * the current folder; with a database, the current folder.
 */
export const folderOfIds = ({ store }: Settings) => (isDatabase(store) ? process.cwd() : dirname(resolve(store)));

/**
 * The list of files whose reading was stopped, so that each is tried only once. It stays beside the program also if the
 * store is a database: how far a file is read depends on the speed of the machine.
 */
export const stoppedFile = (settings: Settings) => join(storeFolder(settings), "unread.txt");

/** The folder of what was read on scanned pages, beside the store. */
export const scansFolder = (settings: Settings) => join(storeFolder(settings), "scans");

/** What is known of the sites that were crawled. It stays beside the program also if the store is a database. */
export const sitesFile = (settings: Settings) => join(storeFolder(settings), "sites.json");

/** Opens the tools in the settings; `await using` closes them. */
export async function usingTools(...given: Parameters<typeof openTools>) {
  const [parts, { closeTools }] = await Promise.all([import("../open.js"), import("../state/tools.js")]);
  const tools = parts.openTools(...given);
  return { ...tools, [Symbol.asyncDispose]: () => closeTools(tools) };
}

/** Opens what the store keeps beside documents; `await using` closes it. */
export const usingDatabase = ({ store }: Settings) => disposable(openDatabase(store));

/** What is closed at the end of a block that declares it by `await using`. */
export const disposable = <T extends { close(): Promise<void> }>(it: T) =>
  Object.assign(it, { [Symbol.asyncDispose]: () => it.close() });

/**
 * Reads a file, or stdin without one or for `-`, line by line.
 * @throws UsageError if it cannot be read, or a line is too long.
 */
export async function* readLines(path: string | undefined): AsyncGenerator<string> {
  if (path === undefined || path === "-") return yield* linesIn(process.stdin.setEncoding("utf8"), "stdin");
  try {
    await using file = await open(path);
    yield* linesIn(file.createReadStream({ encoding: "utf8" }), path);
  } catch (error) {
    cannotBe("read", path)(error);
  }
}

/** In characters. A device such as /dev/zero never ends a line. */
const MAX_LINE_LENGTH = 10_000_000;

async function* linesIn(stream: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  let rest = "";
  for await (const part of stream) {
    const lines = `${rest}${part}`.split(/\r?\n/);
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_LENGTH)
      throw new UsageError(`${name} has a line of more than 10 million characters. Give JSON Lines.`);
    yield* lines;
  }
  if (rest !== "") yield rest;
}
