import { quantities } from "../../checking/facts/numbers.js";
import { simplified } from "../../text/simplified.js";

/** True if a question asks for an amount: "how many", "how much", 多少, 几天. 几点 and 周几 ask for a time, 哪几个 for names. */
export const asksHowMany = (question: string): boolean =>
  /\bhow (?:many|much)\b|多少|(?<![哪周期拜])几(?![点乎何])/i.test(simplified(question));

/**
 * True if a text can answer such a question: it has an amount, or says none or all. Of 52 right answers to such questions
 * in five sets every one had an amount.
 */
export const saysHowMany = (text: string): boolean => quantities(text).length > 0 || NONE_OR_ALL.test(simplified(text));

const NONE_OR_ALL =
  /\b(?:no|none|free|unlimited|any|all|both|once|twice|half|double|every)\b|免费|没有|无|不|任何|全部|都|一半|双倍/i;
