import type { Span } from "../types/evidence.js";
import { type Token, tokensOf } from "./alignment.js";
import { otherBounds, stronger } from "./bounds.js";
import { cellSays } from "./cells.js";
import {
  exchanged,
  exchangedWords,
  type FindFault,
  misspelled,
  otherAmounts,
  otherNames,
  type Pair,
  replacement,
  strayAmounts,
  turned,
} from "./changes.js";
import { cutAmiss } from "./cut-out.js";
import { SMALL_WORDS } from "./function-words.js";
import { languageOf } from "./language.js";
import { leans } from "./leaning.js";
import { nearest, readSource, type Source } from "./near.js";
import { negations } from "./negation.js";
import { findQuote } from "./quotes.js";
import { sentences } from "./sentences.js";
import { coverage } from "./similarity.js";
import { isRow, readRow } from "./tables.js";
import { contentTerms, hasWords, plain } from "./tokens.js";

export interface Settlement {
  verdict: "supported" | "unsupported" | "contradicted" | "doubtful";
  /** Why, in words. */
  reason: string;
  /** Set on a doubt that likeness cannot outweigh: the quotes deny it, or say the opposite or less, in words like these. */
  against?: true;
}

/**
 * Holds a claim against the quotes it rests on, by code alone. Calls a claim supported only where its wording leaves no
 * room, and unsupported or contradicted only where it otherwise follows a sentence of the quotes so closely that nothing
 * but the fault is left: better "doubtful" too often than wrong once too many. Only the quotes count, not where they
 * come from. Of a claim of several sentences every one has to hold.
 */
export function settle(claim: string, quotes: readonly string[]): Settlement {
  if (!hasWords(claim)) return { verdict: "unsupported", reason: "The claim says nothing." };
  if (!quotes.some(hasWords)) return { verdict: "unsupported", reason: "There is no quote." };
  const whole = verbatim(claim, quotes) ?? readFromTable(claim, quotes);
  if (whole) return whole;
  const source = readSource(quotes);
  if (isForeign(claim, source)) {
    // Other words may say the same. Another amount says something else.
    const amiss = otherAmounts({ claim, tokens: tokensOf(claim), near: undefined, source });
    if (amiss) return { verdict: "unsupported", reason: amiss.reason };
    return { verdict: "doubtful", reason: "The quotes are about something else." };
  }
  const parts = sentences(claim).map(({ start, end }) => claim.slice(start, end));
  // A page held against its quotes is no claim; what can be said of it costs more than it is worth.
  if (parts.length > MOST_SENTENCES) return DOUBTFUL;
  const settled = parts.map((part, i) => {
    const found = verbatim(part, quotes);
    // What follows another sentence is about what that one named, unless it opens a sentence of the source as well.
    if (found?.verdict === "supported" && i > 0 && !opensSentence(part, source)) return LEANING;
    return found ?? compared(part, source);
  });
  const worst = WORST_FIRST.flatMap((verdict) => settled.filter((one) => one.verdict === verdict))[0];
  return worst ?? DOUBTFUL;
}

const MOST_SENTENCES = 12;
const WORST_FIRST = ["contradicted", "unsupported", "doubtful", "supported"] as const;
const DOUBTFUL: Settlement = { verdict: "doubtful", reason: "The quotes are about this, but in other words." };

const LEANING: Settlement = { verdict: "doubtful", reason: "The quote may say this of something else." };

const opensSentence = (part: string, source: Source) =>
  !leans(part) && source.sentences.some(({ text }) => (findQuote(text, part)?.start ?? EDGE + 1) <= EDGE);
/** A quotation mark or a bracket may stand before the first word. */
const EDGE = 1;

/** One sentence laid along the sentence of the quotes that it follows best. */
function compared(claim: string, source: Source): Settlement {
  const wanted = contentTerms(claim);
  const tokens = tokensOf(claim);
  const near = nearest(wanted, tokens, source);
  const pair: Pair = { claim, tokens, near, source };
  const faults = FAULTS.flatMap((find) => find(pair) ?? []);
  const found = faults.find(({ sure }) => sure) ?? faults[0];
  if (found?.sure) return { verdict: found.verdict, reason: found.reason };
  const against = faults.find(({ verdict }) => verdict === "contradicted");
  if (against) return { verdict: "doubtful", reason: against.reason, against: true };
  if (found) return { verdict: "doubtful", reason: found.reason };
  return reworded(pair, wanted) ?? replacedIn(pair) ?? DOUBTFUL;
}

/** Where the claim has something else than a sentence that it follows word for word otherwise. */
function replacedIn(pair: Pair): Settlement | undefined {
  const change = replacement(pair);
  if (!change) return undefined;
  const reason = `Where the claim says "${change.here}", the sentence it follows says "${change.there}".`;
  return { verdict: "doubtful", reason };
}

const FAULTS: readonly FindFault[] = [
  otherAmounts,
  strayAmounts,
  otherNames,
  misspelled,
  turned,
  exchanged,
  exchangedWords,
  otherBounds,
  stronger,
];

/** The claim stands in a quote word for word, and nothing in the sentence around it takes it back. */
function verbatim(claim: string, quotes: readonly string[]): Settlement | undefined {
  for (const quote of quotes) {
    const found = findQuote(quote, claim);
    if (found) return standing(quote, found);
    const bare = quote.replace(BRACKETS, (bracket) => (claim.includes(bracket.trim()) ? bracket : ""));
    if (bare !== quote && findQuote(bare, claim) && !takesBack(quote))
      return { verdict: "supported", reason: "The quote says it word for word, brackets left out." };
  }
  return undefined;
}

function standing(quote: string, span: Span): Settlement {
  const around = sentences(quote).find(({ start, end }) => start < span.end && end > span.start);
  const [start, end] = [Math.min(around?.start ?? span.start, span.start), Math.max(around?.end ?? 0, span.end)];
  if (takesBack(`${quote.slice(start, span.start)} ${quote.slice(span.end, end)}`))
    return { verdict: "doubtful", reason: "The sentence around these words turns or limits them." };
  const amiss = cutAmiss(quote.slice(start, end), { start: span.start - start, end: span.end - start });
  if (amiss) return { verdict: "doubtful", reason: amiss };
  return { verdict: "supported", reason: "The quote says it word for word." };
}

/** A bracket that no letter or digit leans on: not one of a formula. */
const BRACKETS =
  /(?:(?<=[A-Za-z\d])[ \t]|(?<![A-Za-z\d])[ \t]?)(?:\([^()（）]{1,200}\)|（[^()（）]{1,200}）)(?![A-Za-z\d])/g;

const TABLE: Settlement = { verdict: "supported", reason: "The table says it, row and heading." };

/** A table row read under its headings, or one of its cells. */
function readFromTable(claim: string, quotes: readonly string[]): Settlement | undefined {
  const rows = quotes.filter(isRow);
  const leads = quotes.filter((quote) => /[:：]\s*$/.test(quote));
  for (const row of rows) {
    for (const head of rows) {
      if (head === row) continue;
      if (findQuote(readRow(head, row), claim)) return TABLE;
      const found = cellSays(claim, { head, row, leads });
      if (found?.verdict === "supported") return TABLE;
      if (found) return { verdict: found.verdict, reason: `The table says ${found.cell}.` };
    }
  }
  return undefined;
}

/**
 * Every word that counts stands in one sentence of a quote, in the same order, and little else does: what is left out may
 * turn the rest. Nor does either side have a small word that turns it ("before", "from", 被).
 */
function reworded({ claim, tokens, near }: Pair, wanted: readonly string[]): Settlement | undefined {
  if (!near || wanted.length < 2 || takesBack(near.text) !== takesBack(claim)) return undefined;
  if (near.terms.length > wanted.length * LITTLE_ELSE + 1 || strengths(claim) !== strengths(near.text))
    return undefined;
  const { differences, pairs } = near.alignment;
  const small = differences.every(({ claim: here, source: there }) => here.every(isSmall) && there.every(isSmall));
  const alike = pairs.every(([i, j]) => sameForm(wordAt(claim, tokens[i]), wordAt(near.text, near.tokens[j])));
  return small && alike
    ? { verdict: "supported", reason: "One sentence of the quote has all of its words, in this order." }
    : undefined;
}

const wordAt = (text: string, token: Token | undefined) =>
  token?.kind === "word" ? plain(text.slice(token.start, token.end)) : "";
/** Equal stems are not enough: "university" and "universal" have one. A plural is. */
const sameForm = (a: string, b: string) => a.replace(/(?:'s|s'|es|s)$/, "") === b.replace(/(?:'s|s'|es|s)$/, "");

/** Little of the claim is in any quote. */
const isForeign = (claim: string, { text, terms }: Source) =>
  languageOf(claim) === languageOf(text) && coverage(contentTerms(claim), terms) < FOREIGN;

/** Shares of the claim's content terms. */
const FOREIGN = 0.25;
/** How many times as many words the sentence may have. */
const LITTLE_ELSE = 1.3;

const isSmall = ({ key }: Token) => SMALL_WORDS.has(key);

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
