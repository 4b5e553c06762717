import { type Attributes, tokenize } from "./tokens.js";

/** An element of a page. */
export interface Element {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: Node[];
  readonly parent: Element | undefined;
  /** Whether anything in it stands on its own and not inside a line. */
  holdsBlocks: boolean;
}

export type Node = Element | string;

/**
 * The elements of a page, under one root. Mends what is broken about as a browser does (unclosed paragraphs, items and
 * cells, tags that close in the wrong order) in time and memory linear in the page: beyond `DEEPEST` levels elements lie
 * side by side, and beyond `MOST_NODES` the page ends.
 */
export function parseTree(html: string): Element {
  const root = element("#root", new Map(), undefined);
  const stack: Element[] = [root];
  const open = new Map<string, number>();
  let nodes = 0;
  let reopened = 0;

  const top = () => stack[stack.length - 1] ?? root;
  const isOpen = (name: string) => (open.get(name) ?? 0) > 0;
  const count = (name: string, by: number) => open.set(name, (open.get(name) ?? 0) + by);
  const popTo = (depth: number) => {
    while (stack.length > depth) {
      const last = stack.pop();
      if (last) count(last.name, -1);
    }
  };
  const push = (name: string, attributes: Attributes) => {
    const parent = top();
    const made = element(name, attributes, parent);
    parent.children.push(made);
    nodes += 1;
    if (!isLine(name))
      for (let up: Element | undefined = parent; up && !up.holdsBlocks; up = up.parent) up.holdsBlocks = true;
    if (stack.length >= DEEPEST) return;
    stack.push(made);
    count(name, 1);
  };
  /** The depth of the nearest open element of this name, not looking out of a cell; 0 when there is none. */
  const find = (names: ReadonlySet<string> | string, stop: ReadonlySet<string>): number => {
    for (let depth = stack.length - 1; depth > 0; depth--) {
      const name = stack[depth]?.name ?? "";
      if (typeof names === "string" ? names === name : names.has(name)) return depth;
      if (stop.has(name)) return 0;
    }
    return 0;
  };
  const closeImplied = (name: string) => {
    if (isOpen("p") && CLOSES_PARAGRAPH.has(name)) {
      const depth = find("p", PARAGRAPH_SCOPE);
      if (depth > 0) popTo(depth);
    }
    const rule = CLOSES[name];
    if (!rule) return;
    const depth = find(rule.names, rule.stop);
    if (depth > 0) popTo(depth);
  };

  tokenize(html, {
    start(name, attributes, selfClosing) {
      if (nodes >= MOST_NODES) return;
      if (name === "html" || name === "body") {
        if (isOpen("head")) popTo(1);
        if (isOpen(name)) return;
      } else if (isOpen("head") && !HEAD.has(name)) {
        const depth = find("head", NOTHING);
        if (depth > 0 && !isOpen("noscript") && !isOpen("template")) popTo(depth);
      }
      closeImplied(name);
      if (VOID.has(name) || (selfClosing && (isOpen("svg") || isOpen("math") || name === "svg"))) {
        const parent = top();
        parent.children.push(element(name, attributes, parent));
        nodes += 1;
      } else push(name, attributes);
    },
    end(name) {
      if (name === "br") return void top().children.push(element("br", new Map(), top()));
      if (name === "body" || name === "html" || !isOpen(name)) return;
      const depth = find(name, CELLS.has(name) ? NOTHING : CELLS);
      if (depth === 0) return;
      const crossed = FORMATTING.has(name) ? stack.slice(depth + 1).filter((each) => !INLINE.has(each.name)) : [];
      if (crossed.length > 0 && reopened + crossed.length > MOST_REOPENED) return;
      popTo(depth);
      // The blocks that were opened inside go on outside of it.
      reopened += crossed.length;
      for (const each of crossed) push(each.name, each.attributes);
    },
    text(text) {
      if (nodes >= MOST_NODES) return;
      nodes += 1;
      top().children.push(text);
    },
  });
  return root;
}

/** Every element below, in the order of the page. */
export function* elementsBelow(root: Element): Generator<Element> {
  const ahead: Node[] = root.children.toReversed();
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === "string") continue;
    yield next;
    for (let i = next.children.length - 1; i >= 0; i--) ahead.push(next.children[i] ?? "");
  }
}

export const attribute = (element: Element, name: string) => element.attributes.get(name)?.trim() ?? "";

const element = (name: string, attributes: Attributes, parent: Element | undefined): Element => ({
  name,
  attributes,
  children: [],
  parent,
  holdsBlocks: false,
});

const isLine = (name: string) => INLINE.has(name) || name.includes("-") || WITHOUT_TEXT.has(name);

const DEEPEST = 300;
const MOST_NODES = 400_000;
const MOST_REOPENED = 5_000;

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const NOTHING = names("");
const VOID = names(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
);
const HEAD = names("base basefont bgsound link meta title script noscript style template head noframes");

/** Elements that stand inside a line. */
export const INLINE = names(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q rb ruby s samp small span strike strong sub sup time tt u var wbr",
);

/**
 * Elements whose content is no text for a reader of the page, or not the page's words: what is crossed out is no longer
 * said, and how a character is read (`rt`) stands beside it and not after it.
 */
export const WITHOUT_TEXT = names(
  "applet area audio base button canvas col colgroup datalist del dialog embed frame frameset head iframe img input link map math menuitem meta meter noembed noframes noscript object optgroup option param picture portal progress rp rt rtc s script select source strike style svg template textarea title track video xmp br",
);
const FORMATTING = names("a b big code em font i nobr s small strike strong tt u");
const CELLS = names("td th caption table template");

const CLOSES_PARAGRAPH = names(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li dd dt listing main menu nav ol p plaintext pre search section summary table ul xmp",
);
const PARAGRAPH_SCOPE = names("td th caption table template button object applet marquee");
const LISTS = names("ul ol menu dir table td th template");
const TABLES = names("table template");
const RUBY = names("ruby table td th template");

const CLOSES: Record<string, { names: ReadonlySet<string>; stop: ReadonlySet<string> } | undefined> = {
  li: { names: names("li"), stop: LISTS },
  dt: { names: names("dt dd"), stop: names("dl table td th template") },
  dd: { names: names("dt dd"), stop: names("dl table td th template") },
  td: { names: names("td th"), stop: names("tr table template") },
  th: { names: names("td th"), stop: names("tr table template") },
  tr: { names: names("tr"), stop: TABLES },
  tbody: { names: names("tbody thead tfoot caption"), stop: TABLES },
  thead: { names: names("tbody thead tfoot caption"), stop: TABLES },
  tfoot: { names: names("tbody thead tfoot caption"), stop: TABLES },
  option: { names: names("option"), stop: names("select table template") },
  a: { names: names("a"), stop: CELLS },
  rb: { names: names("rb rp rt rtc"), stop: RUBY },
  rp: { names: names("rb rp rt"), stop: RUBY },
  rt: { names: names("rb rp rt"), stop: RUBY },
  rtc: { names: names("rb rp rt rtc"), stop: RUBY },
};
