import { type Block, type Measured, measure, type Part } from "../../web/page/blocks.js";
import { aboutOf } from "../../web/page/known.js";
import { asMarkdown } from "../../web/page/markdown.js";
import { attribute, parseTree } from "../../web/page/tree.js";

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
