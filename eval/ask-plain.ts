import { EndpointError } from "../src/errors.js";
import { languageOf } from "../src/text/language.js";
import type { Documents, ScoredPassage } from "../src/tools/documents/port.js";
import type { Chat } from "../src/tools/models/chat.js";
import { NOTHING_SPENT } from "../src/types/answer.js";
import { statementsIn } from "./carried.js";
import { metered } from "./meter.js";
import type { Ask } from "./qa.js";

/** What everybody builds first: retrieve the top passages, put them in one prompt, take what comes back. */
export const askPlain =
  (documents: Documents, chat: Chat): Ask =>
  async ({ question, history }) => {
    let passages: ScoredPassage[] = [];
    const { value: text, cost } = await metered(async (call) => {
      passages = await documents.search({ text: question }, PASSAGES);
      const turns = history.flatMap((turn) => [
        { role: "user" as const, content: turn.question },
        { role: "assistant" as const, content: turn.answer },
      ]);
      const messages = [...turns, { role: "user" as const, content: prompt(question, passages) }];
      const request = { messages, format: "prompt", schema: {}, schemaName: "", signal: call.signal } as const;
      const reply = await chat.send(request).catch((error: unknown) => {
        if (!(error instanceof EndpointError)) throw error;
        call.fault(error);
      });
      call.spent({ ...NOTHING_SPENT, ...reply?.usage, calls: 1 });
      return reply?.text.trim();
    });
    return {
      text: text ?? "",
      failed: text === undefined,
      refused: text !== undefined && isRefusal(text),
      statements: statementsIn(text ?? "").map((statement) => ({
        text: statement,
        citations: [],
        sources: passages.map(({ uri }) => uri),
      })),
      firstStatementSeconds: null,
      confidence: null,
      notes: {},
      cost,
    };
  };

const PASSAGES = 8;

function prompt(question: string, passages: readonly ScoredPassage[]): string {
  const context = passages.map(({ title, text }, i) => `[${i + 1}] ${title}\n${text}`.trim()).join("\n\n");
  return languageOf(question) === "zh"
    ? `请只根据下面的上下文回答问题。如果上下文中没有答案，请回答“不知道”。\n\n上下文：\n${context}\n\n问题：${question}\n回答：`
    : `Answer the question using only the context below. If the context does not contain the answer, say "I don't know".\n\nContext:\n${context}\n\nQuestion: ${question}\nAnswer:`;
}

/** The usual ways in which a model says that it was given nothing to answer from. */
export const isRefusal = (text: string): boolean => text.trim() === "" || REFUSALS.test(text);

const REFUSALS =
  /\b(?:(?:do not|don['’]t|doesn['’]t|does not|did not|didn['’]t) (?:know|contain|mention|provide|specify|state|say|include|have (?:enough|any|the))|(?:not|never|isn['’]t|wasn['’]t) (?:\w+ )?(?:mentioned|provided|specified|stated|given|contained|included|enough)|(?:cannot|can['’]t|could not|unable to) (?:be )?(?:\w+ )?(?:determined?|answer(?:ed)?|find|found)|no (?:\w+ )?(?:information|mention|answer))\b|不知道|不清楚|无法(?:确定|回答|得知|判断|找到)|(?:没有|并未|未)(?:明确)?(?:提到|提及|提供|说明|给出|包含|答案|相关|指出|找到)/i;
