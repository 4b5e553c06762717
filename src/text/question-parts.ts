import { languageOf } from "./language.js";
import { AUXILIARIES, among, POINTERS, PREPOSITIONS, QUESTION_WORDS } from "./lexicon.js";
import { outlineOf } from "./outline.js";
import { asks, isAnaphoric, sizeOf } from "./prose.js";
import { contentTerms, RUN, wordsAsWritten } from "./tokens.js";

/**
 * Splits a compound question into its questions, in order, at most `MAX_PARTS`: "How long is it, and who approves it?",
 * 年假有几天，谁审批？. A later part that leans on the first, by a pronoun or for lack of a subject, is given the first one's
 * content words. A single question, or one that is neither English nor Chinese, is returned as it is. Of a text of more
 * than `SHORT` words, only the last questions are taken.
 */
export function questionParts(text: string): string[] {
  const question = asking(text);
  if (question.length > LONGEST_QUESTION || languageOf(question) === "other") return [question];
  const isChinese = languageOf(question) === "zh";
  const { between, asks } = isChinese ? CHINESE : ENGLISH;
  const parts = question
    .split(between)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const [first = ""] = parts;
  const isCompound =
    parts.length > 1 && parts.length <= MAX_PARTS && parts.every((part) => asks.test(part) && says(part));
  if (!isCompound) return [question];
  const subject = wordsAsWritten(first)
    .filter(says)
    .join(isChinese ? "" : " ");
  return parts.map((part, i) => (i > 0 && leansOnFirst(part) ? `${subject}${isChinese ? "：" : ": "}${part}` : part));
}

const MAX_PARTS = 3;

/**
 * Returns a short text as it is. Of a long one, leaves out what is no word, such as base64 and the end of a long address,
 * and if need be all but its questions.
 */
function asking(text: string): string {
  if (sizeOf(text) <= SHORT) return text;
  const said = text.replace(NO_WORD, (_, head: string) => head.replace(/[^\p{P}\p{S}]+$/u, "")).trim();
  return sizeOf(said) <= SHORT ? said : lastQuestions(said);
}

/**
 * Returns the last questions of a long text, each with the sentence that it leans on; its last sentence if it asks
 * nothing; its last words if they are no sentence of their own.
 */
function lastQuestions(text: string): string {
  const all = outlineOf(text).map((unit) => unit.text);
  const at = all.flatMap((sentence, i) => (asks(sentence) ? [i] : [])).slice(-MAX_PARTS);
  const kept = new Set(
    (at.length > 0 ? at : [all.length - 1]).flatMap((i) => (isAnaphoric(all[i] ?? "") ? [i - 1, i] : [i])),
  );
  // A question without a full stop before it is the end of a sentence that is too long, which may be cut anywhere.
  const [last = "", before = ""] = all.slice(-2).reverse();
  const isEnd = sizeOf(last) > SHORT || (sizeOf(before) > SHORT && !/[.!?。！？]["”')）]*$/.test(before));
  const questions = all.filter((_, i) => kept.has(i)).join(" ");
  const isWhole = all.length > 0 && sizeOf(questions) <= SHORT;
  return isWhole && !(isEnd && kept.has(all.length - 1)) ? questions : lastWords(isEnd ? text : questions);
}

/**
 * Returns the words before the last question mark of a text or, if it has none, before its end: at most `SHORT`, from
 * the last line that begins like a sentence.
 */
function lastWords(whole: string): string {
  const mark = Math.max(whole.lastIndexOf("?"), whole.lastIndexOf("？"));
  const text = mark < 0 ? whole : whole.slice(0, mark + 1);
  const line = [...text.matchAll(LINE)].at(-1)?.index ?? 0;
  let from = text.length;
  let size = 0;
  for (const { index, 0: word } of [...text.slice(line).matchAll(WORD)].reverse()) {
    size += sizeOf(word);
    if (size > SHORT) break;
    from = line + index;
  }
  return text.slice(from).trimEnd();
}

/** The first group is what may be kept, to the last mark in it: no passage has a part of a word. */
const NO_WORD = new RegExp(`((?:(?![${RUN}])\\S){64})(?:(?![${RUN}])\\S)+`, "gu");
const WORD = new RegExp(`[${RUN}]{1,2}|(?:(?![${RUN}])\\S){1,64}`, "gu");
const LINE = /^[^\S\n]*(?=["“「(（]*[\p{Lu}\p{Script=Han}])/gmu;

/** In words. The judge reads no more than about 100 words of a question. */
const SHORT = 80;
/** In characters. A longer text is not a question that somebody typed, and the patterns would take long to match. */
export const LONGEST_QUESTION = 1000;

const says = (part: string) => contentTerms(part).length > 0;

/** True if a part has a pronoun, or fewer than two content words. */
const leansOnFirst = (part: string) => PRONOUN.test(part) || contentTerms(part).length < 2;
const PRONOUN = new RegExp(`\\b(?:${among(POINTERS.en)}|ones?)\\b|[它他她这那]|其(?!他)`, "i");

/**
 * "… when I work from home" and "… and is sold abroad" go on with a clause; "when do I" and "is it" begin a question.
 */
const AUXILIARY = among(AUXILIARIES);
const ASKING = [
  `(?:(?:${among(PREPOSITIONS)})\\s+)?(?:who|whom|whose|what|which)`,
  `(?:when|where|why|how)\\s+(?:${AUXILIARY}|much|many|long|often|far|old|soon)`,
  `(?:${AUXILIARY})\\s+(?:it|they|he|she|I|we|you|there|this|that|these|those|the|an?|my|our|your)`,
].join("|");
const ENGLISH = {
  between: new RegExp(
    `(?<=\\?)\\s+|(?:[,;]?\\s+(?:and|plus|as well as)(?:\\s+(?:also|then))?|;)\\s+(?=(?:${ASKING})\\b)`,
    "i",
  ),
  asks: new RegExp(`\\b(?:${ASKING}|${AUXILIARY})\\b`, "i"),
};
const CHINESE_ASKING = `${among(QUESTION_WORDS.zh)}|哪|几[个天年月次位小分元点号]|(?:周|星期|礼拜|第)几|多[久长大重高远]`;
const CHINESE = {
  between: new RegExp(
    `[，,；;。？?]\\s*(?:并且|而且|以及|还有|另外|那么|又)?(?=[^，,；;。？?]*(?:${CHINESE_ASKING}))|(?:以及|并且)(?=[^，,；;。？?]*(?:${CHINESE_ASKING}))`,
    "u",
  ),
  asks: new RegExp(CHINESE_ASKING, "u"),
};
