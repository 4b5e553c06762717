import type { Language } from "../../../types/evidence.js";

/** A page as it is read: its main text, and what it says of itself. */
export interface WebPage {
  /** Where it was found in the end, after redirects. */
  url: string;
  title: string;
  /** ISO dates, or empty. */
  published: string;
  modified: string;
  /** The main text, as Markdown; empty where there is none. */
  markdown: string;
}

export interface ReadRequest {
  signal?: AbortSignal;
  /** The language that is asked for, where a site has its page in several. */
  language?: Language;
}

/** Reads pages of the web. */
export interface PageReader {
  /**
   * The page behind an address.
   * @throws FetchRefusedError when the address may not be read. PageUnavailableError when it cannot be.
   */
  read(url: string, options?: ReadRequest): Promise<WebPage>;

  /** Ends what is under way. */
  close(): Promise<void>;
}
