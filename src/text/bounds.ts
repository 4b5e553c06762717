import { agreement, type FindFault, fault, textOf, wordsOf } from "./changes.js";
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
    const sure = near.alignment.share >= (against ? AGAINST : STRICTER);
    return fault(against ? "contradicted" : "unsupported", sure, `The quote does not say "${aroundOf(claim, own)}".`);
  }
  return undefined;
};

/** The claim says of all, or for sure, what the quote says of some, or as what may be. */
export const stronger: FindFault = ({ claim, tokens, near }) => {
  if (!near || near.alignment.share < STRONGER) return undefined;
  for (const gap of near.alignment.differences) {
    const [here, there] = [textOf(claim, gap.claim), textOf(near.text, gap.source)];
    const found = STRENGTHS.find(([strong, weak]) => strong.test(here) && weak.test(there) && !strong.test(there));
    if (found)
      return fault(
        "unsupported",
        true,
        `The claim says "${found[0].exec(here)?.[0]}", the quote "${found[1].exec(there)?.[0]}".`,
      );
  }
  for (const { claim: here } of near.alignment.differences) {
    const only = ONLY.exec(wordsOf(claim, here))?.[0];
    if (only && !ONLY.test(near.text))
      return fault("unsupported", agreement(near, here, tokens) >= STRICTER, `The quote does not say "${only}".`);
  }
  return undefined;
};

const ONLY = /\b(?:only|solely|exclusively|sole)\b|只有|仅有|仅仅|唯一|(?<![一二两三四五六七八九十几\d不])[只仅]/iu;

/** What is strong, and what is weaker than it. */
const STRENGTHS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:all|every|each|always|entirely|completely|none)\b/i,
    /\b(?:some|several|certain|many|most|mostly|often|usually|sometimes|partly|part of|few|majority|generally)\b/i,
  ],
  [/\b(?:most|mostly|usually|majority)\b/i, /\b(?:some|several|certain|sometimes|few|occasionally|minority)\b/i],
  [
    /\b(?:must|will|shall|is|are|was|were|required)\b/i,
    /\b(?:may|might|could|can|possibly|perhaps|probably|likely|reportedly|allegedly)\b/i,
  ],
  [/所有|全部|全体|一律|总是|完全|每个/, /部分|一些|有些|许多|大多|多数|少数|通常|有时|经常|个别|一般/],
  [/大多数|大部分|多数|通常/, /少数|个别|有时|一些|有些|偶尔|小部分/],
  [/必须|一定|必定|肯定|须/, /可能|可以|或许|也许|大概/],
];

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
const STRONGER = 0.7;
