import type { Part } from "./blocks.js";
import { Hint } from "./hints.js";
import { isArticle } from "./top.js";

/**
 * Tells by names and links which parts stand beside the text of a region that weighs so much without its links. What holds
 * the page's title never does, and a large part only by its element or where it is named as comments, references or
 * a cookie notice; in a thread comments are the text.
 */
export function besideOf(region: Part, plain: number, heading: number, isThread: boolean): (part: Part) => boolean {
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
