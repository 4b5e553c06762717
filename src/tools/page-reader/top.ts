import type { Block, Part } from "./blocks.js";
import { attribute } from "./tree.js";

/**
 * The element that holds these paragraphs most closely: each counts for the elements around it, less the farther they are
 * (as in Readability), and more after the page's own title.
 */
export function topOf(
  root: Part,
  paragraphs: readonly Block[],
  heading: number,
  trustOf: (block: Block) => number,
): Part {
  const scores = new Map<Part, number>();
  for (const block of paragraphs) {
    const { part, text, weight, linked, index } = block;
    const marks = Math.min(5, text.slice(0, 1000).match(/[,，、،;；。]/g)?.length ?? 0);
    const near = heading < 0 ? 1 : index > heading ? 1 + 0.5 * Math.exp((heading - index) / 25) : 0.7;
    const alone = ITEMS.has(part.element.name) ? 0.5 : 1;
    const score = (1 + Math.min(weight / 80, 5) + marks) * (1 - linked / weight) * near * alone * trustOf(block);
    let up: Part | undefined = LEAVES.has(part.element.name) || part.to - part.from === 1 ? part.parent : part;
    for (const share of SHARES) {
      if (!up) break;
      scores.set(up, (scores.get(up) ?? 0) + score * share);
      up = up.parent;
    }
  }
  let best = root;
  let most = 0;
  for (const [part, score] of scores) {
    const named = isArticle(part) || (heading >= part.from && heading < part.to) ? 1.25 : 1;
    const value = score * (1 - part.linked / Math.max(1, part.weight)) * named;
    if (value > most) [best, most] = [part, value];
  }
  return best;
}

const ITEMS = new Set("li tr td".split(" "));
const LEAVES = new Set("h1 h2 h3 h4 h5 h6 p pre li tr".split(" "));
const SHARES = [1, 0.6, 0.3, 0.15, 0.1];

/** The block that is the page's title: the first h1 that is in the title, or any heading that is; -1 where there is none. */
export function headingOf(blocks: readonly Block[], title: string): number {
  const wanted = fold(title);
  const headings = blocks.filter((block) => HEADING.test(block.part.element.name));
  const fitting = headings.filter(({ text, weight }) => {
    const own = fold(text);
    return weight > SHORTEST && (wanted.includes(own) || (wanted.length > SHORTEST && own.includes(wanted)));
  });
  const isFirst = ({ part }: Block) => part.element.name === "h1";
  const found =
    fitting.find(isFirst) ?? fitting[0] ?? headings.find((block) => isFirst(block) && block.weight > SHORTEST);
  return found?.index ?? -1;
}

/** A title is longer than this. */
const SHORTEST = 5;

/** Whether an element says by its kind or class that it holds the text. */
export const isArticle = ({ element }: Part) =>
  element.name === "article" ||
  attribute(element, "itemprop") === "articleBody" ||
  /(?:article|post|entry|story|content|page)[-_]?(?:body|content|text|inner|main)|^(?:article|entry|post|content|main|story)$/i.test(
    attribute(element, "class").slice(0, 200),
  );

export const HEADING = /^h[1-6]$/;

/** Words alone, for comparing. */
export const fold = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
