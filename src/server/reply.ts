import { z } from "zod";
import { placeOf } from "../answer/citations.js";
import { answerAsMarkdown, sourceList, withoutSources } from "../answer/compose.js";
import { growingAnswer } from "../answer/growing.js";
import { flattened, joined } from "../answer/segments.js";
import { Context } from "../state/context.js";
import type { Answer, Piece } from "../types/answer.js";
import { type AskedWith, type Asking, type ClientError, ParameterError, UnavailableError } from "./asking.js";
import { clientTask } from "./client-tasks.js";
import { type Chosen, type Collection, chosenFrom } from "./collections.js";
import { cutAtEnding, type Ending, NO_ENDING } from "./ending.js";
import { toAlsoSay } from "./filled.js";
import { fieldsOf } from "./json-schema.js";

/** The name of the model that answers from all documents. Behind it and a slash, that of a collection may stand. */
export const MODEL = "emend";

/** Returns what a model answers from. @throws ParameterError for one that is not there, or not for this caller. */
export function chosenBy(model: string, shown: readonly Collection[]): Chosen {
  const name = shown.find(({ name }) => model === modelOf(name))?.name;
  if (model === MODEL || name !== undefined) return chosenFrom(shown, name);
  const others = shown.map(({ name }) => `"${modelOf(name)}"`);
  const here = others.length > 0 ? `those here are "${MODEL}", ${others.join(", ")}` : `the one here is "${MODEL}"`;
  const message = `There is no model ${JSON.stringify(model)}; ${here}.`;
  throw new ParameterError("model", "model_not_found", message, 404);
}

/** The model that answers from a collection. */
export const modelOf = (collection: string) => `${MODEL}/${collection}`;

/** An error as OpenAI's clients read it (https://platform.openai.com/docs/guides/error-codes). */
export const openaiError = ({ status, message, param, code, answer }: ClientError) => ({
  error: {
    message,
    type: status === 429 ? "requests" : status < 500 ? "invalid_request_error" : "server_error",
    param: param ?? null,
    code: code ?? CODES[status] ?? null,
  },
  ...(answer && { emend: answerDetails(answer) }),
});

const CODES: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "unknown_url",
  413: "request_too_large",
  415: "unsupported_media_type",
  429: "rate_limit_exceeded",
  500: "server_error",
  503: "service_unavailable",
};

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });

/** A message as OpenAI's clients send it, in a completion or in a response. */
export const Message = z.object({
  role: z.string(),
  content: z
    .union([z.string(), z.array(Part)], { error: "expected a text, or a list of parts that each have a type" })
    .nullish(),
});
export type Message = z.infer<typeof Message>;

/** A client may offer tools, as Open WebUI always does, since none has to be called. Requiring a call is refused. */
export const ToolChoice = z.enum(["auto", "none"], { error: "emend calls no tools" }).nullish();

/** The form of a reply: text, or JSON that follows a schema. */
export const FormatType = z.enum(["text", "json_schema"], {
  error: 'emend answers in text, or in JSON by a schema: send the type "json_schema"',
});

/** Parameters that say how a chat model chooses its words. Without a chat model there is nothing to choose. */
export const SAMPLING = {
  temperature: Context.shape.temperature.nullish(),
  top_p: Context.shape.topP.nullish(),
  top_logprobs: z.literal(0, { error: "emend knows no probabilities of tokens" }).nullish(),
};

type Sampling = Partial<Record<"temperature" | "top_p", number | null | undefined>>;

/** A reply to a chat client. */
export interface ClientReply {
  /** The text with its sources, as Markdown. */
  text: string;
  /** The markers in the text, with their sources. */
  citations: Annotation[];
  /** Absent if the documents were not asked, or the question waits for a person. */
  answer: Answer | undefined;
  /** "length" if the text was cut at the client's token limit. */
  finish: "stop" | "length";
}

/** A marker in a text, `text.slice(start_index, end_index)`, and its source, under OpenAI's names. */
export interface Annotation {
  start_index: number;
  end_index: number;
  url: string;
  title: string;
}

/** Returns a reply as a whole, or streams it. */
export interface Replying {
  whole(left: AbortSignal): Promise<ClientReply>;
  /** Yields the text piece by piece, and returns the whole reply. */
  growing(left: AbortSignal): AsyncGenerator<string, ClientReply>;
}

/** A conversation as a client sends it. */
interface ChatRequest {
  messages: readonly Message[];
  /** The name of the parameter that the messages came in. */
  param: "messages" | "input";
  /** How a chat model chooses the words of the reply. */
  sampling: Sampling;
  /** Where the reply has to end. */
  ending: Ending;
  /** The form of the reply, if not text. */
  format?: Format | undefined;
  /** Who asks. */
  configurable: Record<string, unknown>;
  /** The server's address, for links. */
  site?: string | undefined;
  /** What is asked. */
  chosen: Chosen;
}

/**
 * Answers a conversation.
 * @throws ParameterError if it does not end with a question in text.
 */
export function replying(
  asking: Asking,
  { messages, param, sampling, ending, format, configurable, chosen, site }: ChatRequest,
): Replying {
  const [only, ...others] = messages.filter(isTurn);
  const done = only?.role === "user" && others.length === 0 ? clientTask(textOf(only)) : undefined;
  if (done !== undefined) return atOnce(async () => ({ text: done, citations: [], answer: undefined, finish: "stop" }));
  const { question, history, instructions } = conversation(messages, param);
  const { temperature, top_p: topP } = sampling;
  const context = {
    ...(instructions && { instructions }),
    ...(temperature != null && { temperature }),
    ...(topP != null && { topP }),
  };
  const asked = { history, context, configurable, chosen, site };
  if (format) return replyingInJson(asking, question, asked, format, ending);

  return {
    async whole(left) {
      const answer = available(await asking.answer(question, asked, left));
      const cut = cutAtEnding(answerAsMarkdown(answer), answer.text.length, ending);
      return { ...cut, citations: annotations(markersOf(flattened(answer.segments)), answer, cut.text), answer };
    },
    async *growing(left) {
      let text = "";
      let body = 0;
      let sent = "";
      let limits = ending;
      let answer: Answer | undefined;
      let markers: Marker[] = [];
      const grow = growingAnswer(
        {
          write(pieces) {
            markers.push(...markersOf(pieces, text.length));
            text += joined(pieces);
            body = text.length;
          },
          reset() {
            markers = [];
            // The text sent so far was withdrawn. Its reader must see the new text, whatever the limits.
            if (sent) limits = NO_ENDING;
          },
        },
        question,
      );
      for await (const event of asking.events(question, asked, left)) {
        grow(event);
        if (event.type === "answer") {
          answer = available(event.answer);
          const sources = sourceList(answer);
          if (sources) text += `\n\n${sources}`;
        }
        const now = cutAtEnding(text, body, limits, !answer).text;
        if (now.length > sent.length) {
          yield now.slice(sent.length);
          sent = now;
        }
      }
      const { finish } = cutAtEnding(text, body, limits);
      return { text: sent, finish, citations: answer ? annotations(markers, answer, sent) : [], answer };
    },
  };
}

/** A JSON Schema, and the name of the parameter that it came in. */
interface Format {
  schema: unknown;
  param: string;
}

/** @throws ParameterError for a schema that cannot be filled, and without a chat model. */
function replyingInJson(
  asking: Asking,
  question: string,
  { context, ...asked }: AskedWith,
  { schema, param }: Format,
  ending: Ending,
): Replying {
  const fields = fieldsOf(schema, param);
  if (!asking.data)
    throw new ParameterError(param, "unsupported_value", "Filling a schema needs a chat model. Set EMEND_MODEL.");
  const { data } = asking;
  const instructions = `${context?.instructions ?? ""}\n${toAlsoSay(fields)}`;
  const how = { ...context, instructions: instructions.trim().slice(0, MAX_INSTRUCTIONS_LENGTH) };
  return atOnce(async (left) => {
    const { answer, values } = await data(question, fields, { ...asked, context: how }, left);
    available(answer);
    // Kept whole or left out: half an object is not JSON.
    return { ...cutAtEnding(JSON.stringify(values), 0, ending), citations: [], answer };
  });
}

/** A reply that is streamed in one piece. */
const atOnce = (whole: Replying["whole"]): Replying => ({
  whole,
  async *growing(left) {
    const reply = await whole(left);
    yield reply.text;
    return reply;
  },
});

/** OpenAI's clients take an outage for an error, and ask again. @throws UnavailableError */
function available(answer: Answer): Answer {
  if (answer.status === "unavailable") throw new UnavailableError(answer);
  return answer;
}

const isTurn = ({ role }: Message) => role === "user" || role === "assistant";

/** Extracts the question, the turns before it and the instructions from the messages. */
function conversation(
  messages: readonly Message[],
  param: string,
): Required<Pick<AskedWith, "history">> & { question: string; instructions: string } {
  const told = messages.filter(({ role }) => role === "system" || role === "developer").map(textOf);
  const wrong = (code: string, message: string) => new ParameterError(param, code, message);
  const turns = messages.filter(isTurn);
  const last = turns.pop();
  if (last?.role !== "user") throw wrong("invalid_value", "The last message has to be the user's question.");
  const other = partsOf(last).find(({ type }) => !TEXT.has(type));
  if (other)
    throw wrong(
      "unsupported_value",
      `emend reads text, not ${other.type}. Put what should be searched into the documents.`,
    );
  const question = textOf(last).trim();
  if (question === "") throw wrong("invalid_value", "The question is empty.");
  if ([question, ...told].some(hasFile))
    throw wrong("unsupported_value", "emend reads no files of a chat. Put what should be searched into the documents.");
  if (question.length > MAX_QUESTION_LENGTH)
    throw wrong("string_above_max_length", `The question is longer than ${MAX_QUESTION_LENGTH} characters.`);
  const history = turns.flatMap((turn, i) => {
    const reply = turns[i + 1];
    return turn.role === "user" && reply?.role === "assistant"
      ? [{ question: textOf(turn), answer: withoutSources(textOf(reply)) }]
      : [];
  });
  const instructions = told.join("\n").trim().slice(0, MAX_INSTRUCTIONS_LENGTH);
  return { question, history: history.slice(-MAX_TURNS), instructions };
}

const MAX_QUESTION_LENGTH = 20_000;
const MAX_INSTRUCTIONS_LENGTH = 2_000;
/** Only the newest turns are used: clients send the whole conversation, however long it is. */
const MAX_TURNS = 50;

const TEXT: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

const partsOf = ({ content }: Message) => (Array.isArray(content) ? content : []);

const textOf = (message: Message): string =>
  typeof message.content === "string"
    ? message.content
    : partsOf(message)
        .flatMap(({ type, text = "" }) => (TEXT.has(type) ? [text] : []))
        .join("\n");

/** True if a client put a file into the message: Open WebUI adds passages or names of files, LibreChat whole files. */
const hasFile = (text: string) =>
  (text.includes("<context>") && text.includes('<source id="')) ||
  text.includes("<attached_files>") ||
  text.includes("Attached document(s):\n```");

/** A marker in a text, by the number of its reference. */
interface Marker {
  start: number;
  end: number;
  reference: number;
}

/** @param from where the pieces begin in the text. */
function markersOf(pieces: readonly Piece[], from = 0): Marker[] {
  let end = from;
  return pieces.flatMap(({ text, reference }) => {
    end += text.length;
    return reference === undefined ? [] : [{ start: end - text.trimStart().length, end, reference }];
  });
}

/** @param text what the client gets, which may end before some of the markers. */
function annotations(markers: readonly Marker[], answer: Answer, text: string): Annotation[] {
  const places = placesOf(answer);
  return markers.flatMap(({ start, end, reference }) => {
    const place = places.get(reference);
    return place && end <= text.length ? [{ start_index: start, end_index: end, ...place }] : [];
  });
}

/**
 * The address and the name of each reference. No two references share either: clients take equal names for the same
 * source.
 */
export function placesOf({ references }: Pick<Answer, "references">) {
  const address = distinct((url, number) => `${url}#${number}`);
  const name = distinct((title, number) => `${title} (${number})`);
  return new Map(
    references.map(({ number, uri, title, section, opens }) => [
      number,
      { url: address(opens ?? uri, number), title: name(placeOf(title, section) || uri, number) },
    ]),
  );
}

function distinct(otherwise: (name: string, number: number) => string) {
  const taken = new Set<string>();
  return (name: string, number: number): string => {
    const own = taken.has(name) ? otherwise(name, number) : name;
    taken.add(own);
    return own;
  };
}

/** The parts of an answer that OpenAI's formats have no place for. */
export const answerDetails = ({
  status,
  stopReason,
  faults,
  missing,
  confidence,
  claims,
  references,
  nearest,
}: Answer) => ({
  status,
  stopReason,
  faults,
  missing,
  confidence: confidence.score,
  claims,
  references,
  ...(nearest && { nearest }),
});
