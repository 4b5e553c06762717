import type { Claim, Intent, Query, Reference } from "../types/answer.js";
import type { Language } from "../types/evidence.js";
import { marked } from "./cite.js";
import { phrases } from "./phrases.js";

/**
 * The answer as text: steps as a numbered list, a comparison and what is no sentence (a table's row) as points, anything
 * else as running sentences; then what stays open.
 */
export function composeAnswer(claims: readonly Claim[], intent: Intent, language: Language, missing: string): string {
  const sentences = claims.map(marked);
  const isProse = intent !== "comparison" && claims.every(isSentence);
  const body = () => {
    if (claims.length < 2) return sentences.join("");
    if (intent === "steps") return sentences.map((sentence, i) => `${i + 1}. ${sentence}`).join("\n");
    return isProse ? sentences.join(language === "zh" ? "" : " ") : sentences.map((s) => `- ${s}`).join("\n");
  };
  return missing ? `${body()}\n\n${phrases(language).open(missing)}` : body();
}

/** Whether a claim can stand in running text. */
export const isSentence = ({ text }: Claim) => SENTENCE_END.test(text);

const SENTENCE_END = /[.!?…。！？][”"』」’')）]*$/u;

/** A refusal says what was looked for, what is missing and what would help. */
export function composeRefusal(queries: readonly Query[], language: Language, missing: string): string {
  const say = phrases(language);
  const sentences = [say.cannotAnswer, say.lookedFor(queries.map((q) => q.text)), say.missing(missing), say.wouldHelp];
  return sentences.join(language === "zh" ? "" : " ");
}

/** The sources as lines under an answer, for a reader who sees nothing but the message. */
export function composeSources(references: readonly Reference[], language: Language): string {
  if (references.length === 0) return "";
  const lines = references.map(({ number, title, section, uri }) => {
    const place = [title, section].filter(Boolean).join(" › ");
    return `[${number}] ${place} (${uri})`;
  });
  return `\n\n${phrases(language).sources}\n${lines.join("\n")}`;
}
