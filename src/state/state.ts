import type { BaseMessage } from "@langchain/core/messages";
import { type Messages, MessagesZodMeta, messagesStateReducer } from "@langchain/langgraph";
import { schemaMetaRegistry as registry } from "@langchain/langgraph/zod";
import { z } from "zod";
import { toError, UsageError } from "../errors.js";
import {
  Answer,
  Draft,
  Finding,
  Intent,
  LeftOut,
  LookUp,
  Misspelt,
  Nearest,
  NOTHING_SPENT,
  Query,
  Report,
  Spend,
} from "../types/answer.js";
import { Decision } from "../types/events.js";
import { Evidence, Verdict } from "../types/evidence.js";
import { Language } from "../types/language.js";
import { TableHead } from "../types/table.js";
import { Context } from "./context.js";

/** What depends on how the question is read. */
const Reading = z.object({
  /**
   * The question, self-contained and spelt as the documents spell it. Evidence is graded against it, and it is what is
   * answered.
   */
  question: z.string(),
  /** The previous question, if the judge sees both; absent if this one stands on its own or was rewritten. */
  before: z.string().optional(),
  intent: Intent,
  /** The time that it asks about; absent for the present. */
  time: z.object({ from: z.string(), until: z.string(), words: z.string(), isCertain: z.boolean() }).optional(),
  /** Number of passages the answer may use. */
  passages: z.number().int(),
});

/** The question as it was understood: worked out once, used by every stage. */
const Understood = Reading.extend({
  /** The other way to read a short question of a conversation; absent if there is none, or if it was tried. */
  otherwise: Reading.optional(),
  /** The words that were misspelt in it; absent if there are none. */
  misspelt: z.array(Misspelt).optional(),
  language: Language,
  /** Set if it is not a question; then nothing is searched. */
  smallTalk: z.enum(["greeting", "thanks", "agreement", "farewell", "test", "who", "help"]).optional(),
  /** True if a chat model leads: it reads whole passages, may ask for more, and says whether they answer. */
  modelLeads: z.boolean().optional(),
});
export type Reading = z.infer<typeof Reading>;
export type Understood = z.infer<typeof Understood>;

/** A page that a search engine found, as the search engine describes it. */
const WebResult = z.object({ url: z.string(), title: z.string(), snippet: z.string(), published: z.string() });

/**
 * One pass: evidence was gathered for a query and graded and, if it sufficed, a draft was written and checked. A repair
 * is a pass of its own.
 */
export const Attempt = z.object({
  query: z.string(),
  evidenceIds: z.array(z.string()),
  verdict: Verdict,
  repair: z.boolean(),
  draft: Draft.optional(),
  report: Report.optional(),
  spend: Spend,
});
export type Attempt = z.infer<typeof Attempt>;

/** LangGraph takes a field's initial value from its registry and ignores zod's own defaults. */
const startingAt = <T extends z.ZodType>(value: z.output<T>, schema: T): T => {
  registry.extend(schema, () => ({ default: () => value }));
  return schema;
};

/**
 * Anything that LangGraph can turn into messages. Not `z.custom`: it has no JSON Schema, so a server could show no
 * form.
 */
const messages: z.ZodType<BaseMessage[], BaseMessage[]> = z
  .any()
  .default([])
  .describe("The newest messages of the conversation, oldest first. The newest one of a person is the question.");
registry.extend(messages, () => ({
  ...MessagesZodMeta,
  reducer: { fn: (before: BaseMessage[], now: BaseMessage[]) => newest(joinedMessages(before, now)) },
}));

/** LangChain's error says which value is not a message, but not which field it was in. */
function joinedMessages(before: BaseMessage[], now: BaseMessage[]): BaseMessage[] {
  try {
    return messagesStateReducer(before, now);
  } catch (error) {
    throw new UsageError(`messages: ${toError(error).message}`, { cause: error });
  }
}

/**
 * Every step is stored with its whole state, so the state must not grow with the conversation. It holds the newest 40
 * messages (about twenty questions), starting with a question. `Threads` keeps the older ones.
 */
const MOST_MESSAGES = 40;

function newest(all: BaseMessage[]): BaseMessage[] {
  if (all.length <= MOST_MESSAGES) return all;
  const kept = all.slice(-MOST_MESSAGES);
  const first = kept.findIndex((message) => message.getType() === "human");
  return first > 0 ? kept.slice(first) : kept;
}

const question = startingAt(
  "",
  z.string().default("").describe("The question. Leave empty when the messages end with it."),
);

/** The state of a run. Every field but `messages` belongs to the current question and is replaced, never merged. */
const fields = {
  messages,
  question,
  /** The id of the message that asks the current question. */
  askedIn: startingAt("", z.string()),
  /** The id of the message that will answer it. */
  answering: startingAt("", z.string()),
  /** The part of that message that was streamed so far, to clients that show messages while they grow. */
  said: startingAt("", z.string()),
  /** The name of the scope that the question is answered in; empty or absent if the asker may see everything. */
  scope: z.string().optional(),
  /** The permissions of this run, as narrowed since it began. */
  allowed: Context.optional(),
  /** The content types of attachments to the question, which are not read. */
  unread: z.array(z.string()).optional(),
  /** The user's reply when asked to clarify the question. */
  clarification: startingAt("", z.string()),
  understood: Understood.optional(),
  queries: startingAt([], z.array(Query)),
  evidence: startingAt([], z.array(Evidence)),
  /** Ids of evidence that was irrelevant or misled an answer: not retrieved again for this question. */
  excluded: startingAt([], z.array(z.string())),
  /** Documents that were found but are not valid at the time of the question. */
  leftOut: z.array(LeftOut).optional(),
  /** Queries that went to a web search for this question. */
  webQueries: startingAt([], z.array(z.string())),
  /** Pages that a web search found and that are to be read next. */
  webResults: startingAt([], z.array(WebResult)),
  /** The tables that fit the question: those that a model sees, or those that could not be asked without one. */
  tables: startingAt([], z.array(TableHead)),
  verdict: Verdict.optional(),
  /** The passages that the grader has read, nearest to the question first. A refusal shows the first ones. */
  nearest: z.array(Nearest.extend({ id: z.string(), relevance: z.number() })).optional(),
  draft: Draft.optional(),
  /** What the model asked to look for and nobody has looked for yet. */
  lookUps: startingAt([], z.array(LookUp)),
  /** What its look-ups found, oldest first. */
  findings: startingAt([], z.array(Finding)),
  report: Report.optional(),
  attempts: startingAt([], z.array(Attempt)),
  /** Texts of the claims already streamed to the caller. */
  streamed: startingAt([], z.array(z.string())),
  decisions: startingAt([], z.array(Decision)),
  spend: startingAt(NOTHING_SPENT, Spend),
  /** When the question began, in milliseconds since 1970; absent before the first question. */
  began: z.number().optional(),
  answer: Answer.optional(),
};

/**
 * LangGraph derives two schemas from this one for every node that runs. With zod's plain object that is fast. With
 * `z.object`, which generates a function for each new schema, it takes longer than all the nodes.
 */
const plainObject = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  new z.core.$ZodObject({ type: "object", shape }) as z.core.$ZodObject<Shape, z.core.$strip>;

export const State = plainObject(fields);
export type State = z.infer<typeof State>;
export type Update = Partial<State>;

export const Input = z.object({ messages, question });
const output = { messages, answer: fields.answer, decisions: fields.decisions };

/** The input as callers see it. LangGraph's own type would require every field of the schema. */
export interface GraphInput {
  question?: string | undefined;
  /** Anything that LangGraph can turn into messages, such as `{ role: "user", content: "..." }`. */
  messages?: Messages | undefined;
}
export type GraphOutput = Pick<State, "messages" | "answer" | "decisions">;

/** Fields added to the state from outside: zod schemas by name. */
export type Fields = Readonly<Record<string, z.ZodType>>;
export type NoFields = Readonly<Record<never, never>>;
export type Added<Own extends Fields> = [keyof Own] extends [never] ? unknown : z.output<z.ZodObject<Own>>;
export type StateWith<Own extends Fields> = State & Added<Own>;

/**
 * Returns the schemas of a graph whose state has added fields, and the values of those fields at the start of a
 * question. A field with a reducer in LangGraph's registry keeps its value from one question to the next.
 * @throws UsageError if the state has a field of that name already.
 */
export function stateWith(own: Fields) {
  const taken = Object.keys(own).find((name) => name in fields);
  if (taken) throw new UsageError(`The state has a field "${taken}" already. Give yours another name.`);
  const initial: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(own)) {
    const meta = registry.get(schema);
    if (meta?.reducer) continue;
    const start = meta?.default?.() ?? schema.safeParse(undefined).data;
    initial[name] = start;
    if (start !== undefined && !meta?.default) startingAt(start, schema);
  }
  const State = plainObject<typeof fields>({ ...fields, ...own });
  const Output = z.object<typeof output>({ ...output, ...own });
  return { State, Output, initial };
}
