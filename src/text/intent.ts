import type { Intent } from "../types/answer.js";
import { languageOf } from "./language.js";
import { simplified } from "./simplified.js";

/**
 * Returns the form that the answer to a question should have, by the question's words. "other" if none fits, or if the
 * question is neither English nor Chinese.
 */
export function intentOf(question: string): Intent {
  if (languageOf(question) === "other") return "other";
  const text = simplified(question).trim();
  return INTENTS.find(({ pattern }) => pattern.test(text))?.intent ?? "other";
}

/**
 * True if a question asks to compare, summarise, count, calculate, write or translate: a sentence of the documents does
 * none of it.
 */
export function asksForWork(question: string): boolean {
  const text = simplified(question).trim();
  return intentOf(question) === "comparison" || WORK.test(text);
}

/** Orders at the start of a question, and things that nobody has written yet. */
const WORK =
  /^(?:(?:please|kindly|now|(?:can|could|would|will) you|help me(?: to)?|i (?:need|want) you to)[ ,]+)*(?:compare|contrast|summari[sz]e|sum up|count|add up|calculate|compute|estimate|write|draft|compose|rewrite|rephrase|reword|translate)\b|\b(?:give|write|make|draft|need|want) (?:me |us )?(?:an?|the) (?:\w+ ){0,2}(?:summary|overview|comparison|translation|draft)\b|\bhow many\b.*\b(?:are there|in total|altogether|do we have)\b|\b(?:in total|on average|the (?:sum|total|average) of)\b|总结|概括|归纳|概述|摘要|对比一下|比较一下|统计|计算|算一下|算算|总共|一共|合计|共有(?:多少|几)|平均|翻译|译成|改写|润色|起草|^(?:请|请你|请您|帮我|帮忙)?(?:写|拟)/iu;

const INTENTS: readonly { intent: Intent; pattern: RegExp }[] = [
  {
    intent: "comparison",
    pattern:
      /\b(?:compare|comparison|differences?|differs?|distinctions?|versus|vs\.?|in common|pros and cons)\b|^(?:is|are|was|were|do|does|did)\b.*\b(?:more|less|better|worse|\w{3,}er)\b.*\bthan\b|\bwhich\b.*\b(?:\w{3,}er|more|less|better|worse)\b.*\bor\b|区别|差别|差异|不同之处|有何不同|有什么不同|相比|对比|比较|优缺点|哪个更|哪一个更|还是.*更|更.*还是|比.{1,16}吗[？?]?$/i,
  },
  {
    intent: "steps",
    pattern:
      /^how (?:do|can|should|would|to|does one|must)\b(?!.*\b(?:much|many|long|often|far|old)\b)|\bwhat (?:do|should|must|can) (?:i|we|you)(?: (?:have|need))?(?: to)? do\b|\b(?:steps?|procedure|process|instructions?|guide|walk me through|set ?up|how (?:to|do i|do we|can i))\b.*|(?:怎么|怎样|如何)(?!样?(?:评价|看待|看|理解|回事|[？?。，]|$))|步骤|流程|手续|操作方法/i,
  },
  {
    intent: "definition",
    pattern:
      /^(?:what(?:'s|’s| is| are| does)|define|explain|who is|tell me what)\b(?=(?: (?:an?|the))? ?[\p{L}\p{N}\s"“”'&./-]{1,48}\??$)(?!.*\b(?:of|in|for|at|from|by|on|when|per|name|number|date|price|cost|address|deadline|limit)\b)|\b(?:meaning of|definition of|stand for|what does .{1,40} mean)\b|^什么(?:是|叫)|是什么(?:意思|东西)?[？?]?$|(?:的)?(?:定义|含义|意思)(?:是什么)?[？?]?$|(?:是指什么|指的是什么|何谓)/iu,
  },
];

/**
 * True for a question that may ask for several things: "Which perks do I get?", "What documents do I need?",
 * 有哪些插件？. A plural is enough, since a list that is shown whole has the one that was meant.
 */
export const asksForList = (question: string): boolean => LIST.test(simplified(question));

const LIST =
  /\b(?:list|all|any|every|kinds? of|types? of)\b|\b(?:which|what)\b(?!\s+(?:is|was|does)\b)(?:\s+[\p{L}'’-]+){0,3}?\s+\p{L}{2,}(?<![sui'’])s\b|\bwhat (?:do|should|must|can) (?:i|we|you)\b|哪些|哪几|几[种个类]|[列举]出|所有|全部|分别|什么(?:时候|地方)?(?=[^？?]*(?:材料|东西|条件|要求|内容|信息|参数))|(?:需要|要)[^？?]{0,8}什么/iu;
