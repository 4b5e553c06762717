import { visible } from "../../corpus/decode.js";
import { dateIn, dateInUrl } from "./dates.js";
import { statements } from "./statements.js";
import { fold } from "./top.js";
import { attribute, type Element, elementsBelow } from "./tree.js";

/** What the page says of itself, that tells its text from its frame. */
export interface Known {
  title: string;
  /** What it is to machines, where it is no run of prose: posts of several people, or a thing with its data. */
  kind: "thread" | "thing" | "";
}

/** What a page says of itself; each empty where it says nothing. */
export interface About extends Known {
  byline: string;
  /** `YYYY-MM-DD`. */
  published: string;
  modified: string;
  /** A language tag such as `en`, `zh-CN`. */
  language: string;
  /** As written, not checked. */
  canonical: string;
}

/** Reads the head of a page, its statements for machines (JSON-LD), its microdata, its times and its address. */
export function aboutOf(root: Element, url: string): About {
  const meta = new Map<string, string>();
  const times: { published: boolean; modified: boolean; value: string }[] = [];
  let [title, heading, language, canonical, author] = ["", "", "", "", ""];
  const scripts: string[] = [];
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
      const value = attribute(element, "datetime") || attribute(element, "content") || wordsIn(element);
      const said = `${property} ${attribute(element, "class")}`;
      times.push({ published: /publish|created|pubdate/i.test(said), modified: /modif|update/i.test(said), value });
    } else if (author === "" && (attribute(element, "rel") === "author" || /\bauthor\b/.test(property)))
      author = wordsIn(element);
  }
  const said = statements(scripts);
  const first = (names: string) =>
    names
      .split(" ")
      .map((name) => meta.get(name))
      .find((value) => value) ?? "";
  const date = (...values: string[]) => values.map(dateIn).find((value) => value !== "") ?? "";
  const clean = (text: string, most: number) => visible(text).replace(/\s+/g, " ").trim().slice(0, most);
  const shown = first("og:title twitter:title dc.title") || said.headline;
  const unnamed = times.filter((time) => !time.modified);
  return {
    title: clean(titleOf(title, shown, heading), 300),
    kind: kindOf([said.kinds, ...types].join(" ")),
    byline: clean(
      said.author || plainName(first("author article:author dc.creator parsely-author citation_author")) || author,
      200,
    ),
    published:
      date(said.published, ...PUBLISHED.map((name) => meta.get(name) ?? "")) ||
      date(...times.filter((time) => time.published).map((time) => time.value)) ||
      dateInUrl(url) ||
      date(...unnamed.slice(0, 3).map((time) => time.value)),
    modified:
      date(said.modified, ...MODIFIED.map((name) => meta.get(name) ?? "")) ||
      date(...times.filter((time) => time.modified).map((time) => time.value)),
    language: tagOf(language || first("content-language og:locale dc.language language") || said.language),
    canonical: canonical || first("og:url"),
  };
}

/** A page that names several products lists them. */
function kindOf(types: string): Known["kind"] {
  if (/DiscussionForumPosting|QAPage/.test(types)) return "thread";
  return /\bRecipe\b/.test(types) || types.match(/\bProduct\b/g)?.length === 1 ? "thing" : "";
}

const PUBLISHED =
  "article:published_time og:article:published_time og:published_time datepublished publishdate publish_date publish-date pubdate published_at dc.date.issued dcterms.issued dc.date.created dcterms.created dc.date dcterms.date date article.published parsely-pub-date sailthru.date citation_publication_date citation_date originalpublicationdate".split(
    " ",
  );
const MODIFIED =
  "article:modified_time og:article:modified_time og:updated_time og:modified_time datemodified dc.date.modified dcterms.modified last-modified lastmod article.updated revised".split(
    " ",
  );

/** A site's name stands before or after a page's title; the page's own heading tells which part is which. */
function titleOf(title: string, shown: string, heading: string): string {
  const whole = shown || title;
  if (heading.length > 3 && fold(whole || heading).includes(fold(heading))) return heading;
  if (shown !== "") return shown;
  const parts = title.split(/\s+[|»›·—–-]\s+|\s*[|_]\s*/).filter((part) => part.trim() !== "");
  const longest = parts.reduce((a, b) => (b.length > a.length ? b : a), "");
  return longest.length > title.length / 2 ? longest : title || heading;
}

function wordsIn(element: Element): string {
  let words = element.children.filter((child) => typeof child === "string").join(" ");
  for (const each of elementsBelow(element)) {
    if (words.length > 500) break;
    if (each.name !== "script" && each.name !== "style")
      words += ` ${each.children.filter((child) => typeof child === "string").join(" ")}`;
  }
  return words.replace(/\s+/g, " ").trim().slice(0, 500);
}

const isInPicture = (element: Element) => element.parent?.name === "svg" || element.parent?.name === "g";

const plainName = (name: string) => (/^https?:/.test(name) ? "" : name);

function tagOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language.split(/[,;]/)[0]?.trim().replaceAll("_", "-"))[0] ?? "";
  } catch {
    return "";
  }
}
