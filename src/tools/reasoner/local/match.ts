import { mentions } from "../../../text/names.js";
import { negations, opposed } from "../../../text/negation.js";
import { quantities, stated } from "../../../text/numbers.js";
import { sentences } from "../../../text/sentences.js";
import { coverage, inverseFrequency } from "../../../text/similarity.js";
import { contentTerms } from "../../../text/tokens.js";
import type { Evidence, Span } from "../../../types/evidence.js";
import { hasKind } from "./answer-kinds.js";
import type { Question } from "./question.js";

/** How one sentence of the evidence, with its surroundings, meets the question. Every feature is 0 to 1 unless said. */
export interface Match extends Span {
  /** Which piece of evidence. */
  piece: number;
  features: Record<Feature, number>;
  /** Terms of the question that the sentence has, and that it and its neighbours have. */
  near: ReadonlySet<string>;
}

export const FEATURES = [
  "covered",
  "coveredRare",
  "coveredNear",
  "coveredRareNear",
  "coveredPiece",
  "adjacent",
  "close",
  "namesMissing",
  "namesMissingPiece",
  "amountsMissing",
  "amountsMissingPiece",
  "kindFound",
  "kindMissing",
  "turned",
  "short",
] as const;
export type Feature = (typeof FEATURES)[number];

/** Every sentence of the evidence, in order, with how it meets the question. */
export function matches(
  question: Question,
  evidence: readonly Pick<Evidence, "text" | "title" | "section">[],
): Match[] {
  const pieces = evidence.map((piece) => ({
    ...piece,
    heading: `${piece.title} ${piece.section}`,
    sentences: sentences(piece.text).map((span) => {
      const text = piece.text.slice(span.start, span.end);
      return { ...span, text, terms: contentTerms(text) };
    }),
  }));
  const rarity = inverseFrequency(pieces.flatMap((piece) => piece.sentences.map((sentence) => sentence.terms)));
  const plainWeight = (term: string) => question.weight.get(term) ?? 1;
  const rareWeight = (term: string) => plainWeight(term) * (0.2 + rarity(term));

  return pieces.flatMap((piece, index) => {
    const headingTerms = contentTerms(piece.heading);
    const whole = new Set([...headingTerms, ...piece.sentences.flatMap((sentence) => sentence.terms)]);
    const pieceText = `${piece.heading}\n${piece.text}`;
    const pieceAmounts = quantities(pieceText);
    const namesMissingPiece = share(question.names, (name) => !mentions(pieceText, name));
    const amountsMissingPiece = share(question.amounts, (amount) => stated(amount, pieceAmounts) === "no");
    return piece.sentences.map((sentence, i): Match => {
      const has = new Set(sentence.terms);
      const around = piece.sentences.slice(Math.max(0, i - 1), i + 2);
      const near = new Set([...headingTerms, ...around.flatMap(({ terms }) => terms)]);
      const nearText = `${piece.heading}\n${around.map(({ text }) => text).join("\n")}`;
      const nearAmounts = quantities(nearText);
      const kind = hasKind(question.type, sentence.text, question.text);
      const covered = coverage(question.terms, has, plainWeight);
      return {
        piece: index,
        start: sentence.start,
        end: sentence.end,
        near,
        features: {
          covered,
          coveredRare: coverage(question.terms, has, rareWeight),
          coveredNear: coverage(question.terms, near, plainWeight),
          coveredRareNear: coverage(question.terms, near, rareWeight),
          coveredPiece: coverage(question.terms, whole, plainWeight),
          adjacent: adjacent(question.terms, sentence.terms),
          close: close(question.terms, sentence.terms),
          namesMissing: share(question.names, (name) => !mentions(nearText, name)),
          namesMissingPiece,
          amountsMissing: share(question.amounts, (amount) => stated(amount, nearAmounts) === "no"),
          amountsMissingPiece,
          kindFound: kind === true ? 1 : 0,
          kindMissing: kind === false ? 1 : 0,
          turned: turned(question, sentence.text) ? 1 : 0,
          short: 1 / (1 + sentence.terms.length / 10),
        },
      };
    });
  });
}

const share = <T>(items: readonly T[], is: (item: T) => boolean) =>
  items.length === 0 ? 0 : items.filter(is).length / items.length;

/** The share of neighbouring terms of the question that stand beside one another in the text too, in this order. */
function adjacent(wanted: readonly string[], terms: readonly string[]): number {
  if (wanted.length < 2) return 0;
  const places = Map.groupBy(
    terms.map((term, at) => ({ term, at })),
    ({ term }) => term,
  );
  const met = wanted
    .slice(1)
    .filter((term, i) =>
      (places.get(wanted[i] ?? "") ?? []).some(({ at }) => [1, 2].some((step) => terms[at + step] === term)),
    );
  return met.length / (wanted.length - 1);
}

/** How densely the found terms stand: their number over the shortest run of the text that holds them all. */
function close(wanted: readonly string[], terms: readonly string[]): number {
  const sought = new Set(wanted).intersection(new Set(terms));
  if (sought.size < 2) return 0;
  const held = new Map<string, number>();
  let from = 0;
  let shortest = terms.length;
  terms.forEach((term, to) => {
    if (!sought.has(term)) return;
    held.set(term, (held.get(term) ?? 0) + 1);
    while (held.size === sought.size) {
      shortest = Math.min(shortest, to - from + 1);
      const left = terms[from] ?? "";
      const count = held.get(left);
      if (count === 1) held.delete(left);
      else if (count !== undefined) held.set(left, count - 1);
      from += 1;
    }
  });
  return sought.size / shortest;
}

/** The sentence denies what the question takes for granted, or the other way round, or says the opposite of a word. */
function turned(question: Question, text: string): boolean {
  if (opposed(question.text, text)) return true;
  return question.negated !== negations(text) > 0 && (question.negated || question.type === "yesno");
}
