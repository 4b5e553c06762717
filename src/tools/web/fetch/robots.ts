import { FetchRefusedError, PageUnavailableError } from "../../../errors.js";
import { unlessAborted } from "../../../waiting.js";
import { shown } from "./policy.js";

/** Asks the sites' robots.txt, each once a day at most. */
export interface Robots {
  /**
   * Milliseconds that the site wants between requests, 0 to 5,000.
   * @throws FetchRefusedError when robots.txt forbids the page, or its server failed (status 500 to 599), which counts as
   *   a no (RFC 9309, 2.3.1.4).
   * @throws what reading robots.txt threw, when the server could not be reached: then neither could the page.
   */
  check(url: URL, signal: AbortSignal): Promise<number>;
}

/** @param read the bytes of a robots.txt; whoever waits for it may leave, others may still want it. */
export function robotsOf(product: string, read: (robots: URL) => Promise<Uint8Array>): Robots {
  const known = new Map<string, { rules: Promise<RobotsRules>; until: number }>();

  function rulesFor(origin: string): Promise<RobotsRules> {
    const found = known.get(origin);
    if (found && found.until > Date.now()) return found.rules;
    const rules = rulesAt(new URL("/robots.txt", origin));
    const entry = { rules, until: Date.now() + DAY };
    // A server that did not answer is not asked again for every page of its own.
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

  return {
    async check(url, signal) {
      const rules = await unlessAborted(rulesFor(url.origin), signal).catch((error) => {
        throw asOfPage(error, url);
      });
      if (!rules.allows(url.pathname + url.search))
        throw new FetchRefusedError(
          "robots",
          shown(url),
          `${url.origin}/robots.txt asks programs like this one not to.`,
        );
      return Math.min((rules.crawlDelay ?? 0) * 1_000, LONGEST_DELAY);
    },
  };
}

/** Whoever wanted a page is told of the page: what holds for its robots.txt holds for it as well. */
function asOfPage(error: unknown, url: URL): unknown {
  if (error instanceof PageUnavailableError && error.status >= 500) {
    const why = `its robots.txt cannot be read (status ${error.status}), which counts as a no until it can.`;
    return new FetchRefusedError("robots", shown(url), why, { cause: error });
  }
  if (!(error instanceof PageUnavailableError || error instanceof FetchRefusedError)) return error;
  const isRedirect = error.cause instanceof FetchRefusedError;
  const isOfHost = OF_HOST.has(error.reason) && !isRedirect && URL.parse(error.url)?.host === url.host;
  const why = isOfHost ? error.why : `its robots.txt cannot be read (${error.message.replace(/\.$/, "")}).`;
  return error instanceof PageUnavailableError
    ? new PageUnavailableError(error.reason, shown(url), why, { cause: error })
    : new FetchRefusedError(error.reason, shown(url), why, { cause: error });
}

/** What is wrong with a server is wrong with all its pages. */
const OF_HOST: ReadonlySet<string> = new Set(["address", "dns", "connection", "tls", "timeout", "protocol"]);

/** What it means that there is no robots.txt to read, where that means anything (RFC 9309, 2.3.1). */
function meaning(error: unknown): RobotsRules | undefined {
  if (error instanceof PageUnavailableError && error.status >= 400 && error.status < 500) return ALL;
  if (error instanceof FetchRefusedError && ["redirect_limit", "redirect_loop"].includes(error.reason)) return ALL;
  return undefined;
}

const ALL: RobotsRules = { allows: () => true };
const DAY = 24 * 60 * 60 * 1_000;
const WHILE = 60 * 1_000;
const MOST_SITES = 100;
const LONGEST_DELAY = 5_000;

/** What a robots.txt lets one program do. */
export interface RobotsRules {
  /** @param path of a URL, with its query. */
  allows(path: string): boolean;
  /** Seconds between requests; not part of the standard, but asked for by many. */
  crawlDelay?: number;
}

/**
 * Reads a robots.txt as RFC 9309 says: the groups that name the program count together, else those for all; of the rules
 * that fit, the longest counts, and `Allow` where two are as long. Written anew because the parser that everybody uses
 * (robots-parser 3.0.1) keeps every rule for every program named: 80 kB made for it cost 9 s and 1 GB.
 * Time is linear in the text for reading it, and in rules times path for asking.
 * @param product the program's name, without a version.
 */
export function parseRobots(text: string, product: string): RobotsRules {
  const named: Group = { rules: [] };
  const others: Group = { rules: [] };
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
    }
  }

  const { rules, crawlDelay } = isNamed ? named : others;
  return {
    ...(crawlDelay && { crawlDelay }),
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
  /** What stands between the asterisks. */
  parts: string[];
  /** Ends with `$`. */
  toTheEnd: boolean;
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
  const toTheEnd = pattern.endsWith("$");
  const wanted = normal(toTheEnd ? pattern.slice(0, -1) : pattern);
  return { allow, length: wanted.length + Number(toTheEnd), parts: wanted.split("*"), toTheEnd };
}

const isBetter = (rule: Rule, best: Rule | undefined) =>
  !best || rule.length > best.length || (rule.length === best.length && rule.allow && !best.allow);

/** Takes each part at the first place where it fits, which finds a way whenever there is one. */
function fits({ parts, toTheEnd }: Rule, path: string): boolean {
  const [first = "", ...rest] = parts;
  if (!path.startsWith(first)) return false;
  const last = toTheEnd ? rest.pop() : undefined;
  if (toTheEnd && last === undefined) return path === first;
  let at = first.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return last === undefined || (path.endsWith(last) && path.length - last.length >= at);
}

/** One spelling for paths that mean the same: escapes only where they are needed, in capitals. */
function normal(path: string): string {
  return path
    .toWellFormed()
    .replace(/%[\da-f]{2}/gi, (escaped) => {
      const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
    })
    .replace(/[^\w.~:/?#[\]@!$&'()*+,;=%-]+/g, encodeURIComponent);
}
