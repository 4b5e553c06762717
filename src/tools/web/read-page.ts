import { z } from "zod";
import { aCount, aSignal, check, exactly, type OptionsOf } from "../../options.js";
import { visible } from "../../text/decode.js";
import { pagesAsMarkdown } from "../../text/layout/pages.js";
import { inOwnProcess, limitsFor } from "../process/own-process.js";
import { decodePage, type HtmlTree, parseHtml } from "./html-tree.js";
import { mainBlocks } from "./main-text.js";
import { measureBlocks, type PageBlock } from "./page-blocks.js";
import { dateIn } from "./page-dates.js";
import { blocksAsMarkdown } from "./page-markdown.js";
import { type PageMetadata, pageMetadata } from "./page-metadata.js";
import type { WebPage } from "./port.js";
import { readPdf } from "./read-pdf.js";

/** A page with all its metadata. Fields that the page does not give are empty. */
export interface Page extends WebPage {
  /** The canonical URL that the page declares, if it is on the same host; else `url`. */
  canonicalUrl: string;
  byline: string;
  /** A language tag such as `en` or `zh-CN`, as declared. */
  language: string;
  /** The main text without markup, one block per line. */
  text: string;
  /** True if there is hardly any text and scripts would load it. */
  needsJavaScript: boolean;
}

export interface ReadOptions {
  /** The server's content type, which tells PDF from HTML and may name the encoding. Default: detected. */
  contentType?: string;
  signal?: AbortSignal | undefined;
  /** Time limit in milliseconds. Default 10,000. */
  ms?: number;
  /** Memory limit in bytes. Default: by the size of the page. */
  memory?: number;
}

const Given = exactly({
  contentType: z.string(),
  signal: aSignal,
  ms: aCount(1),
  memory: aCount(1),
} satisfies OptionsOf<ReadOptions>).partial();

/**
 * Reads the main text of a page in a child process, which is killed if it takes too long or too much memory. Accepts
 * any input: broken or hostile markup gives some text or none. Reads at most 20 million characters. Drops comments,
 * scripts, hidden elements and invisible characters. The text of a PDF has a heading for each page.
 * @throws ReadingStoppedError if it was killed, the signal's reason, or an Error if a PDF cannot be read.
 */
export async function readPageInOwnProcess(
  page: string | Uint8Array,
  url: string,
  options: ReadOptions = {},
): Promise<Page> {
  check(Given, options);
  const { contentType = "", memory = limitsFor(page.length).memory, ...limits } = options;
  const rest = { ...limits, memory };
  return typeof page !== "string" && isPdf(page, contentType)
    ? inOwnProcess(import.meta.url, readPdfPage, [page, url], { ...rest, isLast: true })
    : inOwnProcess(import.meta.url, readHtmlPage, [page, url, contentType], rest);
}

/**
 * Like `readPageInOwnProcess` for anything but a PDF, in this process. Takes time and memory linear in the size of the
 * page.
 */
export const readHtmlPage = (page: string | Uint8Array, url: string, contentType = ""): Page =>
  pageIn(parsedPage(page, contentType), url);

/** Decodes and parses a page. */
export function parsedPage(page: string | Uint8Array, contentType: string): HtmlTree {
  const html = typeof page === "string" ? page : decodePage(page, contentType);
  return parseHtml(html.slice(0, LONGEST));
}

/** Reads the main text and the metadata of a parsed page. */
export function pageIn($: HtmlTree, url: string): Page {
  const about = pageMetadata($, url);
  const measured = measureBlocks($);
  const blocks = mainBlocks(measured, about);
  const weight = blocks.reduce((sum, block) => sum + block.weight, 0);
  return {
    url,
    canonicalUrl: canonicalOf(about.canonical, url),
    title: visible(about.title),
    byline: about.byline,
    published: about.published || shownDate(measured.blocks, blocks),
    modified: about.modified,
    language: about.language,
    markdown: blocksAsMarkdown(blocks),
    text: blocks.map((block) => block.text).join("\n"),
    needsJavaScript: weight < LITTLE && isScripted($, measured.root.weight, blocks),
  };
}

const LONGEST = 20_000_000;

/** A page that weighs less may be the placeholder of a scripted page. */
const LITTLE = 250;

/** Like browsers, looks at the bytes only if there is no content type: an HTML page may begin with any words. */
const isPdf = (bytes: Uint8Array, contentType: string) =>
  contentType === ""
    ? [..."%PDF-"].every((letter, i) => bytes[i] === letter.charCodeAt(0))
    : /^\s*application\/pdf\b/i.test(contentType);

/** Like `readPageInOwnProcess` for a PDF, in this process. @throws Error if it cannot be read. */
export async function readPdfPage(bytes: Uint8Array, url: string): Promise<Page> {
  const { pages, stated: _, isXfa: __, ...about } = await readPdf(bytes);
  const shown = pagesAsMarkdown(pages).flatMap((text, i) => (text === "" ? [] : [{ text, number: i + 1 }]));
  return {
    ...about,
    url,
    canonicalUrl: url,
    language: "",
    markdown: shown.map(({ text, number }) => `## Page ${number}\n\n${text}`).join("\n\n"),
    text: shown.map(({ text }) => text).join("\n"),
    needsJavaScript: false,
  };
}

/** Ignores a canonical URL on another host, which would be cited as the source. */
function canonicalOf(canonical: PageMetadata["canonical"], url: string): string {
  const found = canonical === "" ? null : URL.parse(canonical, url);
  const host = (address: URL | null) => address?.hostname.replace(/^www\./, "");
  const isOwn = found?.username === "" && /^https?:$/.test(found.protocol) && host(found) === host(URL.parse(url));
  return isOwn ? found.href : url;
}

/** Returns the date in a short line just before the text, or else in its first lines. */
function shownDate(all: readonly PageBlock[], text: readonly PageBlock[]): string {
  const first = text[0]?.index ?? 0;
  const near = [...all.slice(Math.max(0, first - 12), first + 1).toReversed(), ...all.slice(first + 1, first + 3)];
  const dates = near.map(({ text }) => (text.length < 120 ? dateIn(text) : ""));
  return dates.find((date) => date !== "") ?? "";
}

function isScripted($: HtmlTree, weight: number, blocks: readonly PageBlock[]): boolean {
  if (blocks.some((block) => /java\s?script/i.test(block.text))) return true;
  if (weight > LITTLE * 4) return false;
  return $("script")
    .toArray()
    .some((script) => script.attribs.src !== undefined || $(script).text().length > 500);
}
