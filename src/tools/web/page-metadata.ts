import { parsedJson, visible } from "../../text/decode.js";
import {
  attribute,
  type HtmlTree,
  isElement,
  isInline,
  isText,
  type TreeElement,
  type TreeParent,
} from "./html-tree.js";
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
export function pageMetadata($: HtmlTree, url: string): PageMetadata {
  const meta = new Map<string, string>();
  for (const element of $("meta")) {
    const names = ["property", "name", "itemprop", "http-equiv"].map((name) => attribute(element, name));
    const key = names.find((name) => name !== "")?.toLowerCase() ?? "";
    if (!meta.has(key)) meta.set(key, attribute(element, "content"));
  }
  const all = (selector: string) => $<TreeElement, string>(selector).toArray();
  const wordsOfAll = (selector: string) => all(selector).map(wordsIn).filter(Boolean);
  const valuesOf = (selector: string, name: string) => all(selector).map((element) => attribute(element, name));
  const [title = ""] = wordsOfAll("title:not(svg *)");
  const [heading = ""] = wordsOfAll("h1");
  // A longer text is a box about the author, not a name.
  const author = wordsOfAll("[rel=author], [itemprop~=author]").find((words) => words.length <= 60) ?? "";
  const language = $("html").attr("lang") || $("html").attr("xml:lang");
  const canonical = valuesOf("link[rel=canonical i]", "href").find(Boolean) ?? "";
  const times = timesIn($);
  const things = thingsIn(scriptsOf($));
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
    kind: formOf([...things.map(kindOf), ...valuesOf("[itemtype]", "itemtype")].join(" ")),
    byline: clean(stated("author") || plainName(first(AUTHOR)) || author, 200),
    published:
      date([stated("datePublished", "dateCreated", "uploadDate"), ...dates(PUBLISHED), ...timesOf(PUBLISHED_TIME)]) ||
      dateInUrl(url),
    modified: date([stated("dateModified"), ...dates(MODIFIED), ...timesOf(MODIFIED_TIME)]),
    language: tagOf(language || first(LANGUAGE) || stated("inLanguage")),
    canonical: canonical || first(["og:url"]),
  };
}

const scriptsOf = ($: HtmlTree) =>
  $("script[type*='ld+json' i]")
    .toArray()
    .map((script) => $(script).text());

/**
 * Returns the questions of a page with their answers, which may be HTML, as its structured data give them (FAQPage). A
 * page need not display them.
 */
export const questionsIn = ($: HtmlTree): { question: string; answer: string }[] =>
  thingsIn(scriptsOf($)).flatMap((thing) => {
    const [answer] = [thing.acceptedAnswer].flat();
    if (kindOf(thing) !== "Question" || !isThing(answer)) return [];
    const [question, words] = [thing.name, answer.text].map((each) => (typeof each === "string" ? each.trim() : ""));
    return question && words ? [{ question, answer: words }] : [];
  });

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

/** Returns the dates that elements give as such, each with what its attributes and the words before it call it. */
function timesIn($: HtmlTree): { label: string; value: string }[] {
  const labels = labelsOfTimes($);
  return $("time, [itemprop^=date]")
    .toArray()
    .flatMap((element) => {
      const said = labels.get(element) ?? "";
      // Other parts may be about something else: other news, events. A footer tells the last change of the page.
      const others = said === "modified" ? "aside, nav" : "aside, nav, footer";
      if ($(element).closest(`article, ${others}`).is(others)) return [];
      const value = attribute(element, "datetime") || attribute(element, "content") || wordsIn(element);
      const named = element.attribs.pubdate === undefined ? "" : "pubdate";
      return { label: `${attribute(element, "itemprop")} ${attribute(element, "class")} ${named} ${said}`, value };
    });
}

/**
 * Returns for each `time` element what the words right before it in its line call it, if these are "published" or
 * "modified". In a sentence, such as "The filter was changed on", it is the date of something else.
 */
function labelsOfTimes($: HtmlTree): Map<TreeElement, string> {
  const labels = new Map<TreeElement, string>();
  let line = "";
  const visit = ({ children }: TreeParent) => {
    for (const child of children) {
      if (isText(child)) line = (line + child.data).slice(-LONGEST_LABEL);
      if (!isElement(child)) continue;
      // A date may be in the cell beside its label.
      if (!isInline(child) && child.name !== "td" && child.name !== "dd") line = "";
      if (child.name === "time")
        labels.set(child, SAYS_MODIFIED.test(line) ? "modified" : SAYS_PUBLISHED.test(line) ? "published" : "");
      visit(child);
    }
  };
  for (const body of $("body")) visit(body);
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

function wordsIn({ name, children }: TreeElement): string {
  if (name === "script" || name === "style") return "";
  const words = children.map((child) => (isText(child) ? child.data : isElement(child) ? wordsIn(child) : ""));
  return words.join(" ").replace(/\s+/g, " ").trim().slice(0, 500);
}

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
