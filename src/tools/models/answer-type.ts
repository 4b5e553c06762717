import { quantities } from "../../checking/facts/numbers.js";
import { simplified } from "../../text/simplified.js";

/**
 * Returns a test for texts that cannot answer a question because they lack the amount or the time that it asks for. Of
 * the sentences that answer such questions in four sets, 7 of 783 lack an amount and 0 of 409 a time.
 */
export function lacksType(question: string): (text: string) => boolean {
  const asked = simplified(question);
  const types = TYPES.filter(({ asks }) => asks.test(asked));
  return (text) => types.some(({ isIn }) => !isIn(simplified(text)));
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
];
