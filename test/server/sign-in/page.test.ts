import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../../src/testing/index.js";
import { sqlPasses } from "../../../src/tools/passes/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { freePort, listening } from "../listening.js";
import { browser, provider } from "./provider.js";

// The whole way of a browser to a real provider and back.

const PASSAGES = [
  {
    ...fakePassage("safe", "The password of the safe is swordfish."),
    metadata: { readers: "group:hr\nuser:boss@example.org" },
  },
  { ...fakePassage("stand", "The stand at the fair is in hall three."), metadata: { readers: "everyone" } },
  fakePassage("draft", "The draft of the safe is in the drawer."),
];
const at = await freePort();
const url = `http://127.0.0.1:${at}`;
const client = (redirect: string) => ({
  ...{ client_id: "emend", client_secret: "a-secret-of-the-client" },
  redirect_uris: [`${redirect}/auth/callback`],
  post_logout_redirect_uris: [`${redirect}/`],
});
const { issuer, as } = await provider({ clients: () => [client(url)] });
const database = openDatabase(":memory:");
const passes = sqlPasses(database);
const oidc = { issuer, clientId: "emend", clientSecret: "a-secret-of-the-client" };
const faults: string[] = [];
const onFault = ({ message }: Error) => void faults.push(message);
const options = { tools: { documents: inMemoryDocuments(PASSAGES) }, url, signIn: { oidc }, passes, onFault };
await listening({ ...options, at });

const search = async ({ get }: ReturnType<typeof browser>, headers: Record<string, string> = {}) =>
  get(`${url}/api/search`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ query: "password safe drawer stand fair" }),
  });
const found = async (reply: Response) =>
  ((await reply.json()) as { passages: { id: string }[] }).passages.map(({ id }) => id).sort();
const signedIn = async (name: string) => {
  as(name);
  const one = browser();
  const { last } = await one.visit(`${url}/auth/sign-in`);
  expect(last).toBe(`${url}/`);
  return one;
};
const me = async ({ get }: ReturnType<typeof browser>) => (await get(`${url}/auth/me`)).json();

describe("a user of the page", () => {
  test("signs in, sees what their groups may, is named, and signs out here and at the provider", async () => {
    const stranger = browser();
    expect(await me(stranger)).toEqual({
      id: null,
      name: null,
      canSignIn: true,
      canSignOut: false,
      takesTokens: false,
    });
    expect((await search(stranger)).status).toBe(401);
    const ada = await signedIn("ada");
    expect(await me(ada)).toMatchObject({
      id: expect.stringMatching(/^\w{16}$/),
      name: "Ada Lovelace",
      canSignOut: true,
    });
    expect(await found(await search(ada))).toEqual(["safe", "stand"]);
    const ben = await signedIn("ben");
    expect(await me(ben)).toMatchObject({ name: "Ben 本" });
    expect(await found(await search(ben))).toEqual(["stand"]);
    const secret = ada.jar.get("emend") ?? "";
    const { to } = (await (await ada.get(`${url}/auth/sign-out`, { method: "POST" })).json()) as { to: string };
    expect(new URL(to).origin).toBe(issuer);
    expect(new URL(to).searchParams.get("post_logout_redirect_uri")).toBe(`${url}/`);
    expect(ada.jar.has("emend")).toBe(false);
    ada.jar.set("emend", secret);
    expect((await search(ada)).status).toBe(401);
    expect(await found(await search(ben))).toEqual(["stand"]);
  });

  test("keeps the session, which no script can read and no other site sends, if the server starts again", async () => {
    as("ada");
    const one = browser();
    const { last } = await one.visit(`${url}/auth/sign-in`, /\/auth\/callback/);
    const reply = await one.get(last);
    const [, session] = reply.headers.getSetCookie();
    expect(session).toMatch(/^emend=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/);
    const again = await listening(options);
    expect((await one.get(`${again.address}/api/graph`)).status).toBe(200);
  });
});

test("whoever signs in again leaves no other session behind", async () => {
  const one = await signedIn("ada");
  const before = one.jar.get("emend") ?? "";
  await one.visit(`${url}/auth/sign-in`);
  expect((await search(one)).status).toBe(200);
  one.jar.set("emend", before);
  expect((await search(one)).status).toBe(401);
});

describe("nobody is signed in by", () => {
  test.each([
    ["a changed cookie", (secret: string) => `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`],
    ["a longer one", (secret: string) => `${secret}A`],
    ["an empty one", () => ""],
    ["the hash that the store has", (secret: string) => createHash("sha256").update(secret).digest("hex")],
  ])("%s", async (_what, changed) => {
    const ada = await signedIn("ada");
    ada.jar.set("emend", changed(ada.jar.get("emend") ?? ""));
    expect((await search(ada)).status).toBe(401);
  });

  test("a session that has ended, or of another provider or client", async () => {
    const ada = await signedIn("ada");
    const later = Date.now() + 8 * 3_600_000 - 1_000;
    vi.spyOn(Date, "now").mockReturnValue(later);
    expect((await search(ada)).status).toBe(200);
    vi.spyOn(Date, "now").mockReturnValue(later + 2_000);
    expect((await search(ada)).status).toBe(401);
    vi.restoreAllMocks();
    const elsewhere = await listening({ ...options, signIn: { oidc: { ...oidc, clientId: "another" } } });
    expect((await ada.get(`${elsewhere.address}/api/graph`)).status).toBe(401);
    expect((await search(ada)).status).toBe(200);
  });

  test("the token of a session as a bearer token, or a token of the store as a cookie", async () => {
    const ada = await signedIn("ada");
    expect((await search(browser(), { Authorization: `Bearer ${ada.jar.get("emend")}` })).status).toBe(401);
    const token = `emend_${"t".repeat(43)}`;
    await passes.addToken(token, "t", { kind: "token", scope: "all", mayUpload: false, isOperator: false });
    expect((await search(browser(), { Authorization: `Bearer ${token}` })).status).toBe(200);
    const other = browser();
    other.jar.set("emend", token);
    expect((await search(other)).status).toBe(401);
  });

  const toCallback = async (name = "ada") => {
    as(name);
    const one = browser();
    const { last } = await one.visit(`${url}/auth/sign-in`, /\/auth\/callback/);
    return { one, callback: new URL(last) };
  };
  const refuses = async (one: ReturnType<typeof browser>, callback: URL) => {
    const reply = await one.get(callback.href);
    expect([reply.status, reply.headers.get("location")]).toEqual([302, `${url}/#/sign-in-failed`]);
    expect(one.jar.has("emend")).toBe(false);
    expect((await search(one)).status).toBe(401);
  };

  test("another state, a code without one, or one that the browser did not begin", async () => {
    const wrong = await toCallback();
    wrong.callback.searchParams.set("state", "another");
    await refuses(wrong.one, wrong.callback);
    const without = await toCallback();
    without.callback.searchParams.delete("state");
    await refuses(without.one, without.callback);
    // The way of an attacker who wants somebody to go on with the attacker's account.
    const { callback } = await toCallback("ben");
    await refuses(browser(), callback);
    const begun = await toCallback();
    await refuses(begun.one, callback);
  });

  test("a code that was used, and the first session stays", async () => {
    const { one, callback } = await toCallback();
    const pending = new Map(one.jar);
    expect((await one.get(callback.href)).headers.get("location")).toBe(`${url}/`);
    expect((await search(one)).status).toBe(200);
    const thief = browser();
    for (const [name, value] of pending) thief.jar.set(name, value);
    await refuses(thief, callback);
  });

  test("a code with another nonce or verifier, or of another issuer", async () => {
    for (const key of ["nonce", "verifier"]) {
      const { one, callback } = await toCallback();
      const [name = ""] = [...one.jar.keys()].filter((name) => name.startsWith("emend"));
      const pending = JSON.parse(Buffer.from(one.jar.get(name) ?? "", "base64url").toString());
      const changed = { ...pending, [key]: "x".repeat(43) };
      one.jar.set(name, Buffer.from(JSON.stringify(changed)).toString("base64url"));
      await refuses(one, callback);
    }
    const { one, callback } = await toCallback();
    callback.searchParams.set("iss", "http://127.0.0.1:1");
    await refuses(one, callback);
  });
});

describe("a page of another site", () => {
  const from = (site: string, dest: string, more = {}) => ({
    "Sec-Fetch-Site": site,
    "Sec-Fetch-Dest": dest,
    ...more,
  });

  test.each<[string, Record<string, string>]>([
    ["a form", from("cross-site", "document", { Origin: "https://evil.example.org" })],
    ["a script of a sibling", from("same-site", "empty", { Origin: "http://127.0.0.1:1" })],
    ["an origin that is hidden", from("cross-site", "empty", { Origin: "null" })],
    ["an origin that may ask with a token", from("cross-site", "empty", { Origin: "https://chat.example.org" })],
  ])("cannot use the cookie: %s", async (_what, headers) => {
    const named = await listening({ ...options, origins: ["https://chat.example.org"] });
    const ada = await signedIn("ada");
    const ask = (path: string, method = "POST") =>
      ada.get(`${named.address}${path}`, {
        ...{ method, headers: { "Content-Type": "application/json", ...headers } },
        ...(method === "POST" && { body: JSON.stringify({ query: "safe" }) }),
      });
    expect([401, 403]).toContain((await ask("/api/search")).status);
    expect([401, 403]).toContain((await ask("/api/threads/5f4b1c1e-7b1a-4d6e-9d5f-1c2b3a4d5e6f", "DELETE")).status);
    expect((await ask("/auth/sign-out")).status).toBe(403);
    expect((await search(ada)).status).toBe(200);
  });

  test("cannot begin a sign-in, and a provider can lead back to the page alone", async () => {
    const { get } = browser();
    for (const dest of ["document", "image", "iframe"])
      expect((await get(`${url}/auth/sign-in`, { headers: from("cross-site", dest) })).status).toBe(403);
    expect((await get(`${url}/auth/callback?code=1`, { headers: from("cross-site", "iframe") })).status).toBe(403);
    for (const to of ["//evil.example.org", "https://evil.example.org", "/\\evil.example.org"]) {
      const query = `?to=${to}&returnTo=${to}&redirect_uri=${to}&code=1&state=2`;
      const back = await get(`${url}/auth/callback${query}`, { headers: from("cross-site", "document") });
      expect(back.headers.get("location")).toBe(`${url}/#/sign-in-failed`);
      const { searchParams } = new URL((await get(`${url}/auth/sign-in${query}`)).headers.get("location") ?? "");
      expect(searchParams.get("redirect_uri")).toBe(`${url}/auth/callback`);
      expect(searchParams.get("code_challenge_method")).toBe("S256");
    }
  });
});

test("with TLS, the cookie is bound to the host", async () => {
  const https = { ...oidc, issuer: "https://login.example.org" };
  const secure = await listening({ ...options, url: "https://emend.example.org", signIn: { oidc: https } });
  const reply = await browser().get(`${secure.address}/auth/callback?code=1`);
  expect(reply.headers.getSetCookie()).toEqual([
    "__Host-emend-sign-in=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
  ]);
});

test("if the provider cannot be reached, the page says that signing in failed, and the log says why", async () => {
  const away = { ...oidc, issuer: `http://127.0.0.1:${await freePort()}` };
  const { address } = await listening({ ...options, signIn: { oidc: away } });
  const { get } = browser();
  expect((await get(`${address}/auth/sign-in`)).headers.get("location")).toBe(`${url}/#/sign-in-failed`);
  expect(faults.at(-1)).toMatch(/^The provider at http:.* cannot be asked: fetch failed \(.*ECONNREFUSED/);
});
