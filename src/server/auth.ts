import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { NotSignedInError, toError, UsageError } from "../errors.js";
import { identityOf, type User } from "../graph/scope.js";
import { aFunction, type OptionsOf, part } from "../options.js";
import type { Passes } from "../tools/passes/port.js";
import { CALLBACK } from "../tools/sign-in/provider.js";
import { requireWhole, type UserSettings, userOptions } from "../tools/sign-in/settings.js";
import { type Brought, MCP_PATH, type SignIn } from "../tools/sign-in/sign-in.js";

/** Who may use the server, and how often. */
export interface Auth extends UserSettings {
  /** The address at which people reach the server. Default: unknown. */
  url?: string | undefined;
  /**
   * Bearer tokens. Without any, and without `signIn` and `passes`, only this machine may use the server: it must listen
   * on a loopback address.
   */
  tokens: readonly string[];
  /**
   * Bearer tokens of operators, who may do what those with `tokens` may, and see the questions of everybody on the page
   * for operators. With them, nobody else sees that page. Default: none.
   */
  operatorTokens: readonly string[];
  /**
   * Bearer tokens of those who may do what those with `tokens` may, and also add and delete documents by uploads.
   * Operators may too, and so may users with `emend_may_upload: true`, and this machine's user if there are no tokens.
   * Default: none.
   */
  uploadTokens: readonly string[];
  /** Returns the user of a token. A token without a user is refused. Default: no users; each token sees everything. */
  userOf?: (token: string) => Found;
  /**
   * For a server that is mounted in another: returns the user whom the other server authenticated. If it returns
   * undefined, a token is needed. Hosts and origins are left to the other server. Default: not mounted.
   */
  userIn?: (c: Context) => Found;
  /**
   * Tokens that `emend token` made, which are accepted too, and the sessions of users who sign in on the page, which
   * needs it. Default: none.
   */
  passes?: Passes | undefined;
  /** Origins whose web pages may call the server, such as `https://chat.example.org`. */
  origins: readonly string[];
  /**
   * Requests per minute, counted apart for each client, door (`/api`, `/v1`, `/mcp`) and cost: questions, other work and
   * reads. A client is the `identity` of a user, or else a token; without either, everybody is the same client.
   */
  perMinute: number;
}

/** Anything but a `User` is refused with 401, and so is a user whose scope cannot be read. So is one that throws. */
type Found = User | undefined | Promise<User | undefined>;

const Words = z.array(z.string().regex(/^\S+$/, { error: "must be a text without white space" })).exactOptional();
const Finds = aFunction.exactOptional();

/** An option that is there must be valid: one that is undefined by mistake would let in more than it says. */
export const authOptions = {
  tokens: Words,
  operatorTokens: Words,
  uploadTokens: Words,
  userOf: Finds,
  userIn: Finds,
  signIn: userOptions.signIn.optional(),
  passes: part<Passes>("find", "addSession", "endSession").optional(),
  origins: Words,
  perMinute: z.custom<number>((given) => Number(given) >= 1, { error: "must be a number from 1" }).optional(),
} satisfies OptionsOf<Omit<Auth, "url">>;

/** Returns options with their defaults. @throws UsageError for an option that lacks another. */
export function authFrom({
  tokens = [],
  operatorTokens = [],
  uploadTokens = [],
  origins = [],
  perMinute = 600,
  url,
  ...users
}: Partial<Auth>): Auth {
  const auth = { tokens, operatorTokens, uploadTokens, origins, perMinute, url: url?.replace(/\/+$/, ""), ...users };
  if (auth.signIn) requireWhole(auth.signIn, auth.url);
  if (auth.signIn?.oidc && !auth.passes) throw new UsageError("createServer: `signIn.oidc` needs `passes`.");
  if (users.userOf && !users.userIn && tokensIn(auth).length === 0)
    throw new UsageError("createServer: `userOf` needs `tokens`.");
  return auth;
}

/** All tokens that are accepted, those that give more rights behind the others. */
export const tokensIn = ({
  tokens = [],
  uploadTokens = [],
  operatorTokens = [],
}: {
  tokens?: readonly string[] | undefined;
  uploadTokens?: readonly string[] | undefined;
  operatorTokens?: readonly string[] | undefined;
}): string[] => [...tokens, ...uploadTokens, ...operatorTokens];

/** True if nobody has to say who asks, so that only this machine may. */
export const isForThisMachine = (auth: Auth): boolean =>
  tokensIn(auth).length === 0 && !auth.signIn && !auth.passes && !auth.userIn;

/**
 * Refuses pages of other origins and, without tokens, any host name but this machine's (DNS rebinding). A browser sends
 * no origin with an image, a frame or a link, but says that another site wants it; only links to the page are followed.
 */
export function knownOrigin(auth: Auth): MiddlewareHandler {
  return async (c, next) => {
    if (auth.userIn) return next();
    const { host } = new URL(c.req.url);
    // A request may name one host in its request line and another in its Host header.
    const other = [host, c.req.header("host") ?? host].find((name) => !LOOPBACK.test(name));
    if (isForThisMachine(auth) && other !== undefined)
      throw refused(403, `This server answers on this machine only, not as ${other}.`);
    if (isForeign(c, auth)) throw refused(403, FOREIGN);
    await next();
  };
}

/** True if a page of another origin, which is not named, causes the request. */
function isForeign(c: Context, { origins, url }: Auth): boolean {
  const origin = c.req.header("origin");
  return origin === undefined
    ? !isOwn(c, { url }) && !isLinkToPage(c)
    : !origins.includes(origin) && !isOwn(c, { url });
}

/** True if a page of this server causes the request, or none. */
export function isOwn(c: Context, { url }: Pick<Auth, "url">): boolean {
  const origin = c.req.header("origin");
  if (origin === undefined) return OWN_SITE.has(c.req.header("sec-fetch-site") ?? "none");
  return URL.parse(origin)?.host === new URL(c.req.url).host || (url !== undefined && origin === new URL(url).origin);
}

const FOREIGN = "Pages of this origin may not ask. Name it with --origin.";

/** The values of Sec-Fetch-Site for requests of the page, and of a user who typed the address. */
const OWN_SITE: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** A provider leads its users back by a link. */
const isLinkToPage = ({ req }: Context) =>
  req.method === "GET" && (req.path === "/" || req.path === CALLBACK) && req.header("sec-fetch-dest") === "document";

/**
 * Refuses requests without a valid token if one is needed, those of nobody, and POST requests that a page could send
 * without a CORS preflight: all but JSON, and but uploads from pages of this origin or from no page.
 * @param check throws unless the user that a `configurable` names has a scope.
 */
export function withToken(
  auth: Auth,
  signIn: SignIn,
  check: (who: Record<string, unknown>) => Promise<unknown>,
  onFault: (error: Error) => void = () => {},
): MiddlewareHandler {
  const { tokens, uploadTokens, userOf, userIn } = auth;
  const digests = tokensIn(auth).map(digest);

  /** Makes the user that is found the one who asks; without one, returns false. */
  async function isFound(c: Context, find: () => Found): Promise<boolean> {
    try {
      const user = await find();
      if (user === undefined) return false;
      const who = { langgraph_auth_user: user };
      c.set("client", digest(identityOf(user)).toString("hex"));
      await check(who);
      c.set("who", who);
      if ((user as Partial<User>).emend_may_upload === true) c.set("mayUpload", true);
      if ((user as Partial<User>).emend_is_operator === true) c.set("isOperator", true);
      return true;
    } catch (error) {
      onFault(toError(error));
      throw refused(401, NOBODY);
    }
  }

  /** @throws HTTPException 401 unless somebody is found who asks. */
  async function find(c: Context): Promise<void> {
    if (userIn && (await isFound(c, () => userIn(c)))) return;
    const brought = broughtBy(c, auth);
    const given = digest(brought.token);
    // All are compared, so that the time reveals nothing.
    const place = digests.map((one) => timingSafeEqual(one, given)).lastIndexOf(true);
    if (place >= 0) {
      c.set("isOperator", place >= tokens.length + uploadTokens.length);
      c.set("mayUpload", place >= tokens.length);
      c.set("client", given.toString("hex"));
      if (userOf && !(await isFound(c, () => userOf(brought.token)))) throw refused(401, NOBODY);
      return;
    }
    const user = await signIn.userOf(brought).catch(async (error: unknown) => {
      if (!(error instanceof NotSignedInError)) throw error;
      await challenge(c, 'error="invalid_token"');
      throw refused(401, error.message);
    });
    if (user && (await isFound(c, () => user))) return;
    await challenge(c);
    throw refused(
      401,
      digests.length > 0 || auth.signIn || auth.passes ? "Send a token: Authorization: Bearer …" : NO_WAY_IN,
    );
  }

  /** Tells MCP clients where they get a token (https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization). */
  async function challenge(c: Context, ...more: readonly string[]): Promise<void> {
    if (!c.req.path.startsWith(MCP_PATH)) return;
    const about = signIn.issuer && [`resource_metadata="${resourceMetadataAt(auth.url ?? "")}"`];
    c.header("WWW-Authenticate", `Bearer ${[...more, ...(about ?? [])].join(", ")}`.trim());
  }

  return async (c, next) => {
    const isFree = isForThisMachine(auth);
    c.set("mayUpload", isFree);
    if (!isFree && !OPEN.has(c.req.path)) await find(c);
    if (isUpload(c)) {
      // Also where another server lets the user in, perhaps by a cookie: a form of any page could send one.
      if (isForeign(c, auth) && c.req.header("sec-fetch-site") !== "same-origin") throw refused(403, FOREIGN);
      if (!/^multipart\/form-data\b/i.test(c.req.header("content-type") ?? ""))
        throw refused(415, "Send a form: Content-Type: multipart/form-data.");
    } else if (c.req.method === "POST" && !/^application\/json\b/i.test(c.req.header("content-type") ?? ""))
      throw refused(415, "Send JSON: Content-Type: application/json.");
    await next();
  };
}

const NOBODY = "The server does not know who you are, or what you may see. Its log may say more.";
const NO_WAY_IN = "Nobody may ask yet: add authentication to the server, or set EMEND_TOKENS and send one of them.";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** What a request says of who sends it. */
export function broughtBy(c: Context, auth: Pick<Auth, "url">): Brought {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  return {
    token: /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "",
    session: getCookie(c, cookieName(auth)) ?? "",
    header: (name) =>
      (incoming?.headersDistinct[name.toLowerCase()] ?? []).map((text) => Buffer.from(text, "latin1").toString()),
    peer: incoming?.socket.remoteAddress,
    isOwn: isOwn(c, auth),
  };
}

/** The name of the cookie with a session. No other host and no address without TLS can set one with this prefix. */
export const cookieName = ({ url }: Pick<Auth, "url">): string => (isSecure(url) ? "__Host-emend" : "emend");

export const isSecure = (url: string | undefined): boolean => url?.startsWith("https:") ?? false;

/** Where the metadata of the MCP endpoint is, as RFC 9728 derives it: before the path of the resource. */
function resourceMetadataAt(url: string): string {
  const { origin, pathname } = new URL(`${url}${MCP_PATH}`);
  return `${origin}${RESOURCE_METADATA}${pathname}`;
}

export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

/** Open without a token, for load balancers. */
const OPEN: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

export const digest = (token: string) => createHash("sha256").update(token).digest();

/** The `configurable` by which a scope is decided: the user who asks. Empty if no user is known. */
export const whoAsks = (c: Context): Record<string, unknown> => c.get("who") ?? {};

/** True for a request that brings files. */
export const isUpload = ({ req }: Context): boolean => req.method === "POST" && req.path === "/api/documents";

/** True if the client may add and delete documents. */
export const mayUpload = (c: Context): boolean => c.get("mayUpload") === true;

/** True if the client sent an operator's token. */
export const isOperator = (c: Context): boolean => c.get("isOperator") === true;

/** The identity of the user, or else the token, hashed; empty if there is neither. */
export const clientOf = (c: Context): string => c.get("client") ?? "";

/**
 * Returns the id under which a client's conversation is stored, which no other client can name. Without users and
 * tokens, all clients share their conversations.
 */
export function threadOf(c: Context, id: string): string {
  const owner = clientOf(c);
  return owner ? `${owner}/${id}` : id;
}

/**
 * Limits each client's requests with a token bucket for each door and cost, so that reads never use up questions. Only
 * POST requests and paths below /api/ count.
 */
export function rateLimit({ perMinute }: Auth, now: () => number = () => performance.now()): MiddlewareHandler {
  const buckets = new Map<string, { left: number; at: number }>();
  return async (c, next) => {
    if (c.req.method !== "POST" && !c.req.path.startsWith("/api/")) return next();
    const calls = await callsIn(c);
    if (calls.length > perMinute) throw refused(413, `A batch may have ${perMinute} calls at most.`);
    const counted = Map.groupBy(calls, (cost) => `${clientOf(c)} ${doorOf(c)} ${cost}`);
    for (const [name, { length }] of counted) {
      const bucket = buckets.get(name) ?? { left: perMinute, at: now() };
      bucket.left = Math.min(perMinute, bucket.left + ((now() - bucket.at) / 60_000) * perMinute);
      bucket.at = now();
      buckets.set(name, bucket);
      if (bucket.left >= length) continue;
      c.header("Retry-After", `${Math.ceil((length - bucket.left) * (60 / perMinute))}`);
      throw refused(429, `More than ${perMinute} requests a minute. Try again later.`);
    }
    for (const [name, { length }] of counted) (buckets.get(name) as { left: number }).left -= length;
    await next();
  };
}

/** A message over MCP, which may be anything. */
type Message = { method?: unknown; params?: { name?: unknown } | null } | null | undefined;

type Cost = "question" | "work" | "read";

/** The paths at which questions are asked, which take longest. An MCP client asks by a tool. */
export const QUESTIONS = ["/api/ask", "/v1/chat/completions", "/v1/responses"];

const doorOf = (c: Context) => ["/api/", "/v1/", "/mcp"].find((door) => c.req.path.startsWith(door)) ?? "";

/** Returns the cost of each call in a request: an MCP batch has several. */
async function callsIn(c: Context): Promise<Cost[]> {
  if (c.req.method !== "POST") return ["read"];
  if (QUESTIONS.includes(c.req.path)) return ["question"];
  if (!c.req.path.startsWith("/mcp")) return ["work"];
  const body: Message | Message[] = await c.req.json().catch(() => undefined);
  const costs = [body].flat().flatMap((message): Cost[] => {
    if (message?.method === undefined) return [];
    if (message.method !== "tools/call") return ["read"];
    return [/^ask(?:_|$)/.test(`${message.params?.name}`) ? "question" : "work"];
  });
  return costs.length > 0 ? costs : ["read"];
}

const refused = (status: 401 | 403 | 413 | 415 | 429, message: string) => new HTTPException(status, { message });
