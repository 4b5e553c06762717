import { visible } from "../../../language/decode.js";
import { inOwnProcess } from "../../process/own-process.js";
import { type Block, measure } from "./blocks.js";
import { decodePage } from "./charset.js";
import { dateIn } from "./dates.js";
import { type About, aboutOf } from "./known.js";
import { mainBlocks } from "./main-text.js";
import { asMarkdown } from "./markdown.js";
import { readPdf } from "./pdf.js";
import { type Element, elementsBelow, parseTree } from "./tree.js";

/** A page's own text, without its frame, and what the page says of itself. */
export interface Page {
  /** As given. */
  url: string;
  /** The address the page gives itself, where that is on the same host; else `url`. */
  canonicalUrl: string;
  /** Empty where the page has none; so are the others. */
  title: string;
  byline: string;
  /** `YYYY-MM-DD`. */
  published: string;
  modified: string;
  /** A language tag such as `en` or `zh-CN`, as the page says. */
  language: string;
  /** The main text: headings, lists, tables, quotes and code keep their form; links and images are left out. */
  markdown: string;
  /** The same without marks, a block a line. */
  text: string;
  /** There is hardly any text, and scripts would fetch it. */
  needsJavaScript: boolean;
}

export interface ReadOptions {
  /** The server's content type; says whether this is a PDF, and may name the encoding. Default: what the bytes say. */
  contentType?: string;
  signal?: AbortSignal | undefined;
  /** Milliseconds that it may take. Default 10,000. */
  ms?: number;
}

/**
 * Reads the main text of a page, in a process of its own that is ended where the page takes too long or too much memory.
 * Takes any input: broken and hostile markup gives some text, or none; what is beyond 20 million characters is not read.
 * Comments, scripts, hidden elements and invisible characters are dropped. For a PDF, the text by page under headings.
 * @throws ReadingStoppedError where a limit is reached, the signal's reason, or an Error when a PDF cannot be read.
 */
export async function readPage(page: string | Uint8Array, url: string, options: ReadOptions = {}): Promise<Page> {
  const { contentType = "", ...rest } = options;
  return typeof page !== "string" && isPdf(page, contentType)
    ? inOwnProcess("readPdfPage", [page, url], rest)
    : inOwnProcess("readHtmlPage", [page, url, contentType], rest);
}

/** As `readPage`, for what is no PDF, and in this process. */
export function readHtmlPage(page: string | Uint8Array, url: string, contentType = ""): Page {
  return readHtml(typeof page === "string" ? page : decodePage(page, contentType), url);
}

/** As `readHtmlPage`, for a string. In time and memory linear in its size. */
export function readHtml(html: string, url: string): Page {
  const tree = parseTree(html.slice(0, LONGEST));
  const about = aboutOf(tree, url);
  const measured = measure(tree);
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
    markdown: asMarkdown(blocks),
    text: blocks.map((block) => block.text).join("\n"),
    needsJavaScript: weight < LITTLE && isScripted(tree, measured.root.weight, blocks),
  };
}

const LONGEST = 20_000_000;
/** Less than this is what a shell says while its scripts load. */
const LITTLE = 250;

/** Bytes are looked at only where nobody said what they are, as browsers do: a page in HTML may begin with any words. */
const isPdf = (bytes: Uint8Array, contentType: string) =>
  contentType === ""
    ? [..."%PDF-"].every((letter, i) => bytes[i] === letter.charCodeAt(0))
    : /^\s*application\/pdf\b/i.test(contentType);

/** As `readPage`, for a PDF, and in this process. @throws Error when it cannot be read. */
export async function readPdfPage(bytes: Uint8Array, url: string): Promise<Page> {
  const { pages, ...about } = await readPdf(bytes);
  const shown = pages.flatMap((text, i) => (text === "" ? [] : [{ text, number: i + 1 }]));
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

/** A page may only speak for its own host: another's address would be cited as the source. */
function canonicalOf(canonical: About["canonical"], url: string): string {
  if (canonical === "" || !URL.canParse(canonical, url)) return url;
  const found = new URL(canonical, url);
  const host = (address: URL) => address.hostname.replace(/^www\./, "");
  const same = URL.canParse(url) && host(found) === host(new URL(url));
  return same && /^https?:$/.test(found.protocol) && found.username === "" ? found.href : url;
}

/** The date in a short line just before the text, else just after its beginning. */
function shownDate(all: readonly Block[], text: readonly Block[]): string {
  const first = text[0]?.index ?? 0;
  const near = [...all.slice(Math.max(0, first - 12), first + 1).toReversed(), ...all.slice(first + 1, first + 3)];
  return (
    near
      .filter((block) => block.text.length < 120)
      .map((block) => dateIn(block.text))
      .find((date) => date !== "") ?? ""
  );
}

function isScripted(tree: Element, weight: number, blocks: readonly Block[]): boolean {
  if (blocks.some((block) => /java\s?script/i.test(block.text))) return true;
  if (weight > LITTLE * 4) return false;
  for (const element of elementsBelow(tree)) {
    if (element.name === "script" && (element.attributes.has("src") || element.children.join("").length > 500))
      return true;
  }
  return false;
}
