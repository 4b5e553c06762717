import type { Block, Measured, Part } from "./blocks.js";
import { Hint } from "./hints.js";
import { fold, HEADING, topOf, trustOf } from "./top.js";
import { attribute } from "./tree.js";

/** What the page says of itself, that tells its text from its frame. */
export interface Known {
  title: string;
  description: string;
  /** The text that the page hands to machines, or empty. */
  body: string;
}

/** What can be counted about every block: one row of numbers a block, those from names first. */
export function signsOf({ root, blocks }: Measured, known: Known): Float64Array[] {
  const top = topOf(root, blocks, known.title);
  const groups = groupsOf(blocks);
  const texts = new Map<string, number>();
  for (const { text } of blocks) texts.set(text, (texts.get(text) ?? 0) + 1);
  const pageWeight = Math.max(1, root.weight);
  const plain = Math.max(1, root.weight - root.linked);
  const title = fold(known.title);
  const description = fold(known.description).slice(0, 150);
  const body = fold(known.body);
  const firstHeading = blocks.findIndex((b) => b.part.element.name === "h1");
  const topPath = new Set<Part>();
  for (let up: Part | undefined = top; up; up = up.parent) topPath.add(up);
  const topForms = new Map<string, number>();
  for (const b of blocks.slice(top.from, top.to))
    topForms.set(signature(b), (topForms.get(signature(b)) ?? 0) + Math.max(0, b.weight - b.linked));
  const trust = new Map<Part, number>();
  const heads: number[] = [];
  let head = -1;
  for (const b of blocks) {
    if (HEADING.test(b.part.element.name)) head = b.index;
    heads.push(head);
  }
  const sums: number[] = [0];
  for (const b of blocks) sums.push((sums.at(-1) ?? 0) + Math.max(0, b.weight - b.linked));
  const within = (from: number, to: number) => {
    const a = Math.max(0, from);
    const z = Math.min(blocks.length, to);
    return z > a ? ((sums[z] ?? 0) - (sums[a] ?? 0)) / (z - a) : 0;
  };
  const chains = new Map<Part, number[]>();

  return blocks.map((b, i) => {
    // Around it: names and kinds of elements, the nearest first; those around most of the page say nothing.
    let chain = chains.get(b.part);
    if (!chain) {
      chain = chainOf(b.part, pageWeight);
      chains.set(b.part, chain);
    }
    const row = [...chain];
    const add = (_name: string, value: number) => row.push(value);
    const { part, text, weight } = b;
    const name = part.element.name;
    const level = part.parent?.element.name ?? "";
    add("logWeight", Math.log1p(weight));
    add("linkShare", b.linked / Math.max(1, weight));
    add("links", Math.min(b.links, 20));
    add("bold", b.bold / Math.max(1, weight));
    add("slanted", b.slanted / Math.max(1, weight));
    const trimmed = text.slice(-4);
    add("endsSentence", /[.!?。！？…؟।»”"」』][)\]’'"”»」』]*$/.test(trimmed) ? 1 : 0);
    add("endsColon", /[:：]$/.test(trimmed) ? 1 : 0);
    const sample = text.slice(0, 2000);
    add("sentences", Math.min(20, sample.match(/[.!?]\s|[。！？؟।]/g)?.length ?? 0));
    add("commas", Math.min(30, sample.match(/[,，、،;；]/g)?.length ?? 0));
    add("digits", (sample.match(/\p{Nd}/gu)?.length ?? 0) / Math.max(1, Math.min(weight, 2000)));
    add("marks", Math.min(5, sample.match(/[|»›→▸•·#@/©]/g)?.length ?? 0));
    add("lines", Math.min(10, sample.split("\n").length));
    add("isParagraph", name === "p" ? 1 : 0);
    add("isHeading", HEADING.test(name) ? Number(name.slice(1)) : 0);
    add("isItem", name === "li" || level === "li" ? 1 : 0);
    add("isRow", b.cells ? b.cells.length : 0);
    add("isCell", name === "td" || level === "td" ? 1 : 0);
    add("isPre", name === "pre" ? 1 : 0);
    add("isQuote", name === "blockquote" || level === "blockquote" ? 1 : 0);
    add("isTerm", name === "dt" || name === "dd" ? 1 : 0);
    add("isCaption", name === "figcaption" || name === "caption" ? 1 : 0);
    add("loose", name === "div" || name === "section" || name === "article" || name === "body" ? 1 : 0);
    // The place on the page.
    add("place", i / blocks.length);
    add("weightBefore", (sums[i] ?? 0) / plain);
    add("sinceTitle", firstHeading < 0 ? -50 : clamp(i - firstHeading, -50, 100));
    add("sinceHeading", heads[i] === -1 ? 100 : Math.min(100, i - (heads[i] ?? 0)));
    // Neighbours.
    for (const by of [-3, -2, -1, 1, 2, 3]) {
      const other = blocks[i + by];
      add(`weight${by}`, other ? Math.log1p(other.weight) : -1);
      if (Math.abs(by) < 3) add(`linkShare${by}`, other ? other.linked / Math.max(1, other.weight) : -1);
      if (Math.abs(by) < 2) add(`heading${by}`, other && HEADING.test(other.part.element.name) ? 1 : 0);
      if (Math.abs(by) < 2) add(`alike${by}`, other && signature(other) === signature(b) ? 1 : 0);
    }
    add("plainBefore", Math.log1p(within(i - 6, i)));
    add("plainAfter", Math.log1p(within(i + 1, i + 7)));
    // Blocks of the same form anywhere on the page.
    const group = groups.get(signature(b));
    add("groupSize", Math.log1p(group?.size ?? 0));
    add("groupShare", (group?.plain ?? 0) / plain);
    add("groupMean", Math.log1p((group?.plain ?? 0) / (group?.size || 1)));
    add("groupLinks", (group?.linked ?? 0) / Math.max(1, group?.weight ?? 1));
    add("repeats", Math.min(5, texts.get(text) ?? 1));
    // Where it stands to the part with most of the running text.
    add("inTop", topPath.has(part) || isIn(b, top) ? 1 : 0);
    let up = 0;
    let joint: Part | undefined = part;
    while (joint && !topPath.has(joint)) {
      up += 1;
      joint = joint.parent;
    }
    add("below", Math.min(20, up));
    add("above", Math.min(20, top.depth - (joint?.depth ?? 0)));
    add("offset", i < top.from ? Math.max(-60, i - top.from) : i >= top.to ? Math.min(60, i - top.to + 1) : 0);
    add("within", top.to > top.from && isIn(b, top) ? (i - top.from) / (top.to - top.from) : -1);
    add("toEnd", isIn(b, top) ? Math.min(40, top.to - i) : -1);
    add("topShare", (top.weight - top.linked) / plain);
    add("likeTop", (topForms.get(signature(b)) ?? 0) / Math.max(1, top.weight));
    add("trust", trustOf(part, pageWeight, trust));
    const own = fold(text);
    add("isTitle", title !== "" && own.length > 5 && (title.startsWith(own) || own === title) ? 1 : 0);
    add(
      "isDescription",
      description.length > 30 &&
        own.startsWith(description.slice(0, Math.min(description.length, own.length))) &&
        own.length > 20
        ? 1
        : 0,
    );
    add("inBody", body === "" ? -1 : body.includes(own.slice(0, 400)) ? 1 : 0);
    return Float64Array.from(row);
  });
}

/** The same block on a page whose author gave no part a telling name. */
export const withoutNames = (row: Float64Array) =>
  row.map((value, i) => (i < 2 * HINTS.length ? (i % 2 === 0 ? 0 : FAR) : value));

/** Stands for no such name around a block. */
const FAR = 20;

const HINTS = Object.entries(Hint);
const KINDS = [
  "article",
  "main",
  "figure",
  "table",
  "ul",
  "form",
  "blockquote",
  "header",
  "footer",
  "aside",
  "nav",
  "section",
  "li",
];

function chainOf(part: Part, pageWeight: number): number[] {
  const row: number[] = [];
  const nearest = new Map<number, number>();
  const kinds = new Map<string, number>();
  let distance = 1;
  for (let up: Part | undefined = part; up; up = up.parent) {
    const { name } = up.element;
    if (name === "ol") kinds.set("ul", (kinds.get("ul") ?? 0) + 1);
    else kinds.set(name, (kinds.get(name) ?? 0) + 1);
    if (attribute(up.element, "role") === "main") kinds.set("main", 1);
    if (up.weight > pageWeight * 0.6) continue;
    for (const [, bit] of HINTS) if ((up.hints & bit) !== 0 && !nearest.has(bit)) nearest.set(bit, distance);
    distance += 1;
  }
  for (const [, bit] of HINTS) {
    row.push((part.hints & bit) !== 0 ? 1 : 0);
    row.push(nearest.has(bit) ? Math.min(12, nearest.get(bit) ?? 0) : FAR);
  }
  for (const kind of KINDS) row.push(Math.min(3, kinds.get(kind) ?? 0));
  let up: Part | undefined = part;
  for (let i = 0; i < 4; i++) {
    row.push(
      up ? up.weight / pageWeight : 1,
      up ? up.linked / Math.max(1, up.weight) : 0,
      up ? Math.log1p(up.to - up.from) : 0,
    );
    up = up?.parent;
  }
  return row;
}

const isIn = (block: Block, part: Part) => block.index >= part.from && block.index < part.to;

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

interface Group {
  size: number;
  weight: number;
  plain: number;
  linked: number;
}

function groupsOf(blocks: readonly Block[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const b of blocks) {
    const key = signature(b);
    const group = groups.get(key) ?? { size: 0, weight: 0, plain: 0, linked: 0 };
    groups.set(key, group);
    group.size += 1;
    group.weight += b.weight;
    group.linked += b.linked;
    group.plain += Math.max(0, b.weight - b.linked);
  }
  return groups;
}

const formOf = (part: Part | undefined) =>
  part ? `${part.element.name}.${part.element.attributes.get("class") ?? ""}` : "";
const SIGNATURES = new WeakMap<Part, string>();
function signature({ part }: Block): string {
  let found = SIGNATURES.get(part);
  if (found === undefined) {
    found = `${formOf(part)}<${formOf(part.parent)}<${formOf(part.parent?.parent)}`;
    SIGNATURES.set(part, found);
  }
  return found;
}
