import { PageUnavailableError } from "../errors.js";
import type { FetchedDocument, Validators } from "../tools/web/port.js";
import type { WebPageReader } from "../tools/web/web-reader.js";
import { sleep } from "../waiting.js";
import { readSitemaps } from "./ingest-pages.js";
import { mostBytesOf, plainText, readDocument } from "./site-document.js";
import { addressIn, bareHost, keyOf, type SiteScope } from "./site-urls.js";

interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Called before a wait that the site asks for. */
  onWait: (url: string, ms: number) => void;
}

/** Asks a site for its documents. */
export function siteRequests(pageReader: WebPageReader, { signal, onWait }: RequestOptions) {
  /**
   * Requests a document. Waits and tries again if the site asks for it.
   * @throws as `fetchDocument` does. If `waitAfter` the error is a number, the site wants a longer pause.
   */
  async function ask(url: string, validators?: Validators & { url: string }): Promise<FetchedDocument> {
    for (let tries = 1; ; tries++)
      try {
        return await pageReader.fetchDocument(url, { signal, most: mostBytesOf, validators });
      } catch (error) {
        const wait = waitAfter(error);
        if (wait === undefined || wait > LONGEST_WAIT || tries === MOST_TRIES) throw error;
        onWait(url, wait);
        await sleep(wait, signal ?? NEVER);
      }
  }

  return {
    ask,

    /**
     * Reads the sitemaps that robots.txt names, or else those at the usual places.
     * @param most the most pages.
     * @returns the pages of the site by their keys, each with the date of its last change; the number of further pages
     * that were met; and the sitemaps of robots.txt that could not be read.
     */
    async pagesListed(scope: SiteScope, most: number) {
      const { start, path } = scope;
      const named = await pageReader.sitemaps(start.href, { signal }).catch(() => []);
      const usual = ["/sitemap.xml", `${path.replace(/[^/]*$/, "")}sitemap.xml`];
      const addresses = [...new Set(named.length > 0 ? named : usual)].flatMap((one) => {
        const url = URL.parse(one, start.href);
        // A public site must not choose what is requested from another host, which may be a private one.
        return url && bareHost(url) === bareHost(start) && url.port === start.port ? [url.href] : [];
      });
      const isWanted = (page: string) => addressIn(scope, page) !== undefined;
      const { pages, beyond, failures } = await readSitemaps(addresses, most, { pageReader, signal, isWanted });
      const listed = [...pages].map(([page, modified]) => ({ url: addressIn(scope, page) ?? page, modified }));
      return {
        pages: new Map(listed.map((one) => [keyOf(one.url), one])),
        more: beyond,
        unread: named.length > 0 ? failures.map((failure) => failure.path) : [],
      };
    },

    /**
     * Asks for a page that no site has.
     * @returns where that leads, empty if nowhere, and what is said there, undefined if nothing is.
     */
    async askForNothing({ start, path }: SiteScope): Promise<{ at: string; text: string | undefined }> {
      const url = new URL(`${path.replace(/\/?$/, "/")}${NO_PAGE}`, start).href;
      try {
        const reply = await ask(url);
        const { content } = await readDocument(url, reply, signal);
        return { at: reply.url === url ? "" : reply.url, text: plainText(content, url) };
      } catch {
        signal?.throwIfAborted();
        return { at: "", text: undefined };
      }
    },
  };
}

/** Returns the milliseconds after which a site may be asked again, if it has asked for a pause. */
export function waitAfter(error: unknown): number | undefined {
  if (!(error instanceof PageUnavailableError)) return undefined;
  if (error.status === 429) return error.retryAfterMs ?? USUAL_WAIT;
  return error.status === 503 ? error.retryAfterMs : undefined;
}

/** In milliseconds. */
const LONGEST_WAIT = 120_000;
/** If the site does not say how long. */
const USUAL_WAIT = 10_000;
const MOST_TRIES = 3;
const NO_PAGE = "a-page-that-no-site-has";
const NEVER = new AbortController().signal;
