import { FetchRefusedError, PageUnavailableError } from "../../errors.js";
import { unlessAborted } from "../../waiting.js";
import { printableUrl } from "./fetch-policy.js";

/**
 * Checks a URL against its site's robots.txt, and returns what else that says.
 * @throws FetchRefusedError if robots.txt forbids the page, or if its server failed (status 500 to 599), which RFC 9309
 *   (2.3.1.4) counts as a complete disallow.
 * @throws PageUnavailableError if the server cannot be reached: then neither can the page.
 */
export type RobotsCheck = (
  url: URL,
  signal: AbortSignal,
) => Promise<{
  /** The site's delay between requests in milliseconds, 0 to 60,000. */
  delayMs: number;
  /** The sitemaps it names, as written; at most 100. */
  sitemaps: readonly string[];
}>;

/**
 * Keeps the rules of each site for a day.
 * @param read returns the bytes of a robots.txt. Several checks may share one call, so aborting one does not end it.
 */
export function robotsCheck(product: string, read: (robots: URL) => Promise<Uint8Array>): RobotsCheck {
  const known = new Map<string, { rules: Promise<RobotsRules>; until: number }>();

  function rulesFor(origin: string): Promise<RobotsRules> {
    const found = known.get(origin);
    if (found && found.until > Date.now()) return found.rules;
    const rules = rulesAt(new URL("/robots.txt", origin));
    const entry = { rules, until: Date.now() + DAY };
    // A failure is remembered for a while, so that not every page of the site asks again.
    rules.catch(() => (entry.until = Date.now() + WHILE));
    known.delete(origin);
    known.set(origin, entry);
    const [oldest] = known.keys();
    if (known.size > MOST_SITES && oldest) known.delete(oldest);
    return rules;
  }

  async function rulesAt(address: URL): Promise<RobotsRules> {
    try {
      return parseRobots(new TextDecoder().decode(await read(address)), product);
    } catch (error) {
      const allowed = meaning(error);
      if (allowed === undefined) throw error;
      return allowed;
    }
  }

  return async (url, signal) => {
    const rules = await unlessAborted(rulesFor(url.origin), signal).catch((error) => {
      throw asOfPage(error, url);
    });
    if (!rules.allows(url.pathname + url.search))
      throw new FetchRefusedError(
        "robots",
        printableUrl(url),
        `${url.origin}/robots.txt asks programs like this one not to.`,
      );
    return { delayMs: Math.min((rules.crawlDelay ?? 0) * 1_000, LONGEST_DELAY), sitemaps: rules.sitemaps };
  };
}

/** Turns an error about a robots.txt into one about the page that needed it. */
function asOfPage(error: unknown, url: URL): unknown {
  if (error instanceof PageUnavailableError && error.status >= 500) {
    const why = `its robots.txt cannot be read (status ${error.status}), which counts as a no until it can.`;
    return new FetchRefusedError("robots", printableUrl(url), why, { cause: error });
  }
  if (!(error instanceof PageUnavailableError || error instanceof FetchRefusedError)) return error;
  const isRedirect = error.cause instanceof FetchRefusedError;
  const isOfHost = OF_HOST.has(error.reason) && !isRedirect && URL.parse(error.url)?.host === url.host;
  const why = isOfHost ? error.why : `its robots.txt cannot be read (${error.message.replace(/\.$/, "")}).`;
  return error instanceof PageUnavailableError
    ? new PageUnavailableError(error.reason, printableUrl(url), why, { cause: error })
    : new FetchRefusedError(error.reason, printableUrl(url), why, { cause: error });
}

/** Faults of the server, which concern all its pages. */
const OF_HOST: ReadonlySet<string> = new Set(["address", "dns", "connection", "tls", "timeout", "protocol"]);

/** Returns the rules that a failure to read robots.txt stands for (RFC 9309, 2.3.1), if any. */
function meaning(error: unknown): RobotsRules | undefined {
  if (error instanceof PageUnavailableError && error.status >= 400 && error.status < 500) return ALL;
  if (error instanceof FetchRefusedError && ["redirect_limit", "redirect_loop"].includes(error.reason)) return ALL;
  return undefined;
}

const ALL: RobotsRules = { allows: () => true, sitemaps: [] };
const DAY = 24 * 60 * 60 * 1_000;
const WHILE = 60 * 1_000;
const MOST_SITES = 100;
const LONGEST_DELAY = 60_000;
const MOST_SITEMAPS = 100;

export interface RobotsRules {
  /** @param path with its query. */
  allows(path: string): boolean;
  /** Seconds between requests; a common extension of the standard. */
  crawlDelay?: number;
  /** Addresses of sitemaps, as written; at most 100. */
  sitemaps: readonly string[];
}

/**
 * Parses a robots.txt as RFC 9309 says: all groups that name the program apply together, or else those for `*`. The
 * longest matching rule wins, and of equally long ones `Allow`. Not robots-parser 3.0.1, which stores every rule for
 * every user agent: a hostile file of 80 kB costs it 9 s and 1 GB. Takes linear time; `allows` takes time proportional
 * to the rules times the path.
 * @param product the program's name, without a version.
 */
export function parseRobots(text: string, product: string): RobotsRules {
  const named: Group = { rules: [] };
  const others: Group = { rules: [] };
  const sitemaps: string[] = [];
  let isNamed = false;
  let filling: Group[] = [];
  let inRules = true;
  for (const { key, value } of records(text)) {
    if (key === "user-agent") {
      if (inRules) filling = [];
      inRules = false;
      const group = groupFor(value, product, named, others);
      if (group && !filling.includes(group)) filling.push(group);
      if (group === named) isNamed = true;
    } else if (key === "allow" || key === "disallow") {
      inRules = true;
      if (value) for (const group of filling) group.rules.push(rule(value, key === "allow"));
    } else if (key === "crawl-delay") {
      inRules = true;
      if (Number(value) > 0) for (const group of filling) group.crawlDelay ??= Number(value);
    } else if (key === "sitemap" && value && sitemaps.length < MOST_SITEMAPS) sitemaps.push(value);
  }

  const { rules, crawlDelay } = isNamed ? named : others;
  return {
    ...(crawlDelay && { crawlDelay }),
    sitemaps,
    allows(path) {
      const wanted = normal(path);
      if (wanted === "/robots.txt") return true;
      let best: Rule | undefined;
      for (const each of rules) if (isBetter(each, best) && fits(each, wanted)) best = each;
      return best?.allow ?? true;
    },
  };
}

interface Group {
  rules: Rule[];
  crawlDelay?: number;
}

interface Rule {
  allow: boolean;
  length: number;
  /** The literal parts between the asterisks. */
  parts: string[];
  /** Ends with `$`. */
  isAnchored: boolean;
}

function* records(text: string) {
  for (const [line] of text.replace(/^\uFEFF/, "").matchAll(/[^\r\n]+/g)) {
    const [, key = "", value = ""] = /^\s*([A-Za-z-]+)\s*:([^#]*)/.exec(line) ?? [];
    if (key) yield { key: key.toLowerCase(), value: value.trim() };
  }
}

function groupFor(agent: string, product: string, named: Group, others: Group): Group | undefined {
  if (agent.startsWith("*")) return others;
  const [name = ""] = /^[\w-]*/.exec(agent) ?? [];
  return name.toLowerCase() === product.toLowerCase() ? named : undefined;
}

function rule(pattern: string, allow: boolean): Rule {
  const isAnchored = pattern.endsWith("$");
  const wanted = normal(isAnchored ? pattern.slice(0, -1) : pattern);
  return { allow, length: wanted.length + Number(isAnchored), parts: wanted.split("*"), isAnchored };
}

const isBetter = (rule: Rule, best: Rule | undefined) =>
  !best || rule.length > best.length || (rule.length === best.length && rule.allow && !best.allow);

/** Takes the first match of each part, which finds a match of the whole whenever there is one. */
function fits({ parts, isAnchored }: Rule, path: string): boolean {
  const [first = "", ...rest] = parts;
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? rest.pop() : undefined;
  if (isAnchored && last === undefined) return path === first;
  let at = first.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return last === undefined || (path.endsWith(last) && path.length - last.length >= at);
}

/** Normalises a path: keeps only the escapes that are needed, in capitals. */
function normal(path: string): string {
  return path
    .toWellFormed()
    .replace(/%[\da-f]{2}/gi, (escaped) => {
      const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
    })
    .replace(/[^\w.~:/?#[\]@!$&'()*+,;=%-]+/g, encodeURIComponent);
}
