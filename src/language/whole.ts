import { sentences } from "./sentences.js";

/**
 * The sentences of an excerpt that stand in it from end to end. Excerpts are cut where their room ends: "worth $6" may
 * have been 600 million, and before "… opened in 1998" may have stood "was not". What follows an ellipsis is without
 * its beginning; what ends without a mark is without its end, and so may be a short number at the excerpt's very end,
 * whose point may be a decimal one. Sentences that stood apart stay in paragraphs of their own. Empty where none is whole.
 */
export function wholeSentences(excerpt: string): string {
  const parts = excerpt.trim().split(CUT);
  return parts
    .map((part, i) => {
      const isLast = i === parts.length - 1;
      const whole = sentences(part)
        .map(({ start, end }) => part.slice(start, end))
        .filter((sentence, n) => !(i > 0 && n === 0) && ENDED.test(sentence))
        .filter((sentence) => !(isLast && part.endsWith(sentence) && /(?<!\p{N})\p{N}{1,3}\.$/u.test(sentence)));
      return whole.join(/\p{Script=Han}/u.test(part) ? "" : " ");
    })
    .filter((part) => part !== "")
    .join("\n\n");
}

const CUT = /[ \t]*(?:\.{3,}|…+|\[(?:\.{3}|…)\])[ \t]*/;
const ENDED = /[.!?。！？]["'”’』」)）\]]*$/u;
