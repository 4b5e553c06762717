import type { Intent } from "../types/answer.js";
import { languageOf } from "./language.js";
import { simplified } from "./simplified.js";
import { plainWithoutMarks } from "./tokens.js";

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

/** The kinds of messages that ask nothing of the documents. */
export type SmallTalk = "greeting" | "thanks" | "farewell" | "test" | "who" | "help";

/**
 * Returns the kind of small talk that a message is; undefined for anything else. All its clauses must be small talk:
 * "Hello, when is payday?" is a question. The last clause determines the kind: "Hello! Who are you?" asks who.
 */
export function smallTalkIn(message: string): SmallTalk | undefined {
  if (message.length > LONGEST) return undefined;
  const clauses = message
    .split(/[.,;:!?~…。，、；：！？～\n]+/u)
    .map((clause) => plainWithoutMarks(clause.replace(/\p{Extended_Pictographic}\ufe0f?/gu, " ")))
    .filter((clause) => clause !== "");
  const kinds = clauses.map((clause) => KINDS.get(clause) ?? KINDS.get(clause.replace(ADDRESSED, "")));
  return kinds.includes(undefined) ? undefined : kinds.at(-1);
}

/** In characters. */
const LONGEST = 100;

const ADDRESSED = / (?:there|again|everyone|all|emend)$|[啊呀吗呢]$/u;

/** Separated by bars. Case and punctuation do not matter. */
const PHRASES: Readonly<Record<SmallTalk, string>> = {
  greeting:
    "hello|hi|hey|hello hello|hi hi|good morning|good afternoon|good evening|good day|greetings|how are you|你好|您好|嗨|哈喽|哈啰|早上好|上午好|中午好|下午好|晚上好|早安|大家好|在|在不在",
  thanks:
    "thanks|thank you|thx|ty|many thanks|thanks a lot|thank you very much|thank you so much|thanks so much|ok thanks|okay thanks|great thanks|cheers|谢谢|谢谢你|谢谢您|多谢|谢了|感谢|非常感谢|好的谢谢|辛苦了",
  farewell: "bye|goodbye|good bye|bye bye|see you|see you later|good night|再见|拜拜|晚安|回头见",
  test: "test|testing|test test|this is a test|just testing|just a test|ping|测试|测试一下|试试|试一下",
  who: "who are you|what are you|what is your name|what's your name|are you a bot|are you an ai|introduce yourself|你是谁|您是谁|你是什么|你叫什么|你叫什么名字|介绍一下你自己|介绍一下自己|自我介绍|自我介绍一下",
  help: "help|help me|what can you do|what can you do for me|what do you do|what do you know|what can i ask|what can i ask you|how can you help|how can you help me|what can you help with|what can you help me with|how do you work|how does this work|帮助|你能做什么|你会做什么|你可以做什么|你能干什么|你会什么|能做什么|我能问什么|我可以问什么|可以问什么|你知道什么|你能帮我什么|你能帮我做什么",
};

const KINDS = new Map(
  Object.entries(PHRASES).flatMap(([kind, phrases]) =>
    phrases.split("|").map((phrase) => [plainWithoutMarks(phrase), kind as SmallTalk]),
  ),
);
