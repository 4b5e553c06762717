import { standsInRows } from "../text/facts.js";
import { findQuote } from "../text/quotes.js";
import { settle } from "../text/support.js";
import type { CheckedClaim, DraftClaim } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";

/** A claim after the checks that code can make. `inDoubt` is true where those do not settle it. */
export type SettledClaim = CheckedClaim & { inDoubt: boolean };

/**
 * Checks one claim by code alone: its quotes are looked up in the evidence they name, and the claim is held against
 * those that were found. A claim without a quote that is found is unsupported, whatever it says. What is quoted of a
 * graph's fact has to stand in the rows it was made from as well.
 */
export function checkClaim(claim: DraftClaim, evidence: readonly Evidence[]): SettledClaim {
  const quotes = claim.citations.flatMap(({ evidenceId, quote }) => {
    const piece = evidence.find(({ id }) => id === evidenceId);
    const span = piece && findQuote(piece.text, quote);
    if (!piece || !span) return [];
    const words = piece.text.slice(span.start, span.end);
    return !piece.provenance || standsInRows(words, piece.provenance) ? [{ ...span, evidenceId, quote: words }] : [];
  });
  const checked = { text: claim.text, quotes };
  if (quotes.length === 0)
    return { ...checked, verdict: "unsupported", reason: "Its quote does not stand in the source.", inDoubt: false };
  const { verdict, reason } = settle(
    claim.text,
    quotes.map((quote) => quote.quote),
  );
  if (verdict === "doubtful") return { ...checked, verdict: "unsupported", reason, inDoubt: true };
  return { ...checked, verdict, reason, inDoubt: false };
}
