import { languageOf } from "./language.js";
import { mentions, names } from "./names.js";
import { negations, opposed } from "./negation.js";
import { quantities, stated } from "./numbers.js";
import { findQuote } from "./quotes.js";
import { sentences } from "./sentences.js";
import { coverage, inOrder } from "./similarity.js";
import { isRow, readRow } from "./tables.js";
import { contentTerms, hasWords } from "./tokens.js";

export interface Settlement {
  verdict: "supported" | "unsupported" | "contradicted" | "doubtful";
  /** Why, in words. */
  reason: string;
}

/**
 * Holds a claim against the quotes it rests on, by code alone. Calls a claim supported only where its wording leaves no
 * room: better "doubtful" too often than "supported" once too many. Only the quotes count, not where they come from.
 */
export function settle(claim: string, quotes: readonly string[]): Settlement {
  if (!hasWords(claim)) return { verdict: "unsupported", reason: "The claim says nothing." };
  if (!quotes.some(hasWords)) return { verdict: "unsupported", reason: "There is no quote." };
  for (const check of CHECKS) {
    const settled = check(claim, quotes);
    if (settled) return settled;
  }
  return { verdict: "doubtful", reason: "The quotes are about this, but in other words." };
}

type Check = (claim: string, quotes: readonly string[]) => Settlement | undefined;

/** The claim stands in a quote word for word, and nothing in the sentence around it takes it back. */
const verbatim: Check = (claim, quotes) => {
  for (const quote of quotes) {
    const span = findQuote(quote, claim);
    if (!span) continue;
    const sentence = sentences(quote).find(({ start, end }) => start < span.end && end > span.start);
    const before = quote.slice(Math.min(sentence?.start ?? 0, span.start), span.start);
    const after = quote.slice(span.end, Math.max(sentence?.end ?? 0, span.end));
    if (takesBack(`${before} ${after}`))
      return { verdict: "doubtful", reason: "The sentence around these words turns or limits them." };
    return { verdict: "supported", reason: "The quote says it word for word." };
  }
  return undefined;
};

/** A table row read under its headings. */
const readFromTable: Check = (claim, quotes) => {
  const rows = quotes.filter(isRow);
  const said = rows.some((row) => rows.some((header) => header !== row && findQuote(readRow(header, row), claim)));
  return said ? { verdict: "supported", reason: "The table says it, row and heading." } : undefined;
};

const amounts: Check = (claim, quotes) => {
  const source = quotes.flatMap(quantities);
  const standing = quantities(claim).map((quantity) => ({ text: quantity.text, stated: stated(quantity, source) }));
  const missing = standing.filter((quantity) => quantity.stated === "no").map((quantity) => quantity.text);
  if (missing.length > 0) return { verdict: "unsupported", reason: `No quote has ${missing.join(", ")}.` };
  const loose = standing.find((quantity) => quantity.stated === "loosely");
  return loose && { verdict: "doubtful", reason: `The quotes have the number of ${loose.text}, not the unit.` };
};

const named: Check = (claim, quotes) => {
  if (languageOf(claim) !== languageOf(quotes.join("\n"))) return undefined;
  const missing = names(claim).filter((name) => !mentions(quotes.join("\n"), name));
  return missing.length > 0 ? { verdict: "unsupported", reason: `No quote names ${missing.join(", ")}.` } : undefined;
};

/** The nearest sentence of the quotes denies what the claim says, or says the opposite of one of its words. */
const turned: Check = (claim, quotes) => {
  const wanted = contentTerms(claim);
  const near = nearest(wanted, quotes);
  if (!near || near.covered < NEAR) return undefined;
  const pair = opposed(claim, near.text);
  if (pair) return { verdict: "contradicted", reason: `The claim says "${pair[0]}", the quote "${pair[1]}".` };
  const [here, there] = [negations(claim), negations(near.text)];
  if (here % 2 === there % 2) return undefined;
  // A long sentence may deny something else than what the claim takes from it.
  if (there > here && near.size > wanted.length * 2)
    return { verdict: "doubtful", reason: "The quote denies something near this." };
  return {
    verdict: "contradicted",
    reason: here > there ? "The claim denies what the quote says." : "The quote denies it.",
  };
};

/** Every word that counts stands in one sentence of a quote, in the same order, and little else does: what is left out may turn the rest. */
const reworded: Check = (claim, quotes) => {
  const wanted = contentTerms(claim);
  const near = nearest(wanted, quotes);
  if (!near || wanted.length < 2 || near.covered < 1 || takesBack(near.text) !== takesBack(claim)) return undefined;
  if (near.size > wanted.length * LITTLE_ELSE + 1 || strengths(claim) !== strengths(near.text)) return undefined;
  return inOrder(wanted, contentTerms(near.text)) >= IN_ORDER
    ? { verdict: "supported", reason: "One sentence of the quote has all of its words, in this order." }
    : undefined;
};

/** Little of the claim is in any quote. */
const foreign: Check = (claim, quotes) => {
  if (languageOf(claim) !== languageOf(quotes.join("\n"))) return undefined;
  const covered = coverage(contentTerms(claim), new Set(quotes.flatMap(contentTerms)));
  return covered < FOREIGN ? { verdict: "unsupported", reason: "The quotes are about something else." } : undefined;
};

const CHECKS: readonly Check[] = [verbatim, readFromTable, amounts, named, turned, reworded, foreign];

/** Shares of the claim's content terms. */
const NEAR = 0.6;
const IN_ORDER = 0.95;
const FOREIGN = 0.25;
/** How many times as many words the sentence may have. */
const LITTLE_ELSE = 1.3;

function nearest(wanted: readonly string[], quotes: readonly string[]) {
  const all = quotes.flatMap((quote) => sentences(quote).map(({ start, end }) => quote.slice(start, end)));
  return all
    .map((text) => {
      const has = contentTerms(text);
      return { text, size: has.length, covered: coverage(wanted, new Set(has)) };
    })
    .reduce<{ text: string; size: number; covered: number } | undefined>(
      (best, next) => (best && best.covered >= next.covered ? best : next),
      undefined,
    );
}

/** Words that make the rest of a sentence conditional, reported or untrue. */
const takesBack = (text: string) => negations(text) > 0 || TURNS.test(text);
const TURNS =
  /\b(?:if|unless|except|only|provided that|false|untrue|myth|den(?:y|ies|ied)|alleged(?:ly)?|rumou?r(?:ed|s)?|claim(?:s|ed)?|might|may|could|would|until|proposed?|planned)\b|如果|假如|除非|除了|仅|只有|否认|谣言|传言|据称|声称|可能|或许|拟|计划|误以为|曾/i;

/** How strongly something is said, to tell "may" from "must" and "some" from "all". */
const strengths = (text: string) =>
  STRENGTHS.filter((strength) => strength.test(text))
    .map(String)
    .join();
const STRENGTHS = [
  /\b(?:all|every|each|always|any)\b|所有|全部|每|一律|总是|任何/i,
  /\b(?:some|several|certain|sometimes)\b|部分|一些|有的|有时/i,
  /\b(?:most|mostly|usually|generally)\b|大多|通常|一般/i,
  /\b(?:may|might|can|could|possibly)\b|可能|可以|或许/i,
  /\b(?:must|shall|required|have to|has to)\b|必须|应当|务必|须/i,
  /\b(?:should|recommended)\b|应该|建议/i,
  /\bonly\b|仅|只/i,
];
