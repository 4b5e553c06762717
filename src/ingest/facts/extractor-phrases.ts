import { SURNAME } from "../../facts/chinese-names.js";
import { negations } from "../../facts/negation.js";
import { ATTRIBUTES, among, PARTICLES, POINTERS, QUESTION_WORDS, ROLES } from "../../text/lexicon.js";
import { hasWords, plain } from "../../text/tokens.js";
import type { Entity } from "../../tools/knowledge/port.js";

/** True if a phrase can be an entity without its context: a name or a short noun phrase. */
export function namesThing(phrase: string): boolean {
  if (phrase === "" || phrase.length > LONGEST.name[scriptOf(phrase)] || !/\p{L}/u.test(phrase)) return false;
  if (/[.!?;:。！？；：…"“”，]|, |[\p{So}<>={}|\\]/u.test(phrase) || phrase.split(" ").length > MOST_WORDS)
    return false;
  return !isAmount(phrase) && !pointsElsewhere(phrase) && !EACH.test(phrase) && negations(phrase) === 0;
}

/** True if a heading names one entity, not a topic, a question, an activity or several entities. */
export function isOneThing(heading: string): boolean {
  if (!namesThing(heading) || TOPIC.test(heading)) return false;
  if (HAN.test(heading)) return heading.length <= LONGEST.heading && !/[的与和及或、：]|如何|怎[么样]/.test(heading);
  const words = heading.split(" ");
  // Every heading begins with a capital; in a name, the other words have a capital or a digit too.
  return words.length > 1
    ? words.every((word) => /^[\p{Lu}\p{N}]/u.test(word) || INSIDE_NAME.test(word))
    : /^\p{Lu}[\p{L}\p{N}-]*[^s]$/u.test(heading);
}

/** True if a phrase can be the object of a relation: an entity, an amount, a date or a list. */
export function isValue(phrase: string): boolean {
  if (!hasWords(phrase) || phrase.length > LONGEST.value[scriptOf(phrase)]) return false;
  if (/[!?！？。；;…]|\.\s/.test(phrase) || UNKNOWN.test(phrase) || pointsElsewhere(phrase)) return false;
  return !/，|, /.test(phrase) || (negations(phrase) === 0 && !RULES.test(phrase));
}

/** True if a phrase needs its context to be understood. "He Mingyuan" and "She Lin" are people. */
const pointsElsewhere = (phrase: string) =>
  POINTS_ELSEWHERE.test(phrase.replace(/\b(?:He|She|You|Any)(?= \p{Lu}\p{Ll})/gu, ""));

/** True for an amount or a range of amounts: "2,000 to 5,000 yuan", 满3年不满6年, 2000元以下. */
export const isAmount = (phrase: string) => !/\p{L}/u.test(phrase.replace(AMOUNT_WORDS, ""));

/**
 * Returns the entity that a cell names. A Chinese name with its pinyin, "Li Lei (李雷)", becomes one entity with an
 * alias. Other words in brackets stay part of the name, since they may mean anything.
 */
export function entity(phrase: string, type = ""): Entity {
  const [, outer = "", inner = ""] = /^([^()（）]{2,40}?)\s*[(（]([^()（）]{2,40})[)）]$/.exec(phrase) ?? [];
  const isOnePerson = isPinyinOf(outer, inner) || isPinyinOf(inner, outer);
  return isOnePerson ? { name: outer, type, aliases: [inner] } : { name: phrase, type, aliases: [] };
}

/** Returns the type of a relation's object: person, or empty. */
export const typeAt = (relation: string, phrase: string) =>
  isRole(relation) && isPersonName(entity(phrase).name) ? (HAN.test(relation) ? "人员" : "Person") : "";

/**
 * Splits a list of entities: 广州、深圳, or "Ann Smit, Li Lei (remote)" if the relation leads to people. Returns anything
 * else whole, such as "Lisbon, Portugal".
 */
export function split(value: string, relation: string): string[] {
  const people = isRole(relation) ? value.split(/、|，|, (?:and )?| and /).map(withoutRemark) : [];
  if (people.length > 1 && people.every(isPersonName)) return people;
  const parts = value.split("、").map((part) => part.trim());
  const isList =
    parts.length > 1 && parts.every((part) => part !== "" && part.length <= LONGEST.item && !/[，,（(：:]/.test(part));
  return isList ? parts : [value];
}

const withoutRemark = (name: string) => name.replace(/\s*[(（][^()（）]{1,12}[)）]\s*$/, "").trim();

/** True for two to four Chinese characters with a known surname, or two or more capitalised words. */
const isPersonName = (name: string) =>
  (/^\p{Script=Han}{2,4}$/u.test(name) && SURNAME.test(name)) || LATIN_PERSON.test(name);

const LATIN_PERSON = new RegExp(
  `^\\p{Lu}[\\p{L}'’.-]*(?: (?:\\p{Lu}[\\p{L}'’.-]*|of|${among(PARTICLES)}))* \\p{Lu}[\\p{L}'’-]+$`,
  "u",
);
const INSIDE_NAME = new RegExp(`^(?:of|the|${among(PARTICLES)})$`);

/** True for 林雨晴 and "Lin Yuqing" or "Yuqing Lin": same initials of both names, same number of syllables. */
function isPinyinOf(latin: string, han: string): boolean {
  if (!/^\p{Script=Han}{2,4}$/u.test(han) || !/^\p{Lu}\p{L}*(?:[ -]\p{L}+){1,3}$/u.test(latin)) return false;
  const words = plain(latin).split(/[ -]/);
  const [surname, given] = [...han].map(initialOf);
  const [first, second, last] = [words[0], words[1], words.at(-1)].map((word) => word?.[0]);
  const hasInitials = (first === surname && second === given) || (last === surname && first === given);
  return hasInitials && words.join(" ").match(/[aeiouv]+/g)?.length === han.length;
}

/** Returns the first letter of a Chinese character's pinyin, by its position in dictionary order. */
function initialOf(character: string): string | undefined {
  pinyin ??= new Intl.Collator("zh-u-co-pinyin");
  const { compare } = pinyin;
  return INITIALS.findLast((pair) => compare(pair.charAt(0), character) <= 0)?.[1];
}
/** Made when used, since it takes 7 ms. */
let pinyin: Intl.Collator | undefined;

/** For each letter, the first character in dictionary order whose pinyin begins with it. */
const INITIALS = "阿a八b嚓c搭d蛾e发f噶g哈h击j喀k垃l妈m拿n哦o啪p期q然r撒s塌t挖w昔x压y匝z".match(/../gu) ?? [];

const HAN = /\p{Script=Han}/u;
const scriptOf = (phrase: string) => (HAN.test(phrase) ? "han" : "latin");

/** In characters, and in words of Latin script. Set by hand. */
const LONGEST = { name: { han: 24, latin: 60 }, heading: 16, value: { han: 40, latin: 80 }, item: 12 };
const MOST_WORDS = 7;

const ROLE = new RegExp(`(?:^|[\\s-])(?:${among(ROLES.en)})s?$|(?:${among(ROLES.zh)})$`);
const ATTRIBUTE = new RegExp(`(?:^|[\\s-])(?:${among(ATTRIBUTES.en)})s?$|(?:${among(ATTRIBUTES.zh)})$`);

/** True if the last word is known to name a relation: "head", 负责人, 联系电话. */
export const isRelation = (words: string) => [ROLE, ATTRIBUTE].some((known) => known.test(plain(words)));

/** True if a relation of this name leads to a person. */
export const isRole = (words: string) => ROLE.test(plain(words));

const AMOUNT_WORDS =
  /[\p{N}\p{Sc}]+|个月|小时|分钟|毫安|工作日|以上|以下|以内|以外|不满|不足|超过|不超|[年月日天周元万亿千百个台支伏瓦秒米克至到满]|\b(?:up|to|and|or|over|under|more|less|than|at|least|most|from|between|days?|weeks?|months?|years?|hours?|minutes?|euros?|yuan|percent)\b/giu;

/** Pronouns, demonstratives, "the latter", "another", clauses. */
const POINTS_ELSEWHERE = new RegExp(
  `\\b(?:${among(POINTERS.en)}|${among(QUESTION_WORDS.en)}|there|here|i|we|my|our|your|same|former|latter|above|below|following|another|others?|else|you|any|anyone|someone|nobody|nothing|some)\\b|^(?:${among(POINTERS.zh)}|[本某另我你您谁哪怎]|上述|下列|以上|以下|其他|其余|另外|什么|如何)|[它他她]们?$`,
  "i",
);

/** Phrases about all of a kind are values, not names: 每月三百元, "each Monday", "everyone". */
const EACH = /\b(?:each|every|everyone)\b|^[各每]/i;

/** Placeholders for an unknown value. */
const UNKNOWN =
  /^(?:n\/?a|tb[adc]|to be \w+|unknown|none|nil|open|pending|待定|未定|暂无|未知|无|空缺|不详|同上|另行通知)$/i;

/** Words that, with a comma, make a phrase a rule with exceptions instead of a value. */
const RULES = /\b(?:may|must|can|if|unless|except|only)\b|可以|必须|应当|不得|如果|除非|除外|优先/i;
const TOPIC =
  /^(?:overview|summary|introduction|background|about|contacts?|contact us|address|location|general|details?|information|basics?|data|specifications?|parameters|facts|figures|faq|glossary|index|contents|history|appendix|usage|performance|licen[cs]e|install(?:ation)?|api|options?|features|requirements|support|status|development|tests?|testing|build(?:ing)?|configuration|troubleshooting|credits|authors|contribut\w+|in the case|using|how|what|when|where|who|why)\b|^(?:概述|概况|概要|简介|介绍|总则|前言|背景|附录|附则|目录|说明|其他|联系方式|联系我们|基本(?:信息|情况|资料)|主要(?:参数|指标|信息)|技术(?:参数|指标)|规格|地址|信息|详情|时间|地点|常见问题|问答|索引|范围)$|(?:须知|办法|制度|规定|指南|问题|步骤|流程|要求|情况|方式|安排|事项|简介|概况|术语表?|参数|区别)$/i;
