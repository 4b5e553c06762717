import { gunzipSync } from "node:zlib";
import { decode } from "../../text/decode.js";
import { at, childrenOf, parseXml, textOf, type Xml } from "../formats/xml.js";

/** What a sitemap lists (sitemaps.org), as written. */
export interface Sitemap {
  pages: string[];
  /** Further sitemaps, if it is an index of sitemaps. */
  sitemaps: string[];
}

/**
 * Reads a sitemap or an index of sitemaps, which may be packed by gzip.
 * @throws Error with a message for the user if it is neither.
 */
export function readSitemap(bytes: Uint8Array): Sitemap {
  const root = parseXml(decode(unpacked(bytes)));
  const pages = at(root, "urlset");
  const sitemaps = at(root, "sitemapindex");
  if (!pages && !sitemaps) throw new Error("It is no sitemap.");
  return { pages: addressesIn(pages, "url"), sitemaps: addressesIn(sitemaps, "sitemap") };
}

/** The first `loc` of each entry. Later ones belong to pictures and films of the page. */
const addressesIn = (list: Xml | undefined, name: string): string[] =>
  childrenOf(list, name)
    .map((entry) => textOf(at(entry, "loc")).trim())
    .filter((address) => address !== "");

function unpacked(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: LARGEST });
  } catch (error) {
    throw new Error(`It is damaged, or larger than ${LARGEST / 1_000_000} MB when unpacked.`, { cause: error });
  }
}

/** In bytes: what the standard allows. */
const LARGEST = 50_000_000;
