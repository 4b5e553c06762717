import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from "openid-client";
import { z } from "zod";
import { EndpointError, inWords } from "../../errors.js";
import type { Claims } from "./claims.js";
import type { OidcSettings } from "./settings.js";

/** What a browser keeps between leaving for the provider and coming back. */
export const Pending = z.object({ state: z.string().min(1), nonce: z.string().min(1), verifier: z.string().min(1) });
export type Pending = z.infer<typeof Pending>;

/** An OpenID Connect provider, by the authorization code flow with PKCE. */
export interface Provider {
  /** `scopes` are those with which it says what is asked of a user. @throws EndpointError if it cannot be reached. */
  about(): Promise<{ issuer: string; jwksUrl: string | undefined; scopes: readonly string[] }>;
  /** Returns where the browser goes to sign in, and what to keep until it comes back. */
  begin(): Promise<{ to: string; pending: Pending }>;
  /**
   * Ends a sign-in with the query of the address to which the provider sent the browser back.
   * @throws if the state, the code or what the provider then says is not right.
   */
  finish(query: string, pending: Pending): Promise<{ claims: Claims; idToken: string }>;
  /** Returns where the browser goes to sign out at the provider too; undefined if it offers no such address. */
  signOutAt(idToken: string): Promise<string | undefined>;
}

const CHECK_ISSUER = "Check EMEND_OIDC_ISSUER: below it is /.well-known/openid-configuration.";

/** Opens a provider, which is asked on first use. @param url the public address of the server. */
export function openProvider({ issuer, clientId, clientSecret }: OidcSettings, url: string): Provider {
  let found: Promise<Configuration> | undefined;
  const redirect = `${url}${CALLBACK}`;

  async function discovered(): Promise<Configuration> {
    const execute = [enableNonRepudiationChecks, ...(issuer.startsWith("http:") ? [allowInsecureRequests] : [])];
    const auth: typeof ClientSecretBasic =
      (secret) =>
      (server, ...rest) => {
        const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
        const way = methods.includes("client_secret_basic") ? ClientSecretBasic : ClientSecretPost;
        return way(secret)(server, ...rest);
      };
    try {
      const authentication = clientSecret === undefined ? None() : auth(clientSecret);
      return await discovery(new URL(issuer), clientId, undefined, authentication, { execute, timeout: TIMEOUT });
    } catch (error) {
      const message = `The provider at ${issuer} cannot be asked: ${inWords(error)}. ${CHECK_ISSUER}`;
      throw new EndpointError(message, 0, { cause: error });
    }
  }
  const configured = () => {
    found ??= discovered().catch((error) => {
      found = undefined;
      throw error;
    });
    return found;
  };

  return {
    async about() {
      const { issuer, jwks_uri: jwksUrl, ...rest } = (await configured()).serverMetadata();
      return { issuer, jwksUrl, scopes: scopesOf(rest) };
    },
    async begin() {
      const provider = await configured();
      const pending = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const to = buildAuthorizationUrl(provider, {
        redirect_uri: redirect,
        scope: scopesOf(provider.serverMetadata()).join(" "),
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
      });
      return { to: to.href, pending };
    },
    async finish(query, { state, nonce, verifier }) {
      const provider = await configured();
      const tokens = await authorizationCodeGrant(provider, new URL(`${redirect}${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      });
      const own = tokens.claims();
      if (!own || !tokens.id_token) throw new Error("The provider sent no ID token.");
      // Many providers say more of a user there, such as the groups.
      const more = provider.serverMetadata().userinfo_endpoint
        ? await fetchUserInfo(provider, tokens.access_token, own.sub)
        : {};
      return { claims: { ...own, ...more }, idToken: tokens.id_token };
    },
    async signOutAt(idToken) {
      const provider = await configured();
      if (!provider.serverMetadata().end_session_endpoint) return undefined;
      return buildEndSessionUrl(provider, { id_token_hint: idToken, post_logout_redirect_uri: `${url}/` }).href;
    },
  };
}

/** The path to which a provider sends a browser back. */
export const CALLBACK = "/auth/callback";

/** A provider that does not say which scopes it has is asked for the usual ones. */
const scopesOf = ({ scopes_supported: offered = ["profile", "email"] }: Pick<ServerMetadata, "scopes_supported">) => [
  "openid",
  ...["profile", "email", "groups"].filter((scope) => offered.includes(scope)),
];

/** In seconds. */
const TIMEOUT = 10;
