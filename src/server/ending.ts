import { z } from "zod";
import { outlineOf } from "../text/outline.js";
import { tokensIn } from "../text/token-count.js";

/** Where a client wants a text to end. */
export interface Ending {
  /** Words that must not appear in it. */
  stop: readonly string[];
  /** The most tokens that it may have, as `tokensIn` estimates them. */
  maxTokens: number;
}

export const NO_ENDING: Ending = { stop: [], maxTokens: Number.POSITIVE_INFINITY };

const Stop = z.string().min(1).max(1_000);
export const MaxTokens = z.number().int().min(1).nullish();
export const StopWords = z
  .union([Stop, z.array(Stop).max(4)], { error: "expected a text, or a list of at most 4 texts" })
  .nullish();

export const endingOf = (
  stop: z.infer<typeof StopWords>,
  maxTokens: number | null = Number.POSITIVE_INFINITY,
): Ending => ({ stop: [stop ?? []].flat(), maxTokens: maxTokens ?? Number.POSITIVE_INFINITY });

/**
 * Cuts a text after the last whole sentence that is allowed, since half a sentence was never checked.
 * @param body where the list of sources begins. The list is kept whole or left out.
 * @param isGrowing true if more text follows. Then the end of the text is held back if it may be the beginning of a
 * stop word.
 */
export function cutAtEnding(text: string, body: number, { stop, maxTokens }: Ending, isGrowing = false) {
  const stopAt = Math.min(...stop.map((word) => foundIn(text, word, isGrowing)));
  const ends = [...outlineOf(text.slice(0, body)).map(({ end }) => end), ...(body < text.length ? [text.length] : [])];
  let at = 0;
  let size = 0;
  for (const end of ends) {
    size += tokensIn(text, at, end);
    if (size > maxTokens) return { text: text.slice(0, at), finish: "length" as const };
    if (end > stopAt) return { text: text.slice(0, at), finish: "stop" as const };
    at = end;
  }
  return { text: text.slice(0, stopAt), finish: "stop" as const };
}

/**
 * The offset of a word in a text. With `isGrowing`, a beginning of the word at the end of the text counts too. Infinity
 * if there is neither.
 */
function foundIn(text: string, word: string, isGrowing: boolean): number {
  const whole = text.indexOf(word);
  if (whole >= 0) return whole;
  for (let length = isGrowing ? Math.min(word.length - 1, text.length) : 0; length > 0; length--)
    if (text.endsWith(word.slice(0, length))) return text.length - length;
  return Number.POSITIVE_INFINITY;
}
