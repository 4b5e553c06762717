import { Hono } from "hono";
import { createAgent } from "../agent.js";
import { loadSettings } from "../config.js";
import { tools } from "../graph/langgraph-server.js";
import type { User } from "../graph/scope.js";
import { createServer } from "./app.js";

/** What a LangGraph server's authentication adds to the context of a request. */
interface LetIn {
  Variables: { auth?: { user?: unknown } };
}

const PREFIX = "/emend";

const { tokens = [], uploadTokens = [], operatorTokens = [], widgetOrigins = [], url } = loadSettings();
const { app: inner } = createServer({
  agent: createAgent({ tools }),
  ...(url !== undefined && { url }),
  tokens,
  uploadTokens,
  operatorTokens,
  widgetOrigins,
  // A user without a scope is refused, whatever the server says of it.
  userIn: ({ env }) => env.user as User | undefined,
  onFault: ({ message }) => process.stderr.write(`emend: ${message}\n`),
});

/**
 * The HTTP API for a LangGraph server to mount (`http.app` in langgraph.json). It is below /emend, since the server has
 * its own /mcp, /metrics and /openapi.json. A user whom the server authenticated may ask, as that user. Without such a
 * user a token of EMEND_TOKENS is needed, since the server may not authenticate custom paths at all.
 */
export const app = new Hono<LetIn>().all(`${PREFIX}/*`, (c) => {
  const url = new URL(c.req.url);
  url.pathname = url.pathname.slice(PREFIX.length);
  return inner.fetch(new Request(url, c.req.raw), { user: c.get("auth")?.user });
});
