import { Hono, type Context as HonoContext } from "hono";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { withReasonsInWords } from "../answer/messages/index.js";
import { cite } from "../checking/cite.js";
import { verify } from "../checking/verify.js";
import { claimsOf, isStatement } from "../citing/claims.js";
import { UsageError } from "../errors.js";
import { exactly } from "../options.js";
import { asEvidence } from "../reading/evidence.js";
import { examplesFrom } from "../reading/examples.js";
import { ContextForm, type ContextInput } from "../state/context.js";
import type { Tools } from "../state/tools.js";
import { languageOf } from "../text/language.js";
import { unstamped } from "../tools/documents/document-id.js";
import type { Runs } from "../tools/runs/port.js";
import type { Passage } from "../types/evidence.js";
import { Language } from "../types/language.js";
import { COLLECTION, withoutReaders } from "../types/metadata.js";
import { type Asking, streamed } from "./asking.js";
import { threadOf, whoAsks } from "./auth.js";
import { type Chosen, CollectionNames, chosenFrom, type ShownTo, titled, toolsIn } from "./collections.js";
import { addOpinion, Opinion } from "./feedback.js";
import { siteOf } from "./site.js";

const text = z.string().trim().min(1).max(20_000);

export const QuestionBody = exactly({
  question: text,
  threadId: z
    .uuid()
    .optional()
    .describe("The conversation, by an id that the client makes. If it waits for a reply, the question is the reply."),
  history: z
    .array(exactly({ question: text, answer: z.string().max(100_000) }))
    .max(200)
    .default([])
    .describe("Earlier questions and answers of the conversation, oldest first."),
  collection: CollectionNames,
  context: ContextForm.default({}).describe("How to answer. It can only narrow what the server allows."),
  stream: z.boolean().default(false).describe("Send events as they occur (text/event-stream), not only the answer."),
});

/** In characters. Checking a sentence against so many takes about 10 ms, so the longest text takes about 15 s. */
const MAX_SOURCE_LENGTH = 1_000_000;

export const TextBody = exactly({
  text: z.string().min(1).max(100_000),
  sources: z
    .array(
      exactly({
        id: z.string().optional(),
        title: z.string().optional(),
        uri: z.string().optional(),
        text: z.string(),
      }),
    )
    .min(1)
    .max(1_000)
    .refine((sources) => sources.reduce((sum, { text }) => sum + text.length, 0) <= MAX_SOURCE_LENGTH, {
      error: `are longer than ${MAX_SOURCE_LENGTH / 1e6} million characters in all: send only those that matter for the text`,
    }),
});

/** A text to check against the sources given, or else against the documents. */
export const TextToCheck = TextBody.extend({
  sources: TextBody.shape.sources.optional(),
  collection: CollectionNames,
});

export const Search = exactly({
  query: text,
  limit: z.number().int().min(1).max(200).default(10),
  collection: CollectionNames,
});

const Examples = z.object({ language: Language.default("en"), collection: z.string().optional() });

/** emend's own API. Without `runs`, opinions are refused. */
export function api(agent: Agent, asking: Asking, shownTo: ShownTo, runs: Runs | undefined): Hono {
  const chosenBy = async (c: HonoContext, names: z.infer<typeof CollectionNames>) =>
    chosenFrom(await shownTo(whoAsks(c)), names);
  const toolsFor = async (c: HonoContext, names: z.infer<typeof CollectionNames>) =>
    toolsIn(await agent.toolsFor(whoAsks(c)), await chosenBy(c, names));
  return new Hono()
    .post("/ask", async (c) => {
      const body: { context?: ContextInput } = await c.req.json();
      const { question, stream, threadId, collection, ...given } = QuestionBody.parse(body);
      const chosen = await chosenBy(c, collection);
      const thread = threadId === undefined ? {} : { threadId: threadOf(c, threadId) };
      // The context as it was sent: parsing fills in defaults, which would override the server's settings.
      const site = siteOf(c);
      const asked = { ...given, context: body.context ?? {}, ...thread, configurable: whoAsks(c), chosen, site };
      if (!stream) {
        const answer = await asking.answer(question, asked, c.req.raw.signal);
        return c.json(answer, answer.status === "unavailable" ? 503 : 200);
      }
      return streamed(c, async (sse, left) => {
        try {
          for await (const event of asking.events(question, asked, left))
            await sse.writeSSE({ event: event.type, data: JSON.stringify(event) });
        } catch (error) {
          if (left.aborted) return;
          await sse.writeSSE({ event: "error", data: JSON.stringify({ error: asking.told(error).message }) });
        }
      });
    })
    .post("/verify", async (c) => {
      const { text, sources, collection } = TextToCheck.parse(await c.req.json());
      const tools = await toolsFor(c, collection);
      const { signal } = c.req.raw;
      const checked = await verify(text, sources ?? (await sourcesFor(text, tools, signal)), { tools, signal });
      return c.json(withReasonsInWords(checked, languageOf(text)));
    })
    .post("/cite", async (c) => {
      const { text, sources } = TextBody.parse(await c.req.json());
      const tools = await agent.toolsFor(whoAsks(c));
      const cited = await cite(text, sources, { tools, signal: c.req.raw.signal });
      return c.json(withReasonsInWords(cited, languageOf(text)));
    })
    .post("/search", async (c) => {
      const { query, limit, collection } = Search.parse(await c.req.json());
      const chosen = await chosenBy(c, collection);
      const { documents } = toolsIn(await agent.toolsFor(whoAsks(c)), chosen);
      const found = await documents.search({ text: query }, limit, { signal: c.req.raw.signal });
      return c.json({ passages: found.map((passage) => told(passage, chosen)) });
    })
    .get("/threads/:id", async (c) => {
      const thread = threadOf(c, z.uuid({ error: "must be a UUID" }).parse(c.req.param("id")));
      const { turns, ...rest } = await agent.conversation(thread, whoAsks(c));
      const shown = await shownTo(whoAsks(c));
      const named = turns.map((turn) => ({
        ...turn,
        citations: turn.citations.map((cited) => titled(cited, { shown })),
      }));
      return c.json({ turns: named, ...rest });
    })
    .get("/collections", async (c) => {
      const shown = await shownTo(whoAsks(c));
      return c.json({ collections: shown.map(({ name, title, description }) => ({ name, title, description })) });
    })
    .get("/examples", async (c) => {
      const { language, collection } = Examples.parse(c.req.query());
      const tools = await toolsFor(c, collection);
      return c.json(await examplesThatAnswer(tools, language, c.req.raw.signal));
    })
    .delete("/threads/:id", async (c) => {
      await agent.forget(threadOf(c, z.uuid({ error: "must be a UUID" }).parse(c.req.param("id"))));
      return c.json({ ok: true });
    })
    .get("/graph", async (c) => {
      const { nodes, edges } = await agent.graph.getGraphAsync();
      const drawn = edges.map(({ source, target, data }) => ({ source, target, label: data ?? "" }));
      return c.json({ nodes: Object.keys(nodes), edges: drawn });
    })
    .post("/feedback", async (c) => {
      const opinion = Opinion.parse(await c.req.json());
      if (!runs) throw new UsageError("This server takes no feedback.");
      const thread = threadOf(c, opinion.threadId);
      await addOpinion(runs, opinion, thread, await agent.conversation(thread, whoAsks(c)));
      agent.tools.runs?.flag(thread, opinion.question, opinion.verdict);
      return c.json({ ok: true });
    });
}

/** Leaves out of a passage who else may read it, and the name of a collection that the caller may not choose. */
function told<Found extends Passage>({ hash, metadata, ...passage }: Found, { shown }: Chosen) {
  const { [COLLECTION]: collection, ...rest } = withoutReaders(metadata ?? {});
  const isNamed = shown.some(({ name }) => name === collection);
  return {
    ...passage,
    hash: unstamped(hash).hash,
    ...(metadata && { metadata: { ...rest, ...(isNamed && { [COLLECTION]: collection }) } }),
  };
}

/** Finds passages that could support the statements of a text. @throws UsageError if there are too many. */
async function sourcesFor(text: string, { documents }: Pick<Tools, "documents">, signal: AbortSignal) {
  const stated = claimsOf(text).filter(isStatement);
  if (stated.length > MAX_STATEMENTS)
    throw new UsageError(`Only ${MAX_STATEMENTS} sentences can be looked up at once. Send a part, or its sources.`);
  const found = new Map<string, Passage>();
  for (const { text: words } of stated)
    for (const passage of await documents.search({ text: words }, PASSAGES_A_STATEMENT, { signal }))
      found.set(passage.id, passage);
  return [...found.values()].map(({ id, title, uri, text }) => ({ id, title, uri, text }));
}

const MAX_STATEMENTS = 100;
const PASSAGES_A_STATEMENT = 4;

/**
 * Names some documents, and questions that they answer, as far as the grader can tell. Makes no model call. A question
 * that cannot be tried is not suggested.
 */
const examplesThatAnswer = (
  { documents, grader }: Pick<Tools, "documents" | "grader">,
  language: Language,
  signal: AbortSignal,
) =>
  examplesFrom(documents, language, async (question) => {
    try {
      const found = await documents.search({ text: question }, PASSAGES_AN_ANSWER, { signal });
      const task = { question, language: languageOf(question), evidence: found.map(asEvidence) };
      const { answerability } = await grader.grade(task, { signal, fault: () => {}, calls: 0, spent: () => {} });
      return answerability === "full";
    } catch {
      signal.throwIfAborted();
      return false;
    }
  });

const PASSAGES_AN_ANSWER = 8;
