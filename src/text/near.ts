import { type Alignment, align, type Token, tokensOf } from "./alignment.js";
import { type Quantity, quantities } from "./numbers.js";
import { remembered } from "./remembered.js";
import { sentences } from "./sentences.js";
import { coverage } from "./similarity.js";
import { contentTerms } from "./tokens.js";

/** What the quotes of a claim say, read once for all of its sentences. */
export interface Source {
  quotes: readonly string[];
  /** The quotes one below the other. */
  text: string;
  sentences: readonly SourceSentence[];
  quantities: readonly Quantity[];
}

interface SourceSentence {
  text: string;
  has: ReadonlySet<string>;
}

/** A sentence of the source that a claim can be laid along. */
export interface Near extends SourceSentence {
  /** The share of the claim's content terms that it has, in whatever order. */
  covered: number;
  tokens: readonly Token[];
  alignment: Alignment;
}

export function readSource(quotes: readonly string[]): Source {
  const read = quotes.flatMap(sentencesOf);
  return {
    quotes,
    text: quotes.join("\n"),
    sentences: read,
    quantities: [
      ...new Map(quotes.flatMap(quantities).map((amount) => [`${amount.key} ${amount.text}`, amount])).values(),
    ],
  };
}

const sentencesOf = remembered((quote): readonly SourceSentence[] =>
  sentences(quote).map(({ start, end }) => {
    const text = quote.slice(start, end);
    return { text, has: new Set(contentTerms(text)) };
  }),
);

/** The sentence of the source that the claim follows best, of the few that share the most words with it. */
export function nearest(wanted: readonly string[], tokens: readonly Token[], source: Source): Near | undefined {
  const close = source.sentences
    .map((sentence) => ({ ...sentence, covered: coverage(wanted, sentence.has) }))
    .filter(({ covered }) => covered > 0)
    .toSorted((a, b) => b.covered - a.covered)
    .slice(0, FEW);
  return close
    .flatMap((sentence): Near[] => {
      const theirs = tokensOf(sentence.text);
      const alignment = align(tokens, theirs);
      return alignment ? [{ ...sentence, tokens: theirs, alignment }] : [];
    })
    .reduce<Near | undefined>(
      (best, next) =>
        best && best.alignment.share + best.covered >= next.alignment.share + next.covered ? best : next,
      undefined,
    );
}

const FEW = 3;
