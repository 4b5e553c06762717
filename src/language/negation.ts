import { chineseWords, contentTerms, plain } from "./tokens.js";

/** Counts the negations of a text: "not", "never", "without", 不, 没有, 并非. */
export const negations = (text: string): number => plain(text).replace(HARMLESS, " ").match(DENIAL)?.length ?? 0;

/**
 * Finds what a text denies: for each negation the first two content terms behind it in its clause. "The plant does not
 * run night shifts" denies run and night.
 */
export function denied(text: string): string[][] {
  const folded = plain(text).replace(HARMLESS, (word) => " ".repeat(word.length));
  return [...folded.matchAll(DENIAL)]
    .map(({ index, 0: denial }) => folded.slice(index + denial.length).split(/[.,;:()，。；：！？]/u, 1)[0] ?? "")
    .map((clause) => chineseWords(clause).flatMap(contentTerms).filter(isWord).slice(0, 2))
    .filter((terms) => terms.length > 0);
}

const isWord = (term: string) => !/^\p{Script=Han}$/u.test(term);

const DENIAL =
  /\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|(?:is|are|was|were|do|does|did|have|has|had|wo|would|should|could|ca|must|need)n't)\b|[不没未无勿毋]|并非|绝非|非法/g;
/** Words that contain one of these characters and deny nothing; A不A is a question. */
const HARMLESS =
  /(\p{Script=Han})[不没]\1|不得不|不同(?!意)|不仅|不断|不过(?!关|期)|不但|不久|不锈钢|不管|不论|不少|不止|不只|不惜|不等(?!于)|不禁|不愧|不妨|差不多|未来|未免|无论|无线|无数|无限|无疑|无非|无锡|无人机|无人驾驶|没收|有没有|是否|能否/gu;
