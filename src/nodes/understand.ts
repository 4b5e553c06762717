import { HumanMessage } from "@langchain/core/messages";
import type { State, Update } from "../graph/state.js";
import type { Node } from "../graph/step.js";
import { intentOf } from "../text/intent.js";
import { languageOf } from "../text/language.js";
import type { Turn } from "../tools/reasoner/port.js";
import type { Tools } from "../tools/tools.js";
import { type Intent, NOTHING_SPENT } from "../types/answer.js";

/**
 * Takes the question as it was asked and works out what it asks for: standing on its own, its language, its intent.
 * Costs no model call for a first question. Everything an earlier question of the thread left behind is cleared.
 */
export const understand =
  ({ rewriter }: Pick<Tools, "rewriter">): Node =>
  async (state, { context, call }) => {
    const clarified = isClarified(state);
    const fresh = clarified ? { ...NOTHING_FOUND, question: state.question } : newQuestion(state);
    const { question } = fresh;
    const asked = clarified ? state.clarification : question;
    const history = turns(state.messages, clarified ? state.clarification : question);
    const standalone = history.length > 0 && asked ? await rewriter.standalone(asked, history, call) : asked;
    const intent: Intent = intentOf(standalone);
    const passages = context.passages || PASSAGES[intent];
    const query = { text: standalone, reason: reasonFor(clarified, standalone !== asked) };
    return {
      ...fresh,
      understood: { question: standalone, language: languageOf(question), intent, passages },
      queries: clarified ? [...state.queries, query] : [query],
    };
  };

/** Whether the run comes from asking the user, and not with a message sent since. */
const isClarified = ({ decisions, messages, clarification }: State) =>
  decisions.at(-1)?.to === "understand" && messages.at(-1)?.text === clarification;

/** How many passages an answer may rest on: a definition stands in one place, a comparison in several. */
const PASSAGES: Record<Intent, number> = { definition: 4, steps: 8, comparison: 10, other: 8 };

/** What was found for a question, or for a reading of it that the user has since corrected, says nothing on the next. */
const NOTHING_FOUND = {
  evidence: [],
  excluded: [],
  webQueries: [],
  webResults: [],
  verdict: undefined,
  nearest: undefined,
  draft: undefined,
  report: undefined,
  attempts: [],
} satisfies Update;

/** A conversation that ends with a message not yet dealt with asks that; otherwise the input's `question` is new and joins it. */
function newQuestion(state: State) {
  const last = state.messages.at(-1);
  const isAsked = last?.getType() === "human" && last.id !== undefined && last.id !== state.askedIn;
  const question = (isAsked ? last.text : state.question).trim();
  const askedIn = (isAsked && last.id) || crypto.randomUUID();
  return {
    question,
    askedIn,
    messages: isAsked ? [] : [new HumanMessage({ content: question, id: askedIn })],
    ...NOTHING_FOUND,
    clarification: "",
    queries: [],
    streamed: [],
    decisions: [],
    spend: NOTHING_SPENT,
    answer: undefined,
  } satisfies Update;
}

/** The conversation before what is asked now, as pairs of question and answer, oldest first. */
function turns(messages: State["messages"], asked: string): Turn[] {
  const last = messages.at(-1);
  const before = last?.getType() === "human" && last.text.trim() === asked ? messages.slice(0, -1) : messages;
  const pairs: Turn[] = [];
  for (const message of before) {
    const pair = pairs.at(-1);
    if (message.getType() === "human") pairs.push({ question: message.text, answer: "" });
    else if (message.getType() === "ai" && pair) pair.answer = message.text;
  }
  return pairs;
}

function reasonFor(clarified: boolean, changed: boolean): string {
  if (clarified) return "the question, with what the user added";
  return changed ? "the follow-up, made to stand on its own" : "the question as asked";
}
