import { toError } from "../errors.js";
import { metadataOf } from "../text/metadata.js";
import type { PageReader } from "../tools/web/port.js";
import type { WebPageReader } from "../tools/web/web-reader.js";
import { chunkInOwnProcess } from "./chunk.js";
import { keepingFacts, withFacts } from "./facts/keep-facts.js";
import type { ReadFailure } from "./find.js";
import { type IngestOptions, type IngestSummary, nothingIngested } from "./ingest.js";
import { hashOf, readSitemapInOwnProcess } from "./load.js";

/** True if the user means a web page, not a file. */
export const isAddress = (text: string) => /^https?:\/\//i.test(text);

/** True for the address of a sitemap, by its ending. */
export const isSitemap = (address: string) => /\.xml(?:\.gz)?$/i.test(URL.parse(address)?.pathname ?? "");

/** The pages of a sitemap. */
export interface SitemapPages {
  /** Distinct addresses on the sitemap's own host, with or without `www.`, in order. */
  pages: string[];
  /** The number of addresses on other hosts, which are left out. */
  elsewhere: number;
  failures: ReadFailure[];
}

/**
 * Lists the pages of a sitemap, or of an index of sitemaps. Requests at most 100 sitemaps, all on the first one's host,
 * and lists at most 10,000 pages. Sitemaps that cannot be read, and the number of addresses beyond the limits, are
 * reported as failures.
 * @throws the signal's reason if aborted.
 */
export async function pagesOfSitemap(
  address: string,
  { pageReader, signal }: { pageReader: Pick<WebPageReader, "fetchSitemap">; signal?: AbortSignal },
): Promise<SitemapPages> {
  const failures: ReadFailure[] = [];
  const sitemaps = new Set([address]);
  const pages = new Set<string>();
  let [elsewhere, beyond, host] = [0, 0, ""];
  const add = (all: Set<string>, most: number, listed: readonly string[]) => {
    for (const one of listed) {
      const url = URL.parse(one);
      if (url) url.hash = "";
      if (!url || !isAddress(one) || bareHost(url) !== host) elsewhere += 1;
      else if (all.size < most) all.add(url.href);
      else if (!all.has(url.href)) beyond += 1;
    }
  };
  // The loop also visits the sitemaps that are added while it runs.
  for (const sitemap of sitemaps) {
    try {
      const { bytes, url } = await pageReader.fetchSitemap(sitemap, { signal });
      const listed = await readSitemapInOwnProcess(bytes, signal);
      host ||= bareHost(new URL(url));
      add(pages, MOST_PAGES, listed.pages);
      add(sitemaps, MOST_SITEMAPS, listed.sitemaps);
    } catch (error) {
      signal?.throwIfAborted();
      failures.push({ path: sitemap, reason: toError(error).message });
    }
  }
  if (beyond > 0) failures.push({ path: address, reason: `${beyond} ${LIMITS}` });
  if (pages.size === 0 && failures.length === 0)
    failures.push({ path: address, reason: "It lists no page of its own host." });
  return { pages: [...pages], elsewhere, failures };
}

/** Many sites answer with and without `www.`, and list their pages under either. */
const bareHost = ({ hostname }: URL) => hostname.replace(/^www\./, "");

const MOST_PAGES = 10_000;
const MOST_SITEMAPS = 100;
const LIMITS = `of its addresses are left out: at most ${MOST_PAGES} pages of ${MOST_SITEMAPS} sitemaps are read at once. Name the sitemaps of the parts instead.`;

type Shared = "documents" | "knowledge" | "facts" | "signal" | "onProgress" | "onOutcome";
interface IngestPagesOptions extends Pick<IngestOptions, Shared> {
  pageReader: PageReader;
  /** Called after each page that is now up to date in the store, with the number of such pages. */
  onKept?: (pages: number) => void;
}

/**
 * Stores web pages under their addresses after redirects. Unchanged pages are not written again. Pages that cannot be
 * read are reported as failures, and their stored versions stay.
 */
export async function ingestPages(
  urls: readonly string[],
  { documents, knowledge, facts, pageReader, signal, onKept, onProgress, onOutcome }: IngestPagesOptions,
): Promise<IngestSummary> {
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  const keepFacts = keepingFacts(knowledge, { facts, signal });
  const summary = nothingIngested();
  for (const [done, address] of urls.entries()) {
    onProgress?.(done, urls.length, address);
    try {
      const { url, title, published, modified, markdown } = await pageReader.read(address, signal ? { signal } : {});
      const metadata = metadataOf(Object.entries({ published, modified }));
      const about = { title: title || url, reviewedAt: modified || published, metadata };
      const hash = hashOf(JSON.stringify([about, markdown]));
      const known = stored.get(url);
      const outcome = known === undefined ? "added" : known === hash ? "unchanged" : "changed";
      if (outcome !== "unchanged") {
        const document = { documentId: url, uri: url, ...about, format: "markdown", text: markdown, hash } as const;
        const passages = await chunkInOwnProcess(document, signal);
        await withFacts(
          documents,
          () => documents.upsert(passages, signal ? { signal } : {}),
          () => keepFacts({ written: passages }),
        );
        stored.set(url, hash);
        summary.passages += passages.length;
      }
      summary[outcome] += 1;
      onOutcome?.(outcome, url);
      onKept?.(summary.added + summary.changed + summary.unchanged);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPageError(error)) throw error;
      summary.failures.push({ path: address, reason: error.message });
    }
  }
  await Promise.all([documents.tidy?.(), summary.passages > 0 && knowledge?.tidy?.()]);
  return summary;
}

/** False for errors of the store. */
const isPageError = (error: unknown): error is Error =>
  error instanceof Error && ["FetchRefusedError", "PageUnavailableError", "ReadingStoppedError"].includes(error.name);
