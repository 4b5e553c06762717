import type { Decision, Reason } from "../../types/events.js";
import { en, type Messages } from "./en.js";
import { zh } from "./zh.js";

/** The languages that emend speaks, by their tags: a file each. The page offers them in this order. */
export const SPOKEN: Readonly<Record<string, Messages>> = { en, zh };

/** Returns emend's own words for a reader of this language; English where there are none. */
export const messagesIn = (language: string): Messages => SPOKEN[language] ?? en;

/** Says why a step is followed by the next. */
export function reasonInWords({ reason, to }: Pick<Decision, "reason" | "to">, language: string): string {
  // Each code has the function for it.
  const sentence = messagesIn(language).reasons[reason.code] as string | ((reason: Reason, to: string) => string);
  return typeof sentence === "string" ? sentence : sentence(reason, to);
}
