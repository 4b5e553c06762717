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
      /^how (?:do|can|should|would|to|does one|must)\b(?!.*\b(?:much|many|long|often|far|old)\b)|\b(?:steps?|procedure|process|instructions?|guide|walk me through|set ?up|how (?:to|do i|do we|can i))\b.*|(?:怎么|怎样|如何|怎么样才能)(?!.{0,1}(?:样)?(?:评价|看待|看))(?=.{0,12}(?:申请|办理|设置|安装|配置|使用|提交|处理|操作|做|报销|登录|重置|修改|创建|添加|删除|联系|获得|取得|加入|开通|请假|预订|注册|更新|恢复|备份|启动))|步骤|流程|手续|操作方法/i,
  },
  {
    intent: "definition",
    pattern:
      /^(?:what(?:'s|’s| is| are| does)|define|explain|who is|tell me what)\b(?=(?: (?:an?|the))? ?[\p{L}\p{N}\s"“”'&./-]{1,48}\??$)(?!.*\b(?:of|in|for|at|from|by|on|when|per|name|number|date|price|cost|address|deadline|limit)\b)|\b(?:meaning of|definition of|stand for|what does .{1,40} mean)\b|^什么(?:是|叫)|是什么(?:意思|东西)?[？?]?$|(?:的)?(?:定义|含义|意思)(?:是什么)?[？?]?$|(?:是指什么|指的是什么|何谓)/iu,
  },
];
