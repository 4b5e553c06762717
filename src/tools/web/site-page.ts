import { inOwnProcess, limitsFor } from "../process/own-process.js";
import { attribute, type HtmlTree, type TreeElement } from "./html-tree.js";
import { type Page, pageIn, parsedPage } from "./read-page.js";

/** A page of a site, with what a crawl needs. */
export interface SitePage {
  page: Page;
  /** The distinct http addresses that it links to for programs to follow, without fragments; at most 2,000. */
  links: string[];
  /** True if it sends its readers to another page at once, as a redirect does. */
  forward: boolean;
  /** What it asks of programs in its `meta` elements, in the form of an X-Robots-Tag header. */
  robotsTag: string;
}

/**
 * Reads an HTML page of a site in a child process, which is killed if it takes too long or too much memory.
 * @throws ReadingStoppedError if it was killed, or the signal's reason.
 */
export const readSitePageInOwnProcess = (
  bytes: Uint8Array,
  url: string,
  contentType: string,
  signal?: AbortSignal,
): Promise<SitePage> =>
  inOwnProcess(import.meta.url, readSitePage, [bytes, url, contentType], {
    signal,
    memory: limitsFor(bytes.length).memory,
  });

/** Like `readSitePageInOwnProcess`, in this process. */
export function readSitePage(bytes: Uint8Array, url: string, contentType: string): SitePage {
  const $ = parsedPage(bytes, contentType);
  const tags = $("meta")
    .toArray()
    .filter((meta) => PROGRAMS.test(attribute(meta, "name")))
    .map((meta) => attribute(meta, "content"));
  const forward = $("meta[content]")
    .toArray()
    .some((meta) => refreshOf(meta, url)?.seconds === 0);
  return { links: linksIn($, url), forward, robotsTag: tags.join(), page: pageIn($, url) };
}

/** The names in `meta` that mean all programs, or this one. */
const PROGRAMS = /^(?:robots|emend)$/i;

/** Also follows frames, the other pages of a series, translations, and a page that only forwards. */
function linksIn($: HtmlTree, url: string): string[] {
  const base = URL.parse($("base[href]").first().attr("href") ?? "", url)?.href ?? url;
  const links = new Set<string>();
  const add = (address: string) => {
    const found = address === "" ? null : URL.parse(address, base);
    if (!found || !/^https?:$/.test(found.protocol) || links.size >= MOST_LINKS) return;
    found.hash = "";
    links.add(found.href);
  };
  for (const element of $<TreeElement, string>("a[href], area[href], link[href], iframe[src], frame[src], meta")) {
    const relations = attribute(element, "rel").toLowerCase().split(/\s+/);
    if (relations.includes("nofollow")) continue;
    if (element.name === "meta") add(refreshOf(element, base)?.to ?? "");
    else if (element.name !== "link" || isPageLink(element, relations))
      add(attribute(element, element.name.endsWith("frame") ? "src" : "href"));
  }
  return [...links];
}

const MOST_LINKS = 2_000;

/** Returns where a `meta` element leads, if it is another page, and after how many seconds. */
function refreshOf(meta: TreeElement, base: string): { to: string; seconds: number } | undefined {
  if (attribute(meta, "http-equiv").toLowerCase() !== "refresh") return undefined;
  const [, seconds, to = ""] =
    /^([\d.]+)\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(attribute(meta, "content")) ?? [];
  const url = URL.parse(to, base)?.href;
  return to === "" || url === undefined || url === base ? undefined : { to: url, seconds: Math.floor(Number(seconds)) };
}

const isPageLink = (link: TreeElement, relations: readonly string[]) =>
  relations.includes("next") ||
  relations.includes("prev") ||
  (relations.includes("alternate") && attribute(link, "hreflang") !== "");

/** What a site asks of programs that come to a page. */
export interface RobotsTag {
  /** False if the page may not be stored. */
  isStored: boolean;
  /** False if its links may not be followed. */
  isFollowed: boolean;
}

/**
 * Parses an X-Robots-Tag header, such as `noindex, other: nofollow`. A rule after the name of another program does not
 * count.
 * @param product the program's name, without a version.
 */
export function parseRobotsTag(tag: string, product: string): RobotsTag {
  let isOurs = true;
  const rules = tag
    .toLowerCase()
    .split(",")
    .flatMap((part) => {
      const [, program, rule = ""] = /^\s*(?:([\w-]+)\s*:)?\s*([\w-]*)/.exec(part) ?? [];
      // A name is good for the rules after it too. Some rules have values, which look like names.
      if (program && !VALUED.test(program)) isOurs = program === product || program === "robots";
      return isOurs ? [rule] : [];
    });
  const says = (rule: string) => rules.includes(rule) || rules.includes("none");
  return { isStored: !says("noindex"), isFollowed: !says("nofollow") };
}

const VALUED = /^(?:unavailable_after|max-[a-z]+-[a-z]+|max-snippet)$/;
