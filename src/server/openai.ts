import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import type { Answer } from "../types/answer.js";
import { type Asking, streamed } from "./asking.js";
import { whoAsks } from "./auth.js";
import type { Collection, ShownTo } from "./collections.js";
import { endingOf, MaxTokens, StopWords } from "./ending.js";
import {
  type Annotation,
  answerDetails,
  chosenBy,
  FormatType,
  Message,
  MODEL,
  modelOf,
  openaiError,
  placesOf,
  replying,
  SAMPLING,
  ToolChoice,
} from "./reply.js";
import { responses } from "./responses.js";
import { siteOf } from "./site.js";

export const Completion = z.object({
  model: z.string().describe(`"emend", or "emend/hr" for the collection hr.`),
  messages: z
    .array(Message)
    .min(1)
    .max(10_000)
    .describe("The conversation; the last message is the question. System messages say how to write the answer."),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  stop: StopWords,
  max_tokens: MaxTokens,
  max_completion_tokens: MaxTokens,
  ...SAMPLING,
  n: z.literal(1, { error: "emend gives one answer" }).nullish(),
  logprobs: z.literal(false, { error: "emend knows no probabilities of tokens" }).nullish(),
  logit_bias: z
    .record(z.string(), z.number())
    .refine((biases) => Object.keys(biases).length === 0, { error: "emend weighs no tokens" })
    .nullish(),
  audio: z.literal(null, { error: "emend answers in text" }).optional(),
  modalities: z.array(z.literal("text", { error: "emend answers in text" })).nullish(),
  tool_choice: ToolChoice,
  function_call: ToolChoice,
  response_format: z
    .object({ type: FormatType, json_schema: z.object({ schema: z.unknown().optional() }).optional() })
    .nullish(),
});

/** The part of OpenAI's API (https://platform.openai.com/docs/api-reference) that makes sense for emend. */
export function openai(asking: Asking, shownTo: ShownTo): Hono {
  const since = Math.floor(Date.now() / 1000);
  const model = { id: MODEL, object: "model", created: since, owned_by: MODEL };
  const modelIn = ({ name, title }: Collection) => ({ ...model, id: modelOf(name), name: title });
  return new Hono()
    .get("/models", async (c) => {
      const shown = await shownTo(whoAsks(c));
      return c.json({ object: "list", data: [model, ...shown.map(modelIn)] });
    })
    .get("/models/:id{.+}", async (c) => {
      const [only] = chosenBy(c.req.param("id"), await shownTo(whoAsks(c))).named ?? [];
      return c.json(only ? modelIn(only) : model);
    })
    .route("/responses", responses(asking, shownTo))
    .post("/chat/completions", async (c) => {
      const request = Completion.parse(await c.req.json());
      const chosen = chosenBy(request.model, await shownTo(whoAsks(c)));
      const { response_format: format } = request;
      const reply = replying(asking, {
        messages: request.messages,
        param: "messages",
        sampling: request,
        ending: endingOf(request.stop, request.max_completion_tokens ?? request.max_tokens),
        format:
          format?.type === "json_schema"
            ? { schema: format.json_schema?.schema, param: "response_format.json_schema.schema" }
            : undefined,
        configurable: whoAsks(c),
        site: siteOf(c),
        chosen,
      });
      const created = Math.floor(Date.now() / 1000);
      const head = { id: `chatcmpl-${randomUUID()}`, created, model: request.model };
      if (!request.stream) {
        const { text, citations, answer, finish } = await reply.whole(c.req.raw.signal);
        const message = { role: "assistant", content: text, refusal: null, annotations: annotations(citations) };
        return c.json({
          ...head,
          object: "chat.completion",
          choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
          usage: usage(answer),
          ...(answer && { emend: answerDetails(answer) }),
        });
      }
      return streamed(c, async (sse, left) => {
        const send = (data: object) => sse.writeSSE({ data: JSON.stringify(data) });
        const chunk = (delta: object, rest: object = {}, finish_reason: "stop" | "length" | null = null) =>
          send({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }], ...rest });
        try {
          await chunk({ role: "assistant", content: "" });
          const growing = reply.growing(left);
          let next = await growing.next();
          for (; !next.done; next = await growing.next()) await chunk({ content: next.value });
          const { citations, answer, finish } = next.value;
          for (const event of answer ? sourceEvents(answer) : []) await chunk({}, { event });
          await chunk({ annotations: annotations(citations) }, answer && { emend: answerDetails(answer) }, finish);
          if (request.stream_options?.include_usage)
            await send({ ...head, object: "chat.completion.chunk", choices: [], usage: usage(answer) });
          await sse.writeSSE({ data: "[DONE]" });
        } catch (error) {
          if (left.aborted) return;
          await send(openaiError(asking.told(error)));
        }
      });
    });
}

const annotations = (citations: readonly Annotation[]) =>
  citations.map((url_citation) => ({ type: "url_citation", url_citation }));

/**
 * Open WebUI passes `event` on to its page (utils/middleware.py). A click on a marker then shows the documents of the
 * source, here the quotes; with annotations alone it would show only the name. The page matches the two by address.
 */
const sourceEvents = ({ references, claims }: Answer) => {
  const places = placesOf({ references });
  return references.map(({ number, uri }) => {
    const { url = "", title = "" } = places.get(number) ?? {};
    const quotes = claims.flatMap(({ citations }) => citations.filter(({ reference }) => reference === number));
    const metadata = { source: url, name: title, ...(/^https?:/.test(uri) && { source_url: uri }) };
    const document = [...new Set(quotes.map(({ quote }) => quote))];
    return {
      type: "source",
      data: { source: { name: title, url }, document, metadata: document.map(() => metadata) },
    };
  });
};

const usage = (answer: Answer | undefined) => {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0 } = answer?.spend ?? {};
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
};
