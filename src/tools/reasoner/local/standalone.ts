import { languageOf } from "../../../language/language.js";
import { AUXILIARIES, among, QUESTION_WORDS } from "../../../language/lexicon.js";
import { names } from "../../../language/names.js";
import { quantities } from "../../../language/numbers.js";
import { contentTerms } from "../../../language/tokens.js";
import type { Turn } from "../port.js";

/**
 * Makes a follow-up self-contained. An elliptical one, "And in Shanghai?" or 那上海呢？, becomes the previous question with
 * the new place. A pronoun, "it" or 它, is replaced by the topic of the previous turn. Anything else, and any
 * question that is neither English nor Chinese, stays unchanged.
 */
export function standalone(question: string, history: readonly Turn[]): string {
  const resolve = (earlier: Turn | undefined, turn: Turn) => ({ ...turn, question: resolved(turn.question, earlier) });
  return resolved(question, history.reduce<Turn | undefined>(resolve, undefined));
}

function resolved(question: string, before: Turn | undefined): string {
  const text = question.trim();
  if (!before || before.question === "" || languageOf(text) === "other") return text;
  const [, named = ""] = (languageOf(text) === "zh" ? CHINESE_FRAGMENT : ENGLISH_FRAGMENT).exec(text) ?? [];
  const isFragment = named !== "" && !WHOLE.test(named) && named.split(/\s+/).length <= LONGEST_FRAGMENT;
  return isFragment ? exchanged(before.question, named) : withoutPronoun(text, before);
}

/** Elliptical follow-ups, with what they name as the group. */
const ENGLISH_FRAGMENT =
  /^(?:(?=(?:in|on|at|for|by|with|during|after|before|from|since|under)\s)|(?:(?:and|but|or|so|then|also|ok(?:ay)?)[\s,]+)+(?:(?:what|how)\s+about\s+)?|(?:what|how)\s+about\s+)(.*?)[\s?？.!]*$/i;
const CHINESE_FRAGMENT = /^(?:那么|那|还有|至于|另外|而)?[，,\s]*(.{1,16}?)的?(?:呢|又如何|怎么样|又怎样)[？?。]*$/u;
const WHOLE = new RegExp(
  `^(?:${among(QUESTION_WORDS.en)}|${among(AUXILIARIES)})\\b|${among(QUESTION_WORDS.zh)}|[哪几怎它他她其该]`,
  "i",
);
/** In words of Latin script; a longer one says enough by itself. Set by hand, as are the lengths in the Chinese patterns. */
const LONGEST_FRAGMENT = 6;

/** Replaces the part of the question that is of the same kind as `named`; if there is none, appends `named`. */
function exchanged(question: string, named: string): string {
  const bare = named.replace(/^(?:in|on|at|for|by|with|during|from|under)\s+/i, "");
  const [amount] = quantities(bare);
  const old = amount && quantities(question).find(({ kind }) => kind === amount.kind)?.text;
  const isName = names(`, ${bare}`).length > 0;
  const place =
    old ?? (isName ? names(question).at(-1) : undefined) ?? twinOf(question, bare) ?? headOf(question, bare);
  if (place !== undefined) return question.replace(place, () => (old ? (amount?.text ?? bare) : bare));
  const [, body = question, mark = ""] = /^(.*?)([?？。.!]*)$/su.exec(question) ?? [];
  return languageOf(question) === "zh" ? `${named}，${body}${mark}` : `${body} ${named}${mark}`;
}

/** Finds the phrase with the same ending: "annual leave" for "sick leave", 年假 for 病假, 北京办公室 for 上海办公室. */
function twinOf(question: string, named: string): string | undefined {
  const [noun] = /(?<=\s)[\p{L}-]+$/u.exec(named) ?? [];
  if (noun) return new RegExp(`(?:the\\s+)?[\\p{L}-]+\\s+${noun}(?!\\p{L})`, "iu").exec(question)?.[0];
  if (!/^\p{Script=Han}+$/u.test(named)) return undefined;
  for (let shared = named.length - 1; shared > 0; shared--) {
    const twin = new RegExp(`\\p{Script=Han}{1,${named.length - shared}}${named.slice(-shared)}`, "u").exec(question);
    if (twin) return twin[0];
  }
  return undefined;
}

/** Finds 北京 in 北京的办公室在哪里, if it is about as long as `named`. */
function headOf(question: string, named: string): string | undefined {
  const head = /^(?:在|从|对于|关于)?(\p{Script=Han}{2,6}?)(?=的|有多|在哪|是)/u.exec(question)?.[1];
  return head && head.length <= named.length + 2 ? head : undefined;
}

/** Replaces the first pronoun by the topic of the previous turn. */
function withoutPronoun(text: string, before: Turn): string {
  const chinese = languageOf(text) === "zh";
  const pronoun = (chinese ? CHINESE_PRONOUN : PRONOUN).exec(text);
  const said = text.slice(0, pronoun?.index);
  // A pronoun refers to a name before it in the same question.
  if (!pronoun || names(said).length > 0 || (!chinese && /\b(?:the|an?|our|my|your)\s+\p{L}/iu.test(said))) return text;
  const topic = topicOf(before, PERSON.test(pronoun[0]));
  if (topic === "") return text;
  const rest = text.slice(said.length + pronoun[0].length);
  if (!chinese) return `${said}${topic}${OWNER.test(pronoun[0]) ? (topic.endsWith("s") ? "'" : "'s") : ""}${rest}`;
  // 差旅政策 and 该政策适用于谁 make 差旅政策适用于谁: 政策 is not repeated.
  const shared = Array.from({ length: topic.length }, (_, i) => topic.slice(i)).find((end) => rest.startsWith(end));
  return `${said}${topic}${pronoun[0] === "其" ? "的" : ""}${rest.slice(shared?.length ?? 0)}`;
}

/** Not the expletive "it" of "How long does it take to …" and "is it possible to …". */
const PRONOUN =
  /\b(?:it(?!\s+(?:(?:take|takes|took|cost|costs|possible|necessary|true|better|legal|safe|common|important|mean)\s+(?:\w+\s+){0,3}?(?:to|that|for|if)\b|rain|snow))|they|them|he|him|she|hers?|theirs?|this one|that one|(?:its|their|his)(?=\s))\b/i;
const OWNER = /^(?:its|their|his|her)$/i;
const PERSON = /^(?:he|she|him|his|hers?|they|them|theirs?)$|[他她]/i;
const CHINESE_PRONOUN =
  /[它他她]们?(?<!其[他它])|这个|那个|(?<=^|[，,。；\s和与对在把被由为于从向给])其(?=\p{Script=Han})(?![他它中实余次])|(?<![应不活本])该(?=\p{Script=Han}{2})(?!不该|怎么|如何)/u;

/** Returns the topic of a turn: the person it found, if a person is meant; else a name in its question; else the subject. */
function topicOf({ question, answer }: Turn, isPerson: boolean): string {
  const people = [...names(answer), ...(answer.match(CHINESE_PERSON) ?? [])];
  const person = isPerson && /\bwho\b|谁/i.test(question) && people.find((name) => !question.includes(name));
  if (person) return person;
  const phrases = question.match(PHRASE)?.map((phrase) => phrase.trim()) ?? [];
  const name = phrases.findLast((phrase) => names(phrase).length > 0) ?? names(question).at(-1);
  const parts = languageOf(question) === "zh" ? question.split(CHINESE_SUBJECT_END) : phrases;
  return name ?? parts.find((part) => contentTerms(part).length > 0) ?? "";
}

/** A person in 创始人是王小明 or 由李雷负责; only looked for where the question asks for one. */
const CHINESE_PERSON = /(?<=^|[是为由叫])\p{Script=Han}{2,3}?(?=$|\P{Script=Han}|[于在和与]|创立|创办|担任|负责)/gu;
const PHRASE =
  /\b(?:the|an?|our|my|your)\s+(?:(?!(?:is|are|was|were|do|does|did|of|in|on|at|for|by|with|to|and|or|that|which|who|can|will|should|must|have|has|take|start|work|cost|mean)\b)[\p{L}\p{N}'’-]+\s*){1,4}/giu;
const CHINESE_SUBJECT_END = new RegExp(`[的有是在哪几，。？?]|需要|可以|应该|${among(QUESTION_WORDS.zh)}`, "u");
