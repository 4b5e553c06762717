import { HumanMessage } from "@langchain/core/messages";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { faultInWords } from "../answer/messages/terms.js";
import { withoutCitations } from "../answer/segments.js";
import { claimsOf, isStatement } from "../citing/claims.js";
import { assistantMessage } from "../conversation/messages.js";
import { EndpointError } from "../errors.js";
import type { Context, ContextInput } from "../state/context.js";
import type { State } from "../state/state.js";
import { languageOf } from "../text/language.js";
import type { Chat, ChatRequest } from "../tools/chat/port.js";
import type { Documents } from "../tools/documents/port.js";
import { type Answer, Failure, holds, NOTHING_SPENT, type Usage } from "../types/answer.js";
import { ClaimReason } from "../types/claim-reason.js";
import { type AgentEvent, Decision } from "../types/events.js";
import type { Passage } from "../types/evidence.js";
import type { Filter } from "../types/filter.js";
import type { Question } from "./questions.js";

/** A system that answers questions: emend, or one that it is compared with. */
export type Ask = (asked: Pick<Question, "question" | "history">) => Promise<Reply>;

/** The parts of a system's reply that are judged. */
export interface Reply {
  /** Without citation markers. */
  text: string;
  /** True if the system failed and gave no reply. */
  failed: boolean;
  /** True if it said that it cannot answer, or asked back. */
  refused: boolean;
  /** True if it shows quotes and says that it is not sure that they answer. Absent if the system does not do this. */
  unsure?: boolean;
  /** What the answer states, sentence by sentence; empty for a refusal. */
  statements: Statement[];
  /** What it retrieved, in order of retrieval. */
  contexts: RetrievedContext[];
  /** Seconds from the question to the first statement that was shown as checked; null if the system shows none. */
  firstStatementSeconds: number | null;
  /** 0 to 1; null if the system gives none. */
  confidence: number | null;
  notes: Notes;
  cost: Cost;
}

export interface Statement {
  text: string;
  /** Every quote shown with it, with the name of the source that it is cited from. */
  citations: { quote: string; source: string }[];
  /** The names of the sources it was made from. */
  sources: string[];
}

export interface RetrievedContext {
  source: string;
  title: string;
  text: string;
}

/** How a system arrived at its reply; empty for a system that does not say. */
export const Notes = z.object({
  status: z.string().optional(),
  stopReason: z.string().optional(),
  missing: z.string().optional(),
  queries: z.array(z.string()).optional(),
  /** Claims that the check rejected. */
  rejected: z.array(z.object({ text: z.string(), reason: ClaimReason })).optional(),
  failures: z.array(Failure).optional(),
  path: z.array(Decision.omit({ faults: true, stop: true })).optional(),
});
type Notes = z.infer<typeof Notes>;

/** The cost of a reply. */
export interface Cost {
  usage: Usage;
  faults: string[];
  seconds: number;
}

/**
 * The whole graph. It fails only if a part of it does, so that it is unknown whether the documents answer. A `partial`
 * answer counts as an answer, an `unsure` one as neither; a question back to the user as a refusal.
 */
export const askEmend =
  ({ graph }: Pick<Agent, "graph">, context: ContextInput, signal?: AbortSignal): Ask =>
  async ({ question, history }) => {
    const started = performance.now();
    const earlier = history.flatMap((turn) => [new HumanMessage(turn.question), assistantMessage(turn.answer, "")]);
    const contexts = new Map<string, RetrievedContext>();
    let last: State | undefined;
    let first: number | null = null;
    const chunks = await graph.stream(
      { messages: earlier, question },
      // The graph fills in the defaults of the context.
      { streamMode: ["custom", "values"], context: context as Context, ...(signal && { signal }) },
    );
    for await (const [mode, chunk] of chunks) {
      if (mode === "values") last = chunk as State;
      else if ((chunk as AgentEvent).type === "claim") first ??= secondsSince(started);
      for (const { id, uri, title, text } of last?.evidence ?? []) contexts.set(id, { source: uri, title, text });
    }
    if (!last?.answer) throw new Error(`The run ended without an answer: ${question}`);
    const cost = {
      usage: last.answer.spend,
      faults: last.decisions.flatMap(({ faults }) => faults.map(faultInWords)),
      seconds: secondsSince(started),
    };
    return {
      ...judgeable(last.answer),
      contexts: [...contexts.values()],
      firstStatementSeconds: first,
      notes: notes(last.answer, last),
      cost,
    };
  };

function judgeable({ status, segments, claims, references, confidence }: Answer) {
  const sourceOf = (number: number) => references.find((reference) => reference.number === number)?.uri ?? "";
  return {
    text: withoutCitations(segments),
    failed: status === "unavailable",
    refused: status === "refused" || status === "needs_clarification",
    unsure: status === "unsure",
    statements: claims.map((claim) => ({
      text: claim.text,
      citations: claim.citations.map(({ quote, reference }) => ({ quote, source: sourceOf(reference) })),
      sources: claim.citations.map(({ reference }) => sourceOf(reference)),
    })),
    confidence: confidence.score,
  };
}

const notes = ({ status, stopReason, missing, queries, report, failures }: Answer, { decisions }: State): Notes => ({
  ...{ status, stopReason, missing, failures },
  queries: queries.map((query) => query.text),
  rejected: report.claims.filter((claim) => !holds(claim)).map(({ text, reason }) => ({ text, reason })),
  path: decisions.map(({ faults: _, stop: __, ...decision }) => decision),
});

/**
 * The usual first version of such a system: retrieve the top passages, put them into one prompt, and take the reply.
 * Without a chat model, the answer is the passage that was found first.
 */
export const askPlain =
  (documents: Documents, chat?: Chat, { filter = [], signal }: { filter?: Filter; signal?: AbortSignal } = {}): Ask =>
  async ({ question, history }) => {
    const started = performance.now();
    const passages = await documents.search({ text: question, filter }, PASSAGES, { ...(signal && { signal }) });
    if (!chat) {
      const [first] = passages;
      const cost = { usage: NOTHING_SPENT, faults: [], seconds: secondsSince(started) };
      return replyFrom({ text: first?.text ?? "", refused: !first, passages, used: passages.slice(0, 1) }, cost);
    }
    const faults: string[] = [];
    const reply = await chat.send(plainRequest(answerPrompt(question, passages), history, signal)).catch((error) => {
      if (!(error instanceof EndpointError)) throw error;
      faults.push(`${error.name}: ${error.message}`);
    });
    const usage = { ...NOTHING_SPENT, ...reply?.usage, calls: 1 };
    const refused = reply !== undefined && isRefusal(reply.text);
    const text = reply?.text.trim();
    return replyFrom({ text, refused, passages }, { usage, faults, seconds: secondsSince(started) });
  };

export const PASSAGES = 8;
const MAX_CALL_MILLISECONDS = 600_000;

export const secondsSince = (started: number) => (performance.now() - started) / 1000;

/** A prompt after the earlier turns, in plain text. */
export function plainRequest(prompt: string, history: Question["history"], signal?: AbortSignal): ChatRequest {
  const limit = AbortSignal.timeout(MAX_CALL_MILLISECONDS);
  const turns = history.flatMap((turn) => [
    { role: "user" as const, content: turn.question },
    { role: "assistant" as const, content: turn.answer },
  ]);
  return {
    messages: [...turns, { role: "user", content: prompt }],
    ...{ format: "prompt", schema: {}, schemaName: "" },
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  };
}

interface PlainAnswer {
  /** Undefined if the system failed. */
  text: string | undefined;
  refused: boolean;
  /** What was retrieved for it. */
  passages: readonly Passage[];
  /** The passages that it was made from. Default: all of them. */
  used?: readonly Passage[];
}

/** Prepares the answer of a system other than emend to be judged. */
export function replyFrom({ text, refused, passages, used = passages }: PlainAnswer, cost: Cost): Reply {
  const sources = used.map(({ uri }) => uri);
  const claims = refused ? [] : claimsOf(text ?? "").filter(isStatement);
  return {
    text: text ?? "",
    failed: text === undefined,
    refused,
    statements: claims.map((claim) => ({ text: claim.text, citations: [], sources })),
    contexts: passages.map(({ uri, title, text }) => ({ source: uri, title, text })),
    firstStatementSeconds: null,
    confidence: null,
    notes: {},
    cost,
  };
}

export function answerPrompt(question: string, passages: readonly Passage[]): string {
  const context = passages.map(({ title, text }, i) => `[${i + 1}] ${title}\n${text}`.trim()).join("\n\n");
  return languageOf(question) === "zh"
    ? `请只根据下面的上下文回答问题。如果上下文中没有答案，请回答“不知道”。\n\n上下文：\n${context}\n\n问题：${question}\n回答：`
    : `Answer the question using only the context below. If the context does not contain the answer, say "I don't know".\n\nContext:\n${context}\n\nQuestion: ${question}\nAnswer:`;
}

/** True for the usual ways in which a model says that it cannot answer from its context. */
export const isRefusal = (text: string): boolean => text.trim() === "" || REFUSALS.test(text);

const REFUSALS =
  /\b(?:(?:do not|don['’]t|doesn['’]t|does not|did not|didn['’]t) (?:know|contain|mention|provide|specify|state|say|include|have (?:enough|any|the))|(?:not|never|isn['’]t|wasn['’]t) (?:\w+ )?(?:mentioned|provided|specified|stated|given|contained|included|enough)|(?:cannot|can['’]t|could not|unable to) (?:be )?(?:\w+ )?(?:determined?|answer(?:ed)?|find|found)|no (?:\w+ )?(?:information|mention|answer))\b|不知道|不清楚|无法(?:确定|回答|得知|判断|找到)|(?:没有|并未|未)(?:明确)?(?:提到|提及|提供|说明|给出|包含|答案|相关|指出|找到)/i;
