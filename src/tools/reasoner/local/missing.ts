import { answerTypeOf } from "../../../text/intent.js";
import { mentions, names } from "../../../text/names.js";
import { quantities, stated } from "../../../text/numbers.js";
import { hasWords } from "../../../text/tokens.js";
import type { Language } from "../../../types/evidence.js";
import type { Task } from "../port.js";

/** What no evidence says, in the question's language: its names and amounts, else the kind of answer it wants. */
export function missingFrom({ question, evidence, language }: Task): string {
  const say = WORDS[language];
  if (evidence.every(({ text }) => !hasWords(text))) return say.everything;
  const all = evidence.map(({ title, section, text }) => `${title} ${section}\n${text}`).join("\n");
  const absent = absentFrom(question, all);
  return absent.length > 0 ? say.notFound(absent) : (say.kind[answerTypeOf(question)] ?? say.together);
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
    kind: {
      date: "a date or time for what is asked",
      number: "the number or amount that is asked for",
      person: "the person that is asked for",
      place: "the place that is asked for",
      reason: "the reason that is asked for",
    },
  },
  zh: {
    everything: "判定为与问题有关的内容",
    notFound: (words) => `关于${words.map((word) => `“${word}”`).join("、")}的内容`,
    together: "完整说明所问内容的资料",
    kind: {
      date: "所问的日期或时间",
      number: "所问的数量",
      person: "所问的人物",
      place: "所问的地点",
      reason: "所问的原因",
    },
  },
};

interface Words {
  everything: string;
  notFound: (words: readonly string[]) => string;
  together: string;
  kind: Partial<Record<string, string>>;
}
