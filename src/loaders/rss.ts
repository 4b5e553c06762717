import { type Cheerio, type CheerioAPI, load } from "cheerio";
import { z } from "zod";
import { PageUnavailableError } from "../errors.js";
import { check, exactly, type OptionsOf } from "../options.js";
import { digestOf } from "../text/digest.js";
import { hostAndPort } from "../tools/web/fetch-policy.js";
import { decodePage, type TreeElement } from "../tools/web/html-tree.js";
import { webPageReader } from "../tools/web/web-reader.js";
import type { Connector, Listed } from "./port.js";
import { requests } from "./requests.js";

export interface RssOptions {
  /** The address of the feed. */
  url: string;
  /**
   * Read the page that an entry links to, instead of the text in the feed. It is fetched like any page of the web: it must be
   * public or on the host of the feed, and robots.txt is obeyed. Default false.
   */
  pages?: boolean;
}

const Given = exactly({
  url: z.url({ protocol: /^https?$/, error: "must be the address of a feed" }),
  pages: z.boolean().optional(),
} satisfies OptionsOf<RssOptions>);

/**
 * The entries of a feed: RSS 2.0, RSS 1.0 or Atom. Entries that the feed no longer lists are kept.
 * @throws UsageError if an option is wrong.
 */
export function rss(options: RssOptions): Connector {
  check(Given, options);
  const { url, pages = false } = options;
  const address = new URL(url);
  const host = requests({ source: "The feed", baseURL: address.origin });
  const reader = pages ? webPageReader({ allowPrivateHosts: [hostAndPort(address)] }) : undefined;
  let newest: ReadonlyMap<string, Entry> | undefined;

  async function entries(signal: AbortSignal): Promise<ReadonlyMap<string, Entry>> {
    const { bytes, headers } = await host.reply(url, { signal });
    if (!bytes) throw new Error(`There is no feed at ${address.origin}${address.pathname}. Check its address.`);
    const found = entriesIn(decodePage(bytes, headers.get("content-type") ?? ""), url);
    if (!found) throw new Error(`What is at ${address.origin}${address.pathname} is no feed of RSS or Atom.`);
    newest = new Map(found.toReversed().map((entry) => [entry.listed.id, entry]));
    return newest;
  }

  return {
    keepsOld: true,
    async *list({ signal }) {
      for (const { listed } of (await entries(signal)).values()) yield listed;
    },
    async read({ id, url: link }, { signal }) {
      signal.throwIfAborted();
      if (!reader || link === undefined) {
        const html = (newest?.get(id) ?? (await entries(signal)).get(id))?.html;
        return html === undefined ? undefined : { name: "entry.html", bytes: Buffer.from(html) };
      }
      try {
        return { text: (await reader.read(link, { signal })).markdown };
      } catch (error) {
        if (error instanceof PageUnavailableError && (error.status === 404 || error.status === 410)) return undefined;
        throw error;
      }
    },
    async close() {
      await reader?.close();
    },
  };
}

interface Entry {
  listed: Listed;
  html: string;
}

/** Returns the entries of a feed in its order, or undefined if it is none. */
function entriesIn(xml: string, base: string): Entry[] | undefined {
  const $ = load(xml, { xml: true });
  const root = $.root().children("rss, feed, rdf\\:RDF");
  if (root.length === 0) return undefined;
  const all = root.is("feed") ? root.children("entry") : root.find("> item, > channel > item");
  return all.toArray().map((element) => entryIn($, $(element), base));
}

function entryIn($: CheerioAPI, entry: Cheerio<TreeElement>, base: string): Entry {
  const textOf = (...names: string[]) => {
    const filled = names.map((name) => entry.children(name).first().text().trim()).filter((text) => text !== "");
    return filled[0] ?? "";
  };
  const links = entry
    .children("link")
    .toArray()
    .map((each) => $(each));
  const own = links.find((link) => /^(?:alternate)?$/.test(link.attr("rel") ?? ""));
  const permalink = entry.children("guid:not([isPermaLink='false'])").text().trim();
  const link = own?.attr("href") || own?.text().trim() || permalink;
  const url = /^https?:\/\//.test(URL.parse(link, base)?.href ?? "") ? new URL(link, base).href : undefined;
  const body = ["content\\:encoded", "content", "description", "summary"]
    .map((name) => entry.children(name).first())
    .find((element) => element.text().trim() !== "");
  const content = (body?.attr("type") === "xhtml" ? body.html() : body?.text()) ?? "";
  // Titles hold markup, or its entities.
  const title = load(textOf("title")).text().replace(/\s+/g, " ").trim();
  const html = `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title><article><h1>${escaped(title)}</h1>\n${content}</article>`;
  const authors = entry
    .children("author, dc\\:creator")
    .toArray()
    .map((each) => $(each));
  const categories = entry
    .children("category")
    .toArray()
    .map((each) => $(each));
  const version = digestOf([url, textOf("updated"), html]);
  return {
    html,
    listed: {
      id: textOf("guid", "id") || url || version,
      version,
      title: title || undefined,
      url,
      changedAt: isoTime(textOf("updated", "pubDate", "published", "dc\\:date")),
      metadata: {
        author: authors.map((author) => author.children("name").text().trim() || author.text().trim()),
        category: categories.map((category) => category.attr("term") ?? category.text().trim()),
      },
    },
  };
}

const escaped = (text: string) => text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);

function isoTime(written: string): string | undefined {
  const time = new Date(written);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
