import { type AnswerType, answerTypeOf } from "../../../text/intent.js";
import { languageOf } from "../../../text/language.js";
import { names } from "../../../text/names.js";
import { deniesOther, negations, opposedTo } from "../../../text/negation.js";
import { type Quantity, quantities } from "../../../text/numbers.js";
import { chineseWords, contentTerms, plain } from "../../../text/tokens.js";
import type { Language } from "../../../types/evidence.js";
import { looseTerms } from "./loose.js";

/** What a question is made of, as far as code can tell. */
export interface Question {
  text: string;
  /** The same, or for one side of a comparison the question that compares. */
  whole: string;
  language: Language;
  /** What it asks about, in order, without repeats; words that only name the kind of answer are left out. */
  terms: string[];
  /** 1, or less for a pair of Chinese characters that lies across two words, and for the parts of an identifier. */
  weight: ReadonlyMap<string, number>;
  /** The same in coarser form. */
  loose: string[];
  names: string[];
  amounts: readonly Quantity[];
  type: AnswerType;
  negated: boolean;
  /** Whether a heading is the question, word for word. */
  isAskedBy(heading: string): boolean;
  /** Whether a text denies what the question says, or the other way round. */
  denied(text: string): boolean;
  /** The word of the question and the opposite that a text says instead; undefined where it says none. */
  opposed(text: string): readonly [string, string] | undefined;
}

export function readQuestion(text: string, whole = text): Question {
  const all = contentTerms(text);
  const kept = contentTerms(withoutKind(text));
  const terms = [...new Set(kept.length > 0 ? kept : all)];
  const across = acrossWords(text);
  return {
    text,
    whole,
    language: languageOf(text),
    terms,
    weight: new Map([
      ...identifierShares(text),
      ...terms.flatMap((term) => (across.has(term) ? [[term, ACROSS] as const] : [])),
    ]),
    loose: looseTerms(kept.length > 0 ? withoutKind(text) : text),
    names: names(text),
    amounts: quantities(text),
    type: answerTypeOf(text),
    negated: negations(text) > 0,
    isAskedBy: asWords(text),
    denied: deniesOther(text),
    opposed: opposedTo(text),
  };
}

const ACROSS = 0.4;

function asWords(question: string) {
  const asked = bare(question);
  return (heading: string) => asked !== "" && contentTerms(heading).length > 0 && bare(heading) === asked;
}

const bare = (text: string) => (plain(text).match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");

/**
 * "Which country ...", "how early ...", "what does ... mean", 哪个国家, 是什么意思: what is asked for need not be named where
 * it is answered.
 */
function withoutKind(text: string): string {
  return text
    .replace(
      /\b(how)\s+(?:long|early|late|soon|quick(?:ly)?|fast|slow(?:ly)?|often|frequent(?:ly)?|old|big|large|small|far|near|high|low|tall|deep|heavy|wide|thick|hot|cold|warm|likely|expensive|strong|loud)\b/gi,
      "$1",
    )
    .replace(/\b(what\b.*?)\b(?:mean|means|meant|stand for|refer to|called)\b/gi, "$1")
    .replace(/\bwhat (?:do|does|did) (?:we|you|they|people) mean by\b|\b(?:the )?(?:meaning|definition) of\b/gi, " ")
    .replace(
      /\bhow (?:do|can|should|must|would) (?:i|we|you|one)\b|\bwhat (?:do|should|must|can) (?:i|we|you) (?:have to )?do\b/gi,
      " ",
    )
    .replace(/\b(what|which)\s+(?:kinds?|types?|sorts?)\s+of\b/gi, "$1")
    .replace(
      /\b(what|which)\s+(?:year|date|day|month|century|decade|time|country|city|state|place|person|people|man|woman|name|number|percentage|percent|amount)s?\b/gi,
      "$1",
    )
    .replace(/\b(?:what (?:is|was|are|were) the )?names? of\b/gi, " ")
    .replace(
      /(?:哪一?个|哪一?座|哪一?位|什么|哪些|哪种)(?:国家|城市|省份|地方|地区|时间|时候|年份|日期|名字|名称|人物|人|原因|东西|事情|事|类型|种类|方面|情况)/g,
      "什么",
    )
    .replace(
      /(?:是|有|又)?(?:什么|啥|何)(?:意思|含义|定义)|(?:所)?(?:说的|谓)(?=\p{Script=Han})|指的?是?(?=什么|哪|谁|啥)|的(?:意思|含义|定义)(?=是|[？?]|$)/gu,
      " ",
    )
    .replace(
      /(?:几|多少|哪一?)(?:钱|块|元|天|点钟?|次|个|年|个?月|周|星期|小时|分钟|人|名|岁|米|公里|公斤|号|页|度|倍|件|台)|多(?:久|重|高|大|长|远|快|宽|深|厚)|什么时候|几时|何时/g,
      " ",
    )
    .replace(/怎么(?:办|做|弄|处理)|该?如何(?:办理?|做|处理)|一步(?:一|步)步?/g, " ")
    .replace(/(?:时间|地点|名字|名称|人数|数量|日期|年份|原因)(?=(?:是|为|有)?(?:什么|多少|哪|几|何|[？?]|$))/g, "");
}

/** An identifier is found whole or in parts ("ar-7", "ar", "7"), and all of them together count as one word. */
function identifierShares(text: string): [string, number][] {
  const words = text.match(/(?:(?!\p{Script=Han})\S)*\p{N}(?:(?!\p{Script=Han})\S)*/gu) ?? [];
  return words.flatMap((word) => {
    const terms = contentTerms(word);
    return terms.length > 1 ? terms.map((term): [string, number] => [term, 1 / terms.length]) : [];
  });
}

/** Pairs of characters that belong to two words of the dictionary. */
function acrossWords(text: string): ReadonlySet<string> {
  const words = (plain(text).match(/\p{Script=Han}+/gu) ?? []).map(chineseWords);
  const inside = new Set(words.flat().flatMap((word) => contentTerms(word)));
  const across = words.flatMap((run) => run.slice(1).map((word, i) => (run[i] ?? "").slice(-1) + word.slice(0, 1)));
  return new Set(across.filter((pair) => !inside.has(pair)));
}
