import { inert } from "../citing/inert.js";
import type { Citing } from "../citing/style.js";
import type { Answer, CheckedClaim, Claim, Intent, Nearest, Query, Reference } from "../types/answer.js";
import type { Evidence, Language } from "../types/evidence.js";
import { type Place, phrases } from "./phrases.js";
import type { Searched } from "./searched.js";

/**
 * The answer as text: steps as a numbered list, a comparison and what is no sentence (a table's row) as points, anything
 * else as running sentences; then what stays open. With markers, unless the style of citing is to list sources alone.
 */
export function composeAnswer(answer: Composed, intent: Intent, language: Language, citing: Citing = "quote"): string {
  const { claims, missing } = answer;
  const sentences = claims.map((claim) => marked(citing === "sources" ? { ...claim, citations: [] } : claim));
  const isProse = intent !== "comparison" && claims.every(isSentence);
  const body = () => {
    if (claims.length < 2) return sentences.join("");
    if (intent === "steps") return sentences.map((sentence, i) => `${i + 1}. ${sentence}`).join("\n");
    return isProse
      ? sentences.reduce((text, sentence) => text + gapBefore(sentence, language) + sentence)
      : sentences.map((s) => `- ${s}`).join("\n");
  };
  const rest = [
    ...composeDisagreements(answer, language),
    ...(missing ? [phrases(language).open(inert(missing))] : []),
  ];
  return [body(), ...rest].join("\n\n");
}

type Composed = Pick<Answer, "claims" | "references" | "disagreements" | "missing">;

/** What the sources say differently, one sentence a pair, the newer one first. */
export function composeDisagreements(
  { references, disagreements }: Pick<Composed, "references" | "disagreements">,
  language: Language,
): string[] {
  const dated = (number: number) => ({
    number,
    date: inert(ownDate(references.find((r) => r.number === number)?.date)),
  });
  return disagreements.map(({ newer, older }) => phrases(language).disagree(dated(newer), dated(older)));
}

/** A date with a time is when the source was looked at, and no date of its own. */
const ownDate = (date = "") => (date.length > "2026-01-31".length ? "" : date);

/** Whether a claim can stand in running text. */
export const isSentence = ({ text }: Claim) => SENTENCE_END.test(text);

const SENTENCE_END = /[.!?…。！？][”"』」’')）]*$/u;

/**
 * A refusal says where was looked and what could not be searched, why the run ended, what was looked for, what is missing
 * and what would help; and below what was found nearest, a line each.
 */
export function composeRefusal(
  { queries, places, failed = [], why = "", missing, remedies, nearest = [] }: Refusal,
  language: Language,
): string {
  const say = phrases(language);
  const sentences = [
    say.cannotAnswer(places),
    inert(say.notSearched(failed)),
    why,
    say.lookedFor(queries.map((q) => inert(q.text))),
    say.missing(inert(missing)),
    ...(remedies.length > 0 ? [say.wouldHelp(remedies)] : []),
  ];
  const text = sentences.filter((sentence) => sentence !== "").join(language === "zh" ? "" : " ");
  if (nearest.length === 0) return text;
  const lines = nearest.map(({ title, section, uri, quote }) => {
    const place = [title, section].filter(Boolean).join(" › ");
    return `- ${onOneLine(place)} (${onOneLine(uri)}): “${onOneLine(quote)}”`;
  });
  return `${text}\n\n${say.nearest}\n${lines.join("\n")}`;
}

const onOneLine = (text: string) => inert(text.replace(/\s+/g, " ").trim());

interface Refusal {
  queries: readonly Query[];
  places: readonly Place[];
  failed?: Searched["failed"];
  why?: string;
  missing: string;
  remedies: readonly string[];
  nearest?: readonly Nearest[];
}

/** The sources as lines under an answer, for a reader who sees nothing but the message. */
export function composeSources(references: readonly Reference[], language: Language): string {
  if (references.length === 0) return "";
  const lines = references.map(({ number, title, section, uri }) => {
    const place = inert([title, section].filter(Boolean).join(" › "));
    return `[${number}] ${place} (${inert(uri)})`;
  });
  return `\n\n${phrases(language).sources}\n${lines.join("\n")}`;
}

/** Numbers the sources of supported claims from 1, densely, in order of appearance. */
export function numberSources(checked: readonly CheckedClaim[], evidence: readonly Evidence[]) {
  const numbers = new Map<string, number>();
  const claims: Claim[] = checked.map(({ text, verdict, probability, quotes }) => ({
    text,
    support: verdict,
    ...(probability !== undefined && { probability }),
    citations: quotes.map(({ evidenceId, ...quoted }) => {
      const reference = numbers.get(evidenceId) ?? numbers.size + 1;
      numbers.set(evidenceId, reference);
      return { ...quoted, reference };
    }),
  }));
  const references = [...numbers].flatMap(([evidenceId, number]): Reference[] => {
    const piece = evidence.find((candidate) => candidate.id === evidenceId);
    if (!piece) return [];
    const { source, title, uri, section, reviewedAt, retrievedAt, provenance, preview } = piece;
    const date = reviewedAt || retrievedAt;
    return [
      {
        number,
        evidenceId,
        source,
        title,
        uri,
        section,
        date,
        ...(provenance && { provenance }),
        ...(preview && { preview }),
      },
    ];
  });
  return { claims, references };
}

/**
 * The claim's text with its markers, set before the mark that ends the sentence: "Two days [1]." and "两天[1]。", and a word
 * where it is no more than likely: "Two days [1] (likely)." Nothing of it works as a link, an image or a tag.
 */
export function marked({ text, citations, support }: Claim): string {
  const numbers = [...new Set(citations.map((citation) => citation.reference))];
  const markers = numbers.map((number) => `[${number}]`).join("");
  const [, body = "", end = ""] = /^([\s\S]*?)([.!?。！？]*)$/u.exec(inert(text)) ?? [];
  const chinese = /\p{Script=Han}[”」』）]?$/u.test(body);
  const likely = support !== "likely" ? "" : chinese ? "（很可能）" : markers ? " (likely)" : "(likely)";
  return markers || likely ? `${body}${chinese ? "" : " "}${markers}${likely}${end}` : `${body}${end}`;
}

/** What stands before a sentence in running text. Behind a marker, a bracket would make a link of it. */
export const gapBefore = (sentence: string, language: Language) =>
  language === "zh" && !/^[([:⁰¹²³⁴-⁹]/.test(sentence) ? "" : " ";
