import { answerTypeOf } from "../../../text/intent.js";
import { languageOf } from "../../../text/language.js";
import { names } from "../../../text/names.js";
import { quantities } from "../../../text/numbers.js";
import { contentTerms } from "../../../text/tokens.js";
import type { Turn } from "../port.js";
import { isPersonName } from "./extractor-names.js";

/**
 * A follow-up as a question of its own: "And in Shanghai?" and 那上海呢？ become the question before with its place
 * exchanged; "it", "they", 它, 该 become what the question before was about. Everything else comes back unchanged.
 */
export function standalone(question: string, history: readonly Turn[]): string {
  let before: { question: string; answer: string } | undefined;
  for (const turn of history) before = { question: resolved(turn.question, before), answer: turn.answer };
  return resolved(question, before);
}

function resolved(question: string, before: Turn | undefined): string {
  const text = question.trim();
  if (!before || before.question === "") return text;
  const speak = languageOf(text) === "zh" ? CHINESE : ENGLISH;
  const fragment = speak.fragment(text);
  if (fragment !== undefined) return exchanged(before.question, fragment);
  return speak.pronouns(text, before);
}

interface Speech {
  /** What an elliptical follow-up names, without the words that make it one; undefined for a whole question. */
  fragment(text: string): string | undefined;
  /** The question with its pronouns replaced by what they stand for. */
  pronouns(text: string, before: Turn): string;
}

const ENGLISH: Speech = {
  fragment(text) {
    const match =
      /^(?:(?:and|but|or|so|then|also|ok(?:ay)?)[\s,]+)*(?:(?:what|how)\s+about|what\s+of)?\s*(.*?)\s*[?？.!]*$/i.exec(
        text,
      );
    const rest = match?.[1] ?? "";
    const opened = rest.length < text.replace(/[?？.!\s]+$/, "").length;
    const words = rest.split(/\s+/).length;
    const whole =
      /^(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|must)\b/i;
    if (rest === "" || whole.test(rest) || words > 6) return undefined;
    return opened || /^(?:in|on|at|for|by|with|during|after|before|from|since|under)\b/i.test(rest) ? rest : undefined;
  },
  pronouns(text, before) {
    const pronoun = PRONOUN.exec(text);
    if (!pronoun || EXPLETIVE.test(text.slice(pronoun.index))) return text;
    if (
      /\b(?:the|an?|our|my|your)\s+\p{L}+/iu.test(text.slice(0, pronoun.index)) ||
      names(text.slice(0, pronoun.index)).length > 0
    )
      return text;
    const of = topicOf(before, /^(?:he|she|him|his|her|hers|they|them|their|theirs)$/i.test(pronoun[0]));
    if (of === "") return text;
    const owned =
      /^(?:its|their|his|her)$/i.test(pronoun[0]) && /^\s+\p{L}/u.test(text.slice(pronoun.index + pronoun[0].length));
    const said = owned ? (of.endsWith("s") ? `${of}'` : `${of}'s`) : of;
    return `${text.slice(0, pronoun.index)}${said}${text.slice(pronoun.index + pronoun[0].length)}`;
  },
};

const PRONOUN = /\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this one|that one|the same one)\b/i;
/** "How long does it take to ...", "is it possible to ...": "it" stands for nothing before. */
const EXPLETIVE =
  /^it\b(?:'s)?\s+(?:(?:take|takes|took|cost|costs|possible|necessary|true|better|legal|safe|common|important|mean)\s+(?:\w+\s+){0,3}?(?:to|that|for|if)\b|rain|snow)/i;

const CHINESE: Speech = {
  fragment(text) {
    const match = /^(?:那么|那|还有|至于|另外|而)?[，,\s]*(.{1,16}?)[的]?(?:呢|又如何|怎么样|又怎样)[？?。]*$/u.exec(
      text,
    );
    const rest = match?.[1]?.trim() ?? "";
    return rest === "" || /什么|谁|哪|多少|几|怎|为何|何时|吗|[它其该他她]/.test(rest) ? undefined : rest;
  },
  pronouns(text, before) {
    const pronoun =
      /它们|他们|她们|它|他|她|这个|那个|(?<=^|[，,。；\s和与对在把被由为于从向给])其(?=[\p{Script=Han}])(?!他|它|中|实|余|次)|该(?=[\p{Script=Han}]{2})(?<!应该|不该|活该|本该)(?!不该|怎么|如何)/u.exec(
        text.replace(/其他|其它|其中|其实|其余|其次/g, (word) => "，".repeat(word.length)),
      );
    if (!pronoun || names(text.slice(0, pronoun.index)).length > 0) return text;
    const of = topicOf(before, /[他她]/.test(pronoun[0]));
    if (of === "") return text;
    const after = withoutOverlap(of, text.slice(pronoun.index + pronoun[0].length));
    const owned = pronoun[0] === "其" && !after.startsWith("的");
    return `${text.slice(0, pronoun.index)}${of}${owned ? "的" : ""}${after}`;
  },
};

/** 差旅政策 before 政策适用于谁: what is said already is not said again. */
function withoutOverlap(before: string, after: string): string {
  const shared = Array.from({ length: before.length }, (_, i) => before.slice(i)).find((end) => after.startsWith(end));
  return after.slice(shared?.length ?? 0);
}

/** What a turn was about: the person it found, where a person is meant; else a name it asks about; else its subject. */
function topicOf({ question, answer }: Turn, person: boolean): string {
  const whom = /^(?:who\s+(?!are|were)(.+?)|谁(.+?))[?？]*$/iu.exec(question.trim());
  if (person && answerTypeOf(question) === "person") {
    const found = [...names(answer), ...peopleIn(answer)].find((name) => !question.includes(name));
    if (found) return found;
    if (whom) return whom[1] ? `the person who ${whom[1]}` : `${whom[2]}的人`;
  }
  const name = names(question).at(-1);
  return name === undefined ? subjectOf(question) : withItsNoun(question, name);
}

/** "the Pro plan" for "Pro". */
function withItsNoun(question: string, name: string): string {
  const at = question.indexOf(name);
  const led = /\bthe\s+$/i.test(question.slice(0, at));
  const noun = /^ [a-z]+(?= (?:is|are|was|were|do|does|did|has|have|can|will)\b|[?.,]|$)/.exec(
    question.slice(at + name.length),
  )?.[0];
  return led ? `the ${name}${noun ?? ""}` : name;
}

function subjectOf(question: string): string {
  if (languageOf(question) === "zh") {
    const head = question
      .split(/的|有|是|在|需要|可以|应该|怎么|如何|为什么|什么|多少|谁|哪|几|何时|吗|[，。？?]/u)
      .find((part) => contentTerms(part).length > 0);
    return head ?? "";
  }
  const noun =
    /\b(?:the|an?|our|my|your)\s+((?:(?!(?:is|are|was|were|do|does|did|of|in|on|at|for|by|with|to|and|or|that|which|who|can|will|should|must|have|has|take|start|work|cost|mean)\b)[\p{L}\p{N}'’-]+\s*){1,4})/iu.exec(
      question,
    );
  if (noun?.[0]) return noun[0].trim();
  const words = question
    .replace(/[?？.!]+$/, "")
    .split(/\s+/)
    .filter((word) => contentTerms(word).length > 0);
  return words.slice(0, 4).join(" ");
}

/** The question with its part of the same kind exchanged for the fragment; with the fragment added where it has none. */
function exchanged(question: string, fragment: string): string {
  const place = counterpart(question, fragment);
  const bare = place?.bare ?? fragment;
  if (place) return `${question.slice(0, place.start)}${bare}${question.slice(place.end)}`;
  const [, body = question, mark = ""] = /^(.*?)([?？。.!]*)$/su.exec(question) ?? [];
  return languageOf(question) === "zh" ? `${fragment}，${body}${mark}` : `${body} ${fragment}${mark}`;
}

interface Place {
  start: number;
  end: number;
  bare: string;
}

function counterpart(question: string, fragment: string): Place | undefined {
  const [amount] = quantities(fragment);
  const old = amount && quantities(question).find(({ kind }) => kind === amount.kind);
  if (amount && old) return { start: old.start, end: old.end, bare: amount.text };
  if (amount && contentTerms(fragment.replace(amount.text, "")).length === 0) return undefined;
  return languageOf(question) === "zh"
    ? chineseCounterpart(question, fragment)
    : englishCounterpart(question, fragment);
}

function englishCounterpart(question: string, fragment: string): Place | undefined {
  const [, preposition = "", rest = fragment] =
    /^(?:(in|on|at|for|by|with|during|from|under)\s+)?(.+)$/iu.exec(fragment) ?? [];
  const known = names(question).map((name) => ({ name, at: question.indexOf(name) }));
  const led =
    preposition === ""
      ? undefined
      : new RegExp(`\\b${preposition}\\s+((?:the\\s+|an?\\s+)?[\\p{L}\\p{N}'’-]+)`, "iu").exec(question);
  if (led) {
    const start = led.index + led[0].length - (led[1]?.length ?? 0);
    const end = led.index + led[0].length;
    const named = known.find(({ at, name }) => at < end && at + name.length > start);
    return { start, end: named ? Math.max(named.at + named.name.length, end) : end, bare: rest };
  }
  if (preposition !== "") return undefined;
  const noun = (rest.split(/\s+/).at(-1) ?? "").replace(/[^\p{L}\p{N}-]/gu, "");
  const twin =
    rest.includes(" ") && noun !== "" && new RegExp(`\\b(?:the\\s+)?[\\p{L}-]+\\s+${noun}\\b`, "iu").exec(question);
  if (twin) return { start: twin.index, end: twin.index + twin[0].length, bare: rest };
  const named = names(`, ${rest}`).length > 0 ? known.at(-1) : undefined;
  return named && { start: named.at, end: named.at + named.name.length, bare: rest };
}

function chineseCounterpart(question: string, fragment: string): Place | undefined {
  const named = names(question).at(0);
  if (named && names(`，${fragment}`).length > 0) return placed(question, named, fragment);
  // 病假 takes the place of 年假, 上海办公室 of 北京办公室: the longest common end, with as much before it.
  for (let length = fragment.length - 1; length > 0; length--) {
    const at = question.indexOf(fragment.slice(-length));
    const before =
      /\p{Script=Han}*$/u.exec(question.slice(Math.max(0, at - fragment.length + length), Math.max(0, at)))?.[0] ?? "";
    if (at > 0 && before !== "") return { start: at - before.length, end: at + length, bare: fragment };
  }
  const head = /^(?:在|从|对于|关于)?(\p{Script=Han}{2,6}?)(?=的|有多|在哪|是)/u.exec(question)?.[1];
  return head && head.length <= fragment.length + 2 ? placed(question, head, fragment) : undefined;
}

function placed(text: string, part: string, bare: string): Place {
  const start = text.indexOf(part);
  return { start, end: start + part.length, bare };
}

/** 创始人是王小明。由李雷负责: names of people end nowhere in Chinese, so they are looked for where one is said to be somebody. */
const peopleIn = (answer: string): string[] =>
  [...answer.matchAll(/(?<=^|[是为由叫])\p{Script=Han}{2,3}?(?=$|\P{Script=Han}|[于在和与]|创立|创办|担任|负责)/gu)]
    .map(([name]) => name)
    .filter(isPersonName);
