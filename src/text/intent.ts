import type { Intent } from "../types/answer.js";
import { simplified } from "./simplified.js";

/** What a question asks for, as the kind of answer it wants. */
export type AnswerType =
  | "person"
  | "date"
  | "number"
  | "place"
  | "reason"
  | "manner"
  | "yesno"
  | "list"
  | "definition"
  | "unknown";

/** The form an answer should take, from the question's words; English and Chinese. */
export function intentOf(question: string): Intent {
  const text = simplified(question).trim();
  return INTENTS.find(({ pattern }) => pattern.test(text))?.intent ?? "other";
}

/** The kind of thing that would answer the question; "unknown" where its words do not tell. */
export function answerTypeOf(question: string): AnswerType {
  const text = simplified(question).trim();
  const at = (pattern: RegExp) => pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
  const first = TYPES.map(({ type, pattern }) => ({ type, at: at(pattern) })).reduce((a, b) => (b.at < a.at ? b : a));
  if (first.at !== Number.POSITIVE_INFINITY) return first.type;
  return HINTS.find(({ pattern }) => pattern.test(text))?.type ?? "unknown";
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

/** Where several fit, the one whose words come first; of those that start together, the one listed first. */
const TYPES: readonly { type: AnswerType; pattern: RegExp }[] = [
  {
    type: "reason",
    pattern:
      /\bwhy\b|\b(?:reason|cause|purpose)s? (?:for|of|why|behind|that)\b|\bwhat (?:causes?|caused|led to)\b|为什么|为何|为啥|什么原因|因何|何故/i,
  },
  {
    type: "date",
    pattern:
      /\bwhen\b|\b(?:what|which|in what|on what|by what) (?:\w+ )?(?:year|date|day|month|decade|century|time|deadline|season)\b|\bhow (?:recently|soon)\b|什么时候|何时|哪一?年|哪一?天|哪一?日|几月|几号|几点|哪个(?:月|世纪|年代|季节|朝代)|什么时间|何年|什么年代|哪个时期/i,
  },
  {
    type: "number",
    pattern:
      /\bhow (?:many|much|long|far|old|tall|high|large|big|deep|wide|heavy|fast|often|frequently)\b|\bwhat (?:\w+ ){0,2}(?:percent(?:age)?|number|amount|population|price|cost|rate|score|total|distance|size|length|height|weight|age|temperature|share|fraction|proportion|limit|quota)\b|多少|几(?!乎|何)(?=[\p{L}])|多(?:久|长|大|远|高|重|快|深|宽)|第几/iu,
  },
  {
    type: "person",
    pattern:
      /\b(?:who|whom|whose)\b|\b(?:what|which) (?:\w+ ){0,2}(?:person|people|man|woman|king|queen|president|author|actor|actress|singer|scientist|leader|emperor|player|director|manager|engineer|minister|general|explorer|philosopher|architect|composer|monarch|duke|bishop|pope)\b|谁|哪位|哪个人|哪些人|何人|什么人/i,
  },
  {
    type: "place",
    pattern:
      /\bwhere\b|\b(?:what|which|in what|in which) (?:\w+ ){0,2}(?:city|country|state|place|location|region|area|continent|town|river|building|county|province|street|island|room|floor|village|district|site|nation|address)\b|哪里|哪儿|何处|何地|什么地方|哪个(?:国家|城市|省|地方|地区|州|县|区|市)|哪国|哪座|在哪|哪(?:省|市|县)/i,
  },
  { type: "manner", pattern: /\bhow\b|\b(?:in )?what (?:way|manner)\b|怎么|怎样|如何|什么方式|什么方法/i },
  {
    type: "list",
    pattern:
      /\b(?:which|what) (?:are|were)\b|\b(?:list|name) (?:the|all|some|three|two|four|five)\b|\b(?:what|which) (?:\w+ )?(?:types|kinds|examples|members|parts|steps|factors|reasons|benefits)\b|哪些|有什么|哪几|哪两|哪三|列举|列出/i,
  },
  {
    type: "definition",
    pattern:
      /^(?:what(?:'s|’s| is| are) (?:an? )?[\p{L}-]+(?: [\p{L}-]+)?\??$|define\b)|\b(?:meaning|definition) of\b|\bwhat does .* mean\b|\bstand for\b|什么是|是什么意思|是指什么/iu,
  },
  {
    type: "yesno",
    pattern:
      /^(?:is|are|was|were|do|does|did|has|have|had|can|could|may|might|will|would|should|must|am)\b|吗[？?]?$|是不是|是否|有没有|能不能|可不可以|能否|可否|会不会|要不要|对不对/i,
  },
];

/** Nouns that tell the kind where no question word does: "population of Wuhan", 作者是什么, 死亡人数. */
const HINTS: readonly { type: AnswerType; pattern: RegExp }[] = [
  { type: "reason", pattern: /\b(?:reasons?|causes?) (?:for|of)\b|原因|缘故/i },
  {
    type: "number",
    pattern:
      /\b(?:number|amount|price|cost|population|percentage|age|height|length|area) of\b|人数|数量|比例|百分比|面积|人口|价格|费用|金额|年龄|身高|得分|比分|票房|销量|增速/i,
  },
  { type: "date", pattern: /\b(?:date|year|time|deadline) of\b|时间|日期|年份|截止/i },
  {
    type: "person",
    pattern:
      /\b(?:author|director|founder|winner|inventor|name of the person)\b|作者|导演|创始人|负责人|校长|主演|联系人|教练|编剧|获得者|得主|姓名/i,
  },
  { type: "place", pattern: /\b(?:location|address|capital) of\b|地点|地址|首都|位置|举办地/i },
  { type: "definition", pattern: /\b(?:meaning|definition) of\b|定义|含义/i },
];
