import { differInAmount, valueIn } from "../facts/disagree.js";
import { sayable } from "../reading/reading.js";
import { aboutSibling, areSiblings } from "../reading/siblings.js";
import { type Unit, unitsOf } from "../reading/units.js";
import { languageOf } from "../text/language.js";
import { findQuote } from "../text/quotes.js";
import { plainWithoutMarks } from "../text/tokens.js";
import type { Answer, CheckedClaim, Claim, Reference } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";
import type { Language } from "../types/language.js";

// What an answer warns of: sources that disagree, are old, or are in another language.

/** Two claims that cannot both hold, as indices; `newer` has the newer source. */
interface Conflict {
  newer: number;
  older: number;
}

/**
 * Adds to the claims of an answer the sentences of other sources that contradict them, word for word. Finds only what
 * code can be sure of: another amount in nearly the same words, or another value for a relation that has only one value
 * in the graph. A source about a sibling of what the question names is left out; if the question names neither, both are
 * shown, but they do not disagree.
 */
export function withConflicts(claims: readonly CheckedClaim[], evidence: readonly Evidence[], question = "") {
  const isOfSibling = aboutSibling(question, evidence);
  const all = [...claims];
  const conflicts: Conflict[] = [];
  for (const claim of claims) {
    const own = evidence.filter(({ id }) => claim.quotes.some((quote) => quote.evidenceId === id));
    const against = evidence.filter((piece) =>
      own.every((mine) => mine.uri !== piece.uri || mine.source !== piece.source),
    );
    const other = against
      .map((piece) => contradicting(claim, own, piece, isOfSibling))
      .find((found) => found !== undefined);
    if (!other) continue;
    const known = all.findIndex(({ text }) => text === other.text);
    const at = known >= 0 ? known : all.push(other) - 1;
    const mine = all.indexOf(claim);
    const theirs = evidence.find(({ id }) => other.quotes.some((quote) => quote.evidenceId === id));
    if (theirs && own.some((piece) => areSiblings(piece, theirs))) continue;
    if (conflicts.some((seen) => [seen.newer, seen.older].every((i) => i === at || i === mine))) continue;
    const isNewer = dateIn(other) > dateIn(claim);
    conflicts.push(isNewer ? { newer: at, older: mine } : { newer: mine, older: at });
  }
  return { claims: all, conflicts };

  function dateIn({ quotes: [quote] }: CheckedClaim): string {
    const { reviewedAt = "", validFrom } = evidence.find(({ id }) => id === quote?.evidenceId) ?? {};
    return dateOf({ date: reviewedAt, validFrom });
  }
}

function contradicting(
  claim: CheckedClaim,
  own: readonly Evidence[],
  piece: Evidence,
  isOfSibling: (unit: Unit) => boolean,
): CheckedClaim | undefined {
  const said = sayable(unitsOf(piece))
    .filter((unit) => unit.kind !== "code" && !isOfSibling(unit))
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

/**
 * Returns the numbers of the references of claims that cite only references older than this many days. Without a date,
 * a reference is never old.
 */
export function staleIn(
  claims: readonly Claim[],
  references: readonly Reference[],
  days: number,
  now = Date.now(),
): number[] {
  if (days === 0) return [];
  const limit = new Date(now - days * DAY).toISOString();
  const isOld = (number: number) => {
    const { date } = dated(number, references);
    return date !== "" && date < limit.slice(0, date.length);
  };
  const cited = claims.map(({ citations }) => citations.map(({ reference }) => reference));
  return [...new Set(cited.filter((numbers) => numbers.every(isOld)).flat())];
}

/** In milliseconds. */
const DAY = 86_400_000;

/** Returns a reference with its date; empty if it has none. */
export const dated = (number: number, references: readonly Reference[]) => ({
  number,
  date: dateOf(references.find((reference) => reference.number === number) ?? {}),
});

/**
 * The day of the last review of a source or, if later, the first day on which it is valid. A date with a time says when
 * the source was retrieved, so it does not count. Nor does anything else that is not an ISO date.
 */
const dateOf = ({ date = "", validFrom = "" }: { date?: string; validFrom?: string | undefined }): string =>
  [date, validFrom]
    .filter((one) => /^\d{4}-\d\d-\d\d$/.test(one))
    .toSorted()
    .at(-1) ?? "";

/**
 * A source in another language than the question. `number` is absent if all sources of the answer are in that language.
 */
export interface Foreign {
  number?: number;
  language: Language;
}

/**
 * Returns the sources in another language than the question: each of them, or one entry if all are in the same
 * language. A source whose quotes are in the question's language does not count, whatever language the rest of it is
 * in.
 */
export function foreignIn(
  { references, claims }: Pick<Answer, "references" | "claims">,
  evidence: readonly Evidence[],
  own: Language,
): Foreign[] {
  const sources = references.map(({ number, evidenceId }) => {
    const cited = claims.flatMap(({ citations }) => citations.filter(({ reference }) => reference === number));
    const isOwn = languageOf(cited.map(({ quote }) => quote).join(" ")) === own;
    const language = isOwn ? own : (evidence.find(({ id }) => id === evidenceId)?.language ?? own);
    return { number, language };
  });
  const [first, ...rest] = sources;
  if (first && first.language !== own && rest.every(({ language }) => language === first.language))
    return [{ language: first.language }];
  return sources.filter(({ language }) => language !== own);
}
