import { gapBefore, isSentence, marked } from "../answer/compose.js";
import type { Claim, Intent } from "../types/answer.js";
import type { Language } from "../types/evidence.js";

/**
 * Claims as a text that another claim only adds to, unlike the finished answer, whose form depends on all of them:
 * numbered steps, points, or running sentences that points may follow.
 */
export function growing(claims: readonly Claim[], intent: Intent, language: Language): string {
  if (claims.length === 1) return claims.map(marked).join("");
  let text = "";
  let isList = false;
  for (const [i, claim] of claims.entries()) {
    isList ||= startsList(claim, intent);
    const mark = intent === "steps" ? `${i + 1}. ` : "- ";
    const sentence = marked(claim);
    const between = i === 0 ? "" : isList ? "\n" : gapBefore(sentence, language);
    text += `${between}${isList ? mark : ""}${sentence}`;
  }
  return text;
}

export const startsList = (claim: Claim, intent: Intent) =>
  intent === "steps" || intent === "comparison" || !isSentence(claim);
