import { negations } from "../../../text/negation.js";
import { quantities, stated } from "../../../text/numbers.js";
import { sentences } from "../../../text/sentences.js";
import { coverage, inverseFrequency } from "../../../text/similarity.js";
import { terms } from "../../../text/tokens.js";
import type { Evidence, Span } from "../../../types/evidence.js";
import { hasKind } from "./answer-kinds.js";
import { looseTerms } from "./loose.js";
import { isOnOther } from "./on-other.js";
import type { Question } from "./question.js";
import { asks, stating } from "./states.js";

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
  /** It is no answer by itself: it states nothing, denies what is asked, repeats the question, or is about something else. */
  silent: boolean;
  /** It cannot be the whole answer, whatever it shares with the question: its passage lacks a name or an amount, or all that is asked of the names. */
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
    sentences: read(text, section, question),
  }));
  const rarity = inverseFrequency(pieces.flatMap((piece) => piece.sentences.map((sentence) => sentence.terms)));
  const share = (term: string) => question.weight.get(term) ?? 1;
  const weight = (term: string) => share(term) * (COMMON + rarity(term));

  return pieces.flatMap((piece, index) => {
    const whole = new Set([piece.heading, ...piece.sentences].flatMap(({ loose }) => loose));
    const amounts = question.amounts.length === 0 ? [] : quantities(piece.text);
    const amountsMissing = shareOf(question.amounts, (amount) => stated(amount, amounts) === "no");
    const namesMissing = question.names.some((name) => looseTerms(name).some((term) => !whole.has(term)));
    return piece.sentences.map((sentence, i): Match => {
      const near = [piece.heading, ...piece.sentences.slice(Math.max(0, i - 1), i + 2)];
      const { isAsked } = sentence;
      const denied = isDenied(question, sentence.text);
      const turned = denied || isOpposed(question, sentence.text);
      const nearby = new Set(near.flatMap(({ loose }) => loose));
      return {
        piece: index,
        start: sentence.start,
        end: sentence.end,
        near: coverage(question.loose, nearby, share),
        silent:
          !sentence.states ||
          (!isAsked && (denied || isOnOther(question, sentence.text) || saysNoMore(question, sentence))),
        besides: namesMissing || amountsMissing > 0 || (!isAsked && (turned || isOnNamesAlone(question, nearby))),
        features: {
          covered: isAsked ? 1 : coverage(question.loose, new Set(sentence.loose), share),
          rareNear: isAsked ? 1 : coverage(question.terms, new Set(near.flatMap((part) => part.terms)), weight),
          amountsMissing,
          kindMissing: !isAsked && hasKind(question.type, sentence.text, question.text) === false ? 1 : 0,
          turned: !isAsked && turned ? 1 : 0,
          long: Math.min(1, Math.log1p(question.terms.length) / Math.log1p(LONGEST)),
        },
      };
    });
  });
}

/** What a term counts that every sentence has; one that no sentence has counts about as much as the logarithm of their number. */
const COMMON = 0.2;

const LONGEST = 30;

const shareOf = <T>(items: readonly T[], is: (item: T) => boolean) =>
  items.length === 0 ? 0 : items.filter(is).length / items.length;

/** The sentences of a text, each with whether it states something, and whether the heading above it is the question. */
function read(text: string, section: string, question: Question) {
  const all = sentences(text);
  const states = stating(text, all);
  let heading = section.split(" › ").at(-1) ?? "";
  return all.map((span, i) => {
    const words = text.slice(span.start, span.end);
    if (span.kind === "heading" || asks(words)) heading = words;
    const isAsked = states[i] === true && question.isAskedBy(heading);
    return { ...span, text: words, terms: terms(words), loose: looseTerms(words), states: states[i] === true, isAsked };
  });
}

/** It has no word that the question has not. To a question for yes or no that is an answer, and a list may follow it. */
const saysNoMore = ({ type, loose }: Question, sentence: { text: string; loose: readonly string[] }) =>
  type !== "yesno" && !/[:：]\s*$/.test(sentence.text) && sentence.loose.every((term) => loose.includes(term));

/** What is asked of the names is named nowhere near. */
function isOnNamesAlone({ loose, names }: Question, nearby: ReadonlySet<string>): boolean {
  const named = new Set(names.flatMap(looseTerms));
  const asked = loose.filter((term) => !named.has(term));
  return named.size > 0 && asked.length > 0 && !asked.some((term) => nearby.has(term));
}

/** "Is it allowed?" is answered by a denial as well as by an affirmation. */
const isDenied = ({ type, negated, denied }: Question, text: string) =>
  type !== "yesno" && ((negated && negations(text) === 0) || denied(text));

const isOpposed = ({ type, opposed }: Question, text: string) => type !== "yesno" && opposed(text) !== undefined;
