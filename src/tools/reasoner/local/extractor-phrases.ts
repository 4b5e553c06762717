import { negations } from "../../../text/negation.js";
import { hasWords } from "../../../text/tokens.js";

/** A text without Markdown's marks of emphasis, code and links, and without HTML's. */
export const bare = (text: string) =>
  text
    .replace(/<\/?(?:a|abbr|b|br|code|em|i|kbd|small|span|strong|sub|sup|u)(?:\s[^<>]{0,300})?\/?>/gi, "")
    .replace(/!?\[([^\][\n]{1,300})\]\([^()\s]{0,500}\)/g, "$1")
    .replace(/(\*{1,3}|_{2,3}|`+)(?=\S)([^*`\n]{1,300}?)(?<=\S)\1/g, "$2")
    .replace(/\s+/g, " ")
    .trim();

/** Whether these words can stand for a thing by themselves: a name or a short noun phrase, in no particular sentence. */
export function namesThing(phrase: string): boolean {
  if (phrase === "" || phrase.length > (HAN.test(phrase) ? 24 : 60) || !/\p{L}/u.test(phrase)) return false;
  if (/[.!?;:。！？；：…"“”，]|, |[\p{So}<>={}|\\]/u.test(phrase) || phrase.split(" ").length > 7) return false;
  return !isAmount(phrase) && !pointsElsewhere(phrase) && negations(phrase) === 0;
}

/** Whether these words can stand at the far end of a relation: also an amount, a date, a list of things. */
export function isValue(phrase: string): boolean {
  if (!hasWords(phrase) || phrase.length > (HAN.test(phrase) ? 40 : 80)) return false;
  if (/[!?！？。；;…]|\.\s/.test(phrase) || UNKNOWN.test(phrase) || pointsElsewhere(phrase)) return false;
  return !/，|, /.test(phrase) || (negations(phrase) === 0 && !RULES.test(phrase));
}

/** With a comma, the signs of a rule with its exceptions, which is no value. */
const RULES = /\b(?:may|must|can|if|unless|except|only)\b|可以|必须|应当|不得|如果|除非|除外|优先/i;

/**
 * Whether a clause can be read for what holds now. Not where it asks, denies, doubts, reports, sets a condition, or
 * speaks of another time.
 */
export function isPlain(sentence: string): boolean {
  return negations(sentence) === 0 && !NOT_NOW.test(sentence) && !/[?？"“”「」『』]|[吗呢]$/.test(sentence);
}

/** Nothing but an amount or a range of amounts, with comparing words: "2,000 to 5,000 yuan", 满3年不满6年, 2000元以下. */
export const isAmount = (phrase: string) => !/\p{L}/u.test(phrase.replace(AMOUNT_WORDS, ""));

const AMOUNT_WORDS =
  /[\p{N}\p{Sc}]+|个月|小时|分钟|毫安|工作日|以上|以下|以内|以外|不满|不足|超过|不超|[年月日天周元万亿千百个台支伏瓦秒米克至到满]|\b(?:up|to|and|or|over|under|more|less|than|at|least|most|from|between|days?|weeks?|months?|years?|hours?|minutes?|euros?|yuan|percent)\b/giu;

const HAN = /\p{Script=Han}/u;

/** "He Mingyuan" and "She Lin" are people: some surnames read like pronouns. */
const pointsElsewhere = (phrase: string) =>
  POINTS_ELSEWHERE.test(phrase.replace(/\b(?:He|She|You|Any)(?= \p{Lu}\p{Ll})/gu, ""));

/** Words that mean something only where they stand: pronouns, demonstratives, "the latter", "another", clauses. */
const POINTS_ELSEWHERE =
  /\b(?:it|its|this|that|these|those|he|she|they|them|his|her|their|there|here|which|who|whom|whose|what|when|where|why|how|i|we|you|my|our|your|same|former|latter|above|below|following|another|other|others|else|anyone|anybody|everyone|everybody|someone|nobody|nothing|each|every|any|some)\b|^(?:[它他她这那此该其本某各每另]|上述|下列|以上|以下|其他|其余|另外|我|你|您|谁|什么|哪|怎|如何)|[它他她]们?$/i;

/** What stands in a table for not knowing. */
const UNKNOWN =
  /^(?:n\/?a|tb[adc]|to be \w+|unknown|none|nil|open|pending|待定|未定|暂无|未知|无|空缺|不详|同上|另行通知)$/i;

const NOT_NOW = new RegExp(
  [
    // Conditions, exceptions, doubt, reports.
    "\\b(?:if|unless|except|only|provided|supposed?\\w*|when(?:ever)?|while|until|false|untrue|myth|den(?:y|ies|ied)|alleged\\w*)\\b",
    "\\b(?:reported\\w*|rumou?r\\w*|claim(?:s|ed)?|sa(?:id|ys?)|apparently|probably|perhaps|possibly|likely|maybe|seem\\w*|so-called|like)\\b",
    "\\b(?:believe[ds]?|thinks?|thought|hopes?|wants?|wishes|wrong(?:ly)?|mistaken\\w*|assum\\w+|imagine\\w*|example|instance)\\b",
    "如果|假如|倘若|(?:^|[，,])(?:若|要是)|除非|除了|仅|只|否认|谣言|传[言闻]|据(?:说|称|悉|报|传|了解)|[自声宣谎]称|可能|也许|或许|大概|似乎|好像|假设",
    "比如|例如|譬如|认为|觉得|听说|希望|以为|误[以认]|不在时|时[，,]|当.{1,12}时",
    // Other times, and what ought to be.
    "\\b(?:might|can|could|would|should|shall|will|must|may(?!\\s+\\d)|propos\\w+|planned|plans? to|to be|going to|designate|elect|soon|next|tomorrow)\\b",
    "\\b(?:was|were|had|been|used to|once|ago|former(?:ly)?|previous(?:ly)?|ex-\\w+|late|yesterday|then|acting|interim|temporar\\w+|stands? in)\\b",
    "应[当该]|必须|(?<!模)拟|计划|将|预计|打算|候选|曾|原(?:来|先|任|为|是)|[以之此]前|过去|前任|当时|那时|时任|临时|暂|代理(?!人|商)|代行",
  ].join("|"),
  "i",
);
