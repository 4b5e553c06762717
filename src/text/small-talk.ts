import { plainWithoutMarks } from "./tokens.js";

/** The kinds of messages that ask nothing of the documents. */
export type SmallTalk = "greeting" | "thanks" | "agreement" | "farewell" | "test" | "who" | "help";

/**
 * Returns the kind of small talk that a message is; undefined for anything else. All of it must be small talk: "Hello,
 * when is payday?" is a question. A message of several kinds is of the one that asks most: "Hello! Who are you?" asks
 * who.
 * @param options.isFirst true if nothing was asked before, so that "How does this work?" can only mean emend. Default
 * false.
 */
export function smallTalkIn(message: string, { isFirst = false }: { isFirst?: boolean } = {}): SmallTalk | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const kinds = new Set<string>();
  for (let rest = wordsOf(message); rest !== ""; ) {
    const [said] = PHRASES.filter(({ kind }) => isFirst || kind !== "first")
      .map(({ kind, pattern }) => ({ kind, length: pattern.exec(rest)?.[0].length ?? 0 }))
      .toSorted((a, b) => b.length - a.length);
    if (!said?.length) return undefined;
    kinds.add(said.kind === "first" ? "help" : said.kind);
    rest = rest.slice(said.length).trimStart();
  }
  return MOST_FIRST.find((kind) => kinds.has(kind));
}

/** In characters. */
const MAX_LENGTH = 100;

/** The kind that asks most comes first. */
const MOST_FIRST: readonly SmallTalk[] = ["who", "help", "test", "farewell", "thanks", "agreement", "greeting"];

/** A few emoji are words, the others and smileys are left out. Apostrophes are left out: "whats up" is common. */
const wordsOf = (message: string) =>
  plainWithoutMarks(
    message
      .replace(/👋/gu, " hello ")
      .replace(/👍|👌|🆗/gu, " ok ")
      .replace(/🙏/gu, " thanks ")
      .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|(?<!\S)[:;=]-?[()DPp](?!\S)/gu, " ")
      .replace(/[’'`]/g, ""),
  );

/** Phrases by kind, as patterns. `first` is help if nothing was asked before. `filler` alone is not small talk. */
const PATTERNS: Readonly<Record<SmallTalk | "first" | "filler", readonly string[]>> = {
  greeting: [
    "(?:hello|helo|hi|hey|heya|hiya|howdy|yo|greetings|good day|(?:good )?(?:morning|afternoon|evening))(?: (?:there|again|everyone|everybody|all|world))?",
    "how are (?:you|things)(?: doing)?(?: today)?|hows (?:it going|things)|how is it going|whats up|sup|(?:nice|pleased) to meet you",
    "(?:你|您|大家)好|哈喽|哈啰|哈罗|嗨|嘿|(?:早上|上午|中午|下午|晚上)好|早安?|最近(?:怎么样|好)|吃了|很?高兴认识(?:你|您)",
    "有人|(?:有人|你|您|还)?在(?:不在?)?",
  ],
  thanks: [
    "(?:many )?(?:thanks|thank (?:you|u)|thankyou)(?: (?:so|very) much| a lot| a bunch| a million| again)?(?: for (?:your|the|all your|all the) (?:help|answer|answers|reply|info|information))?",
    "thx|ty|tks|tnx|cheers|(?:much )?appreciated|(?:i )?appreciate it|(?:that|this) (?:helps|helped|was helpful|is helpful)(?: a lot)?|(?:very )?helpful",
    "(?:太|非常|十分|万分)?(?:感谢|多谢|谢谢?)(?:你|您)?(?:的(?:帮助|回答|解答|回复))?|(?:辛苦|麻烦)(?:你|您)?了?|3q",
  ],
  agreement: [
    "ok|okay|alright|all right|cool|great|nice|perfect|awesome|excellent|good(?: job| to know)?|well done|(?:i )?got it|i (?:see|understand)|understood|makes sense|sounds good|never ?mind|no (?:worries|problem)",
    "(?:no|nothing)(?: else| more)? thanks?(?: you)?|(?:thats|that is|that will be) (?:all|it)|nothing else",
    "好的?|嗯+|哦+|行|明白|知道|(?:我)?(?:了解|懂|清楚)|收到|没问题|不用|不必|没有|没事|不客气|太好|(?:你|您)?(?:真|太|很)(?:棒|厉害|聪明|好)|棒|赞|不错|厉害|原来如此",
  ],
  farewell: [
    "(?:good ?)?bye(?: bye)?(?: for now)?|good night|see (?:you|ya)(?: later| soon| tomorrow| around)?|cya|take care|have a (?:nice|good|great) (?:day|evening|weekend|one)",
    "再见|再会|拜拜?|晚安|(?:回头|下次|明天|改天|回)见|88",
  ],
  test: [
    "(?:(?:this is )?(?:just )?(?:a )?test|(?:just )?testing)(?: \\d+)*|ping|(?:is this|are you) (?:thing )?(?:on|working)|(?:are you|anyone|anybody|is anyone|is anybody) there",
    "测试(?:一下|测试)?(?: ?\\d+)*|(?:我)?试(?:一?试|一?下)",
  ],
  who: [
    "(?:who|what)(?: are| r|re) (?:you|u)|whos this|who is this|what(?:s| is) your name|introduce yourself|tell me about yourself",
    "are you (?:an? )?(?:real )?(?:human|person|bot|chat ?bot|robot|ai|machine|chatgpt|gpt|llm|assistant)|who (?:made|built|created|developed) you",
    "谁(?:开发|创造|设计|制作)了?(?:你|您)的?|(?:你|您)是谁(?:开发|创造|设计|制作|做)的|介绍(?:一下|下)?(?:你|您)?自己|自我介绍(?:一下|下)?",
    "(?:你|您)(?:是|叫)(?:谁|(?:什么|啥)(?:名字|东西)?)|(?:你|您)的名字(?:是|叫)什么|(?:你|您)(?:是|是不是)(?:一?个)?(?:真?人|人类|机器人|ai|人工智能|chatgpt|gpt)",
  ],
  help: [
    "(?:can you |could you )?help(?: me)?|i need (?:some )?help|how can (?:you|u) help(?: me)?|what else can you do",
    "what (?:can|could) (?:you|u) (?:do|answer|tell me|help(?: me)? with)(?: for me)?|what (?:are you able to do|do you do|do you know(?: about)?)",
    "what (?:can|could|should|may) i ask(?: you| here| about)*|what (?:kinds? of |sorts? of )?questions can (?:i ask|you answer)|how do you work|how do i use you",
    "(?:what|which) (?:documents|docs|files) (?:do you (?:have|know)|are there)|(?:i have|can i ask)(?: you)? (?:a|some|another) questions?|can i ask(?: you)? something|(?:show|give) me (?:some |an )?examples?",
    "(?:do|can) you (?:speak|understand) (?:english|chinese)|(?:你|您)?(?:会|能|懂)(?:说|讲|用)?(?:中文|汉语|英文|英语)",
    "(?:你|您)?(?:都|还)?(?:能|会|可以)(?:帮我)?(?:做|干|回答)?(?:些|点)?(?:什么|啥|哪些)(?:问题|事情?)?|(?:你|您)能干嘛|(?:你|您)?有(?:什么|哪些)(?:功能|文档|资料)|(?:你|您)知道(?:些)?(?:什么|哪些文档)",
    "我?(?:可以|能|该)问(?:你|您)?(?:些|点)?(?:什么|哪些)(?:问题)?|我?(?:想|要)问(?:一?个|点|些)问题|我?有(?:一?个|些)?问题|(?:我)?(?:能|可以)问(?:你|您)?(?:一?个)?问题",
    "(?:能|可以)?帮(?:帮|助)?(?:我|忙)?|我?需要帮助|请问",
  ],
  first: [
    "how does (?:this|it) work|how do i use (?:this|it)|what(?:s| is) this(?: for)?|(?:这个?)?(?:怎么|如何)(?:使?用|操作)|这个?是(?:什么|啥|干什么的|做什么的|干嘛的)",
  ],
  filler: ["please|so|well|oh|um|and|then|emend|bot|by the way|请|那|哈+|那么"],
};

const PHRASES = Object.entries(PATTERNS).map(([kind, phrases]) => {
  // "行吗？" asks.
  const particles = `[啊呀哇哦呢啦哈吧了]*${kind === "agreement" ? "" : "[吗嘛么]?"}`;
  const end = "(?:(?<=\\p{Script=Han})|(?![a-z0-9]))";
  return { kind, pattern: new RegExp(`^(?:${phrases.join("|")})${particles}${end}`, "u") };
});
