import { Hono } from "hono";
import { createAgent } from "../agent.js";
import { loadSettings } from "../config.js";
import { tools } from "../graph/langgraph-server.js";
import { createServer } from "./app.js";

/** What a LangGraph server's own authentication keeps of a request. */
interface LetIn {
  Variables: { auth?: { user?: unknown } };
}

const PREFIX = "/emend";

const { app: inner } = createServer({
  agent: createAgent({ tools }),
  tokens: loadSettings().tokens ?? [],
  userIn: ({ env }) => env.user,
});

/**
 * The HTTP API for a LangGraph server to mount (`http.app` in langgraph.json), below /emend: the server has an /mcp, a
 * /metrics and an /openapi.json of its own. Whom the server's authentication names may ask, as that user. Where it names
 * nobody, which may also mean that it passes over the paths of others, a token of EMEND_TOKENS is needed.
 */
export const app = new Hono<LetIn>().all(`${PREFIX}/*`, (c) => {
  const url = new URL(c.req.url);
  url.pathname = url.pathname.slice(PREFIX.length);
  return inner.fetch(new Request(url, c.req.raw), { user: c.get("auth")?.user });
});
