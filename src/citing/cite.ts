import { settle } from "../language/support.js";
import type { Citation } from "../types/answer.js";
import { type Attached, attacher } from "./attach.js";
import { claimsOf, type TextClaim } from "./claims.js";
import { fixedSpans } from "./fixed.js";
import { withoutMarkers } from "./markers.js";
import { placeOf, withMarkersAt } from "./place.js";
import type { Citable } from "./units.js";

/** Where a text's words may come from. Without an id it has its place among the sources, from "1". */
export interface TextSource {
  id?: string | undefined;
  title?: string | undefined;
  /** Where a reader finds it: a path, or an address. */
  uri?: string | undefined;
  text: string;
}

export interface CitedText {
  /** The text with its markers: [1][2]. Without them it is what was given, byte for byte. */
  text: string;
  /** The markers that were put in, as offsets into `text`. */
  markers: { start: number; end: number }[];
  /**
   * What the text states, in order, with the words of the sources that carry it. Offsets are into `bare`. Those without
   * citations have no marker: nothing was found to support them.
   */
  claims: (TextClaim & { citations: Citation[] })[];
  /** What is cited, numbered from 1 in order of appearance. */
  references: { number: number; id: string; title: string; uri: string }[];
  /** The text without the markers that stood in it before: they are replaced. */
  bare: string;
}

/**
 * Attaches citations to any text, Markdown or plain, English or Chinese: the sentences of the sources that carry each
 * sentence, list item and table row best, with markers put in. Markers that were there are replaced. What a
 * source comes near and contradicts, or has other numbers or names for, gets none; beyond that nothing is judged, and a
 * citation says where to look, not that it is so: see `verify`.
 */
export function cite(text: string, sources: readonly TextSource[]): CitedText {
  const bare = withoutMarkers(text);
  const named = sources.map((source, i): Citable & TextSource => ({
    ...source,
    id: source.id ?? `${i + 1}`,
    title: source.title ?? "",
  }));
  const find = attacher(named);
  const found = claimsOf(bare).map((claim) => ({
    ...claim,
    attached: states(claim) ? supporting(claim.text, find(claim.text)) : [],
  }));

  const numbers = numbersOf(found.flatMap(({ attached }) => attached));
  const claims = found.map(({ attached, ...claim }) => ({
    ...claim,
    citations: attached.map(({ evidenceId, ...quoted }) => ({ ...quoted, reference: numbers.get(evidenceId) ?? 0 })),
  }));
  const references = [...numbers].map(([id, number]) => {
    const { title = "", uri = "" } = named.find((source) => source.id === id) ?? {};
    return { number, id, title, uri };
  });
  const fixed = fixedSpans(bare);
  const marked = claims.flatMap(({ citations, ...span }) => {
    const mark = [...new Set(citations.map(({ reference }) => `[${reference}]`))].join("");
    return mark === "" ? [] : [{ place: placeOf(bare, span, fixed), mark }];
  });
  const { text: cited, spans } = withMarkersAt(bare, marked);
  return { text: cited, markers: spans, claims, references, bare };
}

/** What comes near and says otherwise, or has another number or name, supports nothing. */
function supporting(claim: string, attached: Attached[]): Attached[] {
  const quotes = attached.map(({ quote }) => quote);
  const { verdict } = settle(claim, quotes);
  return verdict === "supported" || verdict === "doubtful" ? attached : [];
}

const states = ({ kind }: TextClaim) => kind !== "question" && kind !== "lead";

/** Dense, from 1, in order of appearance. */
function numbersOf(attached: readonly Attached[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const { evidenceId } of attached) if (!numbers.has(evidenceId)) numbers.set(evidenceId, numbers.size + 1);
  return numbers;
}
