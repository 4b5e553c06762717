import { FetchRefusedError, PageUnavailableError } from "../errors.js";
import { isDelivered } from "../tools/documents/document-id.js";
import type { FetchedDocument } from "../tools/web/port.js";
import { parseRobotsTag } from "../tools/web/site-page.js";
import type { WebPageReader } from "../tools/web/web-reader.js";
import type { Content } from "./formats/content.js";
import { extensionOf } from "./formats/registry.js";
import type { IngestOptions, IngestSummary } from "./ingest.js";
import { isPageError } from "./ingest-pages.js";
import { type PageStoreOptions, pageStore } from "./page-store.js";
import { linesOf, plainText, readDocument, textId, UnreadError } from "./site-document.js";
import type { SiteMemory, Visit } from "./site-memory.js";
import { siteQueue } from "./site-queue.js";
import { siteRequests, waitAfter } from "./site-requests.js";
import { addressIn, keyOf, scopeOf } from "./site-urls.js";

/** A site to crawl. */
export interface Site {
  /** The address where the crawl begins. Only what is below its path is read, and files that pages link to. */
  address: string;
  /** The most addresses to visit. Default 1,000, and more than that is a failure. */
  limit?: number | undefined;
}

export interface CrawlOptions extends PageStoreOptions, Pick<IngestOptions, "onProgress" | "missing"> {
  pageReader: WebPageReader;
  /** Default: every page is requested anew. */
  memory?: SiteMemory | undefined;
  /** Obeys what pages say about being stored and followed, as robots.txt is obeyed by the reader. Default true. */
  robots?: boolean | undefined;
}

/**
 * Stores the pages of a site, and the files that they link to, under their addresses after redirects. Finds them by links
 * and sitemaps, one request at a time. Pages that the server says are unchanged are neither read nor written again. A
 * stored page is removed if the server says that it is gone or asks not to store it; it stays if it cannot be read, is
 * forbidden by robots.txt, or is beyond the limit. What is left out is counted in `ignored` and `skipped`.
 * @throws StoreUnavailableError if the store fails; the signal's reason if aborted. What was read by then is stored.
 */
export async function crawlSite({ address: given, limit }: Site, options: CrawlOptions): Promise<IngestSummary> {
  const address = URL.parse(given)?.href ?? given;
  const { pageReader, memory, robots = true, signal, onProgress, onOutcome, missing } = options;
  const most = limit ?? USUAL_LIMIT;
  const store = await pageStore(options);
  const { summary, stored } = store;
  const before = (await memory?.recall(address)) ?? new Map<string, Visit>();
  const visits = new Map<string, Visit>();
  /** The documents of the site that are as the site has them now. */
  const current = new Set<string>();
  const gone = new Set<string>();
  /** The document that has a text. */
  const owners = new Map([...before].flatMap(([url, { text }]) => (text && stored.has(url) ? [[text, url]] : [])));
  /** The lines of the last pages read, shortened. */
  const lines = new Map<string, ReadonlySet<string>>();
  const dropped = new Set<string>();
  let done = 0;
  let strikes = 0;
  const { ask, pagesListed, askForNothing } = siteRequests(pageReader, {
    signal,
    onWait: (url, ms) => onProgress?.(done, most, `${url}: waiting ${Math.ceil(ms / 1_000)} s, as the site asks`),
  });

  const fail = (path: string, reason: string) => summary.failures.push({ path, reason });
  const leave = (url: string, why: string, visit?: Visit) => {
    const rule = `${address}: ${why}`;
    summary.ignored[rule] = (summary.ignored[rule] ?? 0) + 1;
    onOutcome?.("ignored", url);
    if (visit) visits.set(url, { ...visit, left: why });
  };
  const skip = (url: string) => {
    const extension = extensionOf(new URL(url).pathname);
    const kind = extension && `.${extension}`;
    summary.skipped[kind] = (summary.skipped[kind] ?? 0) + 1;
    summary.examples[kind] ??= url;
    onOutcome?.("ignored", url);
  };
  const isOurs = (id: string) => stored.has(id) && !isDelivered(stored.get(id) ?? "");
  /** Removes a document that the site still has, but wants left out. */
  const leaveOut = (url: string, why: string, visit: Visit) => {
    if (isOurs(url)) gone.add(url);
    leave(url, why, visit);
  };
  const dead = (url: string) => {
    dropped.add(url);
    if (isOurs(url)) gone.add(url);
    else leave(url, LEFT.dead);
  };

  // Before anything is asked, so that pages are restricted even if the site cannot be reached.
  await store.restamp(storedIn(scopeOf(address, address)));
  const first = await ask(address).catch((error: unknown) => {
    signal?.throwIfAborted();
    if (!isPageError(error)) throw error;
    fail(address, error.message);
  });
  if (!first) return summary;
  const scope = scopeOf(address, first.url);
  const ofSite = storedIn(scope);
  const { pages: listed, more, unread } = await pagesListed(scope, most);
  for (const sitemap of unread) leave(sitemap, LEFT.sitemap);
  const nothing = await askForNothing(scope);
  const queue = siteQueue({
    scope,
    listed,
    known: [...new Set([...before.keys(), ...ofSite])].filter((url) => addressIn(scope, url) !== undefined),
    onLeft: (url, why) => (why === "media" ? skip(url) : leave(url, LEFT[why])),
  });

  try {
    queue.take(first.url);
    await visit(first.url, { given: first });
    for (const { url } of listed.values()) queue.add(url);
    for (let url = queue.next(); url !== undefined; url = queue.next()) {
      if (done >= most) {
        beyond([url, ...queue.rest()]);
        break;
      }
      await visit(url);
      if (done % OFTEN === 0) await remember();
    }
  } catch (error) {
    if (!(error instanceof SiteStoppedError)) throw error;
    fail(address, error.message);
  } finally {
    await remember();
  }
  if (gone.size > 0 && current.size === 0 && missing !== "remove") fail(address, `${gone.size} ${NOTHING_LEFT}`);
  else {
    await store.remove([...gone]);
    summary.removedAsIgnored = [...gone].filter((id) => visits.get(id)?.left !== undefined).length;
  }
  await store.tidy();
  return summary;

  function storedIn(scope: ReturnType<typeof scopeOf>): string[] {
    return [...stored.keys()].filter((id) => isOurs(id) && addressIn(scope, id) !== undefined);
  }

  /** Visits an address that was not visited yet. */
  async function visit(url: string, { given, isCanonical }: { given?: FetchedDocument; isCanonical?: boolean } = {}) {
    onProgress?.(done, Math.min(most, done + 1 + queue.waiting()), url);
    done += 1;
    const was = before.get(url) ?? {};
    const goal = was.to ?? url;
    const known = before.get(goal) ?? {};
    const modified = listed.get(keyOf(url))?.modified ?? "";
    const isKnown = await isAsBefore(goal, known);
    if (isKnown && !given && isListedAsBefore(known, modified)) return same(url, goal, known);
    let reply: FetchedDocument;
    try {
      reply = given ?? (await ask(url, isKnown ? { ...known, url: goal } : undefined));
      strikes = 0;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPageError(error)) throw error;
      if (isKnown && error instanceof PageUnavailableError && error.status === 304)
        return same(url, goal, { ...known, at: Date.now(), ...(modified && { listed: modified }) });
      return failed(url, was, error);
    }
    const id = reply.url === url ? url : addressIn(scope, reply.url);
    if (id === url) return arrived(url, reply, modified, isCanonical);
    if (isSamePlace(reply.url, nothing.at)) {
      // An address without a page leads to the start. Where it leads elsewhere, the page may only want a login.
      if (isSamePlace(reply.url, scope.start.href)) return dead(url);
      visits.set(url, was);
      return leave(url, LEFT.nowhere);
    }
    visits.set(url, id === undefined ? {} : { to: id });
    if (id === undefined) leave(url, LEFT.elsewhere);
    else if (queue.take(id)) await arrived(id, reply, listed.get(keyOf(id))?.modified ?? "", isCanonical);
    if (reply.isMoved && isOurs(url) && (id === undefined || current.has(id))) gone.add(url);
  }

  /** True if the document of a visit is still in the store, or its page is still left out for the same reason. */
  async function isAsBefore(url: string, { hash, of, left }: Visit): Promise<boolean> {
    if (hash !== undefined) return store.isAs(url, hash);
    if (of !== undefined) return isCurrent(of);
    return left !== undefined && (robots || left !== LEFT.noindex);
  }

  /** True if a document is as the site has it now. Visits it to find out. */
  async function isCurrent(id: string): Promise<boolean> {
    if (!current.has(id) && queue.take(id)) await visit(id);
    return current.has(id);
  }

  /** Keeps what is known of a page. */
  function same(url: string, goal: string, known: Visit) {
    if (url !== goal) visits.set(url, { to: goal });
    if (url !== goal && !queue.take(goal)) return;
    visits.set(goal, known);
    if (known.left !== undefined) return leave(goal, known.left);
    current.add(goal);
    store.same(goal);
  }

  function failed(url: string, was: Visit, error: Error) {
    if (error instanceof FetchRefusedError && error.reason === "content_type") return skip(url);
    const status = error instanceof PageUnavailableError ? error.status : 0;
    if (status === 404 || status === 410) return dead(url);
    visits.set(url, was);
    if (error instanceof FetchRefusedError && error.reason === "robots") return leave(url, LEFT.robots);
    if ((status === 401 || status === 403) && !isOurs(url)) return leave(url, LEFT.closed);
    fail(url, error.message);
    if (waitAfter(error) !== undefined) throw new SiteStoppedError("The site asks for a longer pause");
    strikes = isOfServer(error) ? strikes + 1 : 0;
    if (strikes === MOST_STRIKES) throw new SiteStoppedError(`The last ${strikes} pages could not be had`);
  }

  /** Stores what a server sent, or leaves it out. */
  async function arrived(id: string, reply: FetchedDocument, modified: string, isCanonical = false): Promise<void> {
    const version = { at: Date.now(), ...reply.validators, ...(modified && { listed: modified }) };
    if (isDelivered(stored.get(id) ?? "")) return void fail(id, PROGRAM_HAS_ID);
    try {
      const { page, links, forward, content, tags } = await readDocument(id, reply, signal);
      const wishes = (robots ? tags : []).map((tag) => parseRobotsTag(tag, "emend"));
      if (wishes.every(({ isFollowed }) => isFollowed)) for (const link of links) queue.add(link);
      if (!wishes.every(({ isStored }) => isStored)) return leaveOut(id, LEFT.noindex, version);
      if (forward) return leaveOut(id, LEFT.forward, version);
      // A page that links to others of its site is a short one, not an empty frame for scripts.
      if (page?.needsJavaScript && !links.some((link) => addressIn(scope, link) !== undefined))
        throw new UnreadError("Its text is fetched by scripts, which are not run.");
      if (content.text.trim() === "") return leaveOut(id, LEFT.empty, version);
      if (page && plainText(content, id) === nothing.text) {
        if (id !== scope.start.href) return dead(id);
        // Every address of the site has the same page.
        nothing.text = undefined;
      }
      const text = textId(content);
      const owner = owners.get(text);
      if (
        owner !== undefined &&
        owner !== id &&
        !isOurs(id) &&
        (await isCurrent(owner)) &&
        visits.get(owner)?.text === text
      ) {
        queue.learn(id, content.text, true);
        return leave(id, LEFT.copy, { ...version, of: owner });
      }
      if (page) keepLines(id, content);
      const canonical = page && !isCanonical ? addressIn(scope, page.canonicalUrl) : undefined;
      if (canonical !== undefined && keyOf(canonical) !== keyOf(id) && (await repeats(id, canonical)))
        return leaveOut(id, LEFT.copy, { ...version, of: canonical });
      const hash = await store.write(id, content);
      gone.delete(id);
      current.add(id);
      owners.set(text, id);
      visits.set(id, { ...version, hash, text });
      if (page) queue.learn(id, content.text, false);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPageError(error) && !(error instanceof UnreadError)) throw error;
      visits.set(id, {});
      fail(id, error.message);
    }
  }

  /** True if most of a page is also in the page that it names as the original. */
  async function repeats(id: string, canonical: string): Promise<boolean> {
    if (queue.take(canonical)) await visit(canonical, { isCanonical: true });
    if (!current.has(canonical)) return false;
    if (!lines.has(canonical)) {
      const read = await ask(canonical).then(
        (reply) => readDocument(canonical, reply, signal),
        () => undefined,
      );
      if (read) keepLines(canonical, read.content);
    }
    const own = lines.get(id) ?? new Set();
    return own.intersection(lines.get(canonical) ?? new Set()).size * 2 >= own.size;
  }

  function keepLines(id: string, content: Content): void {
    lines.set(id, linesOf(content));
    const [oldest] = lines.keys();
    if (lines.size > MOST_WITH_LINES && oldest !== undefined) lines.delete(oldest);
  }

  function beyond(rest: readonly string[]): void {
    if (limit === undefined) fail(address, `${most} addresses were visited, and ${rest.length + more} or more ${MORE}`);
    else for (const url of rest) leave(url, `beyond the limit of ${limit}`);
  }

  /** Remembers what was visited, what was known before, and what was found and not visited. */
  async function remember(): Promise<void> {
    const left = [...before.keys(), ...queue.rest()].filter((url) => !visits.has(url) && !dropped.has(url));
    const rest = left.slice(0, MOST_REMEMBERED);
    await memory?.keep(address, new Map([...visits, ...rest.map((url) => [url, before.get(url) ?? {}] as const)]));
  }
}

const USUAL_LIMIT = 1_000;
/** The most addresses remembered that were not visited. */
const MOST_REMEMBERED = 20_000;
const MOST_WITH_LINES = 1_000;
/** The number of visits after which they are remembered, in case the process is killed. */
const OFTEN = 50;
/** A page that the sitemap lists as unchanged is requested all the same after this time, in milliseconds. */
const WEEK = 7 * 24 * 60 * 60 * 1_000;
const DAY = 24 * 60 * 60 * 1_000;

/** The number of pages in a row that cannot be had after which a crawl is stopped. */
const MOST_STRIKES = 5;

/** Why addresses are left out, in words that follow the name of the site. */
const LEFT = {
  robots: "forbidden by robots.txt",
  noindex: "asks not to be stored",
  empty: "without text of its own",
  copy: "repeats another page",
  dead: "does not exist",
  nowhere: "leads where addresses without a page lead",
  closed: "needs a login",
  forward: "only forwards to another page",
  elsewhere: "leads out of the site",
  grown: "has an address that repeats itself",
  trap: "one of many like it that say nothing new",
  sitemap: "a sitemap that cannot be read",
} as const;

const MORE =
  'are left out. To visit more, raise the limit (--limit, or "limit" in emend.json); with a limit of your own, they are no failure.';
const NOTHING_LEFT =
  "documents are stored from this site, and it has none of them any more. They stay, since the site may only have moved. To remove what is gone for good, add --remove-missing.";
const PROGRAM_HAS_ID =
  "A document that a program delivered has this name, so the page is not stored. Remove that document (emend remove) first.";

/** The site cannot be visited further now. What was read is kept. */
class SiteStoppedError extends Error {
  override readonly name = "SiteStoppedError";
  constructor(why: string) {
    super(`${why}, so the crawl was stopped. What was read is kept, and the same command goes on from there.`);
  }
}

/** True for a fault that may concern the whole server. */
const isOfServer = (error: Error) =>
  error instanceof PageUnavailableError && (error.status >= 500 || OF_SERVER.has(error.reason));
const OF_SERVER: ReadonlySet<string> = new Set(["dns", "connection", "tls", "timeout", "protocol"]);

/** True if a page was visited after the change that its sitemap tells of, and not long ago. */
function isListedAsBefore({ at = 0, listed }: Visit, modified: string): boolean {
  // A date stands for its whole day, in any time zone.
  const changed = Date.parse(modified) + (modified.includes("T") ? 0 : 2 * DAY);
  return modified !== "" && modified === listed && at >= changed && Date.now() - at < WEEK;
}

const isSamePlace = (one: string, other: string) => other !== "" && placeOf(one) === placeOf(other);

/** An address without its parameters, which may say where the visitor came from. */
const placeOf = (address: string) => address.replace(/[?#].*$/s, "");
