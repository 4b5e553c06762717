import { withCharacters } from "../text/entities.js";
import { LINK_DEFINITION, PLAIN_TAG } from "../text/markup.js";
import { memoize } from "../text/memoize.js";
import { findQuote } from "../text/quotes.js";
import { RUN } from "../text/tokens.js";

/**
 * Returns what a text has besides words and a source has not, as written: addresses, the targets and titles of links,
 * pictures and tags, whatever entities they are written with. The same address counts with and without "https://",
 * "www." or "mailto:", and a bare host if the source has an address there. Emphasis and tags without attributes that only
 * format words are no additions.
 */
export function addedTo(text: string, source: string): string[] {
  const own = liveIn(text);
  if (own.addresses.length + own.targets.length + own.pictures.length + own.titles.length + own.tags.length === 0)
    return [];
  const there = liveIn(source);
  const [known, shown] = [new Set([...there.addresses, ...there.targets].map(keyOf)), dense(characters(source))];
  const pictures = new Set(there.pictures.map(keyOf));
  const hosts = new Set([...known].map((key) => /^[^/?#]*/.exec(key)?.[0]));
  const isKnown = (address: string) =>
    known.has(keyOf(address)) || (isBare(address) && (hosts.has(keyOf(address)) || hasWordsOf(source, address)));
  return [
    ...new Set([
      ...own.tags.filter((tag) => !shown.includes(dense(tag))),
      ...own.pictures.filter((target) => !pictures.has(keyOf(target))),
      ...[...own.targets, ...own.addresses].filter((address) => !isKnown(address)),
      ...own.titles.filter((title) => !findQuote(source, title)),
    ]),
  ];
}

interface Live {
  addresses: string[];
  /** Of links, also relative ones. */
  targets: string[];
  /** Their targets. */
  pictures: string[];
  /** Of links and pictures. */
  titles: string[];
  tags: string[];
}

const liveIn: (text: string) => Live = memoize((text) => {
  const plain = characters(text).replace(PLAIN_TAG, (tag) => (INLINE.test(tag) ? "" : " "));
  const found: Live = { addresses: [], targets: [], pictures: [], titles: [], tags: [] };
  const links = [...plain.matchAll(LINK), ...plain.matchAll(LINK_DEFINITION)];
  for (const { picture, target = "", title = "" } of links.map(({ groups = {} }) => groups)) {
    if (/[\p{L}\p{N}]/u.test(title)) found.titles.push(title);
    if (target !== "") (picture ? found.pictures : found.targets).push(target);
  }
  const words = plain.replace(LINK, "$<words> ").replace(TAG, (tag) => {
    if (AUTOLINK.test(tag)) return tag;
    const targets = [...tag.matchAll(ATTRIBUTE)].map(([, value = ""]) => value);
    (/^<img\b/i.test(tag) ? found.pictures : found.targets).push(...targets);
    if (!ANCHOR.test(tag)) found.tags.push(tag);
    return " ";
  });
  found.addresses.push(
    ...(words
      .match(ADDRESS)
      ?.map(trimmed)
      .filter((address) => address !== "") ?? []),
  );
  return found;
});

/** Replaces entities, also those that are written with entities, and wide characters, but not Chinese punctuation. */
function characters(text: string): string {
  let shown = text;
  for (let depth = 0; depth < DEEPEST && shown.includes("&"); depth++) shown = withCharacters(shown);
  return shown.replace(/[^\s\x21-\x7e：；，。！？（）【】]+/gu, (run) => run.normalize("NFKC"));
}

const DEEPEST = 4;

/** A link or a picture. */
const LINK =
  /(?<picture>!)?\[(?<words>(?:[^[\]]|\[[^[\]]{0,200}\]){0,500})\]\(\s*(?:<(?=[^<>\n]{0,800}>))?(?<target>(?:[^\s()<>]|\([^\s()<>]{0,200}\)){0,800})>?\s*(?<title>[^)]{0,300})\)?/gu;

/** A tag or a comment, also one that opens and has attributes, but does not end. */
const TAG = /<(?:!--[\s\S]*?(?:-->|$)|[a-z/!?][^<>]{0,2000}>|[a-z][\w:-]*[\s/][^<>]*=[^<>]*$)/gi;
const INLINE = /^<\/?(?:b|code|em|i|s|span|strong|u)\b/i;
const ANCHOR = /^<a\s+href\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)\s*>$/i;
const AUTOLINK = /^<[a-z][a-z\d+.-]+:[^\s<>]*>$|^<[^\s<>@]+@[^\s<>@]+>$/i;
const ATTRIBUTE = /\b(?:href|src)\s*=\s*["']?([^"'\s>]+)/gi;

const HAN_OR_MARK = `${RUN}：；，。！？、（）【】《》“”‘’「」『』`;
const PART = `[^\\s<>|"'\`\\\\${HAN_OR_MARK}]`;
/** After a slash or a sign, an address goes on in Chinese. */
const REST = `(?:${PART}+|(?<=[/=?&#%_-])[${RUN}]+)*`;
const LETTER = `(?![${RUN}])[\\p{L}\\p{N}\\p{M}_-]`;
const LABEL = `(?:${LETTER}){1,63}`;
const LETTERS = "[a-z][a-z\\d+.-]{1,30}";
/**
 * An address with its scheme, one that begins with two slashes, one of mail, or a host alone, which also looks like the name
 * of a file.
 */
const ADDRESS = new RegExp(
  [
    `(?<![a-z\\d])${LETTERS}[:：]//${REST}`,
    `(?<![a-z\\d:])${LETTERS}:(?=[^\\s/\\d])${PART}${REST}`,
    `(?<![:/\\p{L}\\p{N}])//(?=[\\p{L}\\p{N}])${REST}`,
    `(?<![\\w.%+-])[\\w.%+-]{1,64}@${LABEL}(?:\\.${LABEL}){1,9}`,
    `(?<!${LETTER})(?:${LABEL}\\.){1,9}(?=\\p{L}[\\p{L}\\p{N}\\p{M}-])${LABEL}(?::\\d+)?(?:[/?#]${REST})?`,
  ].join("|"),
  "giu",
);

/** The marks around an address are not a part of it. */
const trimmed = (address: string) => address.replace(/[.,:;!?)\]}*_~]+$/u, "");

/** Two addresses with the same key are the same address. Marks of emphasis are left out. */
const keyOf = (address: string): string =>
  address
    .replace(/[*_~`\\]/g, "")
    .replace(/^(?:(?:https?[:：])?\/\/|mailto:)/i, "")
    .replace(/^www\./i, "")
    .replace(/\/$/, "")
    .replace(/^[^/?#]*/, (host) => host.toLowerCase());

/** True for a host or a name without a path: "Node.js", "key:value". */
const isBare = (address: string) => !/[/?#@]/.test(address);

/** True if a source has the parts of a name one after the other: "Node.js" and "NodeJS", or "at eight.The" and "at eight. The". */
function hasWordsOf(source: string, name: string): boolean {
  const parts = name.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "");
  return new RegExp(`(?<![\\p{L}\\p{N}])${parts.join("[^\\p{L}\\p{N}]{0,3}")}(?![\\p{L}\\p{N}])`, "iu").test(source);
}

/** Without white space, quotation marks and case, which tags may differ in. */
const dense = (text: string) => text.replace(/[\s"']/g, "").toLowerCase();
