import { decode, visible } from "../../../language/decode.js";
import { headingText, markdownNodes } from "../../../language/markdown.js";
import { type Block, type Measured, measure, type Part } from "../../web/page/blocks.js";
import { declaredCharsets } from "../../web/page/charset.js";
import { aboutOf } from "../../web/page/known.js";
import { asMarkdown } from "../../web/page/markdown.js";
import { attribute, parseTree } from "../../web/page/tree.js";
import type { SourceDocument } from "./chunk.js";
import { frontMatter } from "./front-matter.js";

/** What a file says, read from its bytes. An empty title stands for none. */
type Content = Pick<SourceDocument, "title" | "reviewedAt" | "format" | "text">;

/** Reads one kind of file. Throws an Error whose message says why the file cannot be read. */
export type Loader = (bytes: Uint8Array) => Content | Promise<Content>;

/** Part of every document's hash: raise it when a loader reads the same file differently. */
export const LOADING = 2;

/** The loader for a file by its name; undefined when no format fits. */
export function loaderFor(path: string): Loader | undefined {
  return LOADERS.get(/\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "");
}

const markdown: Loader = (bytes) => {
  const whole = visible(decode(bytes));
  const { title, reviewedAt, bodyStart } = frontMatter(whole);
  const text = whole.slice(bodyStart);
  return { title: title || firstHeading(text), reviewedAt, format: "markdown", text };
};

const text: Loader = (bytes) => ({ title: "", reviewedAt: "", format: "text", text: visible(decode(bytes)) });

const html: Loader = (bytes) => {
  // Afterwards: a page can also write what nobody sees as an entity.
  const page = htmlToMarkdown(decode(bytes, declaredCharsets(bytes)));
  return {
    title: visible(page.title),
    reviewedAt: page.modified,
    format: "markdown",
    text: visible(page.markdown),
  };
};

const LOADERS: ReadonlyMap<string, Loader> = new Map([
  ...["md", "markdown", "mdown", "mkd", "mdx"].map((extension) => [extension, markdown] as const),
  ...["txt", "text"].map((extension) => [extension, text] as const),
  ...["html", "htm", "xhtml"].map((extension) => [extension, html] as const),
]);

/** The extensions that can be read, for messages. */
export const EXTENSIONS: readonly string[] = [...LOADERS.keys()].map((extension) => `.${extension}`);

function firstHeading(text: string): string {
  const heading = markdownNodes(text.slice(0, 64 * 1024)).find((node) => node.kind === "heading");
  return heading ? headingText(text.slice(heading.start, heading.end)) : "";
}

/**
 * A page that is a file: its text as Markdown, when it says it was last changed (`YYYY-MM-DD`), and its title; each empty
 * where there is none. Whoever keeps a file wants what is in it, so only what its elements say is the site's own is left
 * out (menus, forms, what stands beside), and no part is judged by its words as in a page of the web. Takes any input:
 * broken and hostile markup gives some text, or none.
 */
export function htmlToMarkdown(html: string): { title: string; modified: string; markdown: string } {
  const tree = parseTree(html);
  const { title, modified, published } = aboutOf(tree, "");
  return { title, modified: modified || published, markdown: asMarkdown(ownBlocks(measure(tree))) };
}

/** What is in the page's main part, or else in its only article, or else in all of it. */
function ownBlocks({ root, blocks }: Measured): readonly Block[] {
  const parts = new Set<Part>();
  for (const { part } of blocks)
    for (let up: Part | undefined = part; up && !parts.has(up); up = up.parent) parts.add(up);
  const isMain = ({ element }: Part) => element.name === "main" || attribute(element, "role") === "main";
  const articles = [...parts].filter(({ element }) => element.name === "article");
  const main = [...parts].find(isMain) ?? (articles.length === 1 ? articles[0] : undefined);
  const inside = (top: Part) => blocks.slice(top.from, top.to).filter(({ part }) => isOwn(part, top));
  const found = main ? inside(main) : [];
  return found.reduce((sum, { text }) => sum + text.length, 0) >= LEAST ? found : inside(root);
}

/** A main part with less text than this is a shell, and the page's words are elsewhere. */
const LEAST = 200;

/** Inside an article, header and footer are the text's own. */
function isOwn(part: Part, top: Part): boolean {
  let frame = "";
  for (let up: Part | undefined = part; up; up = up.parent) {
    const { name } = up.element;
    if (BESIDE.has(name) && up !== top) return false;
    if (name === "article" || name === "main") return true;
    if (name === "header" || name === "footer") frame = name;
  }
  return frame === "" || top.parent !== undefined;
}

const BESIDE = new Set("aside form nav".split(" "));
