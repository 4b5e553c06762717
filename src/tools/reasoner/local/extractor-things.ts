import { isPersonName } from "./extractor-names.js";
import { namesThing } from "./extractor-phrases.js";
import { isRole } from "./extractor-relations.js";

/** Whether a heading is the name of one thing, and not of a topic, a question, an activity or several things. */
export function isOneThing(heading: string): boolean {
  if (!namesThing(heading) || TOPIC.test(heading)) return false;
  if (HAN.test(heading)) return heading.length <= 16 && !/[的与和及或、：]|如何|怎[么样]/.test(heading);
  const words = heading.split(" ");
  // Headings begin with a capital whatever they are; in a name the other words have one too, or a figure.
  return words.length > 1
    ? words.every((word) => /^[\p{Lu}\p{N}]/u.test(word) || /^(?:of|the|van|von|de|la|le|el|al)$/.test(word))
    : /^\p{Lu}[\p{L}\p{N}-]*[^s]$/u.test(heading);
}

/**
 * The things that a cell or a value lists: 广州、深圳; of a relation that leads to people also "Ann Smit, Li Lei (remote)".
 * One that lists none is given back whole: the comma in "Lisbon, Portugal" sets nothing apart.
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

const HAN = /\p{Script=Han}/u;
const TOPIC =
  /^(?:overview|summary|introduction|background|about|contacts?|contact us|address|location|general|details?|information|basics?|data|specifications?|parameters|facts|figures|faq|glossary|index|contents|history|appendix|visitors|money|usage|performance|licen[cs]e|install(?:ation)?|api|options?|features|requirements|support|status|development|tests?|testing|build(?:ing)?|configuration|troubleshooting|credits|authors|contribut\w+|returns|parameters|training|security|leave|mail|equipment|in the case|using|how|what|when|where|who|why)\b|^(?:概述|概况|概要|简介|介绍|总则|前言|背景|附录|附则|目录|说明|其他|联系方式|联系我们|基本(?:信息|情况|资料)|主要(?:参数|指标|信息)|技术(?:参数|指标)|参数|规格|地址|信息|详情|时间|地点|常见问题|问答|术语表?|索引|须知|范围|要求|流程|步骤|办法|制度|规定)$|(?:须知|办法|制度|规定|指南|问题|步骤|流程|要求|情况|方式|安排|事项|简介|概况|术语表|参数|区别)$/i;
