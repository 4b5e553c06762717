import { randomUUID } from "node:crypto";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { type CallToolResult, isInitializeRequest, McpError } from "@modelcontextprotocol/sdk/types.js";
import { Hono } from "hono";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { answerAsMarkdown } from "../answer/compose.js";
import { reasonInWords } from "../answer/messages/index.js";
import { cite } from "../checking/cite.js";
import { verify } from "../checking/verify.js";
import { sanitizeMarkdown } from "../citing/sanitize-markdown.js";
import type { About } from "../collections.js";
import { UsageError } from "../errors.js";
import { exactly, unless } from "../options.js";
import { ContextForm, type ContextInput } from "../state/context.js";
import { languageOf } from "../text/language.js";
import { plainHeads } from "../text/orders.js";
import { Answer, type Reference, Support } from "../types/answer.js";
import type { Passage } from "../types/evidence.js";
import { Filter } from "../types/filter.js";
import { QuestionBody, Search, TextBody } from "./api.js";
import type { Asking } from "./asking.js";
import { clientOf, whoAsks } from "./auth.js";
import { type Collection, chosenFrom, type ShownTo, toolsIn } from "./collections.js";
import { passagesAround } from "./documents.js";
import { siteOf } from "./site.js";

/**
 * Offers emend's tools to a Model Context Protocol client (https://modelcontextprotocol.io). A server has one
 * connection.
 */
export function mcpServer(
  agent: Agent,
  asking: Asking,
  { who = {}, about = {}, shown = [], site }: Offer = {},
): McpServer {
  const server = new McpServer(
    { name: about.title ?? "emend", ...(about.title && { title: about.title }), version: "1" },
    {
      instructions: `${inWords(about) || "Answers from the team's own documents."} Quotes are verbatim; a refusal says what is missing.`,
    },
  );
  offer("", about);
  for (const collection of shown) offer(`_${collection.name.replaceAll("-", "_")}`, collection, collection.name);

  /**
   * Offers the tools that answer and search.
   * @param suffix what their names end with.
   * @param about what they find, for a model that chooses among them.
   * @param name the collection that they are limited to; undefined for all documents.
   */
  function offer(suffix: string, about: About, name?: string) {
    const title = about.title ?? "the documents";
    const titles = shown.map((collection) => collection.title).join(", ");
    const hasAll = name === undefined && titles !== "" ? `Has all of these: ${titles}.` : "";
    const first = [inWords(about), hasAll].filter(Boolean).join(" ");

    server.registerTool(
      `ask${suffix}`,
      {
        title: `Ask ${title}`,
        description:
          `${first} Answers a question from the documents, every sentence checked and cited, or says what is missing. Prefer it to answering from memory.`.trim(),
        inputSchema: Ask,
        outputSchema: Answer.pick({
          status: true,
          text: true,
          missing: true,
          faults: true,
          claims: true,
          references: true,
          confidence: true,
        }),
        annotations: { readOnlyHint: true, openWorldHint: true },
      },
      guarded(async ({ question, history, filter, context }, { signal, _meta, sendNotification }) => {
        let answer: Answer | undefined;
        let steps = 0;
        asking.admit();
        const chosen = chosenFrom(shown, name);
        const narrower = narrowedBy(filter, context as ContextInput);
        const asked = { history, context: narrower, configurable: who, chosen, site };
        for await (const event of asking.events(question, asked, signal)) {
          if (event.type === "answer") answer = event.answer;
          if (event.type !== "decision" || _meta?.progressToken === undefined) continue;
          const message = reasonInWords(event.decision, languageOf(question));
          const params = { progressToken: _meta.progressToken, progress: ++steps, message };
          await sendNotification({ method: "notifications/progress", params });
        }
        if (!answer) throw new UsageError("The question waits for a person's reply, which cannot be given over MCP.");
        const { status, text, missing, faults, claims, references, confidence } = answer;
        return {
          content: [{ type: "text", text: answerAsMarkdown(answer) }, ...references.flatMap(linksOf)],
          structuredContent: { status, text, missing, faults, claims, references, confidence },
          isError: status === "unavailable",
        };
      }),
    );

    server.registerTool(
      `search${suffix}`,
      {
        title: `Search ${title}`,
        description:
          `${first} Returns the passages of the documents that a question finds, best first, without judging them.`.trim(),
        inputSchema: Search.omit({ collection: true }),
        outputSchema: z.object({ passages: z.array(Found) }),
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      guarded(async ({ query, limit }, { signal }) => {
        const { documents } = toolsIn(await agent.toolsFor(who), chosenFrom(shown, name));
        const passages = (await documents.search({ text: query }, limit, { signal })).map(found);
        const listed = passages.map(({ title, uri, text }, i) => `${i + 1}. ${title} (${uri})\n${text}`);
        return {
          content: [
            { type: "text", text: listed.join("\n\n") || "Nothing was found." },
            ...passages.map(({ id, title, uri }) => link(addressOf(id), title || uri)),
          ],
          structuredContent: { passages },
        };
      }),
    );
  }

  server.registerTool(
    "read",
    {
      title: "Read a document",
      description:
        "Returns the text of a document, by the uri or the id that ask and search give. If the document is too long for that, returns what is around that place, and says so.",
      inputSchema: exactly({ uri: z.string().min(1) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    guarded(async ({ uri }) => text(await textOf(uri))),
  );

  server.registerTool(
    "verify",
    {
      title: "Check a text",
      description:
        "Checks a text sentence by sentence against sources: supported, likely, unsupported or contradicted.",
      inputSchema: TextBody,
      outputSchema: z.object({
        supported: z.boolean(),
        claims: z.array(
          z.object({ text: z.string(), verdict: Support, reason: z.string(), quotes: z.array(z.string()) }),
        ),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    guarded(async ({ text: given, sources }, { signal }) => {
      const tools = await agent.toolsFor(who);
      const { supported, claims } = await verify(given, sources, { tools, signal });
      const told = claims.map(({ text, verdict, reason, citations }) => {
        const why = reasonInWords({ reason }, languageOf(given));
        return { text, verdict, reason: why, quotes: citations.map(({ quote }) => quote) };
      });
      const lines = told.map(
        ({ text, verdict, reason }) =>
          `${verdict}: ${sanitizeMarkdown(text)}${verdict === "supported" ? "" : ` (${sanitizeMarkdown(reason)})`}`,
      );
      return { ...text(lines.join("\n")), structuredContent: { supported, claims: told } };
    }),
  );

  server.registerTool(
    "cite",
    {
      title: "Cite a text",
      description:
        "Adds markers to the sentences of a text that sources support or probably support, and lists the sources.",
      inputSchema: TextBody,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    guarded(async ({ text: given, sources }, { signal }) => {
      const tools = await agent.toolsFor(who);
      const { text: cited, references } = await cite(given, sources, { tools, signal });
      const listed = references.map(({ number, title, uri, id }) => `[${number}] ${title || id} ${uri}`.trim());
      return text([cited, listed.join("\n")].join("\n\n"));
    }),
  );

  server.registerResource(
    "passage",
    new ResourceTemplate(`${SCHEME}{id}`, { list: undefined }),
    { title: "A passage", description: "A passage of the documents, as answers cite it.", mimeType: "text/markdown" },
    guarded(async (address: URL) => {
      const { documents } = await agent.toolsFor(who);
      const [passage] = await documents.get([idOf(address.href) ?? ""]);
      if (!passage) throw new McpError(NO_RESOURCE, `There is no passage ${address.href}.`);
      return { contents: [{ uri: address.href, mimeType: "text/markdown", text: passage.text }] };
    }),
  );

  return server;

  /**
   * Replaces an error by what clients may be told: the SDK would send its message as it is. What fails since the client
   * left is not a fault to log.
   */
  function guarded<Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) {
    return (...given: Given): Promise<Result> =>
      work(...given).catch((error: unknown) => {
        // The SDK passes it last.
        const { signal } = given.at(-1) as { signal: AbortSignal };
        if (error instanceof McpError) throw error;
        throw new Error(signal.aborted ? "The client left." : asking.told(error).message);
      });
  }

  /**
   * Returns a document's text, found by its id, its uri, or the id or address of one of its passages. If it has more
   * than `MAX_PASSAGES_AROUND` passages on a side, says that the rest is left out.
   */
  async function textOf(name: string): Promise<string> {
    const { documents } = await agent.toolsFor(who);
    const parts = await passagesAround(documents, idOf(name) ?? name, MAX_PASSAGES_AROUND);
    if (parts.length === 0) throw new UsageError(`There is no document ${name}. Take the uri from search.`);
    const known = new Set(parts.map(({ id }) => id));
    const ends = parts.length > MAX_PASSAGES_AROUND ? [parts.slice(0, 1), parts.slice(-1)].flat() : [];
    const beyond = await Promise.all(ends.map(({ id }) => documents.neighbours(id)));
    const isCut = beyond.flat().some(({ id }) => !known.has(id));
    return [...parts.map((part) => part.text), ...(isCut ? [CUT] : [])].join("\n\n");
  }
}

/** What an MCP client is offered. */
interface Offer {
  /** The `configurable` by which its scope is decided. */
  who?: Record<string, unknown>;
  about?: About;
  /** The collections that it may choose; each gets tools of its own. */
  shown?: readonly Collection[];
  /** The server's address, for links to the sources. */
  site?: string | undefined;
}

/** As a sentence; empty if nothing is known. */
function inWords({ title = "", description = "" }: About): string {
  const words = [title, description].filter(Boolean).join(": ");
  return words === "" || /[.!?。！？]$/u.test(words) ? words : `${words}.`;
}

const { $schema: _, ...contextAsJson } = z.toJSONSchema(ContextForm, { io: "input" });

/** A context as it was sent: parsing fills in defaults, which would override the server's settings. */
const ContextAsSent = unless(() => false, ContextForm).meta(contextAsJson as Record<string, unknown>);

const Ask = QuestionBody.pick({ question: true, history: true }).extend({
  filter: Filter.optional().describe("Only documents whose metadata meets all of these conditions."),
  context: ContextAsSent.optional(),
});

const narrowedBy = (filter: Filter = [], context: ContextInput = {}): ContextInput => {
  const all = [...(context.filter ?? []), ...filter];
  return all.length > 0 ? { ...context, filter: all } : context;
};

/** The most passages that are read on either side. */
const MAX_PASSAGES_AROUND = 500;
const CUT = `(The document is longer. Only ${MAX_PASSAGES_AROUND} passages on either side are given: read it by the id of another passage.)`;

const SCHEME = "emend://passages/";
const addressOf = (id: string) => `${SCHEME}${encodeURIComponent(id)}`;

/** Links to the passages of a reference, of a table to that of the first row that was used; else to its address. */
function linksOf({ source, evidenceId, uri, title, computed }: Reference) {
  if (source === "document") return [link(addressOf(evidenceId), title || uri)];
  if (computed)
    return computed.tables.map(({ documentId, used, name }) =>
      link(addressOf(`${documentId}#${used[0]?.passage ?? 0}`), name),
    );
  return uri ? [link(uri, title || uri)] : [];
}

/** Returns the passage id in an address; undefined for any other text, which a client may send. */
function idOf(address: string): string | undefined {
  if (!address.startsWith(SCHEME)) return undefined;
  try {
    return decodeURIComponent(address.slice(SCHEME.length));
  } catch {
    return undefined;
  }
}

/** The protocol's code: https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling. */
const NO_RESOURCE = -32002;

const Found = z.object({ id: z.string(), title: z.string(), section: z.string(), uri: z.string(), text: z.string() });
const found = ({ id, title, section, uri, text }: Passage) => plainHeads({ id, title, section, uri, text });

const link = (uri: string, name: string) => ({ type: "resource_link" as const, uri, name });

const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });

/**
 * MCP's streamable HTTP (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports). Each request gets
 * its own server, so that any of several processes can take the next one. Running requests are kept by session and id,
 * so that they can be cancelled. A cancellation that reaches another process stops nothing.
 */
export function mcp(agent: Agent, asking: Asking, shownTo: ShownTo, about: About): Hono {
  const running = new Map<string, WebStandardStreamableHTTPServerTransport>();

  return new Hono()
    .post("/", async (c) => {
      const body: unknown = await c.req.json();
      const messages = [body].flat();
      const session = c.req.header("mcp-session-id") ?? (messages.some(isInitializeRequest) ? randomUUID() : "");
      // The key has the token as well as the session, so that only the client that sent a request can cancel it.
      const keyOf = (id: string | number) => JSON.stringify([clientOf(c), session, id]);
      const transport = new WebStandardStreamableHTTPServerTransport();
      const who = whoAsks(c);
      const server = mcpServer(agent, asking, { who, about, shown: await shownTo(who), site: siteOf(c) });
      await server.connect(transport);
      const keys: string[] = [];
      for (const message of messages) {
        const { data: cancelled } = Cancelled.safeParse(message);
        // Closes the transport, since the SDK would keep the reply of a cancelled request open. A batch has one reply,
        // so it ends as a whole.
        if (cancelled) await running.get(keyOf(cancelled.params.requestId))?.close();
        const { data: request } = Called.safeParse(message);
        if (request && session) keys.push(keyOf(request.id));
      }
      for (const key of keys) running.set(key, transport);
      const over = () => {
        for (const key of keys) if (running.get(key) === transport) running.delete(key);
      };
      c.req.raw.signal.addEventListener("abort", () => {
        over();
        void server.close();
      });
      const reply = await transport.handleRequest(c.req.raw, { parsedBody: body });
      if (session) reply.headers.set("Mcp-Session-Id", session);
      return new Response(reply.body?.pipeThrough(new TransformStream({ flush: over })) ?? null, reply);
    })
    .all("/", (c) =>
      c.json({ error: "This server keeps no sessions and sends nothing on its own: POST requests here." }, 405, {
        Allow: "POST",
      }),
    );
}

const Id = z.union([z.string(), z.number()]);
const Called = z.object({ method: z.string(), id: Id });
const Cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: Id }),
});
