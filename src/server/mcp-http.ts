import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { Hono } from "hono";
import { z } from "zod";
import type { Agent } from "../agent.js";
import type { Asking } from "./asking.js";
import { clientOf, whoAsks } from "./auth.js";
import { mcpServer } from "./mcp.js";

/**
 * MCP's streamable HTTP (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports). Each request gets
 * its own server, so that any of several processes can take the next one. Running requests are kept by session and id,
 * so that they can be cancelled. A cancellation that reaches another process stops nothing.
 */
export function mcp(agent: Agent, asking: Asking): Hono {
  const running = new Map<string, WebStandardStreamableHTTPServerTransport>();

  return new Hono()
    .post("/", async (c) => {
      const body: unknown = await c.req.json();
      const messages = [body].flat();
      const session = c.req.header("mcp-session-id") ?? (messages.some(isInitializeRequest) ? randomUUID() : "");
      // The key has the token as well as the session, so that only the client that sent a request can cancel it.
      const keyOf = (id: string | number) => JSON.stringify([clientOf(c), session, id]);
      const transport = new WebStandardStreamableHTTPServerTransport();
      const server = mcpServer(agent, asking, whoAsks(c));
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
