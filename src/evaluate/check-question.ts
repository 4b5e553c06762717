import { languageOf } from "../text/language.js";
import { asks, sizeOf } from "../text/prose.js";
import { coverage } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import type { Documents } from "../tools/documents/port.js";
import { passageText } from "../tools/documents/terms.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { QuestionDraft } from "./draft-question.js";
import { overlapF1, says } from "./match.js";

/** Finds what is wrong with a drafted question by its words. Returns "" if nothing is. */
export function flawInWords({ kind, question, whole, answers, passages }: QuestionDraft): string {
  const language = passages[0]?.language;
  if (![question, whole].every(asks)) return "no question";
  if (POINTS.test(whole)) return "about the source, not about what it says";
  if (language !== "other" && languageOf(whole) !== language) return "in another language than its passage";
  if (kind === "follow-up" && new Set(contentTerms(whole)).isSubsetOf(new Set(contentTerms(question))))
    return "a follow-up that can be understood alone";
  const there = new Set(passages.flatMap((passage) => contentTerms(passageText(passage))));
  if (kind === "unanswerable" && coverage(contentTerms(whole), there) < NEAR) return "about something else";
  for (const [i, said] of answers.entries()) {
    const stands = passages.map(({ text }) => says(text, [said]));
    if (sizeOf(said) > MOST_WORDS) return "an answer of too many words";
    if (!stands[i]) return "an answer that is not in its passage";
    if (says(whole, [said])) return "a question that says its own answer";
    if (stands.filter(Boolean).length > 1) return "two parts that one passage answers";
  }
  return "";
}

/** A right answer has to contain all words of an expected answer, in order, so there must be few. */
const MOST_WORDS = 12;
/** The minimum share of an unanswerable question's words that its passage must have. */
const NEAR = 0.3;
const POINTS =
  /\b(?:the|this|that|these) (?:sources?|passages?|texts?|excerpts?)\b|(?:文中|本文|上文|原文|该文|这段|来源)/i;

/**
 * Finds what is wrong with a drafted question by how the encoder judges its passages, and those that a search finds.
 * Returns "" if nothing is.
 */
export async function flawInMeaning(
  { kind, whole, answers, passages }: QuestionDraft,
  { documents, encoder, signal }: { documents: Documents; encoder: Encoder; signal: AbortSignal },
): Promise<string> {
  const found = await documents.search({ text: whole }, SEARCHED, { signal });
  const others = found.filter(({ id }) => passages.every((passage) => passage.id !== id));
  const texts = [...passages, ...others].map(passageText);
  const each = await encoder.judge(
    texts.map((passage) => ({ text: whole, passage })),
    { signal },
  );
  const own = each.slice(0, passages.length);
  if (kind === "two passages") return own.some(({ relevance }) => relevance < EVEN) ? "not about its passages" : "";
  if (kind === "unanswerable")
    return each.some(({ answerability }) => answerability >= EVEN)
      ? "unanswerable, but some passage may answer it"
      : "";
  const { answerability = 0, span } = own[0] ?? {};
  const isOther =
    span && span.probability >= EVEN && overlapF1(texts[0]?.slice(span.start, span.end) ?? "", answers) === 0;
  if (answerability < EVEN || isOther) return "not answered by its passage";
  const isBetter = each.some((one, i) => one.answerability > answerability && !says(texts[i] ?? "", answers));
  return isBetter ? "answered better by another passage" : "";
}

/** Passages that are read for a question. */
const SEARCHED = 8;
const EVEN = 0.5;
