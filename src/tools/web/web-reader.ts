import { join } from "node:path";
import { PageUnavailableError, ReadingStoppedError, toError } from "../../errors.js";
import { endIdle, moduleAt, prepare } from "../process/own-process.js";
import { isDatabase, type StoreSettings, storeFolder } from "../store/settings.js";
import { USER_AGENT } from "./fetch-policy.js";
import type { FetchedPage, FetchOptions, PageReader, SafeFetch, SafeFetchOptions } from "./port.js";
import type { Page } from "./read-page.js";
import type { WebSettings } from "./settings.js";

export interface WebPageReader extends PageReader, Pick<SafeFetch, "fetchDocument" | "sitemaps"> {
  read(url: string, options?: FetchOptions): Promise<Page>;
  /** Fetches a sitemap under the same rules and rate limits as pages. @throws as `read` does. */
  fetchSitemap(url: string, options?: FetchOptions): Promise<FetchedPage>;
}

/**
 * Reads pages of the public web and of the allowed private hosts (docs/web.md). Opens and loads nothing before it is
 * used.
 */
export function webPageReader(options: SafeFetchOptions = {}): WebPageReader {
  let opened: Promise<SafeFetch> | undefined;
  let closing = new AbortController();
  const open = async () => (await import("./safe-fetch.js")).safeFetch(options);
  return {
    async read(url, { signal, language } = {}) {
      opened ??= open();
      const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      prepare(moduleAt(new URL("./read-page.js", import.meta.url)));
      const { bytes, contentType, url: found } = await (await opened).fetch(url, { signal, language });
      const { readPageInOwnProcess: readPage } = await import("./read-page.js");
      const page = await readPage(bytes, found, { contentType, signal: stop }).catch((error: unknown) => {
        stop.throwIfAborted();
        const why = toError(error).message;
        const reason = error instanceof ReadingStoppedError ? "limits" : "text";
        throw new PageUnavailableError(reason, found, `it cannot be read (${why})`, { cause: error });
      });
      if (page.needsJavaScript)
        throw new PageUnavailableError("scripts", found, "its text is fetched by scripts, which are not run.");
      if (page.markdown.trim() === "") throw new PageUnavailableError("text", found, "there is no text in it.");
      return page;
    },
    async fetchSitemap(url, { signal } = {}) {
      opened ??= open();
      return (await opened).fetch(url, { signal, kind: "sitemap" });
    },
    async fetchDocument(url, given) {
      opened ??= open();
      return (await opened).fetchDocument(url, given);
    },
    async sitemaps(url, given) {
      opened ??= open();
      return (await opened).sitemaps(url, given);
    },
    async close() {
      closing.abort(new DOMException("Reading pages was closed.", "AbortError"));
      closing = new AbortController();
      endIdle();
      const fetcher = opened;
      opened = undefined;
      await (await fetcher?.catch(() => undefined))?.close();
    },
  };
}

/** Returns the fetcher's options from the settings. */
export const fetchOptions = ({ allowPrivateHosts, robots, contact }: WebSettings): SafeFetchOptions => ({
  ...(allowPrivateHosts && { allowPrivateHosts }),
  ...(robots !== undefined && { robots }),
  ...(contact && { userAgent: USER_AGENT.replace("(", () => `(${contact}; `) }),
});

/** Returns the cache's options from the settings: a folder beside the documents, which may be deleted at any time. */
export const pagesKept = (settings: WebSettings & StoreSettings): SafeFetchOptions => {
  const { store, pageCache = 100 } = settings;
  // With a database as the store, there may be no permanent folder.
  if (pageCache === 0 || isDatabase(store)) return {};
  return { cache: { folder: join(storeFolder(settings), "pages"), bytes: pageCache * 1_000_000 } };
};
