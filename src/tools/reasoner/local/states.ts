import type { Sentence } from "../../../text/sentences.js";
import { hasWords } from "../../../text/tokens.js";

/** For each sentence whether it states something: headings, heads of tables, code, questions and bare links only name or ask. */
export function stating(text: string, sentences: readonly Sentence[]): boolean[] {
  return sentences.map(({ kind, start, end }, i) => {
    const isTableHead = kind === "row" && sentences[i - 1]?.kind !== "row";
    const words = text.slice(start, end);
    return kind !== "heading" && kind !== "code" && !isTableHead && !asks(words) && !isLinks(words);
  });
}

/** Whether a sentence asks. One that ends with what somebody asked ("Who?") states that. */
export const asks = (sentence: string) => /[?？][\s*_)）]*$/u.test(sentence);

/** Whether nothing is left of it without its links. */
const isLinks = (sentence: string) => !hasWords(sentence.replace(LINK, " "));

const LINK = /!?\[[^\][\n]{1,300}\]\([^()\s]{0,500}(?:\s+"[^"\n]{0,200}")?\)|https?:\/\/[^\s<>|]+/gu;
