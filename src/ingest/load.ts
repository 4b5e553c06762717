import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, posix } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { cannotBe, ReadingStoppedError, toError, UsageError } from "../errors.js";
import { aSignal, check, exactly } from "../options.js";
import { decode } from "../text/decode.js";
import { hasScheme } from "../tools/documents/document-id.js";
import { hasRuntime } from "../tools/encoder/runtime.js";
import { type KnownScans, readScanInOwnProcess, type Scan, type ScanResult } from "../tools/ocr/read-scan.js";
import { inOwnProcess, limitsFor, moduleAt } from "../tools/process/own-process.js";
import { makeFolder, PRIVATE } from "../tools/store/make-folder.js";
import { parseXml, type TreeParent } from "../tools/web/html-tree.js";
import type { SourceDocument } from "../types/evidence.js";
import { bytesOf } from "./bytes.js";
import { type CutDocument, cutDocument } from "./chunk.js";
import { findFiles, type ReadFailure } from "./find.js";
import { at, childrenOf, textOf } from "./formats/archive.js";
import type { Content } from "./formats/content.js";
import { contentOf, FORMATS_READ, isSimple } from "./formats/registry.js";
import type { Scans } from "./formats/scans.js";

/** Hashes a document's content together with the version of the code that reads and cuts it. */
export const hashOf = (content: string | Uint8Array) =>
  createHash("sha256").update(`${VERSION}\n`).update(content).digest("hex");

/**
 * Raise it if files are read or cut differently, indexed by other terms, or yield other facts: all documents are then
 * written again.
 */
const VERSION = "2.16";

/**
 * Reads a file.
 * @param known the file's hash when it was last read.
 * @param scans what was read in its pictures of text; without it they are not read.
 * @returns undefined if the hash is unchanged.
 * @throws Error with a message for the user if the file cannot be read.
 */
export async function load(
  path: string,
  documentId: string,
  known?: string,
  scans?: Scans,
): Promise<SourceDocument | undefined> {
  const bytes = await bytesOf(path);
  const hash = hashOf(bytes);
  if (hash === known) return undefined;
  const { title, ...content } = await contentOf(bytes, path, scans);
  return { documentId, uri: documentId, title: title.slice(0, 200) || nameOf(documentId), ...content, hash };
}

/** The last part of an id, without its extension: "notes" for docs/notes.md and stdin:notes.md. */
const nameOf = (documentId: string) =>
  posix.parse(hasScheme(documentId) ? documentId.slice(documentId.indexOf(":") + 1) : documentId).name;

/** Reads a file as `load` does, and cuts it. */
export async function loadCut(...args: Parameters<typeof load>): Promise<CutDocument | undefined> {
  const document = await load(...args);
  return document && cutDocument(document);
}

type Known = [path: string, documentId: string, known?: string | undefined];

/** What reading came to, or which pictures of text must be read first. */
type Step<T> = { done: T | undefined } | { wanted: Scan[] };

/** Like `load` with what was read in pictures of text so far. */
export const loadStep = (args: Known, read: Scans["read"]): Promise<Step<SourceDocument>> => stepOf(load, args, read);

/** Like `loadCut` with what was read in pictures of text so far. */
export const loadCutStep = (args: Known, read: Scans["read"]): Promise<Step<CutDocument>> =>
  stepOf(loadCut, args, read);

async function stepOf<T>(
  reader: (...args: Parameters<typeof load>) => Promise<T | undefined>,
  [path, documentId, known]: Known,
  read: Scans["read"],
): Promise<Step<T>> {
  const scans = hasRuntime() ? { read, wanted: new Map<string, Scan>() } : undefined;
  const done = await reader(path, documentId, known, scans);
  return scans && scans.wanted.size > 0 ? { wanted: [...scans.wanted.values()] } : { done };
}

/** What reading in another process may be given besides. */
export interface ReadingOptions {
  signal?: AbortSignal | undefined;
  /** Remembers a file whose reading was stopped, until it changes. Default: it is tried every time. */
  stopped?: Stopped | undefined;
  /** Remembers what was read in pictures of text. Default: they are read every time. */
  scans?: KnownScans | undefined;
  /** Called with the number of pictures of text that were read, and of those that were found so far. */
  onScan?: ((read: number, found: number) => void) | undefined;
}

/** Like `load`, without blocking this process. @throws also ReadingStoppedError, or the signal's reason. */
export const loadInOwnProcess = (args: Known, options: ReadingOptions = {}): Promise<SourceDocument | undefined> =>
  reading(args, load, loadStep, options);

/** Like `loadCut`, without blocking this process. @throws also ReadingStoppedError, or the signal's reason. */
export const loadCutInOwnProcess = (args: Known, options: ReadingOptions = {}): Promise<CutDocument | undefined> =>
  reading(args, loadCut, loadCutStep, options);

/** Like `readSitemap`, without blocking this process. @throws also ReadingStoppedError, or the signal's reason. */
export const readSitemapInOwnProcess = (bytes: Uint8Array, signal?: AbortSignal): Promise<Sitemap> =>
  inOwnProcess(import.meta.url, readSitemap, [bytes], { signal });

/** Bytes below which reading is quicker than handing the file to another process, even if it is hostile. */
const SHORT = 4_000;

/**
 * Returns undefined if the file is unchanged. Reads a short, simple file in this process, and any other in a child
 * process. Pictures of text are read in processes of their own, and the file then again with what they say.
 */
async function reading<T>(
  args: Known,
  here: (...args: Known) => Promise<T | undefined>,
  step: (args: Known, read: Scans["read"]) => Promise<Step<T>>,
  { signal, stopped, scans, onScan }: ReadingOptions,
): Promise<T | undefined> {
  const [path, , known] = args;
  const bytes = await bytesOf(path);
  const hash = hashOf(bytes);
  if (hash === known) return undefined;
  if (bytes.length < SHORT && isSimple(bytes, path)) return here(...args);
  const reason = await stopped?.reasonOf(hash);
  if (reason !== undefined) throw new Error(reason);
  const read = new Map<string, ScanResult>();
  for (;;) {
    const limits = { signal, ...limitsFor(bytes.length) };
    const next = await inOwnProcess(import.meta.url, step, [args, read], limits).catch(async (error: unknown) => {
      if (error instanceof ReadingStoppedError) await stopped?.add(hash, error.message);
      throw error;
    });
    if ("done" in next) return next.done;
    const found = read.size + next.wanted.length;
    await Promise.all(
      next.wanted.map(async (scan) => {
        read.set(scan.key, await resultFor(scan, scans, signal));
        onScan?.(read.size, found);
      }),
    );
  }
}

async function resultFor(
  scan: Scan,
  scans: KnownScans | undefined,
  signal: AbortSignal | undefined,
): Promise<ScanResult> {
  const kept = await scans?.get(scan.key);
  if (kept) return kept;
  const result = await readScanInOwnProcess(scan, signal);
  if (!("reason" in result)) await scans?.put(scan.key, result);
  return result;
}

const Given = exactly({ paths: z.array(z.string()), cwd: z.string().optional(), signal: aSignal.optional() });

/**
 * Reads whole documents from files, folders and globs, as `ingestFiles` does, without storing them. `chunk` cuts one
 * into passages.
 * @param options.cwd the folder that paths and document ids are relative to. Default: the working directory.
 * @returns the documents, and the files that could not be read.
 * @throws UsageError if a path does not exist or nothing can be read; the signal's reason if aborted.
 */
export async function loadDocuments(
  paths: readonly string[],
  options: { cwd?: string; signal?: AbortSignal } = {},
): Promise<{ documents: SourceDocument[]; failures: ReadFailure[] }> {
  check(Given, { ...options, paths });
  const { cwd = process.cwd(), signal } = options;
  const { files, failures, missing } = await findFiles(paths, cwd);
  if (missing[0]) throw new UsageError(`There is no file or folder ${missing[0].given}.`);
  const documents: SourceDocument[] = [];
  for (const { path, documentId } of files) {
    signal?.throwIfAborted();
    const document = await loadInOwnProcess([path, documentId], { signal }).catch((error: Error) => error);
    signal?.throwIfAborted();
    if (document instanceof Error) failures.push({ path: documentId, reason: document.message });
    else if (document) documents.push(document);
  }
  if (documents.length === 0)
    throw new UsageError(
      `No source could be read under ${paths.join(", ")}.${failures.map(({ path, reason }) => ` ${path}: ${reason}`).join("")} emend reads ${FORMATS_READ}.`,
    );
  return { documents, failures };
}

/** Reads a text file in any encoding. @throws UsageError if it cannot be read. */
export async function readText(path: string): Promise<string> {
  const bytes = await bytesOf(path).catch(cannotBe("read", path));
  try {
    return decode(bytes);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${toError(error).message} Give a file of text.`);
  }
}

/** Reads the content of bytes, as `contentOf` does, without blocking this process. @throws also ReadingStoppedError, or the signal's reason. */
export const contentInOwnProcess = (bytes: Uint8Array, name: string, signal?: AbortSignal): Promise<Content> =>
  inOwnProcess(moduleAt(new URL("./formats/registry.js", import.meta.url)), contentOf, [bytes, name], {
    signal,
    ...limitsFor(bytes.length),
  });

/** What a sitemap lists (sitemaps.org), as written. */
export interface Sitemap {
  /** Each with the date of its last change, which is empty if it is not given. */
  pages: { address: string; modified: string }[];
  /** Further sitemaps, if it is an index of sitemaps. */
  sitemaps: string[];
}

/**
 * Reads a sitemap or an index of sitemaps, which may be compressed by gzip.
 * @throws Error with a message for the user if it is neither.
 */
export function readSitemap(bytes: Uint8Array): Sitemap {
  const root = parseXml(decode(unpacked(bytes)));
  const pages = at(root, "urlset");
  const sitemaps = at(root, "sitemapindex");
  if (!pages && !sitemaps) throw new Error("It is not a sitemap.");
  return { pages: entriesIn(pages, "url"), sitemaps: entriesIn(sitemaps, "sitemap").map(({ address }) => address) };
}

/** The first `loc` of each entry. Later ones belong to images and videos of the page. */
const entriesIn = (list: TreeParent | undefined, name: string): Sitemap["pages"] =>
  childrenOf(list, name)
    .map((entry) => ({ address: textOf(at(entry, "loc")).trim(), modified: textOf(at(entry, "lastmod")).trim() }))
    .filter(({ address }) => address !== "");

function unpacked(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: LARGEST_SITEMAP });
  } catch (error) {
    throw new Error(`It is damaged, or larger than ${LARGEST_SITEMAP / 1_000_000} MB when unpacked.`, { cause: error });
  }
}

/** In bytes: what the standard allows. */
const LARGEST_SITEMAP = 50_000_000;

/** Remembers which contents took a reader too long or too much memory, so that each is tried once. */
export interface Stopped {
  /** Returns why the content with this hash is not tried again; undefined if it is not remembered. */
  reasonOf(hash: string): Promise<string | undefined>;
  /** Never throws: what cannot be remembered is tried again. */
  add(hash: string, reason: string): Promise<void>;
}

/** Remembers at most a thousand contents in a file. A missing or damaged file counts as empty. */
export function stoppedIn(path: string): Stopped {
  let loaded: Promise<Map<string, string>> | undefined;
  const remembered = () => {
    loaded ??= readFile(path, "utf8").then(
      (text) => new Map(text.split("\n").flatMap((line) => (PAIR.test(line) ? [pairOf(line)] : []))),
      () => new Map<string, string>(),
    );
    return loaded;
  };
  return {
    async reasonOf(hash) {
      const reason = (await remembered()).get(hash);
      return reason && `${reason} It has not changed since, so it was not tried again: to try it, delete ${path}.`;
    },
    async add(hash, reason) {
      const known = await remembered();
      known.set(hash, reason.replace(/\s+/g, " "));
      const lines = [...known].slice(-MOST).map(([key, why]) => `${key} ${why}\n`);
      await makeFolder(dirname(path)).catch(() => {});
      await writeFile(path, lines.join(""), PRIVATE).catch(() => {});
    },
  };
}

const MOST = 1_000;
const PAIR = /^[0-9a-f]{64} \S/;
const pairOf = (line: string) => [line.slice(0, 64), line.slice(65)] as const;
