import type { IncomingMessage } from "node:http";
import { afterAll } from "vitest";
import { type CrawlOptions, crawlSite, type Site } from "../../src/ingest/crawl.js";
import type { IngestOutcome } from "../../src/ingest/ingest.js";
import type { SiteMemory, Visit } from "../../src/ingest/site-memory.js";
import { inMemoryDocuments } from "../../src/testing/documents.js";
import type { SafeFetchOptions } from "../../src/tools/web/port.js";
import { webPageReader } from "../../src/tools/web/web-reader.js";
import { webServer } from "../tools/web/servers.js";

/** A reply of a site. A text is the body of a page with status 200. */
export type Reply =
  | string
  | { status?: number; headers?: Record<string, string>; body?: string | Uint8Array; never?: boolean };

/** What a site replies, by path and query, or by a function of the request. */
export type Pages = Record<string, Reply | ((request: IncomingMessage) => Reply)>;

/** A page with a title, a paragraph about it, and links. */
export const page = (title: string, ...links: string[]) =>
  `<html><head><title>${title}</title></head><body><nav>${links.map((link) => `<a href="${link}">${link.replace(/\W/g, " ")}</a>`).join(" ")}</nav>
<main><h1>${title}</h1><p>${textOf(title)}</p></main></body></html>`;

/** Enough text that a page counts as one. */
export const textOf = (title: string) =>
  `${title} is what this page is about, and whoever reads it learns what ${title} means for the team, who decides about it, and when that was agreed.`;

/**
 * A site on loopback, with a store and a memory of its own. `other` replies where no page does; by default with 404.
 */
export async function site(
  pages: Pages,
  { other = { status: 404 }, ...options }: SafeFetchOptions & { other?: Reply | ((path: string) => Reply) } = {},
) {
  const requests: IncomingMessage[] = [];
  const server = await webServer((request, response) => {
    requests.push(request);
    const path = decodeURI(request.url ?? "");
    const own = pages[path] ?? (typeof other === "function" ? other(path) : other);
    const reply = typeof own === "function" ? own(request) : own;
    const { status = 200, headers = {}, body = "", never } = typeof reply === "string" ? { body: reply } : reply;
    if (never) return;
    const type = path.endsWith(".xml") ? "text/xml" : path.endsWith(".txt") ? "text/plain" : "text/html; charset=utf-8";
    response.writeHead(status, { "content-type": type, ...headers }).end(body);
  });
  const documents = inMemoryDocuments();
  const known = new Map<string, ReadonlyMap<string, Visit>>();
  const memory: SiteMemory = {
    recall: async (address) => known.get(address) ?? new Map(),
    keep: async (address, visits) => void known.set(address, visits),
  };
  const open = () => {
    const pageReader = webPageReader({ allowPrivateHosts: [server.allowed], politeness: { delayMs: 0 }, ...options });
    opened.push(pageReader);
    return pageReader;
  };
  return {
    ...server,
    pages,
    documents,
    /** Crawls the site once. Returns the summary, what became of each address, and what was requested. */
    async crawl(path = "/", more: Partial<CrawlOptions> & Pick<Site, "limit"> = {}) {
      const { limit, ...rest } = more;
      const outcomes: Record<string, IngestOutcome> = {};
      const before = requests.length;
      const summary = await crawlSite(
        { address: server.url + path, limit },
        {
          documents,
          memory,
          pageReader: open(),
          onOutcome: (outcome, id) => {
            outcomes[id.replace(server.url, "")] = outcome;
          },
          ...rest,
        },
      );
      const ignored = Object.entries(summary.ignored).map(([rule, count]) => [rule.replace(/^.*?: /, ""), count]);
      const failures = summary.failures.map(({ path, reason }) => ({ path: path.replace(server.url, ""), reason }));
      return {
        ...summary,
        failures,
        ignored: Object.fromEntries(ignored) as Record<string, number>,
        outcomes,
        asked: requests.slice(before).map(({ url }) => url),
        headers: Object.fromEntries(requests.slice(before).map(({ url, headers }) => [url, headers])),
      };
    },
    /** The paths of the stored documents, sorted. */
    stored: async () => (await documents.list()).map(({ documentId }) => documentId.replace(server.url, "")).sort(),
  };
}

const opened: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(opened.map((one) => one.close())));
