import { z } from "zod";
import { BudgetSpentError, EndpointError, MalformedReplyError } from "../errors.js";
import { withoutThoughts } from "../text/replies.js";
import { saysTooLong } from "../tools/chat/chat-refusal.js";
import {
  type Chat,
  type ChatMessage,
  type ChatReply,
  type ChatRequest,
  type Format,
  RefusedError,
  TooLongError,
} from "../tools/chat/port.js";
import type { Call } from "../types/call.js";
import { deadline, isTimeUp, sleep, unlessAborted, yieldToEventLoop } from "../waiting.js";
import type { Prompt } from "./prompts.js";
import { firstObject } from "./reply-json.js";

export interface ModelQuestion<T> {
  /** The stage, in one word: names the schema and appears in errors. */
  name: string;
  prompt: Prompt;
  schema: z.ZodType<T>;
  /**
   * Present if the reply is prose, for which no schema is enforced: turns it into an object for the schema to parse.
   */
  prose?: ((text: string) => unknown) | undefined;
  /**
   * Describes a flaw in a reply that fits the schema; empty if there is none. A flaw causes one repair, not a failure.
   */
  complaint?(reply: T): string;
  /** Returns the usable part of a truncated reply, for the schema to parse. */
  salvage?(text: string): unknown;
  /** How the words of the reply are chosen. Default: the likeliest ones. */
  sampling?: Pick<ChatRequest, "temperature" | "topP">;
  /** Called with the whole text so far each time it grows; starts over for a repair. */
  onText?(text: string): void;
}

/**
 * Asks a model for an object of the schema: one call, and at most one more to repair the reply.
 * @throws BudgetSpentError before a call that the budget does not allow.
 * @throws EndpointError when the endpoint refuses, fails or times out, or the model's time is up.
 * @throws MalformedReplyError when the repair does not help.
 * @throws the signal's reason when it aborts.
 */
export async function askModel<T>(usual: Chat, question: ModelQuestion<T>, call: Call): Promise<T> {
  const { signal, modelSignal = signal } = call;
  try {
    return await asked(usual, question, { ...call, signal: modelSignal });
  } catch (error) {
    signal.throwIfAborted();
    if (!isTimeUp(modelSignal)) throw error;
    throw new EndpointError("The time was up before the model answered.", 0, { cause: error });
  }
}

async function asked<T>(usual: Chat, question: ModelQuestion<T>, call: Call): Promise<T> {
  const chat = (call.model && usual.withModel?.(call.model)) || usual;
  const send = sender(chat, question, call);
  const { system, sources, task } = question.prompt;
  const messages: ChatMessage[] = [
    { role: "system", content: system },
    { role: "user", content: `${sources}\n\n${task}` },
  ];
  const first = await send(messages);
  const read = understand(question, first);
  if (read.complaint === "" || !send.mayAgain()) return settle(question, call, read);
  try {
    const form = question.prose ? "" : " with the JSON object alone";
    const second = understand(question, await send([...messages, ...repair(first.text, read.complaint, form)]));
    return settle(question, call, second.value === undefined ? { ...read, complaint: second.complaint } : second);
  } catch (error) {
    // A flawed reply that fits the schema is better than none.
    if (read.value === undefined || !(error instanceof EndpointError)) throw error;
    return settle(question, call, read);
  }
}

interface Read<T> {
  /** Undefined if the reply does not fit the schema. */
  value?: T;
  /** Empty if nothing is wrong. */
  complaint: string;
}

function understand<T>(question: ModelQuestion<T>, reply: ChatReply): Read<T> {
  if (reply.cut) {
    const saved = question.schema.safeParse(question.salvage?.(reply.text));
    if (saved.success) return { value: saved.data, complaint: "" };
  }
  let object: unknown;
  try {
    if (question.prose && withoutThoughts(reply.text).trim() === "") throw new Error("it was empty");
    object = question.prose ? question.prose(reply.text) : firstObject(reply.text);
  } catch (error) {
    if (reply.cut) return { complaint: "it was cut off at the length limit; be much shorter" };
    return { complaint: error instanceof Error ? error.message : "it was not JSON" };
  }
  const parsed = question.schema.safeParse(object);
  if (!parsed.success) return { complaint: `it had the wrong shape: ${flaws(parsed.error)}` };
  return { value: parsed.data, complaint: question.complaint?.(parsed.data) ?? "" };
}

function settle<T>(question: ModelQuestion<T>, call: Call, { value, complaint }: Read<T>): T {
  if (value !== undefined && complaint === "") return value;
  const error = new MalformedReplyError(`The model's reply (${question.name}) could not be used: ${complaint}.`);
  if (value === undefined) throw error;
  call.fault(error);
  return value;
}

const flaws = (error: z.ZodError) =>
  error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join(".") || "the object"}: ${message}`)
    .join("; ");

const repair = (reply: string, complaint: string, form: string): ChatMessage[] => [
  { role: "assistant", content: reply.slice(0, 2000) || "(nothing)" },
  { role: "user", content: `That reply cannot be used: ${complaint}. Reply again${form}.` },
];

/** Sends within the budget, steps down to a format that the model accepts, waits after a rate limit, reports every request. */
function sender<T>(chat: Chat, question: ModelQuestion<T>, call: Call) {
  let left = call.calls;
  let waits = 2;
  const { $schema: _, ...schema } = question.prose ? {} : z.toJSONSchema(question.schema);

  async function send(messages: readonly ChatMessage[]): Promise<ChatReply> {
    for (;;) {
      call.signal.throwIfAborted();
      if (left <= 0) throw new BudgetSpentError(`No model call is left for ${question.name}.`);
      left -= 1;
      const format = question.prose ? "prose" : formatOf(chat);
      try {
        const reply = await once(chat, question, call.signal, {
          messages: inFormat(messages, format, schema),
          format,
          schema,
        });
        call.spent({ calls: 1, ...reply.usage });
        if (isCutShort(messages, reply)) throw new TooLongError(chat.name);
        await yieldToEventLoop();
        return reply;
      } catch (error) {
        if (error instanceof TooLongError) throw error;
        call.spent({ calls: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0 });
        call.signal.throwIfAborted();
        if (!(error instanceof RefusedError)) throw error;
        // One that the chat wants to send in another way may fit then.
        if (error.retryAfterMs !== 0 && saysTooLong(error)) throw new TooLongError(chat.name, { cause: error });
        if (format !== "prose" && refusesFormat(error) && stepDown(chat, format)) continue;
        if (error.retryAfterMs === undefined || error.retryAfterMs > MAX_WAIT_MS || left <= 0 || waits === 0)
          throw error;
        waits -= 1;
        await sleep(error.retryAfterMs, call.signal);
      }
    }
  }
  return Object.assign(send, { mayAgain: () => left > 0 });
}

/**
 * Sends one request. It ends when it is answered or aborted, or when the endpoint has been silent for too long, even if
 * the client ignores the signal.
 */
async function once<T>(
  chat: Chat,
  question: ModelQuestion<T>,
  signal: AbortSignal,
  request: Pick<ChatRequest, "messages" | "format" | "schema">,
): Promise<ChatReply> {
  const time = deadline(chat.timeoutMs, signal);
  let thrown: { error: unknown } | undefined;
  const onText = (text: string) => {
    if (time.signal.aborted || thrown) return;
    try {
      question.onText?.(text);
    } catch (error) {
      thrown = { error };
    }
  };
  try {
    const sent = chat.send({
      ...request,
      ...question.sampling,
      schemaName: question.name,
      signal: time.signal,
      maxTokens: MAX_TOKENS,
      onText,
      onEvent: time.extend,
    });
    const reply = await unlessAborted(sent, time.signal);
    if (thrown) throw thrown.error;
    return reply;
  } catch (error) {
    signal.throwIfAborted();
    if (!time.isOver()) throw error;
    throw new EndpointError(
      `${chat.name} did not answer within ${chat.timeoutMs / 1000} s, or fell silent. Use a faster model, fewer passages or a longer timeout.`,
      0,
      { cause: error },
    );
  } finally {
    time.clear();
  }
}

/**
 * Enough for the longest answer that is asked for, 80 sentences. Without a limit, a model that repeats itself goes on
 * to the end of its context.
 */
const MAX_TOKENS = 2500;

/** A longer wait than this counts as a refusal. */
const MAX_WAIT_MS = 20_000;

/** The index of the format that each model accepts, as learnt since the program started. */
const stepsDown = new Map<string, number>();

const formatOf = (chat: Chat): Format => chat.formats[stepsDown.get(chat.identity) ?? 0] ?? "prompt";

function stepDown(chat: Chat, refused: Format): boolean {
  const next = chat.formats.indexOf(refused) + 1;
  if (next >= chat.formats.length) return false;
  stepsDown.set(chat.identity, Math.max(next, stepsDown.get(chat.identity) ?? 0));
  return true;
}

/**
 * True if a model reports having read far less than it was sent: some servers cut a request at its beginning without a
 * word. No tokenizer puts six characters into one token on average, or three Chinese ones, but for white space and
 * rulers.
 */
function isCutShort(messages: readonly ChatMessage[], { usage }: ChatReply): boolean {
  const text = messages.map(({ content }) => content.replace(/([\s|_=.#*-])[\s|_=.#*-]+/g, "$1")).join("");
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return usage.inputTokens > 0 && usage.inputTokens < han / 3 + (text.length - han) / 6;
}

const refusesFormat = ({ status, detail }: RefusedError) =>
  (status === 400 || status === 422) &&
  /response.?format|json|schema|grammar|guided|structured|\btools?\b|tool_choice/i.test(detail);

/** Adds the schema to the last message if the endpoint does not enforce it. */
function inFormat(
  messages: readonly ChatMessage[],
  format: ChatRequest["format"],
  schema: Record<string, unknown>,
): ChatMessage[] {
  const suffix =
    format === "json" || format === "prompt" ? `\n\nJSON Schema of the reply: ${JSON.stringify(schema)}` : "";
  return messages.map((message, i) =>
    i === messages.length - 1 ? { ...message, content: `${message.content}${suffix}` } : message,
  );
}
