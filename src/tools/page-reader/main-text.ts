import { sumOf, treesOf } from "../trees.js";
import type { Block, Measured, Part } from "./blocks.js";
import { type Known, signsOf } from "./signs.js";
import { HEADING, topOf } from "./top.js";
import { attribute } from "./tree.js";
import { WEIGHTS } from "./weights.js";

/** The blocks that are the page's own text, in its order. */
export function mainBlocks(measured: Measured, known: Known): Block[] {
  const trees = treesOf(WEIGHTS);
  const odds = signsOf(measured, known).map((signs) => sumOf(trees, signs));
  return keep(measured, odds, known.title);
}

/**
 * Keeps what is likely text, given the log-odds of each block. Where that leaves too little of the part with most running
 * text, the page is of a kind that the odds do not know: the running text of that part is kept too.
 */
export function keep({ root, blocks }: Measured, odds: readonly number[], title = ""): Block[] {
  const likely = new Set(blocks.filter((_, i) => (odds[i] ?? 0) > LIKELY));
  const top = topOf(root, blocks, title);
  const weight = [...likely].reduce((sum, block) => sum + block.weight - block.linked, 0);
  const within = blocks.slice(top.from, top.to).filter((block) => block.linked <= block.weight / 2);
  const most = within.reduce((sum, block) => sum + block.weight, 0);
  if (weight < most / 4 || (weight < LEAST && most >= LEAST)) for (const block of within) likely.add(block);
  else {
    for (const block of twins(blocks, likely)) likely.add(block);
    for (const block of joints(blocks, likely, odds)) likely.add(block);
  }
  return blocks.filter((block) => likely.has(block));
}

/**
 * The rest of a text that was lost half way: behind a picture or an advertisement it may look like something else, but
 * its paragraphs stand in containers of the same form, in the same article. Only where they are much beside what is
 * likely, most of all among them: what just stands at the end of a text is shorter.
 */
function twins(blocks: readonly Block[], likely: ReadonlySet<Block>): Block[] {
  const forms = new Map<string, { kept: Block[]; rest: Block[] }>();
  for (const block of blocks.filter(isParagraph)) {
    const key = formOf(block.part);
    const form = forms.get(key) ?? { kept: [], rest: [] };
    forms.set(key, form);
    if (likely.has(block)) form.kept.push(block);
    else if (form.kept.length > 0) form.rest.push(block);
  }
  return [...forms.values()].flatMap(({ kept, rest }) => {
    const most = weightOf(kept);
    if (most < LEAST) return [];
    if (weightOf(rest) >= most * AMONG) return rest;
    const around = new Set(kept.map((block) => block.part.parent));
    const apart = rest.filter((block) => !around.has(block.part.parent));
    return weightOf(apart) >= most * APART ? apart : [];
  });
}

/** How much lost text, beside what is likely, is believed: between its paragraphs, and in containers of its own. */
const AMONG = 0.8;
const APART = 0.4;

const weightOf = (some: readonly Block[]) => some.reduce((sum, block) => sum + block.weight, 0);

const isParagraph = ({ part, weight, linked }: Block) =>
  part.element.name === "p" && weight >= 40 && linked <= weight / 5;

/** The nearest two elements around a part that have a class, each by its first, and the article they are in. */
function formOf(part: Part): string {
  const names: string[] = [];
  let up = part.parent;
  for (; up && up.element.name !== "article"; up = up.parent) {
    const [first] = attribute(up.element, "class").trim().split(/\s+/, 1);
    if (first && names.length < 2) names.push(`${up.element.name}.${first}`);
  }
  return `${names.join(" ")} ${up?.from}`;
}

/** Headings, rows and items that are unlikely by themselves and stand between likely ones of the same part. */
function joints(blocks: readonly Block[], likely: ReadonlySet<Block>, odds: readonly number[]): Block[] {
  return blocks.filter((block, i) => {
    if (likely.has(block) || block.linked > block.weight / 2) return false;
    const before = blocks[i - 1];
    const after = blocks[i + 1];
    if (!after || !likely.has(after)) return false;
    const around = frameOf(block.part);
    if (frameOf(after.part) !== around) return false;
    if (block.cells) return after.cells !== undefined && (odds[i] ?? 0) > UNLIKELY;
    if (!before || !likely.has(before) || !isBelow(before.part, around)) return false;
    return (odds[i] ?? 0) > (HEADING.test(block.part.element.name) ? UNLIKELY : DOUBTFUL);
  });
}

/** The element that a block shares with what goes on after it: around the table or the list it stands in. */
function frameOf(part: Part): Part | undefined {
  let up = part.parent;
  while (up && INNER.has(up.element.name)) up = up.parent;
  return up;
}

const INNER = new Set("li ul ol table tbody thead tr td th dl".split(" "));

function isBelow(part: Part, around: Part | undefined): boolean {
  let up: Part | undefined = part;
  while (up && up !== around) up = up.parent;
  return up === around;
}

/** Log-odds: a block is kept that is text with a probability of 0.45 or more. */
const LIKELY = Math.log(0.45 / 0.55);
const DOUBTFUL = Math.log(0.3 / 0.7);
const UNLIKELY = Math.log(0.05 / 0.95);
const LEAST = 250;
