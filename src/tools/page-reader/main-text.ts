import type { Block, Measured } from "./blocks.js";
import { type Known, signsOf, topOf } from "./signs.js";
import { oddsOf } from "./trees.js";

/** The blocks that are the page's own text, in its order. */
export function mainBlocks(measured: Measured, known: Known): Block[] {
  return keep(measured, signsOf(measured, known).map(oddsOf), known.title);
}

/**
 * Keeps what is likely text, given the log-odds of each block. Where that leaves too little of the part with most running
 * text, the page is of a kind that the odds do not know: the running text of that part is kept too.
 */
export function keep({ root, blocks }: Measured, odds: readonly number[], title = ""): Block[] {
  const likely = blocks.filter((_, i) => (odds[i] ?? 0) > LIKELY);
  const top = topOf(root, blocks, title);
  const weight = likely.reduce((sum, block) => sum + block.weight - block.linked, 0);
  const within = blocks.slice(top.from, top.to).filter((block) => block.linked <= block.weight / 2);
  const most = within.reduce((sum, block) => sum + block.weight, 0);
  if (weight >= most / 4 && (weight >= LEAST || most < LEAST)) return likely;
  const either = new Set([...likely, ...within]);
  return blocks.filter((block) => either.has(block));
}

/** Log-odds: a block is kept that is text with a probability of 0.4 or more. */
const LIKELY = Math.log(0.4 / 0.6);
const LEAST = 250;
