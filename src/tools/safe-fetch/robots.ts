import { FetchRefusedError, PageUnavailableError } from "../../errors.js";
import { unlessAborted } from "./abort.js";
import { shown } from "./policy.js";
import { parseRobots, type RobotsRules } from "./robots-rules.js";

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
