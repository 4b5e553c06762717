import { join } from "node:path";
import type { Settings } from "../../../config.js";
import { PageUnavailableError, ReadingStoppedError } from "../../../errors.js";
import { endIdle, prepare } from "../../process/own-process.js";
import type { SafeFetchOptions } from "../fetch/port.js";
import { safeFetch, USER_AGENT } from "../fetch/safe-fetch.js";
import type { PageReader, ReadRequest } from "./port.js";
import { type Page, readPage } from "./read-page.js";

export interface WebPageReader extends PageReader {
  read(url: string, options?: ReadRequest): Promise<Page>;
}

/** Reads pages of the public web, and of the hosts that are allowed by name (docs/web.md). Nothing is opened before its use. */
export function webPageReader(options: SafeFetchOptions = {}): WebPageReader {
  let fetcher: ReturnType<typeof safeFetch> | undefined;
  let closing = new AbortController();
  return {
    async read(url, { signal, language } = {}) {
      const { allowPrivateHosts = [], ...rest } = options;
      fetcher ??= safeFetch({ ...rest, allowPrivateHosts });
      const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      prepare();
      const { bytes, contentType, url: found } = await fetcher.fetch(url, { signal, language });
      const page = await readPage(bytes, found, { contentType, signal: stop }).catch((error: unknown) => {
        stop.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        const reason = error instanceof ReadingStoppedError ? "limits" : "text";
        throw new PageUnavailableError(reason, found, `it cannot be read (${why})`, { cause: error });
      });
      if (page.needsJavaScript)
        throw new PageUnavailableError("scripts", found, "its text is fetched by scripts, which are not run.");
      if (page.markdown.trim() === "") throw new PageUnavailableError("text", found, "there is no text in it.");
      return page;
    },
    async close() {
      closing.abort(new DOMException("Reading pages was closed.", "AbortError"));
      closing = new AbortController();
      endIdle();
      await fetcher?.close();
      fetcher = undefined;
    },
  };
}

/** How pages are fetched, as the settings have it. */
export const fetchOptions = ({ allowPrivateHosts, robots, contact }: Settings): SafeFetchOptions => ({
  ...(allowPrivateHosts && { allowPrivateHosts }),
  ...(robots !== undefined && { robots }),
  ...(contact && { userAgent: USER_AGENT.replace("(", () => `(${contact}; `) }),
});

/** Where pages that were read are kept: beside the documents, in a folder that may be deleted at any time. */
export const pagesKept = ({ store, pageCache = 100 }: Settings): SafeFetchOptions =>
  pageCache === 0 ? {} : { cache: { folder: join(store, "pages"), bytes: pageCache * 1_000_000 } };
