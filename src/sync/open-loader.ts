import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf, toError, UsageError } from "../errors.js";
import type { Connector } from "../loaders/port.js";
import { hasMethod } from "../options.js";
import { fromLoader, type Loader } from "./from-loader.js";
import type { LoaderSource, Mapping } from "./loader-source.js";

/**
 * Opens a source that `emend.json` names: imports its module as a program in that folder would, and makes or calls what it
 * exports.
 * @param folder the folder of `emend.json`.
 * @returns a connector; a LangChain loader as one.
 * @throws UsageError if the module, a package that it needs or the export is missing, or if it is neither a LangChain
 * loader nor a connector.
 */
export async function openLoader(source: LoaderSource, folder: string): Promise<Connector> {
  const { loader: named, options } = source;
  const at = named.lastIndexOf("#");
  const [name, wanted] = at < 0 ? [named, "default"] : [named.slice(0, at), named.slice(at + 1)];
  const exported = await exportIn(name, wanted, folder);
  const given = Array.isArray(options) ? options : options === undefined ? [] : [options];
  const open = async (): Promise<unknown> => {
    if (typeof exported !== "function") return exported;
    if (hasMethod(exported.prototype, "load")) return new (exported as new (...given: unknown[]) => unknown)(...given);
    return (exported as (...given: unknown[]) => unknown)(...given);
  };
  const opened = await open().catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw missingPackage(error) ?? new UsageError(`${named} cannot be opened: ${toError(error).message}`);
  });
  if (isConnector(opened)) {
    const mapped = (["id", "title", "url", "date", "users", "groups"] as const).find(
      (key) => source[key] !== undefined,
    );
    if (mapped)
      throw new UsageError(`Leave out \`${mapped}\`. ${named} is a connector, which says it of each document itself.`);
    return opened;
  }
  if (!isLoader(opened)) throw new UsageError(`${named} ${NEITHER}`);
  // Some loaders keep what an earlier load delivered.
  let first: Loader | undefined = opened;
  return connectorOf(async () => {
    const loader = first ?? ((await open()) as Loader);
    first = undefined;
    return loader;
  }, source);
}

/** Makes a connector of a loader, whose own missing packages are named. */
export function connectorOf(open: () => Promise<Loader>, mapping: Mapping): Connector {
  return fromLoader(async () => {
    const loader = await open();
    return {
      load: () =>
        loader.load().catch((error: unknown) => {
          throw missingPackage(error) ?? error;
        }),
    };
  }, mapping);
}

export const isConnector = (given: unknown): given is Connector => hasMethod(given, "list") && hasMethod(given, "read");
export const isLoader = (given: unknown): given is Loader => hasMethod(given, "load");

const NEITHER =
  "is neither a loader of LangChain, with a function `load`, nor a connector, with the functions `list` and `read`.";

async function exportIn(name: string, wanted: string, folder: string): Promise<unknown> {
  const module = await importFrom(name, folder).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw missingPackage(error) ?? new UsageError(`${name} cannot be loaded: ${toError(error).message}`);
  });
  if (Object.hasOwn(module, wanted)) return module[wanted];
  const names = Object.keys(module)
    .filter((key) => key !== "default" && key !== "module.exports")
    .sort();
  const all = names.length > 0 ? names.slice(0, MOST_NAMED).join(", ") : "nothing by a name";
  const [first] = names;
  if (wanted === "default" && first !== undefined)
    throw new UsageError(`Name what ${name} exports, such as ${name}#${first}. It exports ${all}.`);
  throw new UsageError(`${name} does not export ${wanted}. It exports ${all}.`);
}

const MOST_NAMED = 50;

/** Imports a module: emend's own loaders, a file, or a package that is installed for the folder or beside emend. */
async function importFrom(name: string, folder: string): Promise<Record<string, unknown>> {
  if (name === OWN) return import("../loaders/index.js");
  if (/^(?:\.{1,2}\/|\/|[A-Za-z]:[\\/])/.test(name)) {
    const path = resolve(folder, name);
    if (!existsSync(path)) throw new UsageError(`There is no module ${name}. Its path is relative to emend.json.`);
    return import(pathToFileURL(path).href);
  }
  if (/^emend(?:\/|$)/.test(name)) throw new UsageError(`There is no ${name}. Is ${OWN} meant?`);
  if (existsSync(resolve(folder, name))) throw new UsageError(`Write ./${name}, since it is a file and no package.`);
  const { resolve: find } = createRequire(join(resolve(folder), "emend.json"));
  try {
    return await import(pathToFileURL(find(name)).href);
  } catch (error) {
    const path = codeOf(error) === "ERR_PACKAGE_PATH_NOT_EXPORTED" && importable(name, find.paths(name) ?? []);
    if (!path) throw error;
    return import(pathToFileURL(path).href);
  }
}

/** Returns the file of a package that can be imported, and not required; undefined if there is none. */
function importable(name: string, folders: readonly string[]): string | undefined {
  const { own = "", rest = "" } = /^(?<own>(?:@[^/]+\/)?[^/]+)(?<rest>.*)$/.exec(name)?.groups ?? {};
  const folder = folders.map((one) => join(one, own)).find((one) => existsSync(join(one, "package.json")));
  if (folder === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  let target: unknown = exports?.[`.${rest}`] ?? (rest === "" ? exports : undefined);
  while (typeof target === "object" && target !== null)
    target = ["import", "node", "default"].map((key) => Reflect.get(target as object, key)).find((form) => form);
  return typeof target === "string" ? join(folder, target) : undefined;
}

const OWN = "emend/loaders";

/** Returns what to install, if an error says that a package is missing. */
function missingPackage(error: unknown): UsageError | undefined {
  const { message } = toError(error);
  const code = codeOf(error);
  if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") {
    const [, path = "", file = ""] = /'([^']+)' is not defined by "exports" in (\S+)/.exec(message) ?? [];
    return new UsageError(`There is no ${path} in the package of ${file}. Is its name right?`);
  }
  if (code !== "MODULE_NOT_FOUND" && code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const [, name = ""] = /Cannot find (?:package|module) '([^']+)'/.exec(message) ?? [];
  const [scope = "", rest = ""] = name.split("/");
  const missing = scope.startsWith("@") ? `${scope}/${rest}` : scope;
  if (!/^(?:@[\w.-]+\/)?[\w.-]+$/.test(missing)) return undefined;
  return new UsageError(`The package ${missing} is not installed here. Install it: npm install ${missing}`);
}
