import { addressIn, formOf, isGrown, isMedia, keyOf, type SiteScope } from "./site-urls.js";

/** Why the queue leaves out an address. */
export type LeftByQueue = "media" | "grown" | "trap";

interface QueueOptions {
  scope: SiteScope;
  /** The keys of the addresses in the site's sitemaps, which say something new whatever their form. */
  listed: { has(key: string): boolean };
  /** Addresses known from before, to be visited last. */
  known: readonly string[];
  /** Called once for each address of the site that is left out. */
  onLeft: (url: string, why: LeftByQueue) => void;
}

/**
 * The addresses of a site that are to be visited, each once: those that pages link to in the order in which they were
 * found, then those known from before. Links that make an endless number of addresses, such as those of a calendar, of a
 * table that can be sorted or of a session, are recognised by what they lead to: once the last pages with addresses of
 * the same form had no word that the ones before did not have, the others of that form are left out.
 */
export function siteQueue({ scope, listed, known, onLeft }: QueueOptions) {
  const met = new Set<string>();
  const visited = new Set<string>();
  const waiting: string[] = [];
  const forms = new Map<string, { words: Set<string>; idle: number }>();
  let [place, knownPlace] = [0, 0];

  function isTrap(url: string): boolean {
    const form = forms.get(formOf(url));
    return form !== undefined && form.idle >= MOST_IDLE && !listed.has(keyOf(url));
  }

  /** Marks an address as visited. Returns false if it was already. */
  function take(url: string): boolean {
    const key = keyOf(url);
    if (visited.has(key)) return false;
    visited.add(key);
    met.add(key);
    return true;
  }

  const left = () => [...waiting.slice(place), ...known.slice(knownPlace)].filter((url) => !visited.has(keyOf(url)));

  return {
    take,
    /** Adds an address that a page or a sitemap names, if it is of the site and new. */
    add(link: string): void {
      const url = addressIn(scope, link);
      if (url === undefined || met.size >= MOST_MET) return;
      const key = keyOf(url);
      if (met.has(key)) return;
      met.add(key);
      if (isMedia(url)) onLeft(url, "media");
      else if (isGrown(url)) onLeft(url, "grown");
      else waiting.push(url);
    },
    /** Returns the next address to visit. Undefined if there is none. */
    next(): string | undefined {
      for (;;) {
        const url = waiting[place] === undefined ? known[knownPlace++] : waiting[place++];
        if (url === undefined) return undefined;
        if (!take(url)) continue;
        if (!isTrap(url)) return url;
        onLeft(url, "trap");
      }
    },
    /** The number of addresses that wait, without those known from before. */
    waiting: () => waiting.length - place,
    /** The distinct addresses that are not visited yet. */
    rest: () => [...new Map(left().map((url) => [keyOf(url), url])).values()],
    /** Learns whether a visited page says anything new. @param isCopy true if another page has the very same text. */
    learn(url: string, text: string, isCopy: boolean): void {
      const form = formOf(url);
      if (!MANY.test(form)) return;
      const seen = forms.get(form) ?? { words: new Set(), idle: 0 };
      forms.set(form, seen);
      const before = seen.words.size;
      for (const word of text
        .slice(0, MOST_CHARACTERS)
        .toLowerCase()
        .split(/[^\p{L}]+/u))
        seen.words.add(word);
      seen.idle = seen.words.size > before ? 0 : seen.idle + (isCopy ? COPY_COUNTS : 1);
    },
  };
}

/** Matches the form of more than one address. */
const MANY = /#|\?./;
/** The number of pages of a form that say nothing new after which the others are left out. */
const MOST_IDLE = 20;
/** A copy counts as so many pages that say nothing new. */
const COPY_COUNTS = 4;
/** The most addresses that are remembered, and the most characters of a page, so that no site fills the memory. */
const MOST_MET = 200_000;
const MOST_CHARACTERS = 10_000;
