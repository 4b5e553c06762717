import { EndpointError } from "../../src/errors.js";
import {
  type Ask,
  answerPrompt,
  isRefusal,
  PASSAGES,
  plainRequest,
  replyFrom,
  secondsSince,
} from "../../src/evaluate/ask.js";
import { languageOf } from "../../src/text/language.js";
import type { Chat } from "../../src/tools/chat/port.js";
import type { Documents, ScoredPassage } from "../../src/tools/documents/port.js";
import { addUsage, NOTHING_SPENT, type Usage } from "../../src/types/answer.js";

// The two graphs that LangGraph's notebooks made known, with our own prompts. They use the same store and the same model
// as emend, so that the comparison shows what emend's way adds. Each of their judgements is a call of the model.

/** What a notebook's graph works with. */
interface Parts {
  question: string;
  search(query: string): Promise<readonly ScoredPassage[]>;
  /** Asks the chat model, with the turns before. @throws EndpointError if it fails, which ends the steps. */
  say(prompt: string): Promise<string>;
}

/** Makes a system from its steps, and counts what they cost. */
const askBySteps =
  (steps: (parts: Parts) => Promise<{ text: string; passages: readonly ScoredPassage[] }>) =>
  (documents: Documents, chat: Chat): Ask =>
  async ({ question, history }) => {
    const started = performance.now();
    const faults: string[] = [];
    let usage: Usage = NOTHING_SPENT;
    let found: readonly ScoredPassage[] = [];
    const say = async (prompt: string) => {
      usage = { ...usage, calls: usage.calls + 1 };
      const reply = await chat.send(plainRequest(prompt, history));
      usage = addUsage(usage, { calls: 0, ...reply.usage });
      return reply.text.trim();
    };
    const search = async (text: string) => {
      found = await documents.search({ text }, PASSAGES);
      return found;
    };
    const done = await steps({ question, search, say }).catch((error: unknown) => {
      if (!(error instanceof EndpointError)) throw error;
      faults.push(`${error.name}: ${error.message}`);
    });
    const { text, passages } = done ?? { text: undefined, passages: found };
    const refused = text !== undefined && isRefusal(text);
    return replyFrom({ text, refused, passages }, { usage, faults, seconds: secondsSince(started) });
  };

/**
 * Corrective RAG (arXiv 2401.15884): grade every passage, keep the relevant ones, and search once more with a better query
 * if one was not relevant. The notebook then asks the web. Here it asks the store, so that all systems search the same sources.
 */
export const askCrag = askBySteps(async ({ question, search, say }) => {
  const found = await search(question);
  const relevant = await relevantOf(question, found, say);
  const more = relevant.length < found.length ? await search(await say(rewritePrompt(question))) : [];
  const passages = distinct([...relevant, ...more]);
  return { passages, text: await say(answerPrompt(question, passages)) };
});

/**
 * Self-RAG (arXiv 2310.11511) as a graph: grade every passage, write, and check the draft twice. A draft that the
 * passages do not support is written again. One that does not answer starts over with another query.
 */
export const askSelfRag = askBySteps(async ({ question, search, say }) => {
  let query = question;
  let passages: ScoredPassage[] = [];
  let text = "";
  for (let round = 0; round < ROUNDS; round++) {
    passages = await relevantOf(question, await search(query), say);
    if (passages.length > 0) {
      text = await say(answerPrompt(question, passages));
      if (!isYes(await say(groundedPrompt(text, passages)))) text = await say(answerPrompt(question, passages));
      if (isYes(await say(usefulPrompt(question, text)))) return { passages, text };
    }
    query = await say(rewritePrompt(question));
  }
  return { passages, text: text || (languageOf(question) === "zh" ? "不知道" : "I don't know") };
});

/** The notebook goes on until LangGraph's recursion limit. */
const ROUNDS = 3;

async function relevantOf(
  question: string,
  passages: readonly ScoredPassage[],
  say: (prompt: string) => Promise<string>,
): Promise<ScoredPassage[]> {
  const relevant: ScoredPassage[] = [];
  for (const passage of passages) if (isYes(await say(relevantPrompt(question, passage.text)))) relevant.push(passage);
  return relevant;
}

const distinct = (passages: readonly ScoredPassage[]) => [
  ...new Map(passages.map((passage) => [passage.id, passage])).values(),
];

const isYes = (reply: string) => /\byes\b|是|相关/i.test(reply) && !/\bno\b|不是|不相关|否/i.test(reply);

const relevantPrompt = (question: string, text: string) =>
  `Is this passage relevant to the question? Reply with yes or no alone.\n\nPassage:\n${text}\n\nQuestion: ${question}`;

const groundedPrompt = (answer: string, passages: readonly ScoredPassage[]) =>
  `Do the facts support all of this answer? Reply with yes or no alone.\n\nFacts:\n${passages.map(({ text }) => text).join("\n\n")}\n\nAnswer: ${answer}`;

const usefulPrompt = (question: string, answer: string) =>
  `Does this answer resolve the question? Reply with yes or no alone.\n\nQuestion: ${question}\n\nAnswer: ${answer}`;

const rewritePrompt = (question: string) =>
  `Write a better search query for this question, in its language. Reply with the query alone.\n\nQuestion: ${question}`;
