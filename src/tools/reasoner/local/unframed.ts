import { answerTypeOf } from "../../../text/intent.js";
import { languageOf } from "../../../text/language.js";
import { names } from "../../../text/names.js";
import { negations } from "../../../text/negation.js";
import { contentTerms } from "../../../text/tokens.js";
import type { Evidence, Language, Span } from "../../../types/evidence.js";

/**
 * The question without what only frames it: "BTW", "can you briefly tell me", 简单说一下. A frame is known by its place and not
 * by a list: it stands outside the words that ask, is shorter than they are, and holds no word that the evidence has, no name,
 * no number and no denial. A single word in front of a comma may even look like a name.
 */
export function unframed(question: string, evidence: readonly Pick<Evidence, "text" | "title" | "section">[]): string {
  const frame = frameOf(question, languageOf(question));
  if (frame.length === 0) return question;
  const known = new Set(evidence.flatMap(({ title, section, text }) => contentTerms(`${title} ${section}\n${text}`)));
  const isEmpty = (words: string) =>
    (LONE_WORD.test(words) || !mustStay(words)) && !contentTerms(words).some((term) => known.has(term));
  const kept = frame.reduceRight((rest, { start, end }) => {
    return isEmpty(question.slice(start, end)) ? `${rest.slice(0, start)} ${rest.slice(end)}` : rest;
  }, question);
  return contentTerms(kept).length > 0 ? kept.replace(/^[\s，,]+/u, "") : question;
}

const LONE_WORD = /^\s*(?:(?!\p{Script=Han})[\p{L}\p{N}])+\s*$/u;

const mustStay = (words: string) => /\p{N}/u.test(words) || negations(words) > 0 || names(words).length > 0;

/** The stretches outside the clause that asks; in English also what stands before its question word. None where nothing asks. */
function frameOf(question: string, language: Language): Span[] {
  const clauses = [...question.matchAll(CLAUSE)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    asks: language === "zh" ? answerTypeOf(match[0]) !== "unknown" : ASKS.test(match[0].trim()),
    word: language === "zh" ? -1 : match[0].search(QUESTION_WORD),
  }));
  if (!clauses.some(({ asks }) => asks)) return [];
  return clauses.flatMap(({ start, end, asks, word }) => {
    if (!asks) return [{ start, end }];
    return word > 0 && word < end - start - word ? [{ start, end: start + word }] : [];
  });
}

const CLAUSE = /[^，,；;：:。！!？?]+/gu;
const QUESTION_WORD = /\b(?:who|whom|whose|what|which|when|where|why|how)\b/i;
const ASKS = new RegExp(
  `${QUESTION_WORD.source}|^(?:is|are|was|were|do|does|did|has|have|had|can|could|may|might|will|would|should|must|am)\\b`,
  "i",
);
