import { createHash } from "node:crypto";
import { NotSignedInError } from "../../errors.js";
import type { User } from "../../types/user.js";
import type { Passes, SessionPass } from "../passes/port.js";
import { type Claims, userFrom } from "./claims.js";
import { jwtChecker } from "./jwt.js";
import { openProvider, type Pending, type Provider } from "./provider.js";
import { addressesIn, proxyHeaders, type SignInSettings } from "./settings.js";

/** What a request brings that may say who sends it. */
export interface Brought {
  /** The bearer token; empty without one. */
  token: string;
  /** The secret of a session, from the cookie; empty without one. */
  session: string;
  /** Returns the values of a header, one for each time that it was sent, as UTF-8. */
  header(name: string): readonly string[];
  /** The address at the other end of the connection; undefined if it is not known. */
  peer: string | undefined;
  /**
   * True if this server's page sends it, or no page at all. Of other requests, only a bearer token counts: a browser
   * adds cookies to them, and a proxy its headers, whatever page causes them.
   */
  isOwn: boolean;
}

/** Finds out who sends a request, and lets users of the page sign in. */
export interface SignIn {
  /**
   * Returns the user of a request; undefined if it brings nothing that tells.
   * @throws NotSignedInError for a token that is not valid. EndpointError or StoreUnavailableError if it cannot be
   *   checked.
   */
  userOf(brought: Brought): Promise<User | undefined>;
  /** The sessions of the page; absent if users cannot sign in there. */
  sessions?: Sessions;
  /** Where clients get tokens for this server; absent if nowhere that is known. @throws EndpointError */
  issuer?: () => Promise<{ issuer: string; scopes: readonly string[] | undefined }>;
}

export interface Sessions {
  begin: Provider["begin"];
  /** Returns the secret of a new session. @throws NotSignedInError, EndpointError, or what else is not right. */
  finish(query: string, pending: Pending): Promise<string>;
  /** Ends a session. Returns where the browser goes to sign out at the provider too; undefined if nowhere. */
  end(secret: string): Promise<string | undefined>;
}

/** In seconds. */
export const SESSION_TIME = 8 * 3_600;

/** How tokens of `emend token` begin, so that they are known when they turn up where they should not. */
export const TOKEN_PREFIX = "emend_";

export interface SignInParts {
  /** The public address of the server. Default: unknown. */
  url?: string | undefined;
  /** Tokens and sessions. Default: there are none. */
  passes?: Passes | undefined;
  /** Called with what users do not see. */
  onFault?: ((error: Error) => void) | undefined;
}

/** Nothing is connected to before its first use. */
export function openSignIn(settings: SignInSettings, { url, passes, onFault = () => {} }: SignInParts): SignIn {
  const { jwt, proxy, oidc } = settings;
  const provider = oidc && url ? openProvider(oidc, url) : undefined;
  const trusted = proxy && addressesIn(proxy.from);
  const told = new Set<string>();

  const userBy = (claims: Claims, issuer: string): User => {
    const user = userFrom(claims, issuer, settings, (message) => {
      if (told.has(message)) return;
      // Users come and go; what was said long ago may be said again.
      if (told.size >= MOST_TOLD) told.clear();
      told.add(message);
      onFault(new Error(message));
    });
    if (!user) throw new NotSignedInError("Whoever signed you in did not say who you are (`sub`).");
    return user;
  };

  /** Who signs tokens: the settings say so, or the provider. */
  async function issuerOfTokens() {
    const { issuer, jwksUrl, audience } = jwt ?? {};
    const about: Partial<Awaited<ReturnType<Provider["about"]>>> | undefined =
      issuer && jwksUrl ? { issuer, jwksUrl } : await provider?.about();
    const audiences = [...(audience ? [audience] : []), ...(url ? [url, `${url}${MCP_PATH}`] : [])];
    return { issuer: about?.issuer ?? "", jwksUrl: about?.jwksUrl ?? "", scopes: about?.scopes, audiences };
  }
  let checker: Promise<(token: string) => Promise<User>> | undefined;
  const checked = async (token: string): Promise<User> => {
    checker ??= issuerOfTokens().then((by) => {
      const check = jwtChecker(by);
      return async (token) => {
        const claims = await check(token);
        if (isOfSignIn(claims, by.audiences)) throw new NotSignedInError(OF_SIGN_IN);
        return userBy(claims, by.issuer);
      };
    });
    const check = await checker.catch((error) => {
      checker = undefined;
      throw error;
    });
    return check(token);
  };
  /**
   * True for what the provider tells the page of its user (an ID token), if the page's own id is an audience. It stands in
   * the address at which the user signs out. Access tokens with a nonce have a `typ`, as Keycloak's had.
   */
  const isOfSignIn = ({ nonce, typ }: Claims, audiences: readonly string[]) =>
    oidc !== undefined && audiences.includes(oidc.clientId) && nonce !== undefined && typ !== "Bearer";
  const takesJwts = jwt !== undefined || provider !== undefined;

  /** Believes no header that came twice: one of them may be the client's own. */
  function userOfProxy({ peer, header }: Brought): User | undefined {
    if (!proxy || peer === undefined || !trusted?.check(peer, peer.includes(":") ? "ipv6" : "ipv4")) return undefined;
    const [user = [], email = [], groups = []] = proxyHeaders(proxy).map(header);
    const [sub = ""] = user;
    if (sub.trim() === "") return undefined;
    if (Math.max(user.length, email.length, groups.length) > 1)
      throw new NotSignedInError("The proxy and the client both say who asks. The proxy must replace these headers.");
    const listed = (groups[0] ?? "").split(",").map((group) => group.trim());
    return userBy({ sub, preferred_username: sub, email: email[0], groups: listed }, "proxy");
  }

  async function userOfToken(token: string): Promise<User> {
    const pass = token.startsWith(TOKEN_PREFIX) ? await passes?.find(token) : undefined;
    if (pass?.kind === "token")
      return {
        // A new token of the same name is somebody else.
        identity: `token ${createHash("sha256").update(token).digest("hex")}`,
        emend_scope: pass.scope,
        emend_may_upload: pass.mayUpload || pass.isOperator,
        emend_is_operator: pass.isOperator,
      };
    if (takesJwts && !token.startsWith(TOKEN_PREFIX)) return checked(token);
    throw new NotSignedInError("The token is not accepted. It may be revoked, or its time may be over.");
  }

  const providerName = oidc && `${oidc.issuer} ${oidc.clientId}`;
  async function sessionOf(secret: string): Promise<SessionPass | undefined> {
    const pass = provider && secret !== "" ? await passes?.find(secret) : undefined;
    return pass?.kind === "session" && pass.provider === providerName ? pass : undefined;
  }

  return {
    async userOf(brought) {
      const { token, session, header, isOwn } = brought;
      const proxied = isOwn ? userOfProxy(brought) : undefined;
      if (proxied) return proxied;
      if (token !== "") return userOfToken(token);
      if (!isOwn) return undefined;
      const [added] = jwt?.header ? header(jwt.header) : [];
      if (added) return checked(added);
      const pass = await sessionOf(session);
      return pass && userBy(pass.claims, pass.issuer);
    },
    ...(provider &&
      passes && {
        sessions: {
          begin: provider.begin,
          async finish(query, pending) {
            const { claims, idToken } = await provider.finish(query, pending);
            const { issuer } = await provider.about();
            userBy(claims, issuer);
            const secret = newSecret();
            const pass = { kind: "session" as const, provider: providerName ?? "", issuer, claims, idToken };
            await passes.addSession(secret, pass, Date.now() + SESSION_TIME * 1000);
            return secret;
          },
          async end(secret) {
            const pass = await sessionOf(secret);
            if (!pass) return undefined;
            await passes.endSession(secret);
            // Whoever signs out is signed out here, also if the provider cannot be reached.
            return provider.signOutAt(pass.idToken).catch((error: Error) => {
              onFault(error);
              return undefined;
            });
          },
        },
      }),
    ...(url && takesJwts && { issuer: issuerOfTokens }),
  };
}

/** The path that MCP clients name as the resource. */
export const MCP_PATH = "/mcp";

/** A random text of 43 characters. */
export const newSecret = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

const MOST_TOLD = 1_000;
const OF_SIGN_IN = "The token is not accepted: it is an ID token of the page. Send an access token.";
