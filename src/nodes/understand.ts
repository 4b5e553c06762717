import { type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { questionBack } from "../answer/answer.js";
import type { Tools } from "../graph/parts.js";
import type { State, Update } from "../graph/state.js";
import type { Node } from "../graph/step.js";
import { askedTime } from "../language/asked-time.js";
import { intentOf } from "../language/intent.js";
import { languageOf } from "../language/language.js";
import type { Turn } from "../tools/reasoner/port.js";
import { type Intent, NOTHING_SPENT } from "../types/answer.js";
import { said, scopeSaidIn } from "./said.js";

/**
 * Makes the question stand on its own, and works out its language and intent. Costs no model call for a first question.
 * Clears the results of the thread's earlier question.
 */
export const understand =
  ({ rewriter }: Pick<Tools, "rewriter">): Node =>
  async (state, { context, scope, call }) => {
    // What somebody who may see other documents left here is no part of this question.
    const isSame = (state.scope ?? "") === scope;
    const goneOn = isSame ? (isClarified(state) ? clarified(state) : replied(state, scope)) : undefined;
    const { conversation, ...fresh } = goneOn ?? newQuestion(state);
    const { question } = fresh;
    const asked = goneOn?.clarification ?? question;
    const history = turns(conversation, asked).filter((turn) => scope === "" || turn.scope === scope);
    const standalone = history.length > 0 && asked ? await rewriter.standalone(asked, history, call) : asked;
    const intent: Intent = intentOf(standalone);
    const passages = context.passages || PASSAGES[intent];
    const time = askedTime(standalone, new Date().toISOString().slice(0, "2026-01-31".length));
    const query = { text: standalone, reason: reasonFor(goneOn !== undefined, standalone !== asked) };
    return {
      ...fresh,
      understood: { question: standalone, language: languageOf(question), intent, passages, ...(time && { time }) },
      queries: goneOn ? [...state.queries, query] : [query],
    };
  };

/** True if the run continues after a clarification, and not with a message sent since. */
const isClarified = ({ decisions, messages, clarification }: State) =>
  decisions.at(-1)?.to === "understand" && messages.at(-1)?.text === clarification;

/** Number of passages an answer may rest on: a definition stands in one place, a comparison in several. */
const PASSAGES: Record<Intent, number> = { definition: 4, steps: 8, comparison: 10, other: 8 };

/** Clears everything found for the previous question, or for a reading of it that the user has corrected. */
const NOTHING_FOUND = {
  evidence: [],
  excluded: [],
  webQueries: [],
  webResults: [],
  verdict: undefined,
  nearest: undefined,
  leftOut: undefined,
  draft: undefined,
  report: undefined,
  attempts: [],
} satisfies Update;

/** The question again, with what the user said when asked back. */
const clarified = ({ question, clarification, messages }: State) => ({
  ...NOTHING_FOUND,
  question,
  clarification,
  messages: [],
  conversation: messages,
});

/**
 * The same if the reply comes as the next message of the thread instead of a resume. The question that was asked back is
 * inserted before it. Undefined if the run did not wait for a reply, or if the same question is asked again.
 */
function replied(state: State, scope: string) {
  const { text, message = new HumanMessage(text) } = incoming(state);
  const at = state.messages.findIndex(({ id }) => id === state.askedIn);
  const question = state.messages[at]?.text.trim();
  if (state.decisions.at(-1)?.to !== "clarify" || !question || !text || text === question) return undefined;
  const since = state.messages.slice(at + 1).filter((one) => one !== message);
  const conversation = [...state.messages.slice(0, at + 1), said(questionBack(state), scope), ...since, message];
  const messages = [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...conversation];
  return { ...NOTHING_FOUND, question, clarification: text, messages, conversation };
}

/** Starts a new question: the unanswered message that ends the conversation, else the input's `question`, which joins it. */
function newQuestion(state: State) {
  const { text: question, message } = incoming(state);
  const askedIn = message?.id ?? crypto.randomUUID();
  const unanswered = leftUnanswered(state);
  const joining = message ? [] : [new HumanMessage({ content: question, id: askedIn })];
  return {
    question,
    askedIn,
    answering: crypto.randomUUID(),
    said: "",
    messages: [...unanswered.map((id) => new RemoveMessage({ id })), ...joining],
    conversation: [...state.messages.filter(({ id = "" }) => !unanswered.includes(id)), ...joining],
    ...NOTHING_FOUND,
    clarification: "",
    queries: [],
    streamed: [],
    decisions: [],
    spend: NOTHING_SPENT,
    answer: undefined,
  };
}

/** Returns the input of this run: an unanswered message of the thread, else the input's `question`. */
function incoming({ messages, question, askedIn }: State): { text: string; message?: BaseMessage } {
  const last = messages.at(-1);
  const isNew = last?.getType() === "human" && last.id !== undefined && last.id !== askedIn;
  return isNew ? { text: last.text.trim(), message: last } : { text: question.trim() };
}

/**
 * Returns the ids of the messages of a question whose run was stopped before its answer. The user may have meant to take
 * it back, so it must not reach the next question or a web search.
 */
function leftUnanswered({ messages, askedIn, clarification, answer }: State): string[] {
  const at = messages.findIndex(({ id }) => id === askedIn);
  if (answer || at < 0) return [];
  // The question, and after a clarification also the question back and the reply.
  return messages.slice(at, at + (clarification ? 3 : 1)).flatMap(({ id }) => id ?? []);
}

/** The conversation before what is asked now, as pairs of question and answer, oldest first. */
function turns(messages: State["messages"], asked: string): (Turn & { scope: string })[] {
  const last = messages.at(-1);
  const before = last?.getType() === "human" && last.text.trim() === asked ? messages.slice(0, -1) : messages;
  const pairs: (Turn & { scope: string })[] = [];
  for (const message of before) {
    const pair = pairs.at(-1);
    if (message.getType() === "human") pairs.push({ question: message.text, answer: "", scope: "" });
    else if (message.getType() === "ai" && pair) {
      pair.answer = message.text;
      pair.scope = scopeSaidIn(message);
    }
  }
  return pairs;
}

function reasonFor(clarified: boolean, changed: boolean): string {
  if (clarified) return "the question, with what the user added";
  return changed ? "the follow-up, made to stand on its own" : "the question as asked";
}
