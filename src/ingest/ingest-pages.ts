import { toError } from "../errors.js";
import type { PageReader } from "../tools/web/port.js";
import type { WebPageReader } from "../tools/web/web-reader.js";
import type { ReadFailure } from "./find.js";
import type { IngestOptions, IngestSummary } from "./ingest.js";
import { readSitemapInOwnProcess } from "./load.js";
import { type PageStoreOptions, pageContent, pageStore } from "./page-store.js";
import { bareHost } from "./site-urls.js";

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

interface SitemapOptions {
  pageReader: Pick<WebPageReader, "fetchSitemap">;
  signal?: AbortSignal | undefined;
  /** False for pages on the same host that are left out. Default: true for all. */
  isWanted?: (page: string) => boolean;
}

/**
 * Lists the pages of a sitemap, or of an index of sitemaps. Requests at most 100 sitemaps, all on the first one's host,
 * and lists at most 10,000 pages. Sitemaps that cannot be read, and the number of addresses beyond the limits, are
 * reported as failures.
 * @throws the signal's reason if aborted.
 */
export async function pagesOfSitemap(address: string, options: SitemapOptions): Promise<SitemapPages> {
  const { pages, elsewhere, beyond, failures } = await readSitemaps([address], MOST_PAGES, options);
  if (beyond > 0) failures.push({ path: address, reason: `${beyond} ${LIMITS}` });
  if (pages.size === 0 && failures.length === 0)
    failures.push({ path: address, reason: "It lists no page of its own host." });
  return { pages: [...pages.keys()], elsewhere, failures };
}

/**
 * Lists the pages of sitemaps and of those that they list, on the host of the first one, each with the date of its last
 * change, which may be empty. Requests at most 100 sitemaps.
 * @param most the most pages; no further sitemap is read once there are as many.
 * @throws the signal's reason if aborted.
 */
export async function readSitemaps(
  addresses: readonly string[],
  most: number,
  { pageReader, signal, isWanted = () => true }: SitemapOptions,
): Promise<{ pages: Map<string, string>; elsewhere: number; beyond: number; failures: ReadFailure[] }> {
  const failures: ReadFailure[] = [];
  const sitemaps = new Map(addresses.map((address) => [address, ""]));
  const pages = new Map<string, string>();
  let [elsewhere, beyond, host] = [0, 0, ""];
  const add = (all: Map<string, string>, limit: number, listed: string, modified: string) => {
    const url = URL.parse(listed);
    if (url) url.hash = "";
    if (!url || !isAddress(listed) || bareHost(url) !== host) elsewhere += 1;
    else if (all.has(url.href)) return;
    else if (all.size < limit) all.set(url.href, modified);
    else beyond += 1;
  };
  // The loop also visits the sitemaps that are added while it runs.
  for (const sitemap of sitemaps.keys()) {
    if (pages.size >= most) beyond += 1;
    else
      try {
        const { bytes, url } = await pageReader.fetchSitemap(sitemap, { signal });
        const listed = await readSitemapInOwnProcess(bytes, signal);
        host ||= bareHost(new URL(url));
        for (const { address, modified } of listed.pages) if (isWanted(address)) add(pages, most, address, modified);
        for (const address of listed.sitemaps) add(sitemaps, MOST_SITEMAPS, address, "");
      } catch (error) {
        signal?.throwIfAborted();
        failures.push({ path: sitemap, reason: toError(error).message });
      }
  }
  return { pages, elsewhere, beyond, failures };
}

const MOST_PAGES = 10_000;
const MOST_SITEMAPS = 100;
const LIMITS = `of its addresses are left out: at most ${MOST_PAGES} pages of ${MOST_SITEMAPS} sitemaps are read at once. Name the sitemaps of the parts instead.`;

interface IngestPagesOptions extends PageStoreOptions, Pick<IngestOptions, "onProgress"> {
  pageReader: PageReader;
}

/**
 * Stores web pages under their addresses after redirects. Unchanged pages are not written again. Pages that cannot be
 * read are reported as failures, and their stored versions stay.
 */
export async function ingestPages(urls: readonly string[], options: IngestPagesOptions): Promise<IngestSummary> {
  const { pageReader, signal, onProgress } = options;
  const { write, summary, tidy, restamp } = await pageStore(options);
  await restamp(urls);
  for (const [done, address] of urls.entries()) {
    onProgress?.(done, urls.length, address);
    try {
      const page = await pageReader.read(address, signal ? { signal } : {});
      await write(page.url, pageContent(page));
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPageError(error)) throw error;
      summary.failures.push({ path: address, reason: error.message });
    }
  }
  await tidy();
  return summary;
}

/** False for errors of the store. */
export const isPageError = (error: unknown): error is Error =>
  error instanceof Error && ["FetchRefusedError", "PageUnavailableError", "ReadingStoppedError"].includes(error.name);
