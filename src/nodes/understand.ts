import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { withoutSources } from "../answer/compose.js";
import { attachmentsIn, scopeSaidIn } from "../conversation/messages.js";
import { toError } from "../errors.js";
import { askedTime } from "../reading/asked-time.js";
import { readings } from "../reading/standalone.js";
import type { Node } from "../state/node.js";
import type { Reading, State, Update } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { intentOf } from "../text/intent.js";
import { languageOf } from "../text/language.js";
import { smallTalkIn } from "../text/small-talk.js";
import { type Intent, NOTHING_SPENT, type Query } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Generator, Rewriter, Turn } from "../types/reasoners.js";
import { inTime, isTimeUp, timeNow, unlessAborted } from "../waiting.js";

/**
 * Makes the question stand on its own, and works out its language and intent. Costs no model call for a first question.
 * Clears the results of the thread's earlier question.
 */
export const understand =
  ({ rewriter, generator }: Pick<Tools, "rewriter" | "generator">): Node =>
  async (state, { context, scope, call }) => {
    // A state left by someone who may see other documents must not be used for this question.
    const isSame = (state.scope ?? "") === scope;
    const goneOn = isSame ? (isClarified(state) ? clarified(state) : replied(state)) : undefined;
    const { conversation, ...fresh } = goneOn ?? (isSame ? askedAgain(state) : undefined) ?? newQuestion(state);
    const { question, clarification, askedIn } = fresh;
    const asked = clarification || question;
    const history = turns(conversation).filter((turn) => scope === "" || turn.scope === scope);
    // A reply to a question back is not small talk, however short.
    const smallTalk = goneOn ? undefined : smallTalkIn(question, { isFirst: history.length === 0 });
    const standalone =
      history.length > 0 && asked && !smallTalk ? await rewritten(asked, history, rewriter, call) : asked;
    const modelLeads = !smallTalk && asked !== "" && (await leads(generator, call));
    const isReply = clarification !== "" || smallTalk !== undefined;
    const other = isReply ? undefined : otherThan(standalone, asked, readings(asked, history));
    const query = queryOf(read(standalone), asked, clarification);
    const since = conversation.findIndex(({ id }) => id === askedIn);
    return {
      ...fresh,
      unread: conversation.slice(since).filter(isHuman).flatMap(attachmentsIn),
      understood: {
        ...read(standalone),
        ...(other !== undefined && { otherwise: read(other) }),
        language: languageOf(question),
        ...(modelLeads && { modelLeads }),
        ...(smallTalk && { smallTalk, language: /\p{Script=Han}/u.test(question) ? "zh" : "en" }),
      },
      queries: goneOn ? [...state.queries, query] : [query],
    };

    function read(reading: string): Reading {
      const intent = intentOf(reading);
      const time = askedTime(reading, new Date().toISOString().slice(0, "2026-01-31".length));
      const isJoined = reading !== asked && clarification === "";
      const before = isJoined ? history.findLast(({ question }) => reading.includes(bare(question))) : undefined;
      return {
        question: reading,
        intent,
        passages: context.passages || (modelLeads ? PASSAGES_FOR_A_MODEL : PASSAGES[intent]),
        ...(before && { before: before.question }),
        ...(time && { time }),
      };
    }
  };

/** Returns the reading that is left, of a question that has two: as it stands, if a model worded it anew. */
function otherThan(taken: string, asked: string, both: readonly [string, string?]): string | undefined {
  const [likelier, other] = both;
  if (other === undefined || taken === likelier) return other;
  return taken === other ? likelier : asked;
}

/** The query for a reading of what was asked, with the reason for it. */
export const queryOf = ({ question: text, before }: Reading, asked: string, clarification = "") => {
  const changed = text === asked ? "asked" : before ? "with_previous" : "standalone";
  return { text, reason: { code: clarification ? "clarified" : changed } } satisfies Query;
};

/**
 * If a follow-up cannot be rewritten, it is asked unchanged. A failure of this node would answer the previous question
 * again.
 */
async function rewritten(asked: string, history: readonly Turn[], rewriter: Rewriter, call: Call): Promise<string> {
  try {
    const work = rewriter.standalone(asked, history, call);
    return await unlessAborted(work, call.signal).catch((error: unknown) => {
      if (!isTimeUp(call.signal)) throw error;
      return inTime(work, MOMENT, () => toError(error));
    });
  } catch (error) {
    call.fault(toError(error));
    return asked;
  }
}

/** In milliseconds. The fallback to code after the time is up takes less, and a step waits longer than this. */
const MOMENT = 700;

/** True if the run continues with the reply to a clarification, not with a later message. */
const isClarified = ({ decisions, messages, clarification }: State) =>
  decisions.at(-1)?.step === "clarify" &&
  decisions.at(-1)?.to === "understand" &&
  messages.at(-1)?.text === clarification;

/** Number of passages an answer may rest on: a definition stands in one place, a comparison in several. */
const PASSAGES: Record<Intent, number> = { definition: 4, steps: 8, comparison: 10, other: 8 };

/**
 * About 2,200 tokens. Of 150 questions over five handbooks, a passage that answers is among the first 8 for 126, and among
 * the first 12 for 130. The model asks for what is missing.
 */
const PASSAGES_FOR_A_MODEL = 9;

/** A model that cannot be tried does not lead. */
async function leads(generator: Generator, call: Call): Promise<boolean> {
  try {
    return (await generator.leads?.(call)) ?? false;
  } catch (error) {
    if (call.signal.aborted && !isTimeUp(call.signal)) throw error;
    call.fault(toError(error));
    return false;
  }
}

/** Clears everything found for the previous question, or for a reading of it that the user has corrected. */
export const NOTHING_FOUND = {
  evidence: [],
  excluded: [],
  webQueries: [],
  webResults: [],
  verdict: undefined,
  nearest: undefined,
  leftOut: undefined,
  draft: undefined,
  lookUps: [],
  findings: [],
  report: undefined,
  attempts: [],
} satisfies Update;

/** Resets what the last run did for its question. */
const startedAnew = () =>
  ({
    ...NOTHING_FOUND,
    answering: crypto.randomUUID(),
    said: "",
    queries: [],
    streamed: [],
    decisions: [],
    spend: NOTHING_SPENT,
    began: timeNow(),
    answer: undefined,
  }) satisfies Update;

/** The same question, with the user's reply to the question back. */
const clarified = ({ question, clarification, askedIn, messages }: State) => ({
  ...NOTHING_FOUND,
  question,
  clarification,
  askedIn,
  messages: [],
  conversation: messages,
});

/**
 * The same if the reply comes as the next message of the thread instead of a resume. Undefined if the run did not wait for
 * a reply, or if the same question is asked again.
 */
function replied(state: State) {
  const { text, message = new HumanMessage(text) } = incoming(state);
  const { askedIn, decisions, messages: before } = state;
  const question = before.find(({ id }) => id === askedIn)?.text.trim();
  if (decisions.at(-1)?.to !== "clarify" || !question || !text || text === question) return undefined;
  const messages = before.includes(message) ? [] : [message];
  const spoken = { answering: crypto.randomUUID(), said: "", messages, conversation: [...before, ...messages] };
  return { ...NOTHING_FOUND, ...spoken, question, askedIn, clarification: text };
}

/**
 * The newest question once more: the user wants another answer, or a client sends it again. Its message stays, and the
 * replies to it are removed. Undefined if something else is asked.
 */
function askedAgain(state: State) {
  const { messages, askedIn, clarification, decisions } = state;
  const isWanted = decisions.at(-1)?.step === "respond" && decisions.at(-1)?.to === "understand";
  const question = messages.find(({ id }) => id === askedIn)?.text.trim();
  const { text, message } = incoming(state);
  const isSent = !message && (text === "" || text === question);
  if (question === undefined || !(isWanted || isSent)) return undefined;
  const said = messages.findLastIndex((message) => message.getType() === "human") + 1;
  return {
    ...startedAnew(),
    question,
    askedIn,
    clarification,
    messages: messages.slice(said).map(({ id = "" }) => new RemoveMessage({ id })),
    conversation: messages.slice(0, said),
  };
}

/**
 * Starts a new question: the unanswered message that ends the conversation, else the input's `question`, which is added
 * to it.
 */
function newQuestion(state: State) {
  const { text: question, message } = incoming(state);
  const askedIn = message?.id ?? crypto.randomUUID();
  const unanswered = leftUnanswered(state, message);
  const joining = message ? [] : [new HumanMessage({ content: question, id: askedIn })];
  return {
    ...startedAnew(),
    question,
    askedIn,
    clarification: "",
    messages: [...unanswered.map((id) => new RemoveMessage({ id })), ...joining],
    conversation: [...state.messages.filter(({ id = "" }) => !unanswered.includes(id)), ...joining],
  };
}

/** The state of a question that could not be read: it has nothing of the question before. */
export function notUnderstood(state: State): Update {
  const { conversation: _, ...fresh } = newQuestion(state);
  return { ...fresh, understood: undefined };
}

/**
 * Returns the input of this run: a message that ends the thread, else the input's `question`, else the newest message of a
 * person that was not asked yet. Other agents may have added messages after that one when they handed it over.
 */
function incoming({ messages, question, askedIn, clarification }: State): { text: string; message?: BaseMessage } {
  const at = messages.findLastIndex(isHuman);
  const newest = messages[at];
  const before = messages.findIndex(({ id }) => id === askedIn);
  const isNew = newest?.id !== undefined && at > before;
  const isLast = at === messages.length - 1;
  const isReply = clarification !== "" && newest?.text === clarification;
  // The state has the question of the run before, until another is given.
  const isGiven = question.trim() !== "" && question.trim() !== messages[before]?.text.trim();
  return isNew && (isLast || !(isReply || isGiven))
    ? { text: newest.text.trim(), message: newest }
    : { text: question.trim() };
}

const isHuman = (message: BaseMessage) => message.getType() === "human";

/**
 * Returns the ids of the messages of a question whose run was stopped before its answer. The user may have meant to take
 * it back, so it must not reach the next question or a web search.
 */
function leftUnanswered({ messages, askedIn, clarification, answer }: State, next: BaseMessage | undefined): string[] {
  const at = messages.findIndex(({ id }) => id === askedIn);
  if (answer || at < 0) return [];
  // The question, what was asked back, and the reply to that.
  const isPart = (one: BaseMessage) => one.getType() === "ai" || (clarification !== "" && one.text === clarification);
  const end = messages.findIndex((one, i) => i > at && (one === next || !isPart(one)));
  return messages.slice(at, end < 0 ? undefined : end).flatMap(({ id }) => id ?? []);
}

/**
 * The conversation before what is asked now, as pairs of question and answer, oldest first. Of several replies the last
 * counts, and one of emend before those of other agents.
 */
function turns(messages: State["messages"]): (Turn & { scope: string })[] {
  const pairs: (Turn & { scope: string; isOwn: boolean })[] = [];
  for (const message of messages.slice(0, messages.findLastIndex(isHuman))) {
    const pair = pairs.at(-1);
    const isOwn = message.additional_kwargs.emend !== undefined;
    if (isHuman(message)) pairs.push({ question: message.text, answer: "", scope: "", isOwn });
    else if (pair && isReply(message) && (isOwn || !pair.isOwn))
      Object.assign(pair, { answer: withoutSources(message.text), scope: scopeSaidIn(message), isOwn });
  }
  // A question that was not answered was withdrawn, and must not reach the next question or a web search.
  return pairs.filter(({ question, answer }) => answer !== "" && !smallTalkIn(question));
}

/** True for words to the user, not a call of a tool, such as one that hands a question over. */
const isReply = (message: BaseMessage) =>
  AIMessage.isInstance(message) && (message.tool_calls ?? []).length === 0 && message.text.trim() !== "";

const bare = (question: string) => question.trim().replace(/[\s?？。.!！]+$/u, "");
