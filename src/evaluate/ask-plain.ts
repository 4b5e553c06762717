import { claimsOf, isStatement } from "../citing/claims.js";
import { EndpointError } from "../errors.js";
import { languageOf } from "../text/language.js";
import type { Chat } from "../tools/chat/port.js";
import type { Documents, ScoredPassage } from "../tools/documents/port.js";
import { addUsage, type Usage } from "../types/answer.js";
import type { Filter } from "../types/filter.js";
import type { Ask } from "./ask.js";

interface PlainOptions {
  /** Documents that may be found. Default: all. */
  filter?: Filter;
  signal?: AbortSignal;
}

/** What a system that is compared with emend works with. */
interface Parts {
  question: string;
  search(query: string): Promise<readonly ScoredPassage[]>;
  /** Asks the chat model, with the turns before. @throws EndpointError if it fails, which ends the steps. */
  say(prompt: string): Promise<string>;
  hasModel: boolean;
}

interface Steps {
  text: string;
  /** What was retrieved for it. */
  passages: readonly ScoredPassage[];
  /** The passages that it was made from. Default: all of them. */
  used?: readonly ScoredPassage[];
}

/**
 * Makes a system that is compared with emend from its steps: counts what they cost, and prepares the answer to be
 * judged like any other.
 */
export const askBySteps =
  (steps: (parts: Parts) => Promise<Steps>) =>
  (documents: Documents, chat?: Chat, { filter = [], signal }: PlainOptions = {}): Ask =>
  async ({ question, history }) => {
    const started = performance.now();
    const faults: string[] = [];
    let usage: Usage = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
    const turns = history.flatMap((turn) => [
      { role: "user" as const, content: turn.question },
      { role: "assistant" as const, content: turn.answer },
    ]);
    let passages: readonly ScoredPassage[] = [];
    const say = async (content: string) => {
      if (!chat) throw new EndpointError("There is no model.");
      usage = { ...usage, calls: usage.calls + 1 };
      const limit = AbortSignal.timeout(MOST_TIME);
      const reply = await chat.send({
        messages: [...turns, { role: "user", content }],
        ...{ format: "prompt", schema: {}, schemaName: "" },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      usage = addUsage(usage, { calls: 0, ...reply.usage });
      return reply.text.trim();
    };
    const search = async (query: string) => {
      passages = await documents.search({ text: query, filter }, PASSAGES, { ...(signal && { signal }) });
      return passages;
    };
    const done = await steps({ question, search, say, hasModel: chat !== undefined }).catch((error: unknown) => {
      if (!(error instanceof EndpointError)) throw error;
      faults.push(`${error.name}: ${error.message}`);
    });
    passages = done?.passages ?? passages;
    const text = done?.text;
    const refused = text !== undefined && (chat ? isRefusal(text) : text === "");
    const sources = (done?.used ?? passages).map(({ uri }) => uri);
    return {
      text: text ?? "",
      failed: text === undefined,
      refused,
      statements: refused
        ? []
        : claimsOf(text ?? "")
            .filter(isStatement)
            .map((claim) => ({ text: claim.text, citations: [], sources })),
      contexts: passages.map(({ uri, title, text }) => ({ source: uri, title, text })),
      firstStatementSeconds: null,
      confidence: null,
      notes: {},
      cost: { usage, faults, seconds: (performance.now() - started) / 1000 },
    };
  };

/** In milliseconds, of a call to the model. */
const MOST_TIME = 600_000;
const PASSAGES = 8;

/**
 * The usual first version of such a system: retrieve the top passages, put them into one prompt, and take the reply.
 * Without a chat model, the answer is the passage that was found first.
 */
export const askPlain = askBySteps(async ({ question, search, say, hasModel }) => {
  const passages = await search(question);
  if (!hasModel) return { passages, used: passages.slice(0, 1), text: passages[0]?.text ?? "" };
  return { passages, text: await say(answerPrompt(question, passages)) };
});

export function answerPrompt(question: string, passages: readonly ScoredPassage[]): string {
  const context = passages.map(({ title, text }, i) => `[${i + 1}] ${title}\n${text}`.trim()).join("\n\n");
  return languageOf(question) === "zh"
    ? `请只根据下面的上下文回答问题。如果上下文中没有答案，请回答“不知道”。\n\n上下文：\n${context}\n\n问题：${question}\n回答：`
    : `Answer the question using only the context below. If the context does not contain the answer, say "I don't know".\n\nContext:\n${context}\n\nQuestion: ${question}\nAnswer:`;
}

/** True for the usual ways in which a model says that it cannot answer from its context. */
export const isRefusal = (text: string): boolean => text.trim() === "" || REFUSALS.test(text);

const REFUSALS =
  /\b(?:(?:do not|don['’]t|doesn['’]t|does not|did not|didn['’]t) (?:know|contain|mention|provide|specify|state|say|include|have (?:enough|any|the))|(?:not|never|isn['’]t|wasn['’]t) (?:\w+ )?(?:mentioned|provided|specified|stated|given|contained|included|enough)|(?:cannot|can['’]t|could not|unable to) (?:be )?(?:\w+ )?(?:determined?|answer(?:ed)?|find|found)|no (?:\w+ )?(?:information|mention|answer))\b|不知道|不清楚|无法(?:确定|回答|得知|判断|找到)|(?:没有|并未|未)(?:明确)?(?:提到|提及|提供|说明|给出|包含|答案|相关|指出|找到)/i;
