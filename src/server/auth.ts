import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

/** Who may come in, and how often. */
export interface Auth {
  /** Bearer tokens. Without any, the server is for this machine alone: it must listen on a loopback address. */
  tokens: readonly string[];
  /** Returns the user that a token belongs to: a scope finds it in `configurable.langgraph_auth_user`. Default: none. */
  userOf?: ((token: string) => unknown) | undefined;
  /**
   * Returns the user whom another server, in which this one is mounted, has let in; undefined if it has asked nobody for a
   * name, and a token is needed then. Hosts and origins are that server's business. Default: not mounted.
   */
  userIn?: ((c: Context) => unknown) | undefined;
  /** Web pages of these origins may call, such as `https://chat.example.org`. */
  origins: readonly string[];
  /** Requests a minute and client. A client is a token or, without tokens, everybody. */
  perMinute: number;
}

/** Refuses pages of other origins and, where there are no tokens, other names than this machine's (DNS rebinding). */
export function fromHere({ tokens, origins, userIn }: Auth): MiddlewareHandler {
  return async (c, next) => {
    if (userIn) return next();
    const { host } = new URL(c.req.url);
    // A request may name one host in its first line and another in its head.
    const other = [host, c.req.header("host") ?? host].find((name) => !LOOPBACK.test(name));
    if (tokens.length === 0 && other !== undefined)
      throw refused(403, `This server answers on this machine only, not as ${other}.`);
    const origin = c.req.header("origin");
    if (origin !== undefined && !origins.includes(origin) && URL.parse(origin)?.host !== host)
      throw refused(403, "Pages of this origin may not ask. Name it with --origin.");
    await next();
  };
}

/** Refuses a request without a token, where there are tokens, and what a page could send without asking first. */
export function withToken({ tokens, userOf, userIn }: Auth): MiddlewareHandler {
  const digests = tokens.map(digest);
  return async (c, next) => {
    const user = userIn?.(c);
    const needsToken = userIn ? user === undefined : digests.length > 0;
    if (needsToken && !OPEN.has(c.req.path)) {
      const token = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
      const given = digest(token);
      // All are compared, so that the time tells nothing.
      if (!digests.map((one) => timingSafeEqual(one, given)).includes(true))
        throw refused(401, digests.length > 0 ? "Send a token: Authorization: Bearer …" : NO_WAY_IN);
      c.set("client", given.toString("hex"));
      if (userOf) c.set("who", { langgraph_auth_user: await userOf(token) });
    }
    if (user !== undefined) c.set("who", { langgraph_auth_user: user });
    if (c.req.method === "POST" && !/^application\/json\b/i.test(c.req.header("content-type") ?? ""))
      throw refused(415, "Send JSON: Content-Type: application/json.");
    await next();
  };
}

const NO_WAY_IN = "Nobody may ask yet: add authentication to the server, or set EMEND_TOKENS and send one of them.";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** A load balancer asks these without a token. */
const OPEN: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

const digest = (token: string) => createHash("sha256").update(token).digest();

/** Who asks, for the agent: what a scope is decided by. Empty where nobody says. */
export const whoAsks = (c: Context): Record<string, unknown> => c.get("who") ?? {};

/** The token of who asks, hashed: empty where nobody needs one. */
export const clientOf = (c: Context): string => c.get("client") ?? "";

/**
 * Names a client's conversation for what keeps it, so that no other client can name it: after the user, if whoever tells
 * users apart gives them an `identity`, else after the token. Where there are no tokens all clients are one.
 */
export function threadOf(c: Context, id: string): string {
  const { langgraph_auth_user: user } = whoAsks(c);
  const identity = typeof user === "object" && user !== null && "identity" in user ? user.identity : undefined;
  const owner = typeof identity === "string" ? digest(identity).toString("hex") : clientOf(c);
  return owner ? `${owner}/${id}` : id;
}

/** Limits the requests of each client by a bucket that fills evenly. Reading what is told of a server is free. */
export function limited({ perMinute }: Auth, now: () => number = () => performance.now()): MiddlewareHandler {
  const buckets = new Map<string, { left: number; at: number }>();
  return async (c, next) => {
    if (c.req.method !== "POST" && !c.req.path.startsWith("/api/")) return next();
    const client = clientOf(c);
    const bucket = buckets.get(client) ?? { left: perMinute, at: now() };
    bucket.left = Math.min(perMinute, bucket.left + ((now() - bucket.at) / 60_000) * perMinute);
    bucket.at = now();
    buckets.set(client, bucket);
    const calls = await callsIn(c);
    if (bucket.left < calls) {
      c.header("Retry-After", `${Math.ceil((Math.min(calls, perMinute) - bucket.left) * (60 / perMinute))}`);
      throw refused(429, `More than ${perMinute} requests a minute. Try again later.`);
    }
    bucket.left -= calls;
    await next();
  };
}

/** The number of calls in a request: a batch of MCP has several. */
async function callsIn(c: Context): Promise<number> {
  if (c.req.method !== "POST" || !c.req.path.startsWith("/mcp")) return 1;
  const body: unknown = await c.req.json().catch(() => undefined);
  return Array.isArray(body) ? Math.max(1, body.filter((one) => one?.method !== undefined).length) : 1;
}

const refused = (status: 401 | 403 | 415 | 429, message: string) => new HTTPException(status, { message });
