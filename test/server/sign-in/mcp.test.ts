import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { decodeJwt, SignJWT } from "jose";
import { expect, test } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../../src/testing/index.js";
import { sqlPasses } from "../../../src/tools/passes/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { freePort, listening } from "../listening.js";
import { browser, provider } from "./provider.js";

// An MCP client that knows nothing but the address of the server signs its user in.

const PASSAGES = [
  { ...fakePassage("safe", "The password of the safe is swordfish."), metadata: { readers: "group:hr" } },
  { ...fakePassage("stand", "The stand at the fair is in hall three."), metadata: { readers: "everyone" } },
];
const at = await freePort();
const url = `http://127.0.0.1:${at}`;
const { issuer, as, privateKey } = await provider({
  clients: () => [{ client_id: "emend", client_secret: "a-secret", redirect_uris: [`${url}/auth/callback`] }],
});
const signIn = { oidc: { issuer, clientId: "emend", clientSecret: "a-secret" } };
const server = await listening({
  tools: { documents: inMemoryDocuments(PASSAGES) },
  ...{ url, signIn, at, passes: sqlPasses(openDatabase(":memory:")) },
});
const REDIRECT = "http://127.0.0.1:1/done";

/** Signs in as an MCP client does, and returns it with its token. */
async function connected(name: string) {
  as(name);
  let information: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = "";
  let code = "";
  const authProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", application_type: "native" },
    clientInformation: () => information,
    saveClientInformation(given: OAuthClientInformationMixed) {
      information = given;
    },
    tokens: () => tokens,
    saveTokens(given: OAuthTokens) {
      tokens = given;
    },
    async redirectToAuthorization(to: URL) {
      const { last } = await browser().visit(to.href, /^http:\/\/127\.0\.0\.1:1\//);
      code = new URL(last).searchParams.get("code") ?? "";
    },
    saveCodeVerifier(given: string) {
      verifier = given;
    },
    codeVerifier: () => verifier,
  };
  const transport = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
  const first = transport();
  await expect(new Client({ name: "test", version: "1" }).connect(first)).rejects.toThrow(UnauthorizedError);
  await first.finishAuth(code);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport());
  return { client, token: tokens?.access_token ?? "" };
}

test("a client registers itself, signs its user in, and finds what this user may see", async () => {
  const found = async ({ client }: Awaited<ReturnType<typeof connected>>) =>
    JSON.stringify(await client.callTool({ name: "search", arguments: { query: "password safe stand fair" } }));
  const ada = await connected("ada");
  expect(decodeJwt(ada.token)).toMatchObject({ iss: issuer, aud: `${url}/mcp`, sub: "ada" });
  expect(await found(ada)).toContain("swordfish");
  const ben = await found(await connected("ben"));
  expect(ben).toContain("hall three");
  expect(ben).not.toContain("swordfish");
});

test("a client without a token is told where to get one, at the MCP endpoint alone", async () => {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const reply = await server.post("/mcp", body);
  expect(reply.status).toBe(401);
  const at = `${url}/.well-known/oauth-protected-resource/mcp`;
  expect(reply.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${at}"`);
  const wrong = await server.post("/mcp", body, { Authorization: "Bearer a.b.c" });
  expect(wrong.headers.get("www-authenticate")).toBe(`Bearer error="invalid_token", resource_metadata="${at}"`);
  expect((await server.post("/api/search", { query: "safe" })).headers.get("www-authenticate")).toBe(null);
  for (const path of [at, at.replace(/\/mcp$/, "")])
    expect(await (await fetch(path)).json()).toEqual({
      resource: `${url}/mcp`,
      resource_name: "emend",
      authorization_servers: [issuer],
      scopes_supported: ["openid", "profile", "email", "groups"],
      bearer_methods_supported: ["header"],
    });
});

test("a token of the same provider for another service is refused", async () => {
  const token = (aud: string) =>
    new SignJWT({ iss: issuer, sub: "ada", aud, exp: Math.floor(Date.now() / 1000) + 60, groups: ["hr"] })
      .setProtectedHeader({ alg: "RS256", kid: "first" })
      .sign(privateKey);
  const status = async (aud: string) =>
    (await server.post("/api/search", { query: "safe" }, { Authorization: `Bearer ${await token(aud)}` })).status;
  expect(await status(`${url}/mcp`)).toBe(200);
  expect(await status(url)).toBe(200);
  for (const aud of ["emend", issuer, "https://mail.example.org", `${url}/mcp/`, `${url}.example.org`])
    expect(await status(aud)).toBe(401);
});

test("a server that does not know its address, or takes no such tokens, names no place to get one", async () => {
  const { post, address } = await listening({ tokens: ["a-token-of-some-length"] });
  const reply = await post("/mcp", {});
  expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  expect((await fetch(`${address}/.well-known/oauth-protected-resource`)).status).toBe(401);
});
