import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider, { type ClientMetadata, type Configuration } from "oidc-provider";
import { afterAll } from "vitest";

/** What the provider knows of its users, by the names that they sign in with. */
const USERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ada: { email: "ada@example.org", email_verified: true, name: "Ada Lovelace", groups: ["hr", "staff"] },
  ben: { email: "ben@example.org", email_verified: true, name: "Ben 本", groups: ["staff"] },
};

/** A real provider on a free port, at which whoever is named by `signsIn` signs in without a form. */
export async function provider({ clients }: { clients: (issuer: string) => ClientMetadata[] }) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = { signsIn: "ada" };
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: "first", alg: "RS256", use: "sig" };
  const configuration: Configuration = {
    clients: clients(issuer),
    jwks: { keys: [jwk] as never },
    cookies: { keys: ["a key of the test"] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600, AuthorizationCode: 60 },
    scopes: ["openid", "offline_access", "profile", "email", "groups"],
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined as never,
        getResourceServerInfo: (_c, resource) => ({
          scope: "openid profile email groups",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
        useGrantedResource: () => true,
      },
    },
    extraTokenClaims: (_c, token) => (("accountId" in token && USERS[`${token.accountId}`]) || {}) as never,
    findAccount: (_c, sub) => ({ accountId: sub, claims: async () => ({ sub, ...USERS[sub] }) }),
    interactions: { url: (_c, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const grant = new own.Grant({ clientId: `${oidc.client?.clientId}`, accountId: `${oidc.session?.accountId}` });
      grant.addOIDCScope("openid profile email groups");
      for (const one of [oidc.params?.resource].flat())
        if (one) grant.addResourceScope(`${one}`, "openid profile email groups");
      await grant.save();
      return grant;
    },
  };
  const own = new Provider(issuer, configuration);
  const callback = own.callback();
  server.on("request", (request, reply) => {
    if (!request.url?.startsWith("/interaction/")) return void callback(request, reply);
    void own.interactionFinished(request, reply, { login: { accountId: state.signsIn }, consent: {} });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { issuer, privateKey, as: (name: string) => Object.assign(state, { signsIn: name }) };
}

/** A browser with one jar of cookies: all addresses of the tests are on one host. */
export function browser() {
  const jar = new Map<string, string>();
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  async function get(address: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), ...(jar.size > 0 && { Cookie: cookies() }) };
    const reply = await fetch(address, { redirect: "manual", ...init, headers });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return reply;
  }
  /** Follows redirects to the end; `passed` are the addresses on the way. */
  async function visit(address: string, until?: RegExp) {
    const passed: string[] = [];
    for (let next = address; ; ) {
      if (until?.test(next)) return { passed, last: next };
      passed.push(next);
      const reply = await get(next);
      const to = reply.headers.get("location");
      if (to === null) return { passed, last: next, reply };
      next = new URL(to, next).href;
    }
  }
  return { jar, get, visit };
}
