import { inert } from "../text/inert.js";
import type { CheckedClaim, Claim, Reference } from "../types/answer.js";
import type { Evidence, Language } from "../types/evidence.js";

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
