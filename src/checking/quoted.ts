import { findQuote } from "../language/quotes.js";
import { standsInRows } from "../tools/knowledge/facts.js";
import type { CheckedClaim, DraftClaim } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";

/**
 * The quotes of a claim as they stand in the evidence they name, in the source's own characters; those that do not are
 * left out. What is quoted of a graph's fact has to stand in the rows it was made from as well.
 */
export function quoted({ citations }: DraftClaim, evidence: readonly Evidence[]): CheckedClaim["quotes"] {
  return citations.flatMap(({ evidenceId, quote, start }) => {
    const piece = evidence.find(({ id }) => id === evidenceId);
    const stands = start !== undefined && piece?.text.startsWith(quote, start);
    const span = stands ? { start, end: start + quote.length } : piece && findQuote(piece.text, quote);
    if (!piece || !span) return [];
    const words = piece.text.slice(span.start, span.end);
    return !piece.provenance || standsInRows(words, piece.provenance) ? [{ ...span, evidenceId, quote: words }] : [];
  });
}
