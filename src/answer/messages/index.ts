import type { Decision, Reason } from "../../types/events.js";
import { en, type Messages } from "./en.js";
import { zh } from "./zh.js";

/** The languages that emend speaks, by their tags: a file each. The page offers them in this order. */
export const SPOKEN: Readonly<Record<string, Messages>> = { en, zh };

/** Returns emend's own words for a reader of this language; in English if emend does not speak it. */
export const messagesIn = (language: string): Messages => SPOKEN[language] ?? en;

/** Says why a step is followed by the next one. */
export function reasonInWords({ reason, to }: Pick<Decision, "reason" | "to">, language: string): string {
  // The function for a code takes the reasons with that code.
  const sentence = messagesIn(language).reasons[reason.code] as string | ((reason: Reason, to: string) => string);
  return typeof sentence === "string" ? sentence : sentence(reason, to);
}
