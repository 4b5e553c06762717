import type { DraftClaim } from "../../src/types/answer.js";
import { type Change, change, dates, numbers, type Place, units } from "./mutate-amounts.js";
import { reworded, shortened } from "./mutate-faithful.js";
import { changedName, type Donors, donorsOf, exchanged } from "./mutate-names.js";
import { hash, type Paragraph, pick, type Triple } from "./mutate-triples.js";
import { added, merged, negated, opposites, otherSentences } from "./mutate-words.js";

/** A claim made from a triple: as the source states it, or changed on purpose. */
export interface Case {
  id: string;
  kind: Kind;
  /** What was changed, in words. */
  how: string;
  language: "en" | "zh";
  half: Triple["half"];
  claim: DraftClaim;
  /** The paragraphs that the claim is checked against. */
  sources: readonly Paragraph[];
}

export const KINDS = [
  "number",
  "date",
  "unit",
  "name",
  "negation",
  "relation",
  "addition",
  "fabricated quote",
  "wrong source",
  "merged halves",
  "untouched",
  "untouched, shortened",
  "untouched, reworded",
] as const;
export type Kind = (typeof KINDS)[number];

/** The kinds whose claims are true. */
export const isUntouched = (kind: Kind) => kind.startsWith("untouched");

/** All cases that can be made from these triples; the same for the same triples and seed. */
export function casesOf(triples: readonly Triple[], seed: number): Case[] {
  const byLanguage = Map.groupBy(triples, ({ language }) => language);
  return [...byLanguage.values()].flatMap((some) => {
    const donors = donorsOf(some);
    return some.flatMap((triple) => ofTriple(triple, some, donors, String(seed)));
  });
}

function ofTriple(triple: Triple, all: readonly Triple[], donors: Donors, seed: string): Case[] {
  const { sentence, quote, paragraph } = triple;
  const as = (
    kind: Kind,
    how: string,
    text: string,
    quotes: readonly [Paragraph, string][] = [[paragraph, quote]],
  ): Case => ({
    id: `${triple.id} ${kind} ${how}`,
    kind,
    how,
    language: triple.language,
    half: triple.half,
    claim: { text, citations: quotes.map(([{ id }, words]) => ({ evidenceId: id, quote: words })) },
    sources: [...new Set([paragraph, ...quotes.map(([source]) => source)])],
  });
  const changed = (kind: Kind, changes: readonly Change[]) => changes.map(({ how, text }) => as(kind, how, text));
  const elsewhere = all.filter(
    ({ paragraph: other }) => other.article !== paragraph.article && !squeezed(other.text).includes(squeezed(quote)),
  );
  const source = pick(elsewhere, `${seed} source ${triple.id}`)?.paragraph;
  const halves = merged(triple, all, seed);
  return [
    as("untouched", "whole", sentence),
    ...changed("untouched, shortened", shortened(triple)),
    ...changed("untouched, reworded", reworded(triple)),
    ...changed("number", change("number", triple, numbers(triple), seed)),
    ...changed("date", change("date", triple, dates(triple), seed)),
    ...changed("unit", change("unit", triple, units(triple), seed)),
    ...changed("name", changedName(triple, donors, seed)),
    ...changed("negation", negated(triple, seed)),
    ...changed("relation", [...opposites(triple, seed), ...exchanged(triple, seed)]),
    ...changed("addition", added(triple, all, seed)),
    ...fabricated(triple, donors, seed).map(({ how, text }) =>
      as("fabricated quote", how, sentence, [[paragraph, text]]),
    ),
    ...fabricated(triple, donors, `${seed}+`)
      .slice(0, 1)
      .map(({ how, text }) => as("fabricated quote", `claim too, ${how}`, text, [[paragraph, text]])),
    // The source that has the quote is among the evidence too: naming another is still wrong.
    ...(source ? [as("wrong source", "of another article", sentence, [[source, quote]])] : []),
    ...(halves
      ? [
          as("merged halves", "quoting the first", halves.text),
          as("merged halves", "quoting the second", halves.text, [[halves.other.paragraph, halves.other.quote]]),
          as("merged halves", "quoting both", halves.text, [
            [paragraph, quote],
            [halves.other.paragraph, halves.other.quote],
          ]),
        ]
      : []),
  ];
}

/**
 * Quotes that the source does not have: a word, a number, a name or a denial changed, two places joined, halves
 * exchanged.
 */
function fabricated(triple: Triple, donors: Donors, seed: string): Change[] {
  const { language, sentence, paragraph, id } = triple;
  const swaps = [
    ...change("number", triple, [...numbers(triple), ...dates(triple)], `${seed} q`),
    ...changedName(triple, donors, `${seed} q`),
    ...negated(triple, `${seed} q`),
    ...opposites(triple, `${seed} q`),
    ...change("one word", triple, otherWords(triple), `${seed} q`),
  ];
  const other = pick(otherSentences(triple), `${seed} stitch ${id}`);
  const third = Math.floor(sentence.length / 3);
  const dots = language === "zh" ? "……" : hash(id) % 2 === 0 ? " ... " : " … ";
  const [from, to] =
    language === "en" ? [sentence.indexOf(" ", third), sentence.lastIndexOf(" ", 2 * third)] : [third, 2 * third];
  const made = [
    ...swaps,
    ...(from > 0 && to > from
      ? [{ how: "middle left out", text: `${sentence.slice(0, from)}${dots}${sentence.slice(to).trimStart()}` }]
      : []),
    ...(other
      ? [
          {
            how: "stitched from two sentences",
            text: `${sentence.slice(0, 2 * third)}${dots}${other.slice(Math.floor(other.length / 2))}`,
          },
        ]
      : []),
    ...(from > 0
      ? [
          {
            how: "halves exchanged",
            text: `${sentence.slice(from).replace(/[.。]$/, "")}${language === "en" ? " " : "，"}${sentence.slice(0, from)}`,
          },
        ]
      : []),
  ];
  return made.filter(({ text }) => !squeezed(paragraph.text).includes(squeezed(text)));
}

/** Letters and digits only, so that a change of punctuation alone does not count as made up. */
const squeezed = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** A longer word, or two characters, replaced by others from the same paragraph. */
function otherWords({ sentence, paragraph, language }: Triple): Place[] {
  const words = (text: string) => [...text.matchAll(language === "en" ? /\b[a-z]{5,}\b/g : /[\p{Script=Han}]{2}/gu)];
  const all = [...new Set(words(paragraph.text).map((match) => match[0]))].filter((word) => !sentence.includes(word));
  return words(sentence).map((match) => ({ at: match.index, old: match[0], others: all.slice(0, 8) }));
}
