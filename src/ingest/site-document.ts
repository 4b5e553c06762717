import { createHash } from "node:crypto";
import { toError } from "../errors.js";
import type { FetchedDocument } from "../tools/web/port.js";
import type { Page } from "../tools/web/read-page.js";
import { readSitePageInOwnProcess } from "../tools/web/site-page.js";
import { LARGEST_FILE } from "./bytes.js";
import type { Content } from "./formats/content.js";
import { extensionOf, isReadable } from "./formats/registry.js";
import { contentInOwnProcess } from "./load.js";
import { pageContent } from "./page-store.js";

/** A document of a site as it was read. */
interface SiteDocument {
  content: Content;
  /** Undefined for a file. */
  page: Page | undefined;
  /** The addresses that a page links to. */
  links: readonly string[];
  /** True if a page only forwards to another. */
  forward: boolean;
  /** What it asks of programs, in the form of X-Robots-Tag headers. */
  tags: readonly string[];
}

/** A document was fetched and cannot be read. */
export class UnreadError extends Error {
  override readonly name = "UnreadError";
}

/**
 * Reads a web page, or a file of a known format, in a process of its own.
 * @throws UnreadError if it cannot be read; the signal's reason if aborted.
 */
export async function readDocument(
  url: string,
  { bytes, contentType, robotsTag }: FetchedDocument,
  signal?: AbortSignal,
): Promise<SiteDocument> {
  try {
    const type = typeOf(contentType);
    if (PAGES.test(type)) {
      const { robotsTag: own, ...read } = await readSitePageInOwnProcess(bytes, url, contentType, signal);
      return { content: pageContent(read.page), ...read, tags: [robotsTag, own] };
    }
    const name = fileName(new URL(url), type);
    const { title, ...rest } = await contentInOwnProcess(bytes, name, signal);
    const content = { title: title.slice(0, 200) || name, ...rest };
    return { content, page: undefined, links: [], forward: false, tags: [robotsTag] };
  } catch (error) {
    signal?.throwIfAborted();
    throw new UnreadError(toError(error).message, { cause: error });
  }
}

const typeOf = (contentType: string) => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Matches the media types of web pages. */
const PAGES = /^(?:text\/html|application\/xhtml\+xml)$/;
/** In bytes, as for a page that a question needs. */
const LARGEST_PAGE = 5_000_000;

/** Returns the most bytes to read of a document of this media type, or undefined if documents of it are not read. */
export function mostBytesOf(type: string, url: URL): number | undefined {
  if (PAGES.test(type)) return LARGEST_PAGE;
  return isReadable(fileName(url, type)) ? LARGEST_FILE : undefined;
}

/** Returns a name for a file whose extension tells its format, by its media type if that says it, else by its address. */
function fileName({ pathname }: URL, type: string): string {
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {}
  const extension = EXTENSIONS[type];
  if (extension !== undefined) return extensionOf(name) === extension ? name : `${name}.${extension}`;
  if (!VAGUE.test(type)) return "";
  return type === "text/plain" && !isReadable(name) ? `${name}.txt` : name;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/epub+zip": "epub",
  "application/msword": "doc",
  "application/rtf": "rtf",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "application/vnd.oasis.opendocument.presentation": "odp",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "text/csv": "csv",
  "text/markdown": "md",
  "text/rtf": "rtf",
};
/** Types that say little. The name of a file then tells what it is. */
const VAGUE = /^(?:|application\/(?:octet-stream|json|(?:x-|force-)?download)|text\/(?:plain|x-.*))$/;

/** Identifies what a document says. */
export const textId = ({ title, text }: Content) => digest(JSON.stringify([title, text]));

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** Returns the lines of a text, shortened, without empty ones. */
export function linesOf({ text }: Content): ReadonlySet<string> {
  const own = text.split("\n", MOST_LINES).filter((line) => line.trim() !== "");
  return new Set(own.map((line) => digest(line).slice(0, 12)));
}

const MOST_LINES = 500;

/** Returns what a page says, without numbers and its own address. */
export function plainText({ title, text }: Content, url: string): string {
  const { pathname } = new URL(url);
  const own = [pathname, pathname.slice(pathname.lastIndexOf("/") + 1)].filter((part) => part.length > 1);
  return own.reduce((rest, part) => rest.replaceAll(part, ""), `${title}\n${text}`).replace(/\d+/g, "");
}
