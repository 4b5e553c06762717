import { parsedJson, visible } from "../../text/decode.js";
import { attribute, elementsBelow, type HtmlElement, isInline } from "./html-tree.js";
import { dateIn, dateInUrl, MODIFIED_WORDS } from "./page-dates.js";

/** The metadata of a page. Fields that the page does not give are empty. */
export interface PageMetadata {
  title: string;
  /** By its structured data: a discussion, or a product or recipe. */
  kind: "thread" | "thing" | "";
  byline: string;
  /** `YYYY-MM-DD`. */
  published: string;
  modified: string;
  /** A language tag such as `en`, `zh-CN`. */
  language: string;
  /** As written, not validated. */
  canonical: string;
}

/** Collects metadata from `meta` elements, JSON-LD, microdata, `time` elements and the URL. */
export function pageMetadata(root: HtmlElement, url: string): PageMetadata {
  const meta = new Map<string, string>();
  const times: { label: string; value: string }[] = [];
  let [title, heading, language, canonical, author] = ["", "", "", "", ""];
  const scripts: string[] = [];
  const labels = labelsOfTimes(root);
  const types: string[] = [];
  for (const element of elementsBelow(root)) {
    const { name } = element;
    const property = attribute(element, "itemprop");
    if (element.attributes.has("itemtype")) types.push(attribute(element, "itemtype"));
    if (name === "meta") {
      const key =
        attribute(element, "property") || attribute(element, "name") || property || attribute(element, "http-equiv");
      if (key !== "" && !meta.has(key.toLowerCase())) meta.set(key.toLowerCase(), attribute(element, "content"));
    } else if (name === "title") title ||= isInPicture(element) ? "" : wordsIn(element);
    else if (name === "html") language ||= attribute(element, "lang") || attribute(element, "xml:lang");
    else if (name === "link" && attribute(element, "rel").toLowerCase() === "canonical")
      canonical ||= attribute(element, "href");
    else if (name === "script") {
      if (attribute(element, "type").toLowerCase().includes("ld+json")) scripts.push(element.children.join(""));
    } else if (name === "h1") heading ||= wordsIn(element);
    else if (name === "time" || property.startsWith("date")) {
      const said = labels.get(element) ?? "";
      // What a footer calls the last change is that of the page.
      if (isIn(element, said === "modified" ? ["aside", "nav"] : ["aside", "nav", "footer"])) continue;
      const value = attribute(element, "datetime") || attribute(element, "content") || wordsIn(element);
      const named = element.attributes.has("pubdate") ? "pubdate" : "";
      times.push({ label: `${property} ${attribute(element, "class")} ${named} ${said}`, value });
    } else if (author === "" && (attribute(element, "rel") === "author" || /\bauthor\b/.test(property)))
      author = nameIn(element);
  }
  const things = thingsIn(scripts);
  const articles = things.filter((thing) => ARTICLE.test(kindOf(thing)));
  const ranked = [...articles, ...things.filter((thing) => PAGE.test(kindOf(thing)) && !articles.includes(thing))];
  const stated = (...names: string[]) =>
    names.flatMap((name) => ranked.map((thing) => namesIn(thing[name]))).find((text) => text !== "") ?? "";
  const first = (names: readonly string[]) => names.map((name) => meta.get(name)).find((value) => value) ?? "";
  const date = (values: readonly string[]) => values.map(dateIn).find((value) => value !== "") ?? "";
  const dates = (names: readonly string[]) => names.map((name) => meta.get(name) ?? "");
  const timesOf = (pattern: RegExp) => times.filter((time) => pattern.test(time.label)).map((time) => time.value);
  const clean = (text: string, most: number) => visible(text).replace(/\s+/g, " ").trim().slice(0, most);
  const shown = first(["og:title", "twitter:title", "dc.title"]) || stated("headline");
  return {
    title: clean(titleOf(title, shown, heading), 300),
    kind: formOf([...things.map(kindOf), ...types].join(" ")),
    byline: clean(stated("author") || plainName(first(AUTHOR)) || author, 200),
    published:
      date([stated("datePublished", "dateCreated", "uploadDate"), ...dates(PUBLISHED), ...timesOf(PUBLISHED_TIME)]) ||
      dateInUrl(url),
    modified: date([stated("dateModified"), ...dates(MODIFIED), ...timesOf(MODIFIED_TIME)]),
    language: tagOf(language || first(LANGUAGE) || stated("inLanguage")),
    canonical: canonical || first(["og:url"]),
  };
}

type Thing = Readonly<Record<string, unknown>>;

/** Returns the objects in a page's JSON-LD, except in scripts that are invalid or too large. */
function thingsIn(scripts: readonly string[]): Thing[] {
  const things: Thing[] = [];
  const ahead = scripts.filter((script) => script.length <= LARGEST).map(parsedJson);
  for (let i = 0; i < Math.min(ahead.length, MOST_THINGS); i++) {
    const next = ahead[i];
    if (Array.isArray(next)) ahead.push(...next.slice(0, MOST_THINGS));
    else if (isThing(next)) {
      things.push(next);
      ahead.push(next["@graph"], next.mainEntity, next.mainEntityOfPage);
    }
  }
  return things;
}

const LARGEST = 1_000_000;
const MOST_THINGS = 2_000;

const isThing = (value: unknown): value is Thing => typeof value === "object" && value !== null;
const kindOf = (thing: Thing) => String(thing["@type"]);
const ARTICLE = /Article|Posting|Report|Recipe|HowTo|Question|Review/;
const PAGE = /Page|CreativeWork|Object|Event/;

/** Returns a string, or the names of one or more people, without URLs. */
const namesIn = (value: unknown): string =>
  (Array.isArray(value) ? value.slice(0, 10) : [value])
    .map((each) => (isThing(each) ? each.name : each))
    .filter((name) => typeof name === "string" && plainName(name) !== "")
    .join(", ");

/** A page with several products is a list of them, not a thing. */
function formOf(types: string): PageMetadata["kind"] {
  if (/DiscussionForumPosting|QAPage/.test(types)) return "thread";
  return /\bRecipe\b/.test(types) || types.match(/\bProduct\b/g)?.length === 1 ? "thing" : "";
}

const AUTHOR = ["author", "article:author", "dc.creator", "parsely-author", "citation_author"];
const LANGUAGE = ["content-language", "og:locale", "dc.language", "language"];
const PUBLISHED =
  "article:published_time og:article:published_time og:published_time datepublished publishdate publish_date publish-date pubdate published_at dc.date.issued dcterms.issued dc.date.created dcterms.created dc.date dcterms.date date article.published parsely-pub-date sailthru.date citation_publication_date citation_date originalpublicationdate".split(
    " ",
  );
const MODIFIED =
  "article:modified_time og:article:modified_time og:updated_time og:modified_time datemodified dc.date.modified dcterms.modified last-modified lastmod article.updated revised".split(
    " ",
  );
const PUBLISHED_TIME = /publish|created|pubdate/i;
const MODIFIED_TIME = /modif|update/i;

/**
 * Returns for each `time` element what the words right before it in its line call it, if these are "published" or
 * "modified". In a sentence, such as "The filter was changed on", it is the date of something else.
 */
function labelsOfTimes(root: HtmlElement): Map<HtmlElement, string> {
  const labels = new Map<HtmlElement, string>();
  let line = "";
  const ahead = root.children.toReversed();
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === "string") line = (line + next).slice(-LONGEST_LABEL);
    else {
      // A date may be in the cell beside its label.
      if (!isInline(next) && next.name !== "td" && next.name !== "dd") line = "";
      if (next.name === "time")
        labels.set(next, SAYS_MODIFIED.test(line) ? "modified" : SAYS_PUBLISHED.test(line) ? "published" : "");
      for (let i = next.children.length - 1; i >= 0; i--) ahead.push(next.children[i] ?? "");
    }
  }
  return labels;
}

/** In characters. */
const LONGEST_LABEL = 200;
const asLabel = (words: string) =>
  new RegExp(`(?:^|[|·•.。])\\s*(?:${words})(?:\\s+by\\s[^.|·•]{1,60}?)?(?:\\s+(?:on|at))?\\s*[:：]?\\s*$`, "i");
const SAYS_PUBLISHED = asLabel(
  "(?:(?:first|originally)\\s+)?(?:published|posted)|(?:首次)?(?:发布|发表)(?:于|时间|日期)?",
);
const SAYS_MODIFIED = asLabel(MODIFIED_WORDS);

/** Removes the site's name before or after the title of a page, with the help of its heading. */
function titleOf(title: string, shown: string, heading: string): string {
  const whole = shown || title;
  if (heading.length > 3 && fold(whole || heading).includes(fold(heading))) return heading;
  if (shown !== "") return shown;
  const parts = title.split(/\s+[|»›·—–-]\s+|\s*[|_]\s*/).filter((part) => part.trim() !== "");
  const longest = parts.reduce((a, b) => (b.length > a.length ? b : a), "");
  return longest.length > title.length / 2 ? longest : title || heading;
}

function wordsIn({ name, children }: HtmlElement): string {
  if (name === "script" || name === "style") return "";
  const words = children.map((child) => (typeof child === "string" ? child : wordsIn(child))).join(" ");
  return words.replace(/\s+/g, " ").trim().slice(0, 500);
}

/** A longer text is a box about the author, not a name. */
const nameIn = (element: HtmlElement) => (wordsIn(element).length <= 60 ? wordsIn(element) : "");

/** True for an element in a part of the page that may be about something else: other news, events, the site. */
function isIn({ parent }: HtmlElement, parts: readonly string[]): boolean {
  for (let up = parent; up && up.name !== "article"; up = up.parent) if (parts.includes(up.name)) return true;
  return false;
}

const isInPicture = (element: HtmlElement) => element.parent?.name === "svg" || element.parent?.name === "g";

const plainName = (name: string) => (/^https?:/.test(name) ? "" : name);

function tagOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language.split(/[,;]/)[0]?.trim().replaceAll("_", "-"))[0] ?? "";
  } catch {
    return "";
  }
}

/** Reduces a text to its words, for comparison. */
export const fold = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
