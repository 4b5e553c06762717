import type { CheckedClaim } from "../../types/answer.js";
import type { Decision } from "../../types/events.js";
import { en, type Messages } from "./en.js";
import type { AnyReason } from "./terms.js";
import { zh } from "./zh.js";

/** The languages that emend speaks, by their tags: a file each. The page offers them in this order. */
export const SPOKEN: Readonly<Record<string, Messages>> = { en, zh };

/** Returns emend's own words for a reader of this language; in English if emend does not speak it. */
export const messagesIn = (language: string): Messages => SPOKEN[language] ?? en;

/** Says why a step is followed by the next one, or why a claim has its verdict; in English for other languages. */
export function reasonInWords(
  one: Pick<Decision, "reason" | "to"> | Pick<CheckedClaim, "reason">,
  language: string,
): string {
  const { reason } = one;
  // The function for a code takes the reasons with that code.
  const sentence = messagesIn(language).reasons[reason.code] as string | ((reason: AnyReason, to: string) => string);
  return typeof sentence === "string" ? sentence : sentence(reason, "to" in one ? one.to : "");
}

/** Adds to the claims of a checked text their reasons in words, for clients that have no sentences for the codes. */
export const withReasonsInWords = <T extends { claims: readonly Partial<Pick<CheckedClaim, "reason">>[] }>(
  checked: T,
  language: string,
) => ({
  ...checked,
  claims: checked.claims.map((claim) => {
    const { reason } = claim;
    return reason ? { ...claim, reasonInWords: reasonInWords({ reason }, language) } : claim;
  }),
});
