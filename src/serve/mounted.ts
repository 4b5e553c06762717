import { Hono } from "hono";
import { createAgent } from "../agent.js";
import { tools } from "../graph/index.js";
import { createServer } from "./app.js";

/** What a LangGraph server's own authentication keeps of a request. */
interface LetIn {
  Variables: { auth?: { user?: unknown } };
}

const PREFIX = "/emend";

const { app: inner } = createServer({ agent: createAgent({ tools }), userIn: ({ env }) => env.user });

/**
 * The HTTP API for a LangGraph server to mount (`http.app` in langgraph.json), below /emend: the server has an /mcp, a
 * /metrics and an /openapi.json of its own. Whoever the server lets in may ask, as the user that it names.
 */
export const app = new Hono<LetIn>().all(`${PREFIX}/*`, (c) => {
  const url = new URL(c.req.url);
  url.pathname = url.pathname.slice(PREFIX.length);
  return inner.fetch(new Request(url, c.req.raw), { user: c.get("auth")?.user });
});
