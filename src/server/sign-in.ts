import { type Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { HTTPException } from "hono/http-exception";
import { inWords, toError } from "../errors.js";
import { parsedJson } from "../text/decode.js";
import { CALLBACK, Pending } from "../tools/sign-in/provider.js";
import { MCP_PATH, SESSION_TIME, type SignIn } from "../tools/sign-in/sign-in.js";
import { type Auth, broughtBy, cookieName, digest, isOwn, isSecure, RESOURCE_METADATA, tokensIn } from "./auth.js";

/**
 * Signing in and out on the page, who is signed in, and where MCP clients get a token. All of it needs no token. The
 * browser gets nothing but a cookie with the secret of its session.
 */
export function signInRoutes(auth: Auth, signIn: SignIn, onFault: (error: Error) => void = () => {}): Hono {
  const { url } = auth;
  const { sessions, issuer } = signIn;
  const cookie = cookieName(auth);
  const pendingCookie = `${cookie}-sign-in`;
  const attributes = { path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(url) } as const;
  const app = new Hono();

  app.get("/auth/me", async (c) => {
    const user = await signIn.userOf(broughtBy(c, auth)).catch(() => undefined);
    const made = (await auth.passes?.tokens().catch(() => [])) ?? [];
    c.header("Cache-Control", "no-store");
    return c.json({
      id: user ? digest(user.identity).toString("hex").slice(0, 16) : null,
      name: user?.display_name ?? null,
      canSignIn: sessions !== undefined,
      canSignOut: sessions !== undefined && getCookie(c, cookie) !== undefined,
      takesTokens: tokensIn(auth).length > 0 || made.length > 0,
    });
  });

  if (sessions) {
    const ended = (c: Context) => {
      const secret = getCookie(c, cookie);
      return secret ? sessions.end(secret) : undefined;
    };
    app.get("/auth/sign-in", async (c) => {
      try {
        const { to, pending } = await sessions.begin();
        setCookie(c, pendingCookie, encoded(pending), { ...attributes, maxAge: PENDING_TIME });
        return c.redirect(to);
      } catch (error) {
        onFault(toError(error));
        return c.redirect(`${url}${FAILED}`);
      }
    });
    app.get(CALLBACK, async (c) => {
      const { data: pending } = Pending.safeParse(decoded(getCookie(c, pendingCookie) ?? ""));
      deleteCookie(c, pendingCookie, attributes);
      try {
        if (!pending) throw new Error("The browser did not begin it here, or took too long.");
        const secret = await sessions.finish(new URL(c.req.url).search, pending);
        await ended(c);
        setCookie(c, cookie, secret, { ...attributes, maxAge: SESSION_TIME });
        return c.redirect(`${url}/`);
      } catch (error) {
        onFault(new Error(`Somebody could not sign in: ${inWords(error)}`, { cause: error }));
        return c.redirect(`${url}${FAILED}`);
      }
    });
    app.post("/auth/sign-out", async (c) => {
      if (!isOwn(c, auth)) throw new HTTPException(403, { message: "Only the page may sign its user out." });
      const to = (await ended(c)) ?? `${url}/`;
      deleteCookie(c, cookie, attributes);
      return c.json({ to });
    });
  }

  if (issuer)
    for (const path of [RESOURCE_METADATA, `${RESOURCE_METADATA}${MCP_PATH}`])
      app.get(path, async (c) => {
        const { issuer: server, scopes } = await issuer();
        return c.json({
          resource: `${url}${MCP_PATH}`,
          resource_name: "emend",
          authorization_servers: [server],
          ...(scopes && { scopes_supported: scopes }),
          bearer_methods_supported: ["header"],
        });
      });
  return app;
}

/** Where the page says that signing in failed. */
const FAILED = "/#/sign-in-failed";

/** Seconds for signing in at the provider. */
const PENDING_TIME = 600;

const encoded = (pending: Pending) => Buffer.from(JSON.stringify(pending)).toString("base64url");
const decoded = (text: string) => parsedJson(Buffer.from(text, "base64url").toString());
