import { isoDate, metadataOf } from "../../text/metadata.js";
import { isElement, isText, parseXml, type TreeElement, type TreeParent } from "../../tools/web/html-tree.js";
import { at, childrenOf, descendants, textOf } from "./archive.js";
import {
  allowance,
  type Content,
  type FormatReader,
  inLine,
  inMarkdown,
  inParts,
  type SpendCharacters,
} from "./content.js";
import { drawing } from "./drawio.js";
import { allInMarkdown, decodeHtml, html } from "./html.js";
import { dataInMarkdown } from "./json.js";
import { withTitles } from "./table.js";

/**
 * XML: a feed by its entries, a sheet of Excel 2003 as a table, text with its titles, lists and tables (as DocBook, DITA
 * and JATS have them), and any other data as tables and lists of its fields.
 */
export const xml: FormatReader = async (bytes, name) => {
  const document = parseXml(decodeHtml(bytes));
  const [root] = childrenOf(document);
  if (!root) throw new Error("There is no element in it, so it is not XML.");
  const spend = allowance(bytes);
  if (root.name === "html") return html(bytes, name);
  if (root.name === "mxfile" || root.name === "mxGraphModel") return drawing(bytes, name);
  if (root.name === "document" && root.attribs.mimetype !== undefined)
    return (await import("./odf.js")).openDocument(bytes, name);
  if (root.name === "Workbook") return workbook(root, spend);
  const entries = [...descendants(root, "item"), ...descendants(root, "entry")];
  if (/^(?:rss|RDF|feed)$/.test(root.name) && entries.length > 0) return feed(root, entries);
  return isProse(root) ? prose(root) : data(root, spend);
};

/** A feed (RSS or Atom): each entry with its date, its author, its address and its text. */
function feed(root: TreeElement, entries: readonly TreeElement[]): Content {
  const about = at(root, "channel") ?? root;
  const text = (element: TreeElement, ...names: string[]) =>
    names.map((name) => inLine(plain(textOf(at(element, name))))).find(Boolean) ?? "";
  const parts = entries.map((entry) => {
    const link = at(entry, "link");
    const author = at(entry, "author", "name") ? textOf(at(entry, "author", "name")) : text(entry, "creator", "author");
    const fields = {
      Date: text(entry, "pubDate", "updated", "published", "date"),
      Author: inLine(author),
      Link: inLine(textOf(link) || (link?.attribs.href ?? "")),
    };
    const body = ["encoded", "content", "description", "summary"]
      .map((name) => at(entry, name))
      .find((element) => element && (textOf(element).trim() !== "" || childrenOf(element).length > 0));
    const lines = Object.entries(fields).flatMap(([name, value]) => (value === "" ? [] : [`- ${name}: ${value}`]));
    return [`## ${text(entry, "title") || "(no title)"}`, lines.join("\n"), body ? marked(body) : ""];
  });
  const title = text(about, "title");
  const more = text(about, "description", "subtitle");
  return inMarkdown([title && `# ${title}`, more, ...parts.flat()].filter(Boolean).join("\n\n"), {
    title,
    reviewedAt: isoDate(text(about, "updated", "date")),
    metadata: metadataOf([["language", text(about, "language")]]),
  });
}

/** The text of markup, which a feed holds as text or as elements. */
const marked = (element: TreeElement): string =>
  childrenOf(element).length > 0 ? allInMarkdown(htmlOf(element, 2)) : allInMarkdown(textOf(element));
const plain = (text: string) => (/[<&]/.test(text) ? allInMarkdown(text) : text);

/** A workbook that Excel 2003 saved as XML. */
function workbook(root: TreeElement, spend: SpendCharacters): Content {
  const struck = new Set(
    descendants(root, "Style")
      .filter((style) => at(style, "Font")?.attribs.StrikeThrough === "1")
      .map(({ attribs }) => attribs.ID),
  );
  const sheets = descendants(root, "Worksheet").map((sheet) => {
    const rows: string[][] = [];
    for (const row of descendants(at(sheet, "Table"), "Row")) {
      const cells: string[] = [];
      for (const cell of childrenOf(row, "Cell")) {
        const index = Math.min(MOST_COLUMNS, Number(cell.attribs.Index) || 0);
        while (cells.length < index - 1) cells.push("");
        const text = inLine(textOf(at(cell, "Data")));
        const date = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d/.exec(text);
        const shown = date ? (date[2] === "00:00" ? date[1] : `${date[1]} ${date[2]}`) : text;
        cells.push(struck.has(cell.attribs.StyleID) && text !== "" ? `~~${shown}~~` : (shown ?? ""));
        const across = Math.min(MOST_COLUMNS, Number(cell.attribs.MergeAcross) || 0);
        cells.push(...Array<string>(across).fill(""));
        spend(text.length + across + index);
      }
      rows.push(cells);
    }
    const name = sheet.attribs.Name ?? "";
    const table = withTitles(rows, spend);
    return { name, text: table === "" ? "" : `## ${name}\n\n${table}` };
  });
  return inParts(sheets, {
    title: inLine(textOf(at(root, "DocumentProperties", "Title"))),
    reviewedAt: isoDate(textOf(at(root, "DocumentProperties", "LastSaved")).slice(0, 10)),
  });
}

const MOST_COLUMNS = 1_000;

/** True for text: an element has both words and elements in it, or there are paragraphs. */
function isProse(root: TreeElement): boolean {
  const ahead: TreeElement[] = [root];
  for (let element = ahead.pop(); element; element = ahead.pop()) {
    const children = childrenOf(element);
    if (PARAGRAPHS.has(element.name) || (children.length > 0 && hasWords(element))) return true;
    ahead.push(...children);
  }
  return false;
}

const hasWords = ({ children }: TreeParent) => children.some((child) => isText(child) && child.data.trim() !== "");

function prose(root: TreeElement): Content {
  return inMarkdown(allInMarkdown(htmlOf(root, 1)), { title: inLine(textOf(titleOf(root))) });
}

/** The title of an element, which may be in what it says about itself. */
const titleOf = (element: TreeElement): TreeElement | undefined =>
  childrenOf(element)
    .flatMap((child) =>
      TITLES.has(child.name) ? child : /info$|^front$/.test(child.name) ? (at(child, "title") ?? []) : [],
    )
    .at(0);

const PARAGRAPHS = new Set("p para simpara".split(" "));

/** The elements of HTML that stand for those of DocBook, DITA, JATS and TEI. */
const AS_HTML: Readonly<Record<string, string>> = {
  ...named("p", "p para simpara caption subtitle abstract"),
  ...named("ul", "ul itemizedlist sl simplelist list choices steps-unordered"),
  ...named("ol", "ol orderedlist procedure steps substeps"),
  ...named("li", "li listitem sli step substep member list-item choice"),
  ...named("dl", "dl variablelist def-list"),
  ...named("dt", "dt term"),
  ...named("dd", "dd def"),
  ...named("table", "table informaltable simpletable"),
  ...named("tr", "tr row strow sthead"),
  ...named("td", "td entry stentry"),
  ...named("th", "th"),
  ...named("pre", "pre programlisting codeblock screen literallayout"),
  ...named("blockquote", "blockquote lq disp-quote"),
  ...named("sup", "sup superscript"),
  ...named("sub", "sub subscript"),
  ...named("s", "s strike del line-through"),
  ...named("div", "div info cmd stepresult result shortdesc context prereq postreq note tip warning caution important"),
};

function named(tag: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, tag]));
}

/** Elements without a counterpart whose children take their place. */
const TRANSPARENT = new Set("tgroup thead tbody tfoot varlistentry dlentry def-item colgroup".split(" "));
const TITLES = new Set("title head".split(" "));
const LEFT_OUT = new Set(
  "indexterm remark draft-comment required-cleanup prolog colspec col script style processing-instruction".split(" "),
);
const CAPTIONED = new Set("table informaltable simpletable fig figure example equation listitem step".split(" "));

/**
 * Writes an element as HTML.
 * @param depth of the next title, from 1.
 */
function htmlOf(element: TreeElement, depth: number, isInLine = false): string {
  const { name } = element;
  if (LEFT_OUT.has(name)) return "";
  const isMixed = isInLine || hasWords(element);
  const hasTitle = !CAPTIONED.has(name) && titleOf(element) !== undefined;
  const inside = (childDepth: number) =>
    element.children
      .map((child) => {
        if (isText(child)) return escaped(child.data);
        if (!isElement(child)) return "";
        if (TITLES.has(child.name)) return titleHtml(child, CAPTIONED.has(name) ? 0 : childDepth);
        return htmlOf(child, hasTitle ? childDepth + 1 : childDepth, isMixed);
      })
      .join("");
  const tag = tagOf(element);
  if (tag === "td" || tag === "th") return `<${tag}${spanOf(element)}>${inside(depth)}</${tag}>`;
  if (tag === "table") return `${captionsOf(element)}<table>${inside(depth)}</table>`;
  if (tag !== undefined) return `<${tag}>${inside(depth)}</${tag}>`;
  if (TRANSPARENT.has(name)) return inside(depth);
  if (name === "footnote" || name === "fn") return ` (${escaped(inLine(textOf(element)))})`;
  if (isInLine) return name === "br" || name === "lb" ? "<br>" : inside(depth);
  const words = inLine(textOf(element));
  const isField = childrenOf(element).length === 0 && words !== "" && element.parent && !hasWords(element.parent);
  return isField ? `<p>${escaped(name)}: ${escaped(words)}</p>` : `<div>${inside(depth)}</div>`;
}

function tagOf({ name, parent, attribs }: TreeElement): string | undefined {
  const around = parent && isElement(parent) ? parent.name : "";
  if (name === "listitem" && around === "varlistentry") return "dd";
  if (name === "item") return around === "list" ? "li" : undefined;
  if ((name === "entry" || name === "stentry") && isInHead(parent)) return "th";
  if (name === "emphasis" && /strike|line-through/.test(attribs.role ?? "")) return "s";
  return Object.hasOwn(AS_HTML, name) ? AS_HTML[name] : undefined;
}

const isInHead = (row: TreeParent | null) =>
  row !== null &&
  isElement(row) &&
  (row.name === "sthead" || (row.parent !== null && isElement(row.parent) && row.parent.name === "thead"));

const titleHtml = (title: TreeElement, depth: number) => {
  const words = escaped(inLine(textOf(title)));
  return depth === 0 ? "" : `<h${Math.min(6, depth)}>${words}</h${Math.min(6, depth)}>`;
};

/** The title of a table is no row of it. */
const captionsOf = (element: TreeElement) =>
  childrenOf(element)
    .filter(({ name }) => TITLES.has(name))
    .map((title) => `<p>${escaped(inLine(textOf(title)))}</p>`)
    .join("");

/** Returns the columns and rows that a cell spans, of which CALS tables name the first and the last. */
function spanOf({ attribs, parent }: TreeElement): string {
  const rows = Number(attribs.morerows ?? Number(attribs.rowspan ?? 1) - 1) + 1 || 1;
  let columns = Number(attribs.colspan) || 1;
  const { namest, nameend } = attribs;
  if (namest !== undefined && nameend !== undefined) {
    let up = parent;
    while (up && isElement(up) && up.name !== "tgroup") up = up.parent;
    const names = childrenOf(up ?? undefined, "colspec").map((column) => column.attribs.colname);
    columns = Math.max(1, names.indexOf(nameend) - names.indexOf(namest) + 1);
  }
  return ` rowspan="${rows}" colspan="${columns}"`;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Data: elements of one name are a table, of which their attributes and elements are the columns. */
function data(root: TreeElement, spend: SpendCharacters): Content {
  const fields = fieldsOf(root);
  const title = typeof fields === "object" && typeof fields.title === "string" ? fields.title : "";
  const entries = typeof fields === "object" ? Object.entries(fields) : [];
  const [only] = entries;
  const value = entries.length === 1 && only && Array.isArray(only[1]) ? only[1] : fields;
  return { ...inMarkdown(dataInMarkdown(value, spend)), title: inLine(title) };
}

type Field = string | { [name: string]: Field | Field[] };

function fieldsOf(element: TreeElement): Field {
  const children = childrenOf(element);
  const own = new Map<string, string>();
  // Each attribute is listed with and without its prefix.
  for (const [name, value] of Object.entries(element.attribs))
    if (!name.startsWith("xmlns") && !name.includes(":")) own.set(name, value);
  own.delete("schemaLocation");
  own.delete("noNamespaceSchemaLocation");
  const words = inLine(textOf(element));
  if (children.length === 0 && own.size === 0) return plain(words);
  const fields = new Map<string, Field | Field[]>(own);
  if (children.length === 0 && words !== "") fields.set("text", plain(words));
  for (const [name, same] of Map.groupBy(children, (child) => child.name)) {
    const [only] = same;
    if (only && same.length === 1 && childrenOf(only).length === 0) {
      // An attribute of a value is a field beside it.
      const field = fieldsOf(only);
      if (typeof field === "string") fields.set(fields.has(name) ? `${name} ` : name, field);
      else
        for (const [key, value] of Object.entries(field)) fields.set(key === "text" ? name : `${name} ${key}`, value);
      continue;
    }
    const values = same.map(fieldsOf);
    fields.set(fields.has(name) ? `${name} ` : name, values.length === 1 ? (values[0] ?? "") : values);
  }
  return Object.fromEntries(fields);
}
