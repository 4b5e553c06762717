import { negations } from "../../../text/negation.js";
import { quantities, stated } from "../../../text/numbers.js";
import { sentences } from "../../../text/sentences.js";
import { coverage, inverseFrequency } from "../../../text/similarity.js";
import { terms } from "../../../text/tokens.js";
import type { Evidence, Span } from "../../../types/evidence.js";
import { hasKind } from "./answer-kinds.js";
import { looseTerms } from "./loose.js";
import type { Question } from "./question.js";

/** What tells how far a sentence bears on a question; each 0 to 1. */
export const FEATURES = [
  /** The share of the question's words, in their coarser form, that the sentence has. */
  "covered",
  /** The same for the sentence with its neighbours and the headings above it, in the stricter form, rare words counting for more. */
  "rareNear",
  /** The share of the question's amounts and dates that its passage lacks. */
  "amountsMissing",
  /** 1 where the question asks for a date, a number, a person, a place or a reason, and the sentence has none. */
  "kindMissing",
  /** 1 where the sentence affirms what the question denies, or says the opposite of one of its words. */
  "turned",
  /** How many words the question has, as a logarithm: the more, the fewer of them an answer repeats. */
  "long",
] as const;
export type Feature = (typeof FEATURES)[number];

/** How one sentence of the evidence, with its surroundings, meets a question. */
export interface Match extends Span {
  /** The position of its piece of evidence. */
  piece: number;
  features: Record<Feature, number>;
  /** The share of the question's words that it has together with its neighbours and headings. */
  near: number;
  /** It cannot be the answer whatever it shares with the question: turned, or its passage lacks a name or an amount. */
  besides: boolean;
}

/** Every sentence of the evidence, in order, with how it meets the question. */
export function matches(
  question: Question,
  evidence: readonly Pick<Evidence, "text" | "title" | "section">[],
): Match[] {
  const pieces = evidence.map(({ text, title, section }) => ({
    text: `${title} ${section}\n${text}`,
    heading: { terms: terms(`${title} ${section}`), loose: looseTerms(`${title} ${section}`) },
    sentences: sentences(text).map((span) => {
      const words = text.slice(span.start, span.end);
      return { ...span, text: words, terms: terms(words), loose: looseTerms(words) };
    }),
  }));
  const rarity = inverseFrequency(pieces.flatMap((piece) => piece.sentences.map((sentence) => sentence.terms)));
  const weight = (term: string) => (question.weight.get(term) ?? 1) * (COMMON + rarity(term));

  return pieces.flatMap((piece, index) => {
    const whole = new Set([piece.heading, ...piece.sentences].flatMap(({ loose }) => loose));
    const amounts = question.amounts.length === 0 ? [] : quantities(piece.text);
    const amountsMissing = share(question.amounts, (amount) => stated(amount, amounts) === "no");
    const namesMissing = question.names.some((name) => looseTerms(name).some((term) => !whole.has(term)));
    return piece.sentences.map((sentence, i): Match => {
      const near = [piece.heading, ...piece.sentences.slice(Math.max(0, i - 1), i + 2)];
      const turned = isTurned(question, sentence.text);
      return {
        piece: index,
        start: sentence.start,
        end: sentence.end,
        near: coverage(question.loose, new Set(near.flatMap(({ loose }) => loose))),
        besides: turned || namesMissing || amountsMissing > 0,
        features: {
          covered: coverage(question.loose, new Set(sentence.loose)),
          rareNear: coverage(question.terms, new Set(near.flatMap((part) => part.terms)), weight),
          amountsMissing,
          kindMissing: hasKind(question.type, sentence.text, question.text) === false ? 1 : 0,
          turned: turned ? 1 : 0,
          long: Math.min(1, Math.log1p(question.terms.length) / Math.log1p(LONGEST)),
        },
      };
    });
  });
}

/** What a term counts that every sentence has; one that no sentence has counts about as much as the logarithm of their number. */
const COMMON = 0.2;

const LONGEST = 30;

const share = <T>(items: readonly T[], is: (item: T) => boolean) =>
  items.length === 0 ? 0 : items.filter(is).length / items.length;

/** "Is it allowed?" is answered by a denial as well as by an affirmation. */
function isTurned(question: Question, text: string): boolean {
  if (question.type === "yesno") return false;
  return (question.negated && negations(text) === 0) || question.opposed(text) !== undefined;
}
