import type { Language } from "../../../types/evidence.js";

/** Fetches pages that strangers wrote, from servers that strangers run. */
export interface SafeFetch {
  /**
   * One page, by GET over http or https, redirects followed. Nothing personal is sent: no cookie, no credentials, no
   * referrer. Waits for its turn where the host or this program is busy; the time limits do not count that.
   * @throws FetchRefusedError when a rule forbids it: an address inside a network, robots.txt, too large, …
   * @throws PageUnavailableError when it could not be had: no such host, a status such as 404, too slow, …
   * @throws the signal's reason, once that is aborted.
   */
  fetch(url: string, options?: FetchOptions): Promise<FetchedPage>;
  /** Ends what is under way; a later fetch fails. May be called twice. */
  close(): Promise<void>;
}

export interface FetchOptions {
  signal?: AbortSignal | undefined;
  /** Asked for where a site has its page in several languages; any other is taken too. */
  language?: Language | undefined;
}

export interface FetchedPage {
  /** Where the redirects ended, without a fragment. */
  url: string;
  /** 200 to 299. */
  status: number;
  /** As the server wrote it, with its charset: `text/html; charset=gb2312`. */
  contentType: string;
  /** Unpacked, but not decoded: the charset is the reader's business. */
  bytes: Uint8Array;
  /** When the server last said that this is the page: now, or when the kept copy was fetched or confirmed. */
  fetchedAt: Date;
  /** Whether the bytes are a kept copy's. */
  fromCache: boolean;
}

export interface SafeFetchOptions {
  /**
   * Hosts that may be inside a network, and on any port: `wiki.corp:8080`, `10.1.2.3:443`, `[fd00::1]:80`; without a
   * port, 80 and 443. Default: none.
   */
  allowPrivateHosts?: readonly string[];
  /** Whether robots.txt is honoured (RFC 9309). Default true. */
  robots?: boolean;
  /** Keeps pages in a folder of its own, which may be deleted at any time. Default: nothing is kept. */
  cache?: { folder: string /** Default 100 MB. */; bytes?: number };
  /** Sent with every request; robots.txt is read for the part before the slash. Default `emend/0.1 (…)`. */
  userAgent?: string;
  limits?: Partial<FetchLimits>;
  politeness?: Partial<Politeness>;
  /** The addresses of a host; default: the system's resolver. Whatever it says is checked. */
  resolve?: Resolve;
}

/** Every IPv4 and IPv6 address of a host. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface FetchLimits {
  /** Milliseconds for the whole way, redirects and robots.txt included, waiting for a turn not. Default 10,000. */
  totalMs: number;
  /** Milliseconds from asking to the end of a reply's headers. Default 5,000. */
  headersMs: number;
  /** Bytes of a page, as sent and unpacked. Default 5 MB. */
  bytes: number;
  /** How many times its packed size a page may have, looked at above 1 MB. Default 100. */
  ratio: number;
  /** Default 32 KiB. */
  headerBytes: number;
  /** Default 100. */
  headerCount: number;
  /** Default 5. */
  redirects: number;
}

export interface Politeness {
  /** Requests to one host at a time. Default 2. */
  perHost: number;
  /** Requests at a time. Default 6. */
  everywhere: number;
  /** Milliseconds between the starts of two requests to one host, or the site's Crawl-delay up to 5 s. Default 200. */
  delayMs: number;
}
