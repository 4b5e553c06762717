import type { Block, Part } from "./blocks.js";
import { Hint } from "./hints.js";
import { attribute } from "./tree.js";

/**
 * The element that holds most running text most closely: every paragraph counts for the elements around it, less the
 * farther they are (as in Readability), less where names say that it is beside the text, more after the page's own title.
 */
export function topOf(root: Part, blocks: readonly Block[], title = ""): Part {
  const scores = new Map<Part, number>();
  const trust = new Map<Part, number>();
  const heading = headingOf(blocks, title);
  for (const b of blocks) {
    const share = b.linked / Math.max(1, b.weight);
    if (b.weight < 40 || share > 0.5) continue;
    const marks = Math.min(5, b.text.slice(0, 1000).match(/[,，、،;；。]/g)?.length ?? 0);
    const near =
      heading >= 0 && b.index > heading ? 1 + 0.5 * Math.exp(-(b.index - heading) / 25) : heading >= 0 ? 0.7 : 1;
    const score = (1 + Math.min(b.weight / 80, 5) + marks) * (1 - share) * near * trustOf(b.part, root.weight, trust);
    const leaf = LEAVES.has(b.part.element.name) || b.part.to - b.part.from === 1;
    let up: Part | undefined = leaf ? b.part.parent : b.part;
    for (const share of SHARES) {
      if (!up) break;
      scores.set(up, (scores.get(up) ?? 0) + score * share);
      up = up.parent;
    }
  }
  let best = root;
  let most = 0;
  for (const [part, score] of scores) {
    const strong = isArticle(part) ? 1.25 : 1;
    const value = score * (1 - part.linked / Math.max(1, part.weight)) * strong;
    if (value > most) {
      most = value;
      best = part;
    }
  }
  return best;
}

const LEAVES = new Set("h1 h2 h3 h4 h5 h6 p pre li tr".split(" "));
const SHARES = [1, 0.6, 0.3, 0.15, 0.1];

/** The block that is the page's title: the first h1 that is in the title, or any heading that is. */
function headingOf(blocks: readonly Block[], title: string): number {
  const wanted = fold(title);
  const fits = (b: Block) => {
    const own = fold(b.text);
    return own.length > 8 && (wanted.includes(own) || (wanted.length > 8 && own.includes(wanted)));
  };
  let found = -1;
  for (const b of blocks) {
    if (!HEADING.test(b.part.element.name) || !fits(b)) continue;
    if (b.part.element.name === "h1") return b.index;
    if (found < 0) found = b.index;
  }
  return found >= 0 ? found : blocks.findIndex((b) => b.part.element.name === "h1" && b.weight > 8);
}

/** How far the names around a block let it be the page's text, from 0 to 1. */
export function trustOf(part: Part, pageWeight: number, known: Map<Part, number>): number {
  const found = known.get(part);
  if (found !== undefined) return found;
  let trust = part.parent ? trustOf(part.parent, pageWeight, known) : 1;
  if (part.weight < pageWeight * 0.6) {
    const { hints } = part;
    if ((hints & Hint.comment) !== 0) trust *= 0.3;
    if ((hints & (Hint.side | Hint.related | Hint.edge)) !== 0 && (hints & Hint.body) === 0) trust *= 0.4;
    if ((hints & (Hint.navigation | Hint.promotion)) !== 0 && (hints & Hint.body) === 0) trust *= 0.5;
    if (part.element.name === "aside" || part.element.name === "nav" || part.element.name === "footer") trust *= 0.3;
  }
  known.set(part, trust);
  return trust;
}

const isArticle = ({ element }: Part) =>
  element.name === "article" ||
  attribute(element, "itemprop") === "articleBody" ||
  /(?:article|post|entry|story|content|page)[-_]?(?:body|content|text|inner|main)|^(?:article|entry|post|content|main|story)$/i.test(
    `${attribute(element, "class")}`.slice(0, 200),
  );

export const HEADING = /^h[1-6]$/;

/** Words alone, for comparing. */
export const fold = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
