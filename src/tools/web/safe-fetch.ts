import { PageUnavailableError, UsageError } from "../../errors.js";
import type { Language } from "../../types/language.js";
import { type Gate, gate, inTime, sleep } from "../../waiting.js";
import { systemResolve, type Wire } from "./fetch-exchange.js";
import { allowedHosts, checkedUrl, nextHop, printableUrl, USER_AGENT } from "./fetch-policy.js";
import { diskCache } from "./page-cache.js";
import type { FetchLimits, Politeness, SafeFetch, SafeFetchOptions, Validators } from "./port.js";
import { robotsCheck } from "./robots.js";
import { CODINGS, type RunInTurn, visit, type Want } from "./visit.js";

/**
 * A fetcher for pages of the public web only; docs/web.md says what it refuses and why.
 * @throws UsageError if an allowed host is not a host, or the user agent cannot be sent.
 */
export function safeFetch(options: SafeFetchOptions = {}): SafeFetch {
  const { userAgent = USER_AGENT, cache } = options;
  const product = productOf(userAgent);
  const limits = { ...LIMITS, ...options.limits };
  const allowed = allowedHosts(options.allowPrivateHosts ?? []);
  const wire: Wire = { resolve: options.resolve ?? systemResolve, allowed, limits };
  const takeTurn = politeTurns({ ...POLITENESS, ...options.politeness });
  const headers = { "user-agent": userAgent, "accept-encoding": CODINGS };
  const page: Want = { headers: { ...headers, accept: ACCEPT }, types: TYPES, cache: cache && diskCache(cache) };
  const sitemap: Want = { headers: { ...headers, accept: SITEMAP_TYPES.join() }, types: SITEMAP_TYPES };
  const robotsTxt: Want = { headers: { ...headers, accept: "text/plain,*/*;q=0.5" }, cutAt: ROBOTS_BYTES };
  const robots = options.robots === false ? undefined : robotsCheck(product, readRobots);
  const closing = new AbortController();

  /** Fetches a page and follows its redirects, each of them checked like the first URL. */
  async function follow(start: URL, wanted: Wanted, signal: AbortSignal, mayAsk?: typeof robots) {
    const trail = [start];
    const { totalMs = limits.totalMs, longestDelay = Number.POSITIVE_INFINITY, validators } = wanted;
    const clock = stopwatch(totalMs);
    let isMoved = true;
    for (let url = start; ; ) {
      const check = mayAsk && (await clock.count((ms) => inTime(mayAsk(url, signal), ms, () => late(url))));
      const delayMs = Math.min(check?.delayMs ?? 0, longestDelay);
      const headers = { ...wanted.headers, ...(validators?.url === url.href && conditionOf(validators)) };
      const want = { ...wanted, headers };
      const inTurn: RunInTurn = (work) =>
        takeTurn(url.host, delayMs, signal, () => clock.count((ms) => work({ ms, signal })));
      const visited = await visit(url, want, { ...wire, limits: { ...limits, totalMs } }, inTurn);
      if ("page" in visited) return { ...visited, isMoved: isMoved && trail.length > 1 };
      isMoved &&= visited.isPermanent;
      url = nextHop(trail, visited.location, limits.redirects, allowed);
      trail.push(url);
    }
  }

  /** Only `close` aborts it, since several pages may wait for it. */
  async function readRobots(url: URL): Promise<Uint8Array> {
    return (await follow(url, robotsTxt, closing.signal)).page.bytes;
  }

  /** Checks the URL of a request. Returns it with a signal that `close` aborts too. */
  function begin(url: string, signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    if (closing.signal.aborted)
      throw new UsageError("Nothing is fetched any more: close() was called. Make another safeFetch().");
    const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    return { start: checkedUrl(url, allowed), stop };
  }

  return {
    async fetch(url, { signal, language, kind = "page" } = {}) {
      const { start, stop } = begin(url, signal);
      const want = kind === "page" ? page : sitemap;
      const spoken = language ? { ...want, headers: { ...want.headers, "accept-language": SPOKEN[language] } } : want;
      // Somebody waits for a page. A sitemap is for ingesting a site, which has time.
      const longestDelay = kind === "page" ? LONGEST_DELAY : Number.POSITIVE_INFINITY;
      return (await follow(start, { ...spoken, longestDelay }, stop, robots)).page;
    },
    async fetchDocument(url, { signal, most, validators }) {
      const { start, stop } = begin(url, signal);
      const totalMs = Math.max(limits.totalMs, options.limits?.totalMs ?? DOCUMENT_MS);
      const anything = { ...headers, accept: `${ACCEPT},*/*;q=0.1` };
      const want = { headers: anything, most, validators, totalMs };
      const { page: found, headers: sent, isMoved } = await follow(start, want, stop, robots);
      const { etag, "last-modified": lastModified, "x-robots-tag": tag = "" } = sent;
      // Several headers of this name come joined by commas.
      return { ...found, validators: { etag, lastModified }, robotsTag: String(tag), isMoved };
    },
    async sitemaps(url, { signal } = {}) {
      const { start, stop } = begin(new URL("/robots.txt", url).href, signal);
      return (await robots?.(start, stop))?.sitemaps ?? [];
    },
    async close() {
      closing.abort(new DOMException("Fetching was closed.", "AbortError"));
    },
  };
}

/** A request that also says how long it may take and wait. */
interface Wanted extends Want {
  totalMs?: number;
  /** The most milliseconds between two requests that a site may ask for. */
  longestDelay?: number;
  validators?: (Validators & { url: string }) | undefined;
}

const conditionOf = ({ etag, lastModified }: Validators) => ({
  ...(etag && { "if-none-match": etag }),
  ...(lastModified && { "if-modified-since": lastModified }),
});

/** Measures the time spent working, without the wait for turns. */
function stopwatch(totalMs: number) {
  let spent = 0;
  return {
    async count<T>(work: (leftMs: number) => Promise<T>): Promise<T> {
      const start = performance.now();
      try {
        return await work(Math.max(0, totalMs - spent));
      } finally {
        spent += performance.now() - start;
      }
    },
  };
}

const late = (url: URL) =>
  new PageUnavailableError("timeout", printableUrl(url), "its robots.txt did not come in time.");

/** Returns the name by which robots.txt files address a program. */
function productOf(userAgent: string): string {
  const [product] = /^[A-Za-z_-]+/.exec(userAgent) ?? [];
  if (!/^[\t\x20-\x7e]*$/.test(userAgent))
    throw new UsageError("The user agent has characters that cannot be sent. Use plain ASCII, such as emend/0.1.");
  if (!product) throw new UsageError("The user agent must begin with a name, such as emend/0.1.");
  return product;
}

const SPOKEN: Record<Language, string> = { en: "en,*;q=0.5", zh: "zh-CN,zh;q=0.9,*;q=0.5", other: "*" };
const TYPES = [
  "text/html",
  "application/xhtml+xml",
  "text/plain",
  "text/markdown",
  "text/x-markdown",
  "application/pdf",
];
/** Servers send compressed files as one of the last three. */
const SITEMAP_TYPES = [
  "application/xml",
  "text/xml",
  "application/gzip",
  "application/x-gzip",
  "application/octet-stream",
];
const ACCEPT = "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,application/pdf;q=0.7";
/** RFC 9309 requires that at least 500 KiB are read. */
const ROBOTS_BYTES = 512 * 1024;

/** The most milliseconds that a site may ask for between two pages for an answer. */
const LONGEST_DELAY = 5_000;
/** Milliseconds for a document of a site, which may be a large file. */
const DOCUMENT_MS = 30_000;

const LIMITS: FetchLimits = {
  totalMs: 10_000,
  headersMs: 5_000,
  bytes: 5_000_000,
  ratio: 100,
  headerBytes: 32 * 1024,
  headerCount: 100,
  redirects: 5,
};
const POLITENESS: Politeness = { perHost: 2, everywhere: 6, delayMs: 200 };

/**
 * Limits concurrent requests and spaces out those to one host. The function returned does the work when its turn comes,
 * first come, first served within a host.
 * @param delayMs the milliseconds that the host wants between two requests, used if they are more than the default.
 * @throws the signal's reason if aborted while waiting; the work is then never begun.
 */
export function politeTurns({ perHost, everywhere, delayMs: usualDelay }: Politeness) {
  const all = gate(everywhere);
  const hosts = new Map<string, { gate: Gate; next: number; users: number }>();

  /** Forgets hosts that have no requests and whose delay is over. */
  const tidy = () => {
    for (const [name, { users, next }] of hosts) if (users === 0 && next <= performance.now()) hosts.delete(name);
  };

  return async <T>(name: string, delayMs: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    if (hosts.size >= MANY_HOSTS) tidy();
    const host = hosts.get(name) ?? { gate: gate(perHost), next: 0, users: 0 };
    hosts.set(name, host);
    host.users += 1;
    try {
      // The host's gate comes first, so that requests waiting for a slow host do not hold up the others.
      return await host.gate.through(signal, async () => {
        const wait = Math.max(0, host.next - performance.now());
        host.next = performance.now() + wait + Math.max(usualDelay, delayMs);
        if (wait > 0) await sleep(wait, signal);
        return all.through(signal, work);
      });
    } finally {
      host.users -= 1;
    }
  };
}

const MANY_HOSTS = 1_000;
