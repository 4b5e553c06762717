import { type FindFault, fault } from "./changes.js";
import { type Quantity, quantities } from "./numbers.js";

/** The claim bounds an amount that the quote has otherwise: "over 20" of "under 20", or of a plain 20; 超过 of 不足. */
export const otherBounds: FindFault = ({ claim, near }) => {
  if (!near) return undefined;
  const theirs = quantities(near.text);
  for (const own of quantities(claim)) {
    const bounds = theirs.filter(({ key }) => key === own.key).map((other) => boundOf(near.text, other));
    const [here, there] = [boundOf(claim, own), bounds[0]];
    if (there === undefined || bounds.includes(here) || here === "" || here === "about") continue;
    const against = there === "above" || there === "below";
    if (near.alignment.share < (against ? AGAINST : STRICTER)) continue;
    return fault(against ? "contradicted" : "unsupported", `The quote does not say "${aroundOf(claim, own)}".`, [own]);
  }
  return undefined;
};

type Bound = "above" | "below" | "about" | "";

function boundOf(text: string, { start, end }: Quantity): Bound {
  const [before, after] = [text.slice(Math.max(0, start - 24), start), text.slice(end, end + 12)];
  if (ABOVE.test(before) || ABOVE_AFTER.test(after)) return "above";
  if (BELOW.test(before) || BELOW_AFTER.test(after)) return "below";
  return ABOUT.test(before) || ABOUT_AFTER.test(after) ? "about" : "";
}

const aroundOf = (text: string, { start, end }: Quantity) => text.slice(Math.max(0, start - 12), end + 4).trim();

const ABOVE =
  /(?:\b(?:over|above|exceed(?:s|ed|ing)?|(?:more|greater|higher|larger|longer|older|later|better) than|at least|no (?:less|fewer) than|not less than|upwards? of|minimum of)|超过|逾|高于|大于|多于|至少|不少于|不低于|起码|最少|超出)\s*(?:[$€£¥]|约|the age of )?\s*$/i;
const BELOW =
  /(?:\b(?:under|below|(?:less|fewer|lower|smaller|shorter|younger|earlier) than|at most|no more than|not more than|up to|nearly|almost|maximum of)|不足|不到|低于|小于|少于|至多|最多|不超过|不多于|不高于|未满|接近|将近|近)\s*(?:[$€£¥]|约|the age of )?\s*$/i;
const ABOUT =
  /(?:\b(?:about|around|approximately|roughly|some|circa|c\.|ca\.|estimated)|约|大约|大概|大致)\s*[$€£¥]?\s*$/i;
const ABOVE_AFTER = /^\s*(?:or more|and (?:more|over|above)|多|余|以上|\+)/i;
const BELOW_AFTER = /^\s*(?:or (?:less|fewer|under)|and (?:under|below)|以下|以内)/i;
const ABOUT_AFTER = /^\s*(?:or so|左右|上下)/i;

const AGAINST = 0.6;
const STRICTER = 0.85;
