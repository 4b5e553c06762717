import { mentions } from "../../../text/names.js";
import { quantities, stated } from "../../../text/numbers.js";
import { chineseWords, contentTerms, plain } from "../../../text/tokens.js";
import type { Evidence, Language } from "../../../types/evidence.js";
import { hasKind } from "./answer-kinds.js";
import type { Match } from "./match.js";
import type { Question } from "./question.js";

/** What no evidence says, in the question's language: its names, amounts and words, else the kind of answer it wants. */
export function missingFrom(
  question: Question,
  evidence: readonly Pick<Evidence, "text" | "title" | "section">[],
  best: Match | undefined,
): string {
  const say = WORDS[question.language];
  if (evidence.length === 0 || !best) return say.everything;
  const all = evidence.map(({ title, section, text }) => `${title} ${section}\n${text}`).join("\n");
  const amounts = quantities(all);
  const absent = [
    ...question.names.filter((name) => !mentions(all, name)),
    ...question.amounts.filter((amount) => stated(amount, amounts) === "no").map(({ text }) => text),
  ];
  const words = absent.length > 0 ? absent : wordsWithout(question.text, new Set(contentTerms(all)));
  if (words.length > 0) return absentWords(question.language, words);
  const here = evidence[best.piece]?.text.slice(best.start, best.end) ?? "";
  if (hasKind(question.type, here, question.text) === false) return say.kind[question.type] ?? say.together;
  return say.together;
}

/** That these words were not found, in words; empty for none. */
export const absentWords = (language: Language, words: readonly string[]): string =>
  words.length === 0 ? "" : WORDS[language].notFound([...new Set(words)].slice(0, 5));

/** The question's own words, as it writes them, of which the evidence has no term. */
function wordsWithout(question: string, known: ReadonlySet<string>): string[] {
  const words = plain(question).match(/\p{Script=Han}+|[^\s\p{Script=Han}]+/gu) ?? [];
  return words
    .flatMap((word) =>
      /\p{Script=Han}/u.test(word) ? chineseWords(word) : [word.replace(/^\P{L}+|[^\p{L}\p{N}]+$/gu, "")],
    )
    .filter((word) => {
      const terms = contentTerms(word);
      return word.length > 1 && terms.length > 0 && !terms.some((term) => known.has(term));
    });
}

const WORDS = {
  en: {
    everything: "any passage that is judged to be about the question",
    notFound: (words: readonly string[]) => `anything about ${words.map((word) => `“${word}”`).join(", ")}`,
    together: "a passage that says all of what is asked, for the very thing it is asked about",
    kind: {
      date: "a date or time for what is asked",
      number: "the number or amount that is asked for",
      person: "the person that is asked for",
      place: "the place that is asked for",
      reason: "the reason that is asked for",
    } as Partial<Record<string, string>>,
  },
  zh: {
    everything: "判定为与问题有关的内容",
    notFound: (words: readonly string[]) => `关于${words.map((word) => `“${word}”`).join("、")}的内容`,
    together: "完整说明所问内容的资料",
    kind: {
      date: "所问的日期或时间",
      number: "所问的数量",
      person: "所问的人物",
      place: "所问的地点",
      reason: "所问的原因",
    } as Partial<Record<string, string>>,
  },
};
