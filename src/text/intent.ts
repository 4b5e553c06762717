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
