import type { Language } from "../../types/language.js";

export interface WebQuery {
  text: string;
  /** The language of the pages wanted; "other": any. */
  language: Language;
  /** The user's country as an ISO 3166 code such as "nl"; empty if unknown. */
  region: string;
  /** The maximum age of pages, where the engine supports it. */
  recency: "any" | "day" | "week" | "month" | "year";
}

export interface WebResult {
  /** http or https. */
  url: string;
  title: string;
  /** The engine's excerpt of the page, as plain text. */
  snippet: string;
  /** An ISO date, or empty. */
  published: string;
}

/** A search engine for the web. */
export interface WebSearch {
  /**
   * Finds pages, best first, at most `limit` (1 to 20).
   * @throws EndpointError if the engine refuses, fails or replies with something other than results; status 429 if it
   * is over quota.
   */
  search(query: WebQuery, limit: number, options?: { signal?: AbortSignal }): Promise<WebResult[]>;
}

/** The main text and metadata of a page. */
export interface WebPage {
  /** The URL, after redirects. */
  url: string;
  title: string;
  /** `YYYY-MM-DD`, or an empty string. */
  published: string;
  modified: string;
  /** The main text with headings, lists, tables, quotes and code, without links and images; may be empty. */
  markdown: string;
}

export interface PageReader {
  /** @throws FetchRefusedError if the page must not be fetched, PageUnavailableError if it cannot be read. */
  read(url: string, options?: FetchOptions): Promise<WebPage>;

  /** Aborts what is under way. */
  close(): Promise<void>;
}

/** Fetches untrusted pages from untrusted servers. */
export interface SafeFetch {
  /**
   * Fetches a page by GET over http or https and follows redirects. Sends no cookies, credentials or referrer.
   * Requests to a busy host wait for their turn, which the time limits do not count.
   * @throws FetchRefusedError if a rule forbids it: an address in a private network, robots.txt, the size, …
   * @throws PageUnavailableError if it cannot be fetched: no such host, a status such as 404, too slow, …
   * @throws the signal's reason once it is aborted.
   */
  fetch(url: string, options?: FetchOptions): Promise<FetchedPage>;
  /**
   * Fetches a page or a file of a site under the same rules, never from a cache.
   * @throws as `fetch` does; PageUnavailableError with the status 304 if the page is as it was when it had these
   * `validators`.
   */
  fetchDocument(url: string, options: DocumentOptions): Promise<FetchedDocument>;
  /**
   * The addresses of sitemaps in the robots.txt of a URL's site, as written; none if robots.txt is ignored.
   * @throws as `fetch` does.
   */
  sitemaps(url: string, options?: { signal?: AbortSignal | undefined }): Promise<readonly string[]>;
  /** Aborts what is under way; a later fetch fails. May be called twice. */
  close(): Promise<void>;
}

export interface FetchOptions {
  signal?: AbortSignal | undefined;
  /** The preferred language, where a site has its page in several; any other is accepted. */
  language?: Language | undefined;
  /** What the address is of. A sitemap is XML, perhaps compressed by gzip, and is never cached. Default "page". */
  kind?: "page" | "sitemap";
}

export interface FetchedPage {
  /** The URL after redirects, without a fragment. */
  url: string;
  /** The server's header, with its charset: `text/html; charset=gb2312`. */
  contentType: string;
  /** Decompressed, but in the page's own charset. */
  bytes: Uint8Array;
  /** Now, or for a cached copy when it was last fetched or revalidated. */
  fetchedAt: Date;
  fromCache: boolean;
}

export interface DocumentOptions {
  signal?: AbortSignal | undefined;
  /** Returns the most bytes to read of a media type, such as `text/html`, or undefined if it is not wanted. */
  most(type: string, url: URL): number | undefined;
  /** Of an earlier version. Only sent to this URL, whatever redirects to it. */
  validators?: (Validators & { url: string }) | undefined;
}

/** What a server says about the version of a page (RFC 9110, 8.8). */
export interface Validators {
  etag?: string | undefined;
  lastModified?: string | undefined;
}

export interface FetchedDocument extends FetchedPage {
  validators: Validators;
  /** The header X-Robots-Tag, empty without one. */
  robotsTag: string;
  /** True if the page is at another URL for good: all redirects to it were permanent. False without a redirect. */
  isMoved: boolean;
}

export interface SafeFetchOptions {
  /**
   * Hosts that may be in a private network, and on any port: `wiki.corp:8080`, `10.1.2.3:443`, `[fd00::1]:80`. Without
   * a port, 80 and 443. Default: none.
   */
  allowPrivateHosts?: readonly string[];
  /** Obeys robots.txt (RFC 9309). Default true. */
  robots?: boolean;
  /** Caches pages in this folder, which may be deleted at any time. Default: no cache. */
  cache?: {
    folder: string;
    /** Default 100 MB. */
    bytes?: number;
  };
  /** The part before the slash is the name looked for in robots.txt. Default `emend/0.1 (…)`. */
  userAgent?: string;
  limits?: Partial<FetchLimits>;
  politeness?: Partial<Politeness>;
  /** Default: the system's resolver. Its answers are checked. */
  resolve?: Resolve;
}

/** Returns every IPv4 and IPv6 address of a host. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface FetchLimits {
  /** Milliseconds for a page, including redirects and robots.txt, without waiting for a turn. Default 10,000. */
  totalMs: number;
  /** Milliseconds until all headers of a response have arrived. Default 5,000. */
  headersMs: number;
  /** Bytes of a page, both compressed and decompressed. Default 5 MB. */
  bytes: number;
  /** The largest compression ratio, checked above 1 MB. Default 100. */
  ratio: number;
  /** Default 32 KiB. */
  headerBytes: number;
  /** Default 100. */
  headerCount: number;
  /** Default 5. */
  redirects: number;
}

export interface Politeness {
  /** Concurrent requests to one host. Default 2. */
  perHost: number;
  /** Concurrent requests. Default 6. */
  everywhere: number;
  /** Milliseconds between two requests to one host, if its Crawl-delay is not longer. Default 200. */
  delayMs: number;
}
