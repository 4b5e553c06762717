import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

/** Who may use the server, and how often. */
export interface Auth {
  /** Bearer tokens. Without any, only this machine may use the server: it must listen on a loopback address. */
  tokens: readonly string[];
  /**
   * Bearer tokens of operators, who may do what those with `tokens` may, and see the questions of everybody on the page
   * for operators. With them, nobody else sees that page. Default: none.
   */
  operatorTokens: readonly string[];
  /** Returns the user of a token, whom a scope finds in `configurable.langgraph_auth_user`. Default: no user. */
  userOf?: ((token: string) => unknown) | undefined;
  /**
   * For a server that is mounted in another: returns the user whom the other server authenticated. If it returns
   * undefined, a token is needed. Hosts and origins are left to the other server. Default: not mounted.
   */
  userIn?: ((c: Context) => unknown) | undefined;
  /** Origins whose web pages may call the server, such as `https://chat.example.org`. */
  origins: readonly string[];
  /**
   * Requests per minute and client. Each token is a client, and each `identity` of users from `userIn`; without either,
   * everybody is the same client.
   */
  perMinute: number;
}

/** Refuses pages of other origins and, without tokens, any host name but this machine's (DNS rebinding). */
export function knownOrigin({ tokens, operatorTokens, origins, userIn }: Auth): MiddlewareHandler {
  return async (c, next) => {
    if (userIn) return next();
    const { host } = new URL(c.req.url);
    // A request may name one host in its request line and another in its Host header.
    const other = [host, c.req.header("host") ?? host].find((name) => !LOOPBACK.test(name));
    if (tokens.length + operatorTokens.length === 0 && other !== undefined)
      throw refused(403, `This server answers on this machine only, not as ${other}.`);
    const origin = c.req.header("origin");
    if (origin !== undefined && !origins.includes(origin) && URL.parse(origin)?.host !== host)
      throw refused(403, "Pages of this origin may not ask. Name it with --origin.");
    await next();
  };
}

/**
 * Refuses requests without a valid token if one is needed, and POST requests that a page could send without a CORS
 * preflight.
 */
export function withToken({ tokens, operatorTokens, userOf, userIn }: Auth): MiddlewareHandler {
  const digests = [...tokens, ...operatorTokens].map(digest);
  return async (c, next) => {
    const user = userIn?.(c);
    const needsToken = userIn ? user === undefined : digests.length > 0;
    if (needsToken && !OPEN.has(c.req.path)) {
      const token = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
      const given = digest(token);
      // All are compared, so that the time reveals nothing.
      const place = digests.map((one) => timingSafeEqual(one, given)).lastIndexOf(true);
      if (place < 0) throw refused(401, digests.length > 0 ? "Send a token: Authorization: Bearer …" : NO_WAY_IN);
      c.set("isOperator", place >= tokens.length);
      c.set("client", given.toString("hex"));
      if (userOf) c.set("who", { langgraph_auth_user: await userOf(token) });
    }
    if (user !== undefined) {
      c.set("who", { langgraph_auth_user: user });
      const identity = identityOf(user);
      if (identity !== undefined) c.set("client", digest(identity).toString("hex"));
    }
    if (c.req.method === "POST" && !/^application\/json\b/i.test(c.req.header("content-type") ?? ""))
      throw refused(415, "Send JSON: Content-Type: application/json.");
    await next();
  };
}

const NO_WAY_IN = "Nobody may ask yet: add authentication to the server, or set EMEND_TOKENS and send one of them.";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Open without a token, for load balancers. */
const OPEN: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

const digest = (token: string) => createHash("sha256").update(token).digest();

/** The `configurable` by which a scope is decided: the user who asks. Empty if no user is known. */
export const whoAsks = (c: Context): Record<string, unknown> => c.get("who") ?? {};

/** True if the client sent an operator's token. */
export const isOperator = (c: Context): boolean => c.get("isOperator") === true;

/** The client's token or the identity of the other server's user, hashed; empty if there is neither. */
export const clientOf = (c: Context): string => c.get("client") ?? "";

/**
 * Returns the id under which a client's conversation is stored, which no other client can name: it begins with a hash
 * of the user's `identity`, or else of the token. Without either, all clients share their conversations.
 */
export function threadOf(c: Context, id: string): string {
  const identity = identityOf(whoAsks(c).langgraph_auth_user);
  const owner = identity !== undefined ? digest(identity).toString("hex") : clientOf(c);
  return owner ? `${owner}/${id}` : id;
}

function identityOf(user: unknown): string | undefined {
  const identity = typeof user === "object" && user !== null && "identity" in user ? user.identity : undefined;
  return typeof identity === "string" ? identity : undefined;
}

/** Limits each client's requests with a token bucket. Only POST requests and paths below /api/ count. */
export function rateLimit({ perMinute }: Auth, now: () => number = () => performance.now()): MiddlewareHandler {
  const buckets = new Map<string, { left: number; at: number }>();
  return async (c, next) => {
    if (c.req.method !== "POST" && !c.req.path.startsWith("/api/")) return next();
    const client = clientOf(c);
    const bucket = buckets.get(client) ?? { left: perMinute, at: now() };
    bucket.left = Math.min(perMinute, bucket.left + ((now() - bucket.at) / 60_000) * perMinute);
    bucket.at = now();
    buckets.set(client, bucket);
    const calls = await callsIn(c);
    if (calls > perMinute) throw refused(413, `A batch may have ${perMinute} calls at most.`);
    if (bucket.left < calls) {
      c.header("Retry-After", `${Math.ceil((calls - bucket.left) * (60 / perMinute))}`);
      throw refused(429, `More than ${perMinute} requests a minute. Try again later.`);
    }
    bucket.left -= calls;
    await next();
  };
}

/** The number of calls in a request: an MCP batch has several. */
async function callsIn(c: Context): Promise<number> {
  if (c.req.method !== "POST" || !c.req.path.startsWith("/mcp")) return 1;
  const body: unknown = await c.req.json().catch(() => undefined);
  return Array.isArray(body) ? Math.max(1, body.filter((one) => one?.method !== undefined).length) : 1;
}

const refused = (status: 401 | 403 | 413 | 415 | 429, message: string) => new HTTPException(status, { message });
