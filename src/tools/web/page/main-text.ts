import { type Block, type Measured, type Part, plainOf } from "./blocks.js";
import { Hint } from "./hints.js";
import type { Known } from "./known.js";
import { attribute } from "./tree.js";

/**
 * The blocks that are the page's own text, in its order: those of the part with most running text, without what stands
 * beside it, and the lead between the page's title and that part. Names say first what stands beside; where little or
 * nothing is left by them, they are not believed.
 */
export function mainBlocks({ root, blocks }: Measured, known: Known): Block[] {
  const heading = headingOf(blocks, known.title);
  const paragraphs = blocks.filter(isParagraph);
  const left = (beside: (part: Part) => boolean) => plainOf(paragraphs.filter((block) => !beside(block.part)));
  const blog = besideOf(root, plainOf(blocks), heading, false);
  const thread = besideOf(root, plainOf(blocks), heading, true);
  const isThread = known.kind === "thread" || left(blog) < Math.max(LEAST, left(thread) * MOSTLY_COMMENTS);
  const named = isThread ? thread : blog;
  const beside = left(named) < LEAST ? () => false : named;
  const text = (some: readonly Block[]) => some.filter((block) => isParagraph(block) && !beside(block.part));

  const top = topOf(root, paragraphs, heading, (block) => (beside(block.part) ? DOUBTED : 1));
  let region = grown(top, blocks, beside, known.kind === "");
  if (plainOf(text(inside(region, blocks))) < plainOf(text(blocks)) * SMALL) region = grown(top, blocks, beside, false);
  const within = besideOf(region, plainOf(inside(region, blocks)), heading, isThread);
  const kept = new Set([
    ...leadsOf(region, blocks, heading, beside),
    ...inside(region, blocks).filter((block) => !within(block.part) && isSaid(block, known.title)),
  ]);
  return withoutEmptyHeadings(blocks.filter((block) => kept.has(block)));
}

/** Less than this, in letters of English, is no text. */
const LEAST = 40;
/** A page whose own text is a smaller share than this of all that its readers wrote is theirs. */
const MOSTLY_COMMENTS = 0.05;
/** How much a paragraph beside the text counts where the part with most text is looked for. */
const DOUBTED = 0.2;
/** Less than this share of all paragraphs is not the text of a page. */
const SMALL = 0.3;

const inside = (part: Part, blocks: readonly Block[]) => blocks.slice(part.from, part.to);

const isParagraph = ({ weight, linked }: Block) => weight >= LEAST && linked <= weight / 5;

/**
 * The element around a part that holds the rest of its text, if any does: it gains by paragraphs and loses by what else
 * comes with it. Where a text is in one form, only paragraphs of the forms inside the part are a gain.
 */
function grown(part: Part, blocks: readonly Block[], beside: (part: Part) => boolean, isOneForm: boolean): Part {
  let top = part;
  while (PIECES.has(top.element.name) && top.parent) top = top.parent;
  const forms = new Map<string, number>();
  for (const block of inside(top, blocks).filter(isParagraph))
    forms.set(formOf(block.part), (forms.get(formOf(block.part)) ?? 0) + block.weight);
  const own = [...forms.values()].reduce((sum, weight) => sum + weight, 0);
  const gain = (block: Block): number => {
    const { weight, linked } = block;
    if (beside(block.part)) return -0.1 * weight;
    if (!isOneForm) return weight - 2 * linked;
    if (!isParagraph(block)) return -0.2 * weight - 0.3 * linked;
    return (forms.get(formOf(block.part)) ?? 0) > own / 5 ? weight : -0.3 * weight;
  };
  let best = top;
  let most = own / 10;
  let sum = 0;
  let inner = top;
  for (let up = top.parent; up?.parent; up = up.parent) {
    for (let i = up.from; i < inner.from; i++) sum += gain(blocks[i] as Block);
    for (let i = inner.to; i < up.to; i++) sum += gain(blocks[i] as Block);
    if (sum > most) [best, most] = [up, sum];
    inner = up;
  }
  return best;
}

const PIECES = new Set("table tbody thead tr td ul ol li dl a".split(" "));

/** How a block looks: its element and class, or where it has none those of the elements around it. */
function formOf({ element, parent, depth }: Part): string {
  const named = (part: Part | undefined) =>
    part ? `${part.element.name}.${attribute(part.element, "class").trim().split(/\s+/, 1)[0]}` : "";
  if (attribute(element, "class") !== "") return named({ element } as Part);
  const form = `${element.name}<${named(parent)}<${named(parent?.parent)}`;
  return /\.[^<]/.test(form) ? form : `${form} ${depth}`;
}

/** No title, which is known, and no links, other than rows and items of what is not all links. */
function isSaid(block: Block, title: string): boolean {
  if (levelOf(block) > 0) return fold(block.text) !== fold(title);
  let up: Part | undefined = block.part;
  while (up && ITEMS.has(up.element.name)) up = up.parent;
  const isOfText = up && up !== block.part && up.linked <= up.weight / 2;
  return isOfText || block.linked <= block.weight / 2;
}

const ITEMS = new Set("li tr td th tbody thead dt dd".split(" "));

const levelOf = ({ part }: Block) => (HEADING.test(part.element.name) ? Number(part.element.name.slice(1)) : 0);

const withoutEmptyHeadings = (kept: readonly Block[]) =>
  kept.filter((block, i) => {
    const next = kept[i + 1];
    const level = levelOf(block);
    return level === 0 || (next !== undefined && (levelOf(next) === 0 || levelOf(next) > level));
  });

/** What stands between the title and the text: a lead or a summary, and no byline, caption or menu. */
function leadsOf(region: Part, blocks: readonly Block[], heading: number, beside: (part: Part) => boolean): Block[] {
  if (heading < 0 || region.from - heading > FAR) return [];
  return blocks.slice(heading + 1, Math.max(heading + 1, region.from)).filter(({ part, text, weight, linked }) => {
    if (weight < LEAST || linked > weight * 0.3) return false;
    const hints = part.hints | (part.parent?.hints ?? 0);
    if ((hints & Hint.headline) !== 0) return true;
    return !beside(part) && (hints & (Hint.media | Hint.about)) === 0 && /[.!?。！？…"”」]$/.test(text);
  });
}

/** A lead is not farther from the text than this, in blocks. */
const FAR = 15;

/**
 * The element that holds these paragraphs most closely: each counts for the elements around it, less the farther they are
 * (as in Readability), and more after the page's own title.
 */
function topOf(root: Part, paragraphs: readonly Block[], heading: number, trustOf: (block: Block) => number): Part {
  const scores = new Map<Part, number>();
  for (const block of paragraphs) {
    const { part, text, weight, linked, index } = block;
    const marks = Math.min(5, text.slice(0, 1000).match(/[,，、،;；。]/g)?.length ?? 0);
    const near = heading < 0 ? 1 : index > heading ? 1 + 0.5 * Math.exp((heading - index) / 25) : 0.7;
    const alone = LISTED.has(part.element.name) ? 0.5 : 1;
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

const LISTED = new Set("li tr td".split(" "));
const LEAVES = new Set("h1 h2 h3 h4 h5 h6 p pre li tr".split(" "));
const SHARES = [1, 0.6, 0.3, 0.15, 0.1];

/** The block that is the page's title: the first h1 that is in the title, or any heading that is; -1 where there is none. */
function headingOf(blocks: readonly Block[], title: string): number {
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
const isArticle = ({ element }: Part) =>
  element.name === "article" ||
  attribute(element, "itemprop") === "articleBody" ||
  /(?:article|post|entry|story|content|page)[-_]?(?:body|content|text|inner|main)|^(?:article|entry|post|content|main|story)$/i.test(
    attribute(element, "class").slice(0, 200),
  );

const HEADING = /^h[1-6]$/;

/**
 * Tells by names and links which parts stand beside the text of a region that weighs so much without its links. What holds
 * the page's title never does, and a large part only by its element or where it is named as comments, references or
 * a cookie notice; in a thread comments are the text.
 */
function besideOf(region: Part, plain: number, heading: number, isThread: boolean): (part: Part) => boolean {
  const isBeside = (part: Part): boolean => {
    const { hints, element, from, to, weight, linked } = part;
    const share = (weight - linked) / Math.max(1, plain);
    if ((heading >= from && heading < to) || HELD.has(element.name) || (heading < 0 && share > MOST)) return false;
    const hard = isThread ? Hint.apart : Hint.apart | Hint.comment;
    if (BESIDE.has(element.name) || (hints & hard) !== 0) return true;
    if (share > MUCH) return false;
    if (element.name === "form" || (linked > weight / 2 && to - from > 1)) return true;
    if (isArticle(part)) return false;
    if ((hints & FRAME) !== 0) return true;
    return (hints & (Hint.share | Hint.about)) !== 0 && weight / (to - from) < SHORT;
  };
  const known = new Map<Part, boolean>();
  const beside = (part: Part): boolean => {
    if (part === region || !part.parent) return false;
    const found = known.get(part) ?? (beside(part.parent) || isBeside(part));
    known.set(part, found);
    return found;
  };
  return beside;
}

const FRAME = Hint.related | Hint.navigation | Hint.promotion | Hint.edge | Hint.media | Hint.side;
const BESIDE = new Set("aside nav footer dialog figcaption".split(" "));
const HELD = new Set("table tbody thead tr td th blockquote pre html body".split(" "));

/** Shares of the region's text. */
const MOST = 0.6;
const MUCH = 0.35;
/** The mean weight of a block below which a part is bylines, buttons and the like. */
const SHORT = 40;

/** Words alone, for comparing. */
export const fold = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
