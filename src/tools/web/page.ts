import type { FetchOptions } from "./fetch.js";

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
