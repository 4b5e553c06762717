import { claimsOf, isStatement } from "../citing/claims.js";
import { EndpointError } from "../errors.js";
import { languageOf } from "../text/language.js";
import type { Documents, ScoredPassage } from "../tools/documents/port.js";
import type { Chat } from "../tools/models/chat.js";
import type { Filter } from "../types/filter.js";
import type { Ask } from "./ask.js";

/**
 * The usual first version of such a system: retrieve the top passages, put them into one prompt, and take the reply.
 * Without a chat model, the answer is the passage that was found first.
 */
export const askPlain =
  (documents: Documents, chat?: Chat, { filter = [], signal }: { filter?: Filter; signal?: AbortSignal } = {}): Ask =>
  async ({ question, history }) => {
    const started = performance.now();
    const passages = await documents.search({ text: question, filter }, PASSAGES, { ...(signal && { signal }) });
    const faults: string[] = [];
    const turns = history.flatMap((turn) => [
      { role: "user" as const, content: turn.question },
      { role: "assistant" as const, content: turn.answer },
    ]);
    const messages = [...turns, { role: "user" as const, content: prompt(question, passages) }];
    const limit = AbortSignal.timeout(MOST_TIME);
    const request = { messages, format: "prompt", schema: {}, schemaName: "" } as const;
    const reply = await chat
      ?.send({ ...request, signal: signal ? AbortSignal.any([signal, limit]) : limit })
      .catch((error: unknown) => {
        if (!(error instanceof EndpointError)) throw error;
        faults.push(`${error.name}: ${error.message}`);
      });
    const text = chat ? reply?.text.trim() : (passages[0]?.text ?? "");
    const refused = text !== undefined && (chat ? isRefusal(text) : text === "");
    const sources = (chat ? passages : passages.slice(0, 1)).map(({ uri }) => uri);
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
      cost: {
        usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, ...reply?.usage, calls: chat ? 1 : 0 },
        faults,
        seconds: (performance.now() - started) / 1000,
      },
    };
  };

const MOST_TIME = 600_000;
const PASSAGES = 8;

function prompt(question: string, passages: readonly ScoredPassage[]): string {
  const context = passages.map(({ title, text }, i) => `[${i + 1}] ${title}\n${text}`.trim()).join("\n\n");
  return languageOf(question) === "zh"
    ? `请只根据下面的上下文回答问题。如果上下文中没有答案，请回答“不知道”。\n\n上下文：\n${context}\n\n问题：${question}\n回答：`
    : `Answer the question using only the context below. If the context does not contain the answer, say "I don't know".\n\nContext:\n${context}\n\nQuestion: ${question}\nAnswer:`;
}

/** True for the usual ways in which a model says that it cannot answer from its context. */
export const isRefusal = (text: string): boolean => text.trim() === "" || REFUSALS.test(text);

const REFUSALS =
  /\b(?:(?:do not|don['’]t|doesn['’]t|does not|did not|didn['’]t) (?:know|contain|mention|provide|specify|state|say|include|have (?:enough|any|the))|(?:not|never|isn['’]t|wasn['’]t) (?:\w+ )?(?:mentioned|provided|specified|stated|given|contained|included|enough)|(?:cannot|can['’]t|could not|unable to) (?:be )?(?:\w+ )?(?:determined?|answer(?:ed)?|find|found)|no (?:\w+ )?(?:information|mention|answer))\b|不知道|不清楚|无法(?:确定|回答|得知|判断|找到)|(?:没有|并未|未)(?:明确)?(?:提到|提及|提供|说明|给出|包含|答案|相关|指出|找到)/i;
