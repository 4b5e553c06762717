import nodePath from "node:path";
import { UsageError } from "../errors.js";
import { hasScheme, isBelow, isUploaded } from "../tools/documents/document-id.js";
import type { Documents } from "../tools/documents/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import { isPassageSource } from "../tools/store/facts.js";
import type { WebPageReader } from "../tools/web/web-reader.js";
import { type CrawlOptions, crawlSite, type Site } from "./crawl.js";
import { removeDocuments } from "./facts/keep-facts.js";
import { documentsFrom, type NamedFile, searchRootOf } from "./find.js";
import {
  countKept,
  type IngestOptions,
  type IngestSummary,
  ingestFiles,
  isInShard,
  nothingIngested,
} from "./ingest.js";
import { ingestPages, isAddress, isSitemap, pagesOfSitemap } from "./ingest-pages.js";
import { addressIn, scopeOf } from "./site-urls.js";
import { isSameStamp, type Stamp } from "./stamp.js";

/** Everything to ingest. */
export interface Sources {
  /** Files, folders and globs. */
  paths: readonly (string | NamedFile)[];
  /** Addresses of pages. */
  pages: readonly string[];
  /** Addresses of sitemaps. */
  sitemaps: readonly string[];
  /** Sites to crawl. */
  sites: readonly Site[];
  /** The folder that paths are relative to. */
  here: string;
  /**
   * The stamps of documents by their source, as it is written. Of several paths that a file is below, the longest counts.
   * Default: documents keep the stamp that they have, and new ones get none.
   */
  stamps?: ReadonlyMap<string, Stamp> | undefined;
}

/** Sorts sources into paths, pages and sitemaps by how they are written. */
export function sourcesNamed(words: readonly string[], here: string): Sources {
  const addresses = words.filter(isAddress);
  return {
    paths: words.filter((word) => !isAddress(word)),
    pages: addresses.filter((address) => !isSitemap(address)),
    sitemaps: addresses.filter(isSitemap),
    sites: [],
    here,
  };
}

interface SourcesOptions extends Omit<IngestOptions, "here" | "stamp">, Pick<CrawlOptions, "memory" | "robots"> {
  /** Of all documents, if the sources do not say it. */
  stamp?: Stamp | ((path: string) => Stamp | undefined) | undefined;
  pageReader: WebPageReader;
}

/**
 * Updates the store from files, folders, globs, pages, sitemaps and sites. Files come first, and sites last.
 * @throws as `ingestFiles` does; pages, sitemaps and sites that cannot be read are reported as failures.
 */
export async function ingestSources(sources: Sources, options: SourcesOptions): Promise<IngestSummary> {
  const { pageReader, memory: _, robots: __, ...forFiles } = options;
  const { signal, onKept, shard } = forFiles;
  const { paths, pages, sitemaps, sites, here, stamps } = sources;
  const parts: IngestSummary[] = [];
  const addresses = new Map(pages.map((page) => [page, page]));
  /** Options for pages, which are counted after what was kept before them. */
  const forPages = (source: string) => {
    const kept = countKept(parts.reduce(together, nothingIngested()));
    const usual = typeof options.stamp === "function" ? undefined : options.stamp;
    const stamp = stamps ? (id: string) => stamps.get(sourceOf(id) ?? source) ?? {} : usual;
    return { ...options, stamp, onKept: (more: number) => onKept?.(kept + more) };
  };
  /** The page, the sitemap or else the smallest site that an address is from. */
  const sourceOf = (id: string) =>
    addresses.get(id) ??
    sites
      .map(({ address }) => address)
      .filter((address) => addressIn(scopeOf(address, address), id) !== undefined)
      .sort((a, b) => b.length - a.length)[0];
  if (paths.length > 0) {
    const found = stamps && (await stampsOfPaths({ paths, here, stamps }));
    const stamp = found ? (path: string) => found(path) ?? {} : options.stamp;
    parts.push(await ingestFiles(paths, { ...forFiles, here, stamp }));
  }
  for (const sitemap of sitemaps) {
    const listed = await pagesOfSitemap(sitemap, { pageReader, ...(signal && { signal }) });
    // A page that is named itself has its own stamp. Of two sitemaps, the first counts.
    for (const page of listed.pages) if (!addresses.has(page)) addresses.set(page, sitemap);
    const ignored = listed.elsewhere > 0 ? { [`${sitemap} on other hosts`]: listed.elsewhere } : {};
    parts.push({ ...nothingIngested(), failures: listed.failures, ignored });
  }
  const mine = [...addresses].filter(([address]) => !shard || isInShard(address, shard));
  for (const [source, some] of Map.groupBy(mine, ([, source]) => source)) {
    const named = some.map(([address]) => address);
    parts.push(await ingestPages(named, forPages(source)));
  }
  for (const site of sites) parts.push(await crawlSite(site, forPages(site.address)));
  return parts.reduce(together, nothingIngested());
}

/**
 * Returns a function that returns the stamp of a file by its absolute path: that of the source with the longest path, or
 * undefined if it is in none.
 * @throws UsageError from that function if two sources of the same length say something else.
 */
export async function stampsOfPaths({
  paths,
  here,
  stamps,
}: Pick<Sources, "paths" | "here" | "stamps">): Promise<(path: string) => Stamp | undefined> {
  const named = paths.filter((path) => typeof path === "string");
  const places = await Promise.all(
    named.map(async (path) => ({ ...(await searchRootOf(path, here)).place, stamp: stamps?.get(path) ?? {} })),
  );
  places.sort((a, b) => b.top.length - a.top.length);
  return (path) => {
    const [first, ...others] = places.filter(({ covers }) => covers(path));
    const same = others.find(({ top, stamp }) => top.length === first?.top.length && !isSameStamp(stamp, first.stamp));
    if (first && same)
      throw new UsageError(
        `${first.given} and ${same.given} both name ${path}, with other readers or another collection. Name it in one of them.`,
      );
    return first?.stamp;
  };
}

export const together = (one: IngestSummary, other: IngestSummary): IngestSummary => ({
  added: one.added + other.added,
  restamped: one.restamped + other.restamped,
  changed: one.changed + other.changed,
  unchanged: one.unchanged + other.unchanged,
  removed: one.removed + other.removed,
  moved: one.moved + other.moved,
  removedAsIgnored: one.removedAsIgnored + other.removedAsIgnored,
  passages: one.passages + other.passages,
  failures: [...one.failures, ...other.failures],
  warnings: [...one.warnings, ...other.warnings],
  skipped: summed(one.skipped, other.skipped),
  examples: { ...other.examples, ...one.examples },
  empty: [...one.empty, ...other.empty],
  hidden: [...new Set([...one.hidden, ...other.hidden])],
  ignored: summed(one.ignored, other.ignored),
});

function summed(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const sums = { ...one };
  for (const [name, count] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/**
 * Returns the stored documents that no source names, in order, without those that were uploaded. If a page could not be
 * read, no stored page is returned, since the address that it is stored under may be unknown.
 * @param found the documents that were just found in the sources.
 * @param cwd the folder that document ids are relative to.
 * @param elsewhere the names of other sources, which the ids of their documents are below.
 */
export async function notNamed(
  sources: Sources,
  stored: readonly string[],
  {
    found,
    failures,
    cwd,
    elsewhere = [],
  }: {
    found: ReadonlySet<string>;
    failures: IngestSummary["failures"];
    cwd: string;
    elsewhere?: readonly string[] | undefined;
  },
): Promise<string[]> {
  const named = sources.paths.filter((path) => typeof path === "string");
  const places = await Promise.all(named.map((path) => searchRootOf(path, sources.here)));
  const areAllRead = !failures.some(({ path }) => isAddress(path));
  return stored.filter((id) => {
    if (found.has(id) || isUploaded(id) || elsewhere.some((name) => isBelow(id, name))) return false;
    if (hasScheme(id)) {
      // A page of a site that was not visited, such as one beyond the limit, is still the site's.
      const isOfSite = isAddress(id) && sources.sites.some(({ address }) => addressIn(scopeOf(address, address), id));
      return !isOfSite && (areAllRead || !isAddress(id));
    }
    const path = nodePath.resolve(cwd, id);
    return !places.some(({ place }) => place.covers(path));
  });
}

interface RemoveOptions {
  documents: Documents;
  /** Loses the triples of the passages that are removed. */
  knowledge?: KnowledgeGraph | undefined;
  signal?: AbortSignal | undefined;
  /** The folder that document ids are relative to. */
  cwd: string;
  /** The folder that the names are relative to. */
  here: string;
}

/**
 * Removes from the store what came from these files, folders and addresses, even if they no longer exist. Leaves the
 * files themselves alone.
 * @returns the numbers of documents and passages removed.
 * @throws UsageError if nothing in the store came from one of them; nothing is removed then.
 * @throws StoreUnavailableError if the store or the graph fails; the signal's reason if aborted.
 */
export async function removeSources(
  names: readonly string[],
  { documents, knowledge, signal, cwd, here }: RemoveOptions,
): Promise<{ documents: number; passages: number }> {
  const stored = (await documents.list()).map(({ documentId }) => documentId);
  // Facts may be left of a document that is gone.
  const facts = (await knowledge?.sources())?.filter(isPassageSource).map(({ documentId }) => documentId) ?? [];
  const ids = [...new Set([...stored, ...facts])];
  const gone = new Set<string>();
  for (const name of names) {
    const from = documentsFrom(name, ids, cwd, here);
    if (from.length === 0)
      throw new UsageError(`Nothing in the store comes from ${name}. What is in it: emend list. Nothing was removed.`);
    for (const id of from) gone.add(id);
  }
  return { documents: gone.size, passages: await removeDocuments([...gone], { documents, knowledge, signal }) };
}
