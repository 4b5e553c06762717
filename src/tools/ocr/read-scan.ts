import { readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { toError } from "../../errors.js";
import { processPool } from "../process/own-process.js";
import { makeFolder, PRIVATE } from "../store/make-folder.js";
import { pictureKind } from "./kinds.js";
import type { openReader } from "./read-lines.js";
import type { ReadPage } from "./read-page.js";

/** A picture of text: a page of a PDF, or of a picture. */
export interface Scan {
  /** Changes with what is read. */
  key: string;
  /** The PDF or picture. */
  bytes: Uint8Array;
  /** From 0. */
  page: number;
}

/** What was read, or why nothing was. */
export type ScanResult = ReadPage | { reason: string };

/** Reads a picture of text, in this process. @throws Error with a message for the user if it cannot be read. */
export async function readScan({ bytes, page }: Scan): Promise<ReadPage> {
  const picture = pictureKind(bytes);
  const pixels = picture
    ? await (await import("./picture.js")).decodePicture(bytes, page)
    : await (await import("./draw-page.js")).drawPage(bytes, page);
  // An empty page of paper needs no network.
  if (pixels.data.every((shade) => shade > WHITE)) return { width: pixels.width, height: pixels.height, lines: [] };
  reader ??= (await import("./read-lines.js")).openReader(1);
  return (await reader)(pixels);
}

let reader: ReturnType<typeof openReader> | undefined;
const WHITE = 240;

/**
 * Reads a picture of text in a child process, as many at a time as there are cores and memory for. A page has a minute
 * of processor time and 1 GB of memory. Never throws, except the signal's reason.
 */
export async function readScanInOwnProcess(scan: Scan, signal?: AbortSignal): Promise<ScanResult> {
  try {
    return await pool.run(import.meta.url, readScan, [scan], { signal, ms: PAGE_TIME });
  } catch (error) {
    signal?.throwIfAborted();
    return { reason: toError(error).message };
  }
}

/** In milliseconds of processor time. Pages of tests took 1 to 10 s, and six times as long in WebAssembly. */
const PAGE_TIME = 60_000;
/** In bytes. A page of A4 takes .5 GB while it is read. */
const EACH = 1_000_000_000;

const pool = processPool({
  most: Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / 2 / EACH))),
  leaves: 500_000_000,
  // The networks are large, so they do not wait long for a next document.
  restsFor: 15_000,
});

/** Remembers what was read on pages, so that each is read once. */
export interface KnownScans {
  get(key: string): Promise<ReadPage | undefined>;
  /** Never throws: what cannot be remembered is read again. */
  put(key: string, page: ReadPage): Promise<void>;
}

const Page = z.object({
  width: z.number(),
  height: z.number(),
  slope: z.number().optional(),
  quarters: z.number().optional(),
  lines: z.array(
    z.array(
      z.object({
        text: z.string(),
        x: z.number(),
        y: z.number(),
        width: z.number(),
        height: z.number(),
        confidence: z.number(),
      }),
    ),
  ),
});

/** Remembers pages in a folder, each for 30 days after it was last used. A damaged file counts as missing. */
export function scansIn(folder: string): KnownScans {
  const fileOf = (key: string) => join(folder, `${key}${SCAN}`);
  let isTidy = false;
  return {
    async get(key) {
      const file = fileOf(key);
      try {
        const page = Page.parse(JSON.parse(gunzipSync(await readFile(file), { maxOutputLength: LARGEST }).toString()));
        const now = new Date();
        await utimes(file, now, now);
        return page;
      } catch {
        return undefined;
      }
    },
    async put(key, page) {
      const file = fileOf(key);
      const unfinished = `${file}.${process.pid}`;
      try {
        await makeFolder(folder);
        await writeFile(unfinished, gzipSync(JSON.stringify(page)), PRIVATE);
        await rename(unfinished, file);
        if (!isTidy) await removeOld(folder);
        isTidy = true;
      } catch {
        await rm(unfinished, { force: true }).catch(() => {});
      }
    },
  };
}

const SCAN = ".scan";
/** In bytes. */
const LARGEST = 20_000_000;
/** In milliseconds. */
const KEPT = 30 * 24 * 60 * 60 * 1_000;

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const isOld = name.includes(SCAN) && (await stat(file)).mtimeMs < Date.now() - KEPT;
    if (isOld) await rm(file, { force: true });
  }
}
