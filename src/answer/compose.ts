import { inert } from "../citing/inert.js";
import { numbersOf } from "../citing/markers.js";
import { wordsAndCode } from "../text/blocks.js";
import { languageOf } from "../text/language.js";
import type {
  Answer,
  CheckedClaim,
  Citing,
  Claim,
  Intent,
  LeftOut,
  Misspelt,
  Nearest,
  Query,
  Reference,
} from "../types/answer.js";
import type { Evidence, Language } from "../types/evidence.js";
import { placeOf } from "./citations.js";
import { phrases, type SourceKind } from "./phrases.js";
import type { Searched } from "./searched.js";

/**
 * Writes an answer: steps as a numbered list, comparisons and claims that are no sentences (a table's row) as bullets,
 * anything else as running text; then what is open, and which words were read as others. Has markers unless the style of
 * citing is `sources`.
 */
export function composeAnswer(answer: Composed, intent: Intent, language: Language, citing: Citing = "quote"): string {
  const { claims, missing, misspelt = [], unread = [], foreign = [] } = answer;
  const say = phrases(language);
  const sentences = claims.map((claim) =>
    withCitationMarkers(citing === "sources" ? { ...claim, citations: [] } : claim),
  );
  const body = () => {
    if (claims.length < 2) return sentences.join("");
    if (intent === "steps") return sentences.map((sentence, i) => `${i + 1}. ${sentence}`).join("\n");
    if (intent === "comparison" || !claims.every(isSentence)) return sentences.map((s) => `- ${s}`).join("\n");
    return sentences.reduce((text, sentence) => text + gapBefore(sentence, language) + sentence);
  };
  const open = missing ? [say.open(inert(missing))] : [];
  const notes = [...composeDisagreements(answer, language), ...composeStale(answer, language)];
  const paragraphs = [body(), say.foreign(foreign), ...notes, ...open, say.readAs(misspelt), say.notRead(unread)];
  return paragraphs.filter((paragraph) => paragraph !== "").join("\n\n");
}

type Composed = Pick<
  Answer,
  "claims" | "references" | "disagreements" | "missing" | "misspelt" | "unread" | "stale"
> & {
  foreign?: readonly Foreign[];
};

/** A source in another language than the question. `number` is absent where the answer rests on sources in that language alone. */
export interface Foreign {
  number?: number;
  language: Language;
}

/**
 * Returns the sources in another language than the question: each of them, or one for all where all are in one. A source whose
 * quotes are in the question's language is none, whatever the rest of it is in.
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

/** Writes one sentence for each pair of sources that disagree, the newer one first. */
export function composeDisagreements(
  { references, disagreements }: Pick<Composed, "references" | "disagreements">,
  language: Language,
): string[] {
  return disagreements.map(({ newer, older }) =>
    phrases(language).disagree(dated(newer, references), dated(older, references)),
  );
}

/** Writes a sentence that names the old sources that the answer rests on; none if there are none. */
export const composeStale = (
  { references, stale = [] }: Pick<Composed, "references" | "stale">,
  language: Language,
): string[] => {
  const old = stale.map((number) => dated(number, references));
  return old.length > 0 ? [phrases(language).stale(old, old.length === references.length)] : [];
};

/** Returns a reference with its date: since when it holds, if that is later than its last review. */
function dated(number: number, references: readonly Reference[]) {
  const { date = "", validFrom = "" } = references.find((reference) => reference.number === number) ?? {};
  // A date with a time is when the source was retrieved.
  const reviewed = date.length > "2026-01-31".length ? "" : date;
  return { number, date: inert([reviewed, validFrom].toSorted().at(-1) ?? "") };
}

/** True if a claim can stand in running text. */
export const isSentence = ({ text }: Claim) => SENTENCE_END.test(text);

const SENTENCE_END = /[.!?…。！？][”"』」’')）]*$/u;

/**
 * Writes a refusal: where emend looked, what it could not search, why the run ended, misspelt words, the queries, what is
 * missing, what would help, and below that the nearest passages, one a line.
 */
export function composeRefusal(
  {
    queries,
    places,
    failed = [],
    why = "",
    misspelt = [],
    unread = [],
    leftOut = [],
    missing,
    remedies,
    nearest = [],
  }: Refusal,
  language: Language,
): string {
  const say = phrases(language);
  const sentences = [
    say.cannotAnswer(places),
    inert(say.notSearched(failed)),
    why,
    say.readAs(misspelt),
    say.notRead(unread),
    inert(say.leftOut(leftOut)),
    say.lookedFor(queries.map((q) => inert(q.text))),
    say.missing(inert(missing)),
    ...remedies,
  ];
  const text = sentences.filter((sentence) => sentence !== "").join(language === "zh" ? "" : " ");
  if (nearest.length === 0) return text;
  const lines = nearest.map((passage) => `- ${sourceLine(passage)}: “${inert(cutOff(wordsOf(passage.quote)))}”`);
  return `${text}\n\n${say.nearest}\n${lines.join("\n")}`;
}

/** The words of a quote, with its cells apart, without the marks of headings and tables. */
const wordsOf = (quote: string) =>
  wordsAndCode(
    quote
      .replace(/^#{1,6}[ \t]+|^[ \t|:]*--[-|: \t]*$|^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$/gm, "")
      .replace(/[ \t]*\|[ \t]*/g, " · "),
  );

/** Marks what does not end a sentence as cut off. */
const cutOff = (quote: string) => (SENTENCE_END.test(quote) ? quote : `${quote} …`);

const sourceLine = ({ title, section, uri }: Pick<Reference, "title" | "section" | "uri">) => {
  const place = inert(placeOf(title, section));
  return place === "" ? inert(uri) : `${place} (${inert(uri)})`;
};

interface Refusal {
  queries: readonly Query[];
  places: readonly SourceKind[];
  failed?: Searched["failed"];
  why?: string;
  misspelt?: readonly Misspelt[] | undefined;
  unread?: readonly string[];
  leftOut?: readonly LeftOut[];
  missing: string;
  remedies: readonly string[];
  nearest?: readonly Nearest[];
}

/** Numbers the sources of claims from 1 in order of appearance. */
export function numberSources(checked: readonly CheckedClaim[], evidence: readonly Evidence[]) {
  const numbers = numbersOf(checked.flatMap(({ quotes }) => quotes));
  const claims: Claim[] = checked.map(({ text, verdict, probability, quotes }) => ({
    text,
    support: verdict,
    ...(probability !== undefined && { probability }),
    citations: quotes.map(({ evidenceId, ...quoted }) => ({ ...quoted, reference: numbers.get(evidenceId) ?? 0 })),
  }));
  const references = [...numbers].flatMap(([evidenceId, number]): Reference[] => {
    const piece = evidence.find((candidate) => candidate.id === evidenceId);
    if (!piece) return [];
    const { source, title, uri, section, reviewedAt, retrievedAt, provenance, preview } = piece;
    const { validFrom, validUntil, alsoIn } = piece;
    const valid = { ...(validFrom && { validFrom }), ...(validUntil && { validUntil }) };
    const shown = { source, title, uri, section, date: reviewedAt || retrievedAt, ...valid, ...(alsoIn && { alsoIn }) };
    return [{ number, evidenceId, ...shown, ...(provenance && { provenance }), ...(preview && { preview }) }];
  });
  return { claims, references };
}

/**
 * Writes a claim with its markers before the final mark: "Two days [1]." and "两天[1]。"; a likely one as "Two days [1]
 * (likely)." The text is sanitised.
 */
export function withCitationMarkers({ text, citations, support }: Claim): string {
  const numbers = [...new Set(citations.map((citation) => citation.reference))];
  const markers = numbers.map((number) => `[${number}]`).join("");
  const [, body = "", end = ""] = /^([\s\S]*?)([.!?。！？]*)$/u.exec(inert(text)) ?? [];
  const chinese = /\p{Script=Han}[”」』）]?$/u.test(body);
  const likely = support !== "likely" ? "" : chinese ? "（很可能）" : markers ? " (likely)" : "(likely)";
  return markers || likely ? `${body}${chinese ? "" : " "}${markers}${likely}${end}` : `${body}${end}`;
}

/** Returns what separates a sentence from the one before it. A bracket right behind a marker would make it a link. */
export const gapBefore = (sentence: string, language: Language) =>
  language === "zh" && !/^[([:⁰¹²³⁴-⁹]/.test(sentence) ? "" : " ";
