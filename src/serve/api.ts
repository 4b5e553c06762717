import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { verify } from "../checking/verify.js";
import { cite } from "../citing/cite.js";
import { ContextForm } from "../graph/context.js";
import type { Asking } from "./asking.js";
import { whoAsks } from "./doors.js";

const text = z.string().trim().min(1).max(20_000);

export const Question = z.object({
  question: text,
  history: z
    .array(z.object({ question: text, answer: z.string().max(100_000) }))
    .max(200)
    .default([])
    .describe("Earlier questions and answers of the conversation, oldest first."),
  context: ContextForm.default({}).describe("How to answer. It can only narrow what the server allows."),
  stream: z.boolean().default(false).describe("Send events as they come (text/event-stream) and not the answer alone."),
});

export const Text = z.object({
  text: z.string().min(1).max(500_000),
  sources: z
    .array(
      z.object({
        id: z.string().optional(),
        title: z.string().optional(),
        uri: z.string().optional(),
        text: z.string(),
      }),
    )
    .min(1)
    .max(1_000),
});

export const Search = z.object({ query: text, limit: z.number().int().min(1).max(200).default(10) });

/** emend's own API. */
export function api(agent: Agent, asking: Asking): Hono {
  return new Hono()
    .post("/ask", async (c) => {
      const { question, stream, ...given } = Question.parse(await c.req.json());
      const asked = { ...given, configurable: whoAsks(c) };
      if (!stream) return c.json(await asking.answer(question, asked, c.req.raw.signal));
      return streamSSE(c, async (sse) => {
        const left = new AbortController();
        sse.onAbort(() => left.abort());
        try {
          for await (const event of asking.events(question, asked, left.signal))
            await sse.writeSSE({ event: event.type, data: JSON.stringify(event) });
        } catch (error) {
          if (left.signal.aborted) return;
          await sse.writeSSE({ event: "error", data: JSON.stringify({ error: asking.told(error).message }) });
        }
      });
    })
    .post("/verify", async (c) => {
      const { text, sources } = Text.parse(await c.req.json());
      const tools = await agent.toolsFor(whoAsks(c));
      return c.json(await verify(text, sources, { tools, signal: c.req.raw.signal }));
    })
    .post("/cite", async (c) => {
      const { text, sources } = Text.parse(await c.req.json());
      return c.json(cite(text, sources));
    })
    .post("/search", async (c) => {
      const { query, limit } = Search.parse(await c.req.json());
      const tools = await agent.toolsFor(whoAsks(c));
      return c.json({ passages: await tools.documents.search({ text: query }, limit, { signal: c.req.raw.signal }) });
    });
}
