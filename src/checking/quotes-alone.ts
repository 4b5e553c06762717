import { toError } from "../errors.js";
import { inAmountsOf } from "../facts/same-amounts.js";
import { headLine } from "../text/head-line.js";
import { linksAsWords } from "../text/markup.js";
import { outlineOf } from "../text/outline.js";
import { overlap } from "../text/spans.js";
import { CHECKING } from "../thresholds.js";
import type { Encoder } from "../tools/encoder/port.js";
import { type CheckedClaim, holds } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import { isTimeUp } from "../waiting.js";
import { checkStatements } from "./stages.js";

/**
 * Checks that the quotes shown support the claims by themselves. The encoder reads a quote in its context, so it may
 * find a claim supported by a sentence next to the quote. Such a claim gets that sentence as its quote; if no sentence
 * alone supports it, it is unsupported. Claims that code has proved need no such check.
 */
export async function verifyQuotesAlone(
  claims: readonly CheckedClaim[],
  evidence: readonly Evidence[],
  encoder: Encoder,
  call: Call,
): Promise<CheckedClaim[]> {
  try {
    const all: CheckedClaim[] = [];
    for (const claim of claims) {
      const isJudged = holds(claim) && claim.settledBy === "entailment";
      all.push(isJudged ? await oneQuoteAlone(claim, evidence, encoder, call.signal) : claim);
    }
    return all;
  } catch (error) {
    if (!isTimeUp(call.signal)) call.signal.throwIfAborted();
    call.fault(toError(error), "encoder");
    return [...claims];
  }
}

type Quotes = CheckedClaim["quotes"];

async function oneQuoteAlone(
  claim: CheckedClaim,
  evidence: readonly Evidence[],
  encoder: Encoder,
  signal: AbortSignal,
): Promise<CheckedClaim> {
  const support = async (some: readonly Quotes[]) => {
    const pairs = some.map((quotes) => {
      const passage = shown(quotes, evidence);
      return { text: inAmountsOf(linksAsWords(claim.text), passage).text, passage };
    });
    return (await encoder.judge(pairs, { signal })).map(({ supported }) => supported);
  };
  const [own = 0] = await support([claim.quotes]);
  if (own > CHECKING.even) return claim;
  const places = near(claim.quotes, evidence).filter((place) => {
    const { verdict } = checkStatements({ text: claim.text, quotes: [place] }, evidence);
    return verdict !== "unsupported" && verdict !== "contradicted";
  });
  const found = await support(places.map((place) => [place]));
  const best = found.reduce((a, value, i) => (value > (found[a] ?? 0) ? i : a), 0);
  const place = places[best];
  if (place && (found[best] ?? 0) > CHECKING.even) return { ...claim, quotes: [place] };
  return { ...claim, verdict: "unsupported", reason: { code: "quote_silent" } };
}

/** Quotes as a reader sees them, each under the title and headings of its source. */
const shown = (quotes: Quotes, evidence: readonly Evidence[]) =>
  quotes
    .map(({ evidenceId, quote }) => {
      const source = evidence.find(({ id }) => id === evidenceId);
      return [source && headLine(source), quote].filter(Boolean).join("\n");
    })
    .join("\n");

/** The sentences of the quoted sources that are not quoted. */
const near = (quotes: Quotes, evidence: readonly Evidence[]): Quotes =>
  evidence.flatMap(({ id: evidenceId, text }) => {
    const own = quotes.filter((quote) => quote.evidenceId === evidenceId);
    if (own.length === 0) return [];
    return outlineOf(text)
      .filter((sentence) => sentence.kind !== "heading" && !own.some((quote) => overlap(sentence, quote)))
      .slice(0, MAX_NEIGHBOURS)
      .map(({ start, end, text: quote }) => ({ evidenceId, start, end, quote }));
  });

/** No passage of a store has more sentences. */
const MAX_NEIGHBOURS = 30;
