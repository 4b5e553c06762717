import { SURNAME } from "../../../language/chinese-names.js";
import { negations } from "../../../language/negation.js";
import { hasWords, plain } from "../../../language/tokens.js";
import type { Entity } from "../../knowledge/port.js";

/** Removes inline Markdown and HTML: emphasis, code, links. Unpaired marks stay, as in "> 5" and "2*3". */
export const bare = (text: string) =>
  text
    .replace(/<\/?(?:a|abbr|b|br|code|em|i|kbd|small|span|strong|sub|sup|u)(?:\s[^<>]{0,300})?\/?>/gi, "")
    .replace(/!?\[([^\][\n]{1,300})\]\([^()\s]{0,500}\)/g, "$1")
    .replace(/(\*{1,3}|_{2,3}|`+)(?=\S)([^*`\n]{1,300}?)(?<=\S)\1/g, "$2")
    .replace(/\s+/g, " ")
    .trim();

/** True if a phrase can be an entity out of context: a name or a short noun phrase. */
export function namesThing(phrase: string): boolean {
  if (phrase === "" || phrase.length > (HAN.test(phrase) ? 24 : 60) || !/\p{L}/u.test(phrase)) return false;
  if (/[.!?;:。！？；：…"“”，]|, |[\p{So}<>={}|\\]/u.test(phrase) || phrase.split(" ").length > 7) return false;
  return !isAmount(phrase) && !pointsElsewhere(phrase) && negations(phrase) === 0;
}

/** True if a heading names one entity, not a topic, a question, an activity or several entities. */
export function isOneThing(heading: string): boolean {
  if (!namesThing(heading) || TOPIC.test(heading)) return false;
  if (HAN.test(heading)) return heading.length <= 16 && !/[的与和及或、：]|如何|怎[么样]/.test(heading);
  const words = heading.split(" ");
  // Every heading begins with a capital; in a name, the other words have a capital or a digit too.
  return words.length > 1
    ? words.every((word) => /^[\p{Lu}\p{N}]/u.test(word) || /^(?:of|the|van|von|de|la|le|el|al)$/.test(word))
    : /^\p{Lu}[\p{L}\p{N}-]*[^s]$/u.test(heading);
}

/** True if a phrase can be the object of a relation: an entity, an amount, a date or a list. */
export function isValue(phrase: string): boolean {
  if (!hasWords(phrase) || phrase.length > (HAN.test(phrase) ? 40 : 80)) return false;
  if (/[!?！？。；;…]|\.\s/.test(phrase) || UNKNOWN.test(phrase) || pointsElsewhere(phrase)) return false;
  return !/，|, /.test(phrase) || (negations(phrase) === 0 && !RULES.test(phrase));
}

/** True if a phrase needs its context to be understood. "He Mingyuan" and "She Lin" are people. */
const pointsElsewhere = (phrase: string) =>
  POINTS_ELSEWHERE.test(phrase.replace(/\b(?:He|She|You|Any)(?= \p{Lu}\p{Ll})/gu, ""));

/** True for an amount or a range of amounts: "2,000 to 5,000 yuan", 满3年不满6年, 2000元以下. */
export const isAmount = (phrase: string) => !/\p{L}/u.test(phrase.replace(AMOUNT_WORDS, ""));

/**
 * Returns the entity that a cell names. A Chinese name beside its pinyin, "Li Lei (李雷)", makes one entity with an alias.
 * Other words in brackets may mean anything, and stay part of the name.
 */
export function entity(phrase: string, type = ""): Entity {
  const [, outer = "", inner = ""] = /^([^()（）]{2,40}?)\s*[(（]([^()（）]{2,40})[)）]$/.exec(phrase) ?? [];
  const isOnePerson = isPinyinOf(outer, inner) || isPinyinOf(inner, outer);
  return isOnePerson ? { name: outer, type, aliases: [inner] } : { name: phrase, type, aliases: [] };
}

/** Returns the type of a relation's object; empty unless it is a person. */
export const typeAt = (relation: string, phrase: string) =>
  isRole(relation) && isPersonName(entity(phrase).name) ? (HAN.test(relation) ? "人员" : "Person") : "";

/**
 * Splits a list of entities: 广州、深圳, or "Ann Smit, Li Lei (remote)" where the relation leads to people. Anything else
 * is returned whole, such as "Lisbon, Portugal".
 */
export function split(value: string, relation: string): string[] {
  const people = isRole(relation) ? value.split(/、|，|, (?:and )?| and /).map(withoutRemark) : [];
  if (people.length > 1 && people.every(isPersonName)) return people;
  const parts = value.split("、").map((part) => part.trim());
  const isList =
    parts.length > 1 && parts.every((part) => part !== "" && part.length <= 12 && !/[，,（(：:]/.test(part));
  return isList ? parts : [value];
}

const withoutRemark = (name: string) => name.replace(/\s*[(（][^()（）]{1,12}[)）]\s*$/, "").trim();

/** True for two to four Chinese characters with a known surname, or two or more capitalised words. */
const isPersonName = (name: string) =>
  (/^\p{Script=Han}{2,4}$/u.test(name) && SURNAME.test(name)) ||
  /^\p{Lu}[\p{L}'’.-]*(?: (?:\p{Lu}[\p{L}'’.-]*|van|von|der|den|de|da|dos|di|del|la|el|al|bin|ibn|of))* \p{Lu}[\p{L}'’-]+$/u.test(
    name,
  );

/** True for 林雨晴 and "Lin Yuqing" or "Yuqing Lin": same initials of both names, same number of syllables. */
function isPinyinOf(latin: string, han: string): boolean {
  if (!/^\p{Script=Han}{2,4}$/u.test(han) || !/^\p{Lu}\p{L}*(?:[ -]\p{L}+){1,3}$/u.test(latin)) return false;
  const words = plain(latin).split(/[ -]/);
  const [surname, given] = [...han].map(initialOf);
  const [first, second, last] = [words[0], words[1], words.at(-1)].map((word) => word?.[0]);
  const hasInitials = (first === surname && second === given) || (last === surname && first === given);
  return hasInitials && words.join(" ").match(/[aeiouv]+/g)?.length === han.length;
}

/** Returns the first letter of a Chinese character's pinyin, by its place in the dictionary order. */
const initialOf = (character: string) =>
  INITIALS.findLast((pair) => PINYIN.compare(pair.charAt(0), character) <= 0)?.[1];
const PINYIN = new Intl.Collator("zh-u-co-pinyin");
/** The first character of each letter in the dictionary, with the letter. */
const INITIALS = "阿a八b嚓c搭d蛾e发f噶g哈h击j喀k垃l妈m拿n哦o啪p期q然r撒s塌t挖w昔x压y匝z".match(/../gu) ?? [];

const HAN = /\p{Script=Han}/u;

const among = (words: string) => words.trim().split(/\s+/).join("|");

const ROLES = among(`
  head lead leader manager director chief executive ceo cto cfo president chair chairman chairwoman chairperson
  founder co-founder cofounder owner author editor deputy assistant secretary treasurer mayor minister governor king queen
  prime-minister ambassador principal dean rector coach captain supervisor mentor buddy inventor
  architect composer designer producer wife husband spouse father mother son daughter brother sister
  contact spokesperson representative host recorder organiser organizer approver reviewer maintainer present attendee participant
`);
const CHINESE_ROLES = among(`
  负责人 主管 经理 主任 总裁 董事长 部长 组长 科长 处长 厂长 站长 店长 校长 院长 会长 局长 市长 省长 县长 主席 总统 总理 书记 秘书 助理
  创始人 创办人 联合创始人 作者 编者 主编 导演 编剧 主演 发明人 设计师 总工程师 联系人 代理人 法定代表人 发言人 主持 主持人 记录 记录人
  召集人 审批人 批准人 复核人 审核人 班主任 队长 教练 导师 妻子 丈夫 父亲 母亲 儿子 女儿 哥哥 弟弟 姐姐 妹妹 董事 监事 出席 参会人 与会人
`);
const NOUNS = among(`
  address telephone phone fax e-mail email website homepage postcode location venue place room floor headquarters capital
  supplier manufacturer vendor maker customer client subsidiary parent owner-company sponsor successor predecessor
  price cost fee weight size length width height depth area population capacity range accuracy resolution warranty lifetime
  lifespan interval period deadline budget revenue turnover currency language version release model number code
  abbreviation acronym nickname date time hours seats status priority severity colour color material interface protocol
  birthplace birthday nationality profession team department category type licence license
`);
const CHINESE_NOUNS = among(`
  地址 电话 号码 传真 邮箱 邮件 网址 主页 网站 邮编 地点 会议室 楼层 总部 首都 省会 供应商 制造商 生产商 厂家 客户 母公司 子公司 分公司 合作方
  价格 单价 费用 费率 重量 尺寸 长度 宽度 高度 深度 面积 人口 容量 量程 精度 分辨率 保修期 有效期 保质期 寿命 周期 期限 截止日期 预算 收入 营业额
  货币 语言 版本 型号 编号 代码 简称 全称 英文名 中文名 别名 日期 时间 座位 人数 状态 优先级 颜色 材质 接口 协议 出生地 生日 国籍 职业 部门 类别 类型
  前身 创办时间 成立时间
`);
const ROLE = new RegExp(`(?:^|[\\s-])(?:${ROLES})s?$|(?:${CHINESE_ROLES})$`);
const RELATION = new RegExp(`(?:^|[\\s-])(?:${ROLES}|${NOUNS})s?$|(?:${CHINESE_ROLES}|${CHINESE_NOUNS})$`);

/** True if the last word is known to name a relation: "head", 负责人, 联系电话. */
export const isRelation = (words: string) => RELATION.test(plain(words));
/** True if a relation of this name leads to a person. */
export const isRole = (words: string) => ROLE.test(plain(words));

const AMOUNT_WORDS =
  /[\p{N}\p{Sc}]+|个月|小时|分钟|毫安|工作日|以上|以下|以内|以外|不满|不足|超过|不超|[年月日天周元万亿千百个台支伏瓦秒米克至到满]|\b(?:up|to|and|or|over|under|more|less|than|at|least|most|from|between|days?|weeks?|months?|years?|hours?|minutes?|euros?|yuan|percent)\b/giu;
/** Pronouns, demonstratives, "the latter", "another", clauses. */
const POINTS_ELSEWHERE =
  /\b(?:it|its|this|that|these|those|they|them|his|her|their|there|here|which|who|whom|whose|what|when|where|why|how|i|we|my|our|your|same|former|latter|above|below|following|another|others?|else|he|she|you|any|anyone|everyone|someone|nobody|nothing|each|every|some)\b|^(?:[它他她这那此该其本某各每另]|上述|下列|以上|以下|其他|其余|另外|我|你|您|谁|什么|哪|怎|如何)|[它他她]们?$/i;
/** Placeholders for an unknown value. */
const UNKNOWN =
  /^(?:n\/?a|tb[adc]|to be \w+|unknown|none|nil|open|pending|待定|未定|暂无|未知|无|空缺|不详|同上|另行通知)$/i;
/** Words that, with a comma, make a phrase a rule with exceptions instead of a value. */
const RULES = /\b(?:may|must|can|if|unless|except|only)\b|可以|必须|应当|不得|如果|除非|除外|优先/i;
const TOPIC =
  /^(?:overview|summary|introduction|background|about|contacts?|contact us|address|location|general|details?|information|basics?|data|specifications?|parameters|facts|figures|faq|glossary|index|contents|history|appendix|visitors|money|usage|performance|licen[cs]e|install(?:ation)?|api|options?|features|requirements|support|status|development|tests?|testing|build(?:ing)?|configuration|troubleshooting|credits|authors|contribut\w+|returns|training|security|leave|mail|equipment|in the case|using|how|what|when|where|who|why)\b|^(?:概述|概况|概要|简介|介绍|总则|前言|背景|附录|附则|目录|说明|其他|联系方式|联系我们|基本(?:信息|情况|资料)|主要(?:参数|指标|信息)|技术(?:参数|指标)|规格|地址|信息|详情|时间|地点|常见问题|问答|索引|范围)$|(?:须知|办法|制度|规定|指南|问题|步骤|流程|要求|情况|方式|安排|事项|简介|概况|术语表?|参数|区别)$/i;
