import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { growingAnswer } from "../answer/growing.js";
import { linkTo, sourceList, withoutSources } from "../answer/sources.js";
import { toError, UsageError } from "../errors.js";
import type { Answer } from "../types/answer.js";
import type { Asked, Asking } from "./asking.js";

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });

export const Completion = z.object({
  model: z.string().describe(`"emend".`),
  messages: z
    .array(z.object({ role: z.string(), content: z.union([z.string(), z.array(Part)]).nullish() }))
    .min(1)
    .max(500)
    .describe("The conversation; the last message is the question. System messages say how to write the answer."),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, { error: "emend gives one answer" }).nullish(),
});
type Completion = z.infer<typeof Completion>;

/** OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat), as far as they make sense here. */
export function openai(asking: Asking): Hono {
  const since = Math.floor(Date.now() / 1000);
  const model = { id: MODEL, object: "model", created: since, owned_by: MODEL };
  return new Hono()
    .get("/models", (c) => c.json({ object: "list", data: [model] }))
    .get("/models/:id", (c) => {
      named(c.req.param("id"));
      return c.json(model);
    })
    .post("/chat/completions", async (c) => {
      const request = Completion.parse(await c.req.json());
      named(request.model);
      const { question, ...asked } = conversation(request);
      const id = `chatcmpl-${randomUUID()}`;
      const head = { id, created: Math.floor(Date.now() / 1000), model: MODEL };
      if (!request.stream) {
        const answer = await asking.answer(question, asked, c.req.raw.signal);
        return c.json({ ...head, object: "chat.completion", ...completed(answer) });
      }
      return streamSSE(c, async (sse) => {
        const left = new AbortController();
        sse.onAbort(() => left.abort());
        const send = (data: unknown) => sse.writeSSE({ data: typeof data === "string" ? data : JSON.stringify(data) });
        const chunk = (delta: object, finish_reason: "stop" | null = null) =>
          send({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
        try {
          await chunk({ role: "assistant", content: "" });
          let answer: Answer | undefined;
          let text = "";
          let sent = "";
          const grow = growingAnswer({ write: (more) => (text += more) }, question);
          for await (const event of asking.events(question, asked, left.signal)) {
            grow(event);
            if (event.type === "answer") {
              answer = event.answer;
              const sources = sourceList(answer);
              if (sources) text += `\n\n${sources}`;
            }
            if (text.length > sent.length) await chunk({ content: text.slice(sent.length) });
            sent = text;
          }
          await chunk(answer ? { annotations: annotations(answer, sent) } : {}, "stop");
          if (answer && request.stream_options?.include_usage)
            await send({ ...head, object: "chat.completion.chunk", choices: [], usage: usage(answer) });
          await send("[DONE]");
        } catch (error) {
          if (!left.signal.aborted) await send({ error: { message: toError(error).message, type: "server_error" } });
        }
      });
    });
}

const MODEL = "emend";

function named(model: string) {
  if (model !== MODEL) throw new UsageError(`There is no model ${JSON.stringify(model)}; the one here is "${MODEL}".`);
}

/** Takes the question, the turns before it and the instructions out of the messages. @throws UsageError for anything but text. */
function conversation({ messages }: Completion): Asked & { question: string } {
  const said = messages.map(({ role, content }) => ({ role, text: textOf(content ?? "") }));
  const instructions = said.filter(({ role }) => role === "system" || role === "developer").map(({ text }) => text);
  const turns = said.filter(({ role }) => role === "user" || role === "assistant");
  const last = turns.pop();
  if (last?.role !== "user") throw new UsageError("The last message has to be the user's question.");
  const history = turns.flatMap(({ role, text }, i) => {
    const reply = turns[i + 1];
    return role === "user" && reply?.role === "assistant"
      ? [{ question: text, answer: withoutSources(reply.text) }]
      : [];
  });
  const how = instructions.join("\n").trim().slice(0, LONGEST_INSTRUCTIONS);
  return { question: last.text, history, context: how ? { instructions: how } : {} };
}

const LONGEST_INSTRUCTIONS = 2_000;

function textOf(content: string | z.infer<typeof Part>[]): string {
  if (typeof content === "string") return content;
  const other = content.find(({ type }) => type !== "text");
  if (other)
    throw new UsageError(`emend reads text, not ${other.type}. Put what should be searched into the documents.`);
  return content.map(({ text = "" }) => text).join("\n");
}

function completed(answer: Answer) {
  const sources = sourceList(answer);
  const content = sources ? `${answer.text}\n\n${sources}` : answer.text;
  const message = { role: "assistant", content, refusal: null, annotations: annotations(answer, answer.text) };
  return {
    choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }],
    usage: usage(answer),
    emend: details(answer),
  };
}

/** The markers in the text as OpenAI's annotations: where each stands, and what it cites. */
function annotations({ references, claims }: Answer, text: string) {
  return [...text.matchAll(/\[(\d+)\]/g)].flatMap(({ 0: marker, 1: number, index }) => {
    const reference = references.find((one) => one.number === Number(number));
    if (!reference) return [];
    const citation = claims.flatMap(({ citations }) => citations).find((one) => one.reference === reference.number);
    const url = linkTo(reference.uri, citation?.quote) ?? reference.uri;
    const cited = { start_index: index, end_index: index + marker.length, url, title: reference.title };
    return [{ type: "url_citation", url_citation: cited }];
  });
}

const usage = ({ spend }: Answer) => ({
  prompt_tokens: spend.inputTokens,
  completion_tokens: spend.outputTokens,
  total_tokens: spend.inputTokens + spend.outputTokens,
  prompt_tokens_details: { cached_tokens: spend.cachedTokens },
});

/** What OpenAI's form has no place for. */
const details = ({ status, stopReason, missing, confidence, claims, references, nearest }: Answer) => ({
  status,
  stopReason,
  missing,
  confidence: confidence.score,
  claims,
  references,
  ...(nearest && { nearest }),
});
