import { mentions, names } from "../../../language/names.js";
import { quantities, stated } from "../../../language/numbers.js";
import { hasWords } from "../../../language/tokens.js";
import type { Language } from "../../../types/evidence.js";
import type { Task } from "../port.js";

/** What no evidence says, in the question's language: its names and amounts, else all of it together. */
export function missingFrom({ question, evidence, language }: Task): string {
  const say = WORDS[language];
  if (evidence.every(({ text }) => !hasWords(text))) return say.everything;
  const all = evidence.map(({ title, section, text }) => `${title} ${section}\n${text}`).join("\n");
  const absent = absentFrom(question, all);
  return absent.length > 0 ? say.notFound(absent) : say.together;
}

/** The names and amounts of a question that a text lacks, in words; empty for none. */
export function stillOpen({ question, language }: Pick<Task, "question" | "language">, text: string): string {
  const absent = absentFrom(question, text);
  return absent.length > 0 ? WORDS[language].notFound(absent) : "";
}

function absentFrom(question: string, text: string): string[] {
  const amounts = quantities(text);
  const absent = [
    ...names(question).filter((name) => !mentions(text, name)),
    ...quantities(question).flatMap((amount) => (stated(amount, amounts) === "no" ? [amount.text] : [])),
  ];
  return [...new Set(absent)].slice(0, 5);
}

const WORDS: Record<Language, Words> = {
  en: {
    everything: "any passage that is judged to be about the question",
    notFound: (words) => `anything about ${words.map((word) => `“${word}”`).join(", ")}`,
    together: "a passage that says all of what is asked, for the very thing it is asked about",
  },
  zh: {
    everything: "判定为与问题有关的内容",
    notFound: (words) => `关于${words.map((word) => `“${word}”`).join("、")}的内容`,
    together: "完整说明所问内容的资料",
  },
};

interface Words {
  everything: string;
  notFound: (words: readonly string[]) => string;
  together: string;
}
