import { differInAmount, valueIn } from "../facts/disagree.js";
import { orders } from "../text/orders.js";
import { outlineOf } from "../text/outline.js";
import { findQuote } from "../text/quotes.js";
import { overlap } from "../text/spans.js";
import { plainWithoutMarks } from "../text/tokens.js";
import type { CheckedClaim } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";

/** Two claims that cannot both hold, as indices; `newer` has the newer source. */
interface Conflict {
  newer: number;
  older: number;
}

/**
 * Adds to the claims of an answer the sentences of other sources that contradict them, word for word. Finds only what
 * code can be sure of: another amount in nearly the same words, or another value for a relation that has only one value
 * in the graph.
 */
export function withConflicts(claims: readonly CheckedClaim[], evidence: readonly Evidence[]) {
  const all = [...claims];
  const conflicts: Conflict[] = [];
  for (const claim of claims) {
    const own = evidence.filter(({ id }) => claim.quotes.some((quote) => quote.evidenceId === id));
    const against = evidence.filter((piece) =>
      own.every((mine) => mine.uri !== piece.uri || mine.source !== piece.source),
    );
    const other = against.map((piece) => contradicting(claim, own, piece)).find((found) => found !== undefined);
    if (!other) continue;
    const known = all.findIndex(({ text }) => text === other.text);
    const at = known >= 0 ? known : all.push(other) - 1;
    const mine = all.indexOf(claim);
    if (conflicts.some((seen) => [seen.newer, seen.older].every((i) => i === at || i === mine))) continue;
    const isNewer = dateOf(other, evidence) > dateOf(claim, evidence);
    conflicts.push(isNewer ? { newer: at, older: mine } : { newer: mine, older: at });
  }
  return { claims: all, conflicts };
}

function contradicting(claim: CheckedClaim, own: readonly Evidence[], piece: Evidence): CheckedClaim | undefined {
  const ordered = orders(piece.text);
  const said = outlineOf(piece.text)
    .filter((unit) => unit.kind !== "heading" && unit.kind !== "code" && !ordered.some((order) => overlap(order, unit)))
    .map((unit) => unit.text)
    .find((sentence) => differ(claim.text, sentence, [...own, piece]));
  const span = said === undefined ? undefined : findQuote(piece.text, said);
  if (said === undefined || !span) return undefined;
  const quote = piece.text.slice(span.start, span.end);
  const quotes = [{ ...span, evidenceId: piece.id, quote }];
  return { text: quote, verdict: "supported", reason: { code: "stated" }, quotes };
}

function differ(claim: string, sentence: string, pieces: readonly Evidence[]): boolean {
  if (differInAmount(claim, sentence)) return true;
  return pieces.some(({ fact }) => {
    if (fact?.direction !== "out" || fact.total !== 1) return false;
    const [here, there] = [valueIn(claim, fact), valueIn(sentence, fact)];
    return here !== undefined && there !== undefined && !sameValue(here, there);
  });
}

/** Also true for "Ann Lee" and "Ann Lee, head of Sales". */
const sameValue = (a: string, b: string) => {
  const [one, other] = [plainWithoutMarks(a), plainWithoutMarks(b)];
  return one.includes(other) || other.includes(one);
};

function dateOf(claim: CheckedClaim, evidence: readonly Evidence[]): string {
  const { reviewedAt = "", validFrom = "" } = evidence.find(({ id }) => id === claim.quotes[0]?.evidenceId) ?? {};
  return [reviewedAt, validFrom].toSorted().at(-1) ?? "";
}
