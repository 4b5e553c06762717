import { decode, visible } from "../../text/decode.js";
import { metadataOf } from "../../text/metadata.js";
import { attribute, declaredCharsets, type HtmlTree, parseHtml } from "../../tools/web/html-tree.js";
import { type Measured, measureBlocks, type PageBlock, type Part } from "../../tools/web/page-blocks.js";
import { blocksAsMarkdown } from "../../tools/web/page-markdown.js";
import { fold, pageMetadata, questionsIn } from "../../tools/web/page-metadata.js";
import type { FormatReader } from "./content.js";
import { frontMatter } from "./front-matter.js";

export const html: FormatReader = (bytes) => {
  // Sanitised after parsing, since invisible characters can also be written as entities.
  const whole = decodeHtml(bytes);
  // Generators of sites put front matter above pages too.
  const front = frontMatter(whole);
  const page = htmlToMarkdown(whole.slice(front.bodyStart));
  return {
    title: visible(page.title || front.title),
    reviewedAt: page.modified || front.reviewedAt,
    metadata: { ...front.metadata, ...metadataOf(page.stated) },
    format: "markdown",
    text: visible(page.markdown),
  };
};

export const decodeHtml = (bytes: Uint8Array) => decode(bytes, declaredCharsets(bytes));

/**
 * Converts an HTML file to Markdown. Also returns what it states about itself, its title, and the date of its last
 * change (`YYYY-MM-DD`); the last two are empty if there is none. Leaves out only site elements (menus, forms,
 * sidebars), by their tags. Class names are ignored: unlike a web page, a file was kept for its content. Accepts broken
 * and hostile markup.
 */
export function htmlToMarkdown(html: string): {
  title: string;
  modified: string;
  stated: [key: string, value: string][];
  markdown: string;
} {
  const $ = parseHtml(html);
  const { title, modified, published, byline, language } = pageMetadata($, "");
  const named = $("meta[name]")
    .toArray()
    .map((meta): [string, string] => [attribute(meta, "name"), attribute(meta, "content")]);
  const stated: [string, string][] = [["author", byline], ["language", language], ["published", published], ...named];
  const markdown = blocksAsMarkdown(ownBlocks(measured($)));
  return {
    title,
    modified: modified || published,
    stated,
    markdown: [markdown, ...answersBeside(markdown, $)].join("\n\n"),
  };
}

/** Returns the questions and answers that a page keeps for its scripts and for search engines, and that are not in its text. */
function answersBeside(markdown: string, $: HtmlTree): string[] {
  const found = new Map(questionsIn($).map(({ question, answer }) => [allInMarkdown(question), allInMarkdown(answer)]));
  const known = fold(markdown);
  return [...found].flatMap(([question, answer]) =>
    answer === "" || known.includes(fold(answer)) ? [] : `${question.replace(/\n/g, " ")}\n\n${answer}`,
  );
}

/**
 * Converts HTML that belongs to no site, such as a mail or a chapter, to Markdown. Keeps everything that is visible.
 */
export const allInMarkdown = (html: string) => blocksAsMarkdown(measured(parseHtml(html)).blocks);

const measured = ($: HtmlTree) => measureBlocks($, Number.POSITIVE_INFINITY);

/** Returns the blocks of the main element, else of the only article, else of the whole page. */
function ownBlocks({ root, blocks }: Measured): readonly PageBlock[] {
  const parts = new Set<Part>();
  for (const { part } of blocks)
    for (let up: Part | undefined = part; up && !parts.has(up); up = up.parent) parts.add(up);
  const isMain = ({ element }: Part) => element.name === "main" || attribute(element, "role") === "main";
  const articles = [...parts].filter(({ element }) => element.name === "article");
  const main = [...parts].find(isMain) ?? (articles.length === 1 ? articles[0] : undefined);
  const inside = (top: Part) => blocks.slice(top.from, top.to).filter(({ part }) => isOwn(part, top, root));
  const found = main ? inside(main) : [];
  return found.reduce((sum, { text }) => sum + text.length, 0) >= LEAST ? found : inside(root);
}

/** In characters. A main element with less text is an empty shell, and the content is elsewhere. */
const LEAST = 200;

/** True for content. Headers and footers are content only inside an article or main element. */
function isOwn(part: Part, top: Part, root: Part): boolean {
  let frame = "";
  for (let up: Part | undefined = part; up; up = up.parent) {
    const { name } = up.element;
    // Some servers put the whole page into a form.
    const isPage = name === "form" && up.weight * 2 > root.weight;
    if (BESIDE.has(name) && !isPage && up !== top) return false;
    if (name === "article" || name === "main") return true;
    if (name === "header" || name === "footer") frame = name;
  }
  return frame === "" || top.parent !== undefined;
}

const BESIDE = new Set("aside form nav".split(" "));
