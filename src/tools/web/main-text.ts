import { attribute, type TreeElement } from "./html-tree.js";
import { type Measured, type PageBlock, type Part, plainOf } from "./page-blocks.js";
import { fold, type PageMetadata } from "./page-metadata.js";

/**
 * Returns the blocks of a page's main text, in document order: those of the element with most running text, without the
 * boilerplate in it, and the lead between the title and that element. Boilerplate is found by class names first; these
 * are ignored if they would leave hardly any text.
 */
export function mainBlocks({ root, blocks }: Measured, known: Pick<PageMetadata, "title" | "kind">): PageBlock[] {
  const heading = headingOf(blocks, known.title);
  const paragraphs = blocks.filter(isParagraph);
  const left = (beside: (part: Part) => boolean) => plainOf(paragraphs.filter((block) => !beside(block.part)));
  const blog = besideOf(root, plainOf(blocks), heading, false);
  const thread = besideOf(root, plainOf(blocks), heading, true);
  const isThread = known.kind === "thread" || left(blog) < Math.max(LEAST, left(thread) * MOSTLY_COMMENTS);
  const named = isThread ? thread : blog;
  const beside = left(named) < LEAST ? () => false : named;
  const text = (some: readonly PageBlock[]) => some.filter((block) => isParagraph(block) && !beside(block.part));

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

/** The least weight of a paragraph, and of a main text. */
const LEAST = 40;
/** A page is a thread if its own text is a smaller share than this of the text including comments. */
const MOSTLY_COMMENTS = 0.05;
/** The factor for a boilerplate paragraph in the search for the element with most text. */
const DOUBTED = 0.2;
/** A region with a smaller share than this of all paragraphs is not the main text. */
const SMALL = 0.3;

const inside = (part: Part, blocks: readonly PageBlock[]) => blocks.slice(part.from, part.to);

const isParagraph = ({ weight, linked }: PageBlock) => weight >= LEAST && linked <= weight / 5;

/**
 * Returns the ancestor that adds most text to a part, or the part itself. Paragraphs in an ancestor count for it, and
 * everything else against it. If `isOneForm`, paragraphs in a form that is rare in the part count against it too.
 */
function grown(part: Part, blocks: readonly PageBlock[], beside: (part: Part) => boolean, isOneForm: boolean): Part {
  let top = part;
  while (PIECES.has(top.element.name) && top.parent) top = top.parent;
  const forms = new Map<string, number>();
  for (const block of inside(top, blocks).filter(isParagraph))
    forms.set(formOf(block.part), (forms.get(formOf(block.part)) ?? 0) + block.weight);
  const own = [...forms.values()].reduce((sum, weight) => sum + weight, 0);
  const gain = (block: PageBlock): number => {
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
    for (let i = up.from; i < inner.from; i++) sum += gain(blocks[i] as PageBlock);
    for (let i = inner.to; i < up.to; i++) sum += gain(blocks[i] as PageBlock);
    if (sum > most) [best, most] = [up, sum];
    inner = up;
  }
  return best;
}

const PIECES = new Set("table tbody thead tr td ul ol li dl a".split(" "));

/** Identifies the form of a part by its element and class, or without a class by those around it. */
function formOf({ element, parent, depth }: Part): string {
  const named = (part: Pick<Part, "element"> | undefined) =>
    part ? `${part.element.name}.${attribute(part.element, "class").split(/\s+/, 1)[0]}` : "";
  if (attribute(element, "class") !== "") return named({ element });
  const form = `${element.name}<${named(parent)}<${named(parent?.parent)}`;
  return /\.[^<]/.test(form) ? form : `${form} ${depth}`;
}

/** False for the page's title, and for links except in the items and rows of a list or table that is not all links. */
function isSaid(block: PageBlock, title: string): boolean {
  if (levelOf(block) > 0) return fold(block.text) !== fold(title);
  let up: Part | undefined = block.part;
  while (up && ITEMS.has(up.element.name)) up = up.parent;
  const isOfText = up && up !== block.part && up.linked <= up.weight / 2;
  return isOfText || block.linked <= block.weight / 2;
}

const ITEMS = new Set("li tr td th tbody thead dt dd".split(" "));

const levelOf = ({ part }: PageBlock) => (HEADING.test(part.element.name) ? Number(part.element.name.slice(1)) : 0);

const withoutEmptyHeadings = (kept: readonly PageBlock[]) =>
  kept.filter((block, i) => {
    const next = kept[i + 1];
    const level = levelOf(block);
    return level === 0 || (next !== undefined && (levelOf(next) === 0 || levelOf(next) > level));
  });

/** Returns the lead or summary between the title and the text, without bylines, captions and menus. */
function leadsOf(
  region: Part,
  blocks: readonly PageBlock[],
  heading: number,
  beside: (part: Part) => boolean,
): PageBlock[] {
  if (heading < 0 || region.from - heading > FAR) return [];
  return blocks.slice(heading + 1, Math.max(heading + 1, region.from)).filter(({ part, text, weight, linked }) => {
    if (weight < LEAST || linked > weight * 0.3) return false;
    const hints = hintsOf(part.element) | (part.parent ? hintsOf(part.parent.element) : 0);
    if ((hints & Hint.headline) !== 0) return true;
    return !beside(part) && (hints & (Hint.media | Hint.about)) === 0 && /[.!?。！？…"”」]$/.test(text);
  });
}

/** The greatest distance of a lead from the text, in blocks. */
const FAR = 15;

/**
 * Returns the element with the highest score. Each paragraph adds to the scores of its ancestors, less with distance
 * (as in Readability), and more if it follows the page's title.
 */
function topOf(
  root: Part,
  paragraphs: readonly PageBlock[],
  heading: number,
  trustOf: (block: PageBlock) => number,
): Part {
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

/** Returns the index of the heading that matches the title, an h1 if possible, or else of the first h1, or -1. */
function headingOf(blocks: readonly PageBlock[], title: string): number {
  const wanted = fold(title);
  const headings = blocks.filter((block) => HEADING.test(block.part.element.name));
  const fitting = headings.filter(({ text, weight }) => {
    const own = fold(text);
    return weight > SHORTEST && (wanted.includes(own) || (wanted.length > SHORTEST && own.includes(wanted)));
  });
  const isFirst = ({ part }: PageBlock) => part.element.name === "h1";
  const found =
    fitting.find(isFirst) ?? fitting[0] ?? headings.find((block) => isFirst(block) && block.weight > SHORTEST);
  return found?.index ?? -1;
}

/** A title weighs more than this. */
const SHORTEST = 5;

/** True if the name or class of an element says that it holds the main text. */
const isArticle = ({ element }: Part) =>
  element.name === "article" ||
  attribute(element, "itemprop") === "articleBody" ||
  /(?:article|post|entry|story|content|page)[-_]?(?:body|content|text|inner|main)|^(?:article|entry|post|content|main|story)$/i.test(
    attribute(element, "class").slice(0, 200),
  );

const HEADING = /^h[1-6]$/;

/**
 * Returns a test for boilerplate in a region, by class names and links. An element around the page's title is never
 * boilerplate. A large one is boilerplate only by its tag, or if it is named as comments, references or a cookie
 * notice. In a thread, comments are the main text.
 * @param plain the region's weight without links.
 */
function besideOf(region: Part, plain: number, heading: number, isThread: boolean): (part: Part) => boolean {
  const isBeside = (part: Part): boolean => {
    const { element, from, to, weight, linked } = part;
    const hints = hintsOf(element);
    const share = (weight - linked) / Math.max(1, plain);
    if ((heading >= from && heading < to) || HELD.has(element.name) || (heading < 0 && share > MOST)) return false;
    const hard = isThread ? Hint.boilerplate : Hint.boilerplate | Hint.comment;
    if (BESIDE.has(element.name) || (hints & hard) !== 0) return true;
    if (share > MUCH) return false;
    if (element.name === "form" || (linked > weight / 2 && to - from > 1)) return true;
    if (isArticle(part)) return false;
    if ((hints & FRAME) !== 0) return true;
    return (hints & (Hint.share | Hint.about)) !== 0 && weight / (to - from) < SHORT;
  };
  const known = new Map<Part, boolean>();
  return function beside(part): boolean {
    if (part === region || !part.parent) return false;
    const found = known.get(part) ?? (beside(part.parent) || isBeside(part));
    known.set(part, found);
    return found;
  };
}

const BESIDE = new Set("aside nav footer dialog figcaption".split(" "));
const HELD = new Set("table tbody thead tr td th blockquote pre html body".split(" "));

/** Shares of the region's weight. */
const MOST = 0.6;
const MUCH = 0.35;
/** A part whose blocks weigh less than this on average holds bylines, buttons and the like. */
const SHORT = 40;

/** Bits for the roles of an element, guessed from words that many sites use in classes and ids. */
const Hint = {
  comment: 1,
  share: 2,
  related: 4,
  navigation: 8,
  promotion: 16,
  about: 32,
  side: 64,
  edge: 128,
  media: 256,
  headline: 512,
  boilerplate: 1024,
} as const;

const WORDS: Readonly<Record<keyof typeof Hint, RegExp>> = {
  comment: /comment|disqus|repl(?:y|ies)\b|respond|discuss|feedback|guestbook|talkback|konversation|kommentar|livefyre/,
  share: /shar(?:e|ing)|social|follow|facebook|twitter|whatsapp|addthis|addtoany|sociab|like-?button/,
  related:
    /relat|recommend|more-|-more\b|popular|trend|most-|latest|read-?(?:more|next|also)|also-|teaser|outbrain|taboola|similar|you-?may|next|prev|suggest|recirc|recent|archive|see-?also|further|must-?read|link-?list|listing/,
  navigation: /\bnav|navi|menu|breadcrumb|pag(?:er|ination)|skip|toolbar|\btabs?\b|topbar|toc\b|jump|filter|search/,
  promotion:
    /promo|newsletter|subscri|sign-?(?:up|in)|login|register|sponsor|advert|\bads?\b|\bad[-_]|[-_]ad\b|banner|donat|\bcta\b|paywall|offer|shop|coupon|affiliate|dfp|gpt-|premium|membership|campaign|marketing|app-?download|deal/,
  about:
    /byline|author|\bbio\b|meta|\bdate|time|\btags?\b|tag-?list|categor|credit|source|copyright|license|published|posted|rating|info\b|label|keyword|topic|stat(?:s|us)/,
  side: /side|aside|rail|secondary|column-?right|right-?col|complementary|extra|supplement|factbox|infobox|inset|pull-?quote|pullout/,
  edge: /foot|bottom|header|masthead|legal|privacy|disclaim|\btop\b|notice|alert|modal|popup|pop-?up|overlay|lightbox|toast/,
  media: /caption|gallery|slide|carousel|video|player|figure|image|photo|thumb|picture|media|embed|poll|quiz/,
  headline: /headline|\btitle|heading|subtitle|\bdek\b|summary|standfirst|lead|intro|excerpt|abstract|description/,
  boilerplate: /cookie|consent|gdpr|reflist|references\b|footnotes/,
};

/** Returns the hints in an element's tag, role, class, id and itemprop. */
function hintsOf(element: TreeElement): number {
  const hints = OF_ELEMENT[element.name] ?? 0;
  if (Object.keys(element.attribs).length === 0) return hints;
  const names = ["class", "id", "itemprop"].map((name) => attribute(element, name)).join(" ");
  return hints | (OF_ROLE[attribute(element, "role")] ?? 0) | hintsIn(names.slice(0, 300));
}

const NAMES = Object.keys(WORDS) as (keyof typeof Hint)[];

function hintsIn(names: string): number {
  const known = KNOWN.get(names);
  if (known !== undefined) return known;
  const words = names
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
  let hints = 0;
  for (const name of NAMES) if (WORDS[name].test(words)) hints |= Hint[name];
  if (KNOWN.size > 20_000) KNOWN.clear();
  KNOWN.set(names, hints);
  return hints;
}

/** A cache, since the pages of a site share their class names. */
const KNOWN = new Map<string, number>();

const OF_ELEMENT: Record<string, number | undefined> = {
  nav: Hint.navigation,
  aside: Hint.side,
  footer: Hint.edge,
  header: Hint.edge,
  figcaption: Hint.media,
  figure: Hint.media,
  menu: Hint.navigation,
  address: Hint.about,
};

const OF_ROLE: Record<string, number | undefined> = {
  navigation: Hint.navigation,
  complementary: Hint.side,
  contentinfo: Hint.edge,
  banner: Hint.edge,
  search: Hint.navigation,
  menu: Hint.navigation,
  menubar: Hint.navigation,
  dialog: Hint.edge,
  alert: Hint.edge,
};

const FRAME = Hint.related | Hint.navigation | Hint.promotion | Hint.edge | Hint.media | Hint.side;
