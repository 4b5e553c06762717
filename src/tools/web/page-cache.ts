import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import CachePolicy from "http-cache-semantics";
import { z } from "zod";
import { makeFolder, PRIVATE } from "../store/make-folder.js";
import type { FetchedPage } from "./port.js";

/** A cached page with its HTTP caching policy. */
export interface KeptPage {
  page: Omit<FetchedPage, "fromCache">;
  policy: CachePolicy;
  /** The IP address it was fetched from. */
  address: string;
}

/** An HTTP cache. Its methods never throw: after any failure the page is fetched as if there were no cache. */
export interface PageCache {
  get(url: string): Promise<KeptPage | undefined>;
  put(url: string, kept: KeptPage): Promise<void>;
  drop(url: string): Promise<void>;
}

/**
 * A cache with one file per page: a line of JSON, then the bytes. Files are written atomically, and damaged ones are
 * ignored. The least recently used pages are evicted when the folder exceeds `bytes`, which is checked each time a
 * tenth of that was written.
 */
export function diskCache({ folder, bytes: most = 100_000_000 }: { folder: string; bytes?: number }): PageCache {
  let written = Number.POSITIVE_INFINITY;
  const fileOf = (url: string) => join(folder, createHash("sha256").update(url).digest("hex") + PAGE);

  return {
    async get(url) {
      const file = fileOf(url);
      try {
        const { size } = await stat(file);
        if (size > most) return undefined;
        const kept = read(await readFile(file), url);
        const now = new Date();
        await utimes(file, now, now);
        return kept;
      } catch {
        return undefined;
      }
    },

    async put(url, kept) {
      const file = fileOf(url);
      const unfinished = `${file}.${randomUUID()}${UNFINISHED}`;
      const content = write(url, kept);
      if (content.length > most) return;
      try {
        await makeFolder(folder);
        await writeFile(unfinished, content, PRIVATE);
        await rename(unfinished, file);
        written += content.length;
        if (written <= most / 10) return;
        written = 0;
        await evict(folder, most);
      } catch {
        await discard(unfinished);
      }
    },

    drop: (url) => discard(fileOf(url)),
  };
}

const Head = z.object({
  url: z.string(),
  page: z.object({ url: z.string(), contentType: z.string(), fetchedAt: z.iso.datetime() }),
  address: z.string(),
  sha256: z.string(),
  policy: z.record(z.string(), z.unknown()),
});

function write(url: string, { page: { bytes, ...page }, policy, address }: KeptPage): Buffer {
  const head = { url, page, address, sha256: sha256(bytes), policy: policy.toObject() };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]);
}

/** @throws Error unless `write` wrote this content for this URL. */
function read(content: Buffer, url: string): KeptPage {
  const end = content.indexOf("\n");
  const head = Head.parse(JSON.parse(content.toString("utf8", 0, end)));
  const bytes = new Uint8Array(content.subarray(end + 1));
  if (head.url !== url || head.sha256 !== sha256(bytes)) throw new Error("another page, or a damaged one");
  const policy = CachePolicy.fromObject(head.policy as unknown as CachePolicy.CachePolicyObject);
  return { page: { ...head.page, fetchedAt: new Date(head.page.fetchedAt), bytes }, policy, address: head.address };
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/**
 * Deletes the least recently used pages of a folder over `most` bytes, down to 90 % of it, and unfinished files older
 * than an hour. Keeps other files.
 */
export async function evict(folder: string, most: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(PAGE) || name.endsWith(UNFINISHED));
  const found = await Promise.all(names.map((name) => fileAt(join(folder, name)).catch(() => [])));
  const files = found.flat().toSorted((a, b) => b.used - a.used);

  const abandoned = files.filter(({ path, used }) => path.endsWith(UNFINISHED) && used < Date.now() - HOUR);
  for (const { path } of abandoned) await discard(path);

  const pages = files.filter(({ path }) => path.endsWith(PAGE));
  if (pages.reduce((sum, { size }) => sum + size, 0) <= most) return;
  let room = most * 0.9;
  for (const { path, size } of pages) {
    room -= size;
    if (room < 0) await discard(path);
  }
}

const PAGE = ".page";
const UNFINISHED = ".unfinished";

async function fileAt(path: string) {
  const { size, mtimeMs } = await stat(path);
  return [{ path, size, used: mtimeMs }];
}

const discard = (path: string) => rm(path, { force: true }).catch(() => {});

const HOUR = 60 * 60 * 1_000;
