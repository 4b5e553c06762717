import { plainWithoutMarks } from "./tokens.js";

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
