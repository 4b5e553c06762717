import { type DefaultTreeAdapterTypes as Dom, parse } from "parse5";
import { attribute, elementsIn, FRAMES, INLINE, isLeftOut, textsIn, wordsOf } from "./html-elements.js";

export interface Page {
  /** From `<title>`, else the first h1; may be empty. */
  title: string;
  /** When the page says it was last changed, in its own format; empty where it does not. */
  modified: string;
  markdown: string;
}

/**
 * The main text of a page as Markdown. Headings, lists, tables and code blocks keep their form; inside a sentence no
 * marks are added, so that it reads as on the page. Menus, forms, scripts and hidden parts are left out. Takes any
 * input: broken and hostile markup gives some text, or none.
 */
export function htmlToMarkdown(html: string): Page {
  const all = [...elementsIn(parse(html))];
  const named = (name: string) => all.find((element) => element.tagName === name);
  const [article, another] = all.filter((element) => element.tagName === "article");
  const main = named("main") ?? all.find((element) => attribute(element, "role") === "main");
  const body = named("body");
  const texts = [main, another ? undefined : article, body].map((root) =>
    root ? blocksOf(root, { framed: root !== body, nested: 0 }).join("\n\n") : "",
  );
  const title = named("title") ?? named("h1");
  return {
    title: title ? wordsOf(title) : "",
    modified: modifiedAt(all),
    markdown: texts.find((text) => text.length >= LEAST) ?? texts.at(-1) ?? "",
  };
}

/** A main part with less text than this is a shell, and the page's words are elsewhere. */
const LEAST = 200;

function modifiedAt(all: readonly Dom.Element[]): string {
  const meta = new Map(
    all
      .filter((element) => element.tagName === "meta")
      .map((element) => [attribute(element, "property") || attribute(element, "name"), attribute(element, "content")]),
  );
  return (
    ["article:modified_time", "last-modified", "article:published_time", "date"]
      .map((name) => meta.get(name))
      .find((date) => date) ?? ""
  );
}

/** How an element is met: inside an article, whose header is its own; under how many lists and quotes. */
interface Place {
  framed: boolean;
  nested: number;
}

/** The blocks inside an element. Keeps a stack of its own: pages can be nested deeper than functions can. */
function blocksOf(root: Dom.Element, { framed, nested }: Place): string[] {
  const blocks: string[] = [];
  let line = "";
  let frames = framed ? 1 : 0;
  const close = () => {
    const text = line
      .replace(/ *\n */g, "\n")
      .replace(/ {2,}/g, " ")
      .trim();
    if (text !== "") blocks.push(text);
    line = "";
  };
  const ahead: (Dom.ChildNode | (() => void))[] = root.childNodes.toReversed();
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    if (typeof next === "function") {
      next();
      continue;
    }
    if ("value" in next) line += next.value.replace(/\s+/g, " ");
    if (!("tagName" in next) || isLeftOut(next, frames > 0)) continue;
    const { tagName } = next;
    const form = nested < DEEPEST ? FORMS[tagName] : undefined;
    const printed = form?.(next, { framed: frames > 0, nested: nested + 1 });
    if (tagName === "br") line += "\n";
    else if (!INLINE.has(tagName)) close();
    if (printed) {
      for (const block of printed) if (block !== "") blocks.push(block);
      continue;
    }
    const inner = FRAMES.has(tagName) ? 1 : 0;
    frames += inner;
    if (!INLINE.has(tagName)) {
      ahead.push(() => {
        close();
        frames -= inner;
      });
    }
    for (const child of next.childNodes.toReversed()) ahead.push(child);
  }
  close();
  return blocks;
}

/** Lists and quotes inside each other beyond this are written as paragraphs. */
const DEEPEST = 20;

type Form = (element: Dom.Element, place: Place) => string[] | undefined;

const heading: Form = (element) => {
  const words = wordsOf(element);
  return [words === "" ? "" : `${"#".repeat(Number(element.tagName.slice(1)))} ${words}`];
};

const list: Form = (element, place) => {
  let number = Number.parseInt(attribute(element, "start"), 10) || 1;
  const items = element.childNodes.filter((child) => "tagName" in child && !isLeftOut(child, true));
  const lines = items.flatMap((item) => {
    if (!("tagName" in item)) return [];
    const mark = element.tagName === "ol" ? `${number++}. ` : "- ";
    const blocks = item.tagName === "li" ? blocksOf(item, place) : blocksOf({ ...element, childNodes: [item] }, place);
    return blocks.length === 0 ? [] : [mark + indented(blocks.join("\n"), mark.length)];
  });
  return [lines.join("\n")];
};

const indented = (text: string, by: number) => text.replace(/\n(?=.)/g, () => `\n${" ".repeat(by)}`);

const quote: Form = (element, place) => [
  blocksOf(element, place)
    .join("\n\n")
    .replace(/^.*$/gm, (line) => `> ${line}`.trimEnd()),
];

const code: Form = (element) => {
  const text = [...textsIn(element)].join("").replace(/^\n|\s+$/g, "");
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].slice(0, 1000).map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return [text.trim() === "" ? "" : `${fence}\n${text}\n${fence}`];
};

/** A table of data; one that only arranges the page (one column, or headings and tables inside) is written as blocks. */
const table: Form = (element) => {
  if (elementsIn(element).some((each) => ARRANGED.has(each.tagName))) return undefined;
  const inside = [...elementsIn(element)];
  const rows = inside
    .filter((each) => each.tagName === "tr")
    .map((row) =>
      row.childNodes.flatMap((cell) => {
        if (!("tagName" in cell) || (cell.tagName !== "td" && cell.tagName !== "th")) return [];
        const span = Math.min(20, Number.parseInt(attribute(cell, "colspan"), 10) || 1);
        return [wordsOf(cell), ...Array<string>(Math.max(0, span - 1)).fill("")];
      }),
    )
    .filter((cells) => cells.some((cell) => cell !== ""));
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  if (columns < 2 || rows.length < 2) return undefined;
  const lines = rows.map((cells) => `| ${cells.join(" | ")} |`);
  const caption = inside.find((each) => each.tagName === "caption");
  const ruler = `|${" --- |".repeat(Math.min(columns, 1000))}`;
  return [caption ? wordsOf(caption) : "", [lines[0], ruler, ...lines.slice(1)].join("\n")];
};

const ARRANGED = new Set("table h1 h2 h3 h4 h5 h6 pre ul ol".split(" "));

const FORMS: Record<string, Form | undefined> = {
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
  ul: list,
  ol: list,
  blockquote: quote,
  pre: code,
  table,
};
