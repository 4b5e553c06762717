import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import type { Answer } from "../types/answer.js";
import { type Asking, ParameterError, streamed } from "./asking.js";
import { whoAsks } from "./auth.js";
import type { ShownTo } from "./collections.js";
import { endingOf, MaxTokens, StopWords } from "./ending.js";
import {
  type Annotation,
  answerDetails,
  type ClientReply,
  chosenBy,
  FormatType,
  Message,
  replying,
  SAMPLING,
  ToolChoice,
} from "./reply.js";
import { siteOf } from "./site.js";

const Kept = z.literal(null, { error: "emend keeps no responses: send the whole conversation as input" }).optional();

/** A message, or an item of another type: clients send all items of a conversation. */
const Item = Message.partial().extend({ type: z.string().default("message") });

export const ResponseRequest = z.object({
  model: z.string().describe(`"emend", or "emend/hr" for the collection hr.`),
  input: z
    .union([z.string(), z.array(Item).min(1).max(10_000)], {
      error: ({ input }) =>
        `expected a text, or a list of messages${input === undefined ? ", received undefined" : ""}`,
    })
    .describe("The question, or the conversation that ends with it."),
  instructions: z.string().nullish().describe("How to write the answer."),
  stream: z.boolean().nullish(),
  stop: StopWords,
  max_output_tokens: MaxTokens,
  ...SAMPLING,
  include: z
    .array(z.string())
    .refine((parts) => !parts.includes("message.output_text.logprobs"), {
      error: "emend knows no probabilities of tokens",
    })
    .nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  previous_response_id: Kept,
  conversation: Kept,
  prompt: Kept,
  background: z.literal(false, { error: "emend answers at once" }).nullish(),
  tool_choice: ToolChoice,
  text: z
    .object({
      format: z.object({ type: FormatType, name: z.string().optional(), schema: z.unknown().optional() }).nullish(),
    })
    .nullish(),
});
type ResponseRequest = z.infer<typeof ResponseRequest>;

/**
 * The part of OpenAI's Responses (https://platform.openai.com/docs/api-reference/responses) that makes sense for emend.
 */
export function responses(asking: Asking, shownTo: ShownTo): Hono {
  return new Hono().post("/", async (c) => {
    const request = ResponseRequest.parse(await c.req.json());
    const chosen = chosenBy(request.model, await shownTo(whoAsks(c)));
    const format = request.text?.format;
    const reply = replying(asking, {
      messages: messagesOf(request),
      param: "input",
      sampling: request,
      ending: endingOf(request.stop, request.max_output_tokens),
      format: format?.type === "json_schema" ? { schema: format.schema, param: "text.format.schema" } : undefined,
      configurable: whoAsks(c),
      site: siteOf(c),
      chosen,
    });
    const response = form(request);
    if (!request.stream) {
      const whole = await reply.whole(c.req.raw.signal);
      return c.json(response(statusOf(whole), { output: [message(whole)], ...costs(whole.answer) }));
    }
    return streamed(c, async (sse, left) => {
      let sequence_number = 0;
      const send = (type: string, data: object) =>
        sse.writeSSE({ event: type, data: JSON.stringify({ type, sequence_number: sequence_number++, ...data }) });
      const id = newId("msg");
      const at = { item_id: id, output_index: 0, content_index: 0 };
      try {
        await send("response.created", { response: response("in_progress") });
        await send("response.in_progress", { response: response("in_progress") });
        const item = { id, type: "message", status: "in_progress", role: "assistant", content: [] };
        await send("response.output_item.added", { output_index: 0, item });
        await send("response.content_part.added", { ...at, part: outputText("", []) });
        const growing = reply.growing(left);
        let next = await growing.next();
        for (; !next.done; next = await growing.next())
          await send("response.output_text.delta", { ...at, delta: next.value, logprobs: [] });
        const { text, citations, answer } = next.value;
        for (const [annotation_index, cited] of citations.entries())
          await send("response.output_text.annotation.added", {
            ...at,
            annotation_index,
            annotation: annotation(cited),
          });
        const done = message(next.value, id);
        await send("response.output_text.done", { ...at, text, logprobs: [] });
        await send("response.content_part.done", { ...at, part: outputText(text, citations) });
        await send("response.output_item.done", { output_index: 0, item: done });
        const status = statusOf(next.value);
        await send(`response.${status}`, { response: response(status, { output: [done], ...costs(answer) }) });
      } catch (error) {
        if (left.aborted) return;
        const { message, answer } = asking.told(error);
        const failed = { error: { code: "server_error", message }, ...(answer && costs(answer)) };
        await send("response.failed", { response: response("failed", failed) });
      }
    });
  });
}

/** @throws ParameterError for a reference to an item that OpenAI would have stored. */
function messagesOf({ input, instructions }: ResponseRequest): Message[] {
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  if (items.some(({ type }) => type === "item_reference"))
    throw new ParameterError("input", "unsupported_value", "emend keeps no items: send them in full.");
  const said = items.flatMap(({ type, role, content }) => (type === "message" && role ? [{ role, content }] : []));
  return instructions ? [{ role: "system", content: instructions }, ...said] : said;
}

/** Returns a function that builds response objects, with every field that a client may read. */
function form({ model, instructions = null, temperature = null, top_p = null, ...request }: ResponseRequest) {
  const { max_output_tokens = null, metadata, text } = request;
  const same = {
    id: newId("resp"),
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    model,
    instructions,
    previous_response_id: null,
    max_output_tokens,
    metadata: metadata ?? {},
    parallel_tool_calls: false,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature,
    text: { format: text?.format ?? { type: "text" } },
    tool_choice: "none",
    tools: [],
    top_p,
    truncation: "disabled",
  };
  return (status: "in_progress" | "failed" | ReturnType<typeof statusOf>, rest: object = {}) => ({
    ...same,
    status,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    error: null,
    output: [],
    usage: null,
    ...rest,
  });
}

const newId = (kind: string) => `${kind}_${randomUUID().replaceAll("-", "")}`;

const statusOf = ({ finish }: ClientReply) => (finish === "length" ? "incomplete" : "completed");

const message = (reply: ClientReply, id = newId("msg")) => ({
  id,
  type: "message",
  status: statusOf(reply),
  role: "assistant",
  content: [outputText(reply.text, reply.citations)],
});

const outputText = (text: string, citations: readonly Annotation[]) => ({
  type: "output_text",
  text,
  annotations: citations.map(annotation),
  logprobs: [],
});

const annotation = (cited: Annotation) => ({ type: "url_citation", ...cited });

function costs(answer: Answer | undefined) {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0 } = answer?.spend ?? {};
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
  return { usage, ...(answer && { emend: answerDetails(answer) }) };
}
