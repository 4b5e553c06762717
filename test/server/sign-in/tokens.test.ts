import { createServer } from "node:http";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { tokenUsers } from "../../../src/server/app.js";
import { fakePassage, inMemoryDocuments } from "../../../src/testing/index.js";
import { fakeRun } from "../../../src/testing/runs-contract.js";
import { sqlPasses } from "../../../src/tools/passes/sql.js";
import { sqlRuns } from "../../../src/tools/runs/sql.js";
import type { SignInSettings } from "../../../src/tools/sign-in/settings.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { listening, raw } from "../listening.js";

// Bearer tokens that another server signs, and headers of a proxy.

const PASSAGES = [
  { ...fakePassage("safe", "The password of the safe is swordfish."), metadata: { readers: "group:hr" } },
  { ...fakePassage("own", "The safe of Ada is behind the door."), metadata: { readers: "user:ada@example.org" } },
  { ...fakePassage("stand", "The stand at the fair is in hall three."), metadata: { readers: "everyone" } },
  fakePassage("draft", "The draft of the safe is in the drawer."),
];
const ISSUER = "https://login.example.org";
const AUDIENCE = "emend";
const pair = await generateKeyPair("RS256", { extractable: true });
const stranger = await generateKeyPair("RS256", { extractable: true });
const rotated = await generateKeyPair("ES256", { extractable: true });
const keys = { status: 200, keys: [{ ...(await exportJWK(pair.publicKey)), kid: "one", alg: "RS256" }], reads: 0 };
const jwks = createServer((_, reply) => {
  keys.reads++;
  reply.writeHead(keys.status).end(JSON.stringify({ keys: keys.keys }));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => jwks.once("listening", resolve));
afterAll(() => jwks.close());
const jwksUrl = `http://127.0.0.1:${(jwks.address() as { port: number }).port}/keys`;

const faults: string[] = [];
const jwt = { jwksUrl, issuer: ISSUER, audience: AUDIENCE };
const documents = inMemoryDocuments(PASSAGES);
const opened = (signIn: SignInSettings, more = {}) =>
  listening({ tools: { documents }, onFault: ({ message }) => void faults.push(message), signIn, ...more });
const server = await opened({ jwt });

const now = () => Math.floor(Date.now() / 1000);
const USER = { iss: ISSUER, aud: AUDIENCE, sub: "1", email: "ada@example.org", groups: ["hr"] };
const token = (claims: JWTPayload = {}, header = {}, key: Parameters<SignJWT["sign"]>[0] = pair.privateKey) =>
  new SignJWT({ ...USER, exp: now() + 600, ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "one", ...header })
    .sign(key);
const without = async (...names: string[]) => {
  const claims = Object.entries({ ...USER, exp: now() + 600 }).filter(([name]) => !names.includes(name));
  return new SignJWT(Object.fromEntries(claims)).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(pair.privateKey);
};
const search = ({ post }: Pick<typeof server, "post">, headers: Record<string, string>) =>
  post("/api/search", { query: "safe swordfish drawer fair door" }, headers);
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const seen = async (reply: Response | Promise<Response>) => {
  const { passages } = (await (await reply).json()) as { passages?: { id: string }[] };
  return passages?.map(({ id }) => id).sort();
};

describe("a token of the issuer", () => {
  test("shows what its claims may see, at every request anew", async () => {
    expect(await seen(search(server, bearer(await token())))).toEqual(["own", "safe", "stand"]);
    expect(await seen(search(server, bearer(await token({ groups: "hr", email: "x" }))))).toEqual(["safe", "stand"]);
    expect(await seen(search(server, bearer(await without("groups", "email"))))).toEqual(["stand"]);
    const safe = PASSAGES[0] as (typeof PASSAGES)[0];
    await documents.upsert([{ ...safe, metadata: { readers: "group:board" } }]);
    expect(await seen(search(server, bearer(await token())))).toEqual(["own", "stand"]);
    await documents.upsert([safe]);
  });

  test.each<[string, () => string | Promise<string>]>([
    ["of another issuer", () => token({ iss: "https://evil.example.org" })],
    ["of an issuer that begins alike", () => token({ iss: `${ISSUER}/` })],
    ["for another audience", () => token({ aud: "another" })],
    ["without an audience", () => without("aud")],
    ["that has expired", () => token({ exp: now() - 60 })],
    ["that is not valid yet", () => token({ nbf: now() + 600 })],
    ["that never expires", () => without("exp")],
    ["without a user", () => without("sub")],
    ["of a blank user", () => token({ sub: " " })],
    ["of a user on two lines", () => token({ sub: "1\neveryone" })],
    ["signed by another key", () => token({}, {}, stranger.privateKey)],
    ["of an unknown key", () => token({}, { kid: "two" }, stranger.privateKey)],
    [
      "with its key in its header",
      async () => token({}, { kid: "x", jwk: await exportJWK(stranger.publicKey) }, stranger.privateKey),
    ],
    ["without a signature", () => new UnsecuredJWT({ ...USER, exp: now() + 600 }).encode()],
    [
      "without a signature, by the name of the key",
      async () => {
        const [, claims] = (await token()).split(".");
        return `${Buffer.from('{"alg":"none","kid":"one"}').toString("base64url")}.${claims}.`;
      },
    ],
    [
      "signed with the public key as a secret",
      async () => token({}, { alg: "HS256" }, new TextEncoder().encode(await exportSPKI(pair.publicKey))),
    ],
    [
      "changed after it was signed",
      async () => {
        const [head, claims = "", signature] = (await token()).split(".");
        const changed = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), sub: "2" };
        return [head, Buffer.from(JSON.stringify(changed)).toString("base64url"), signature].join(".");
      },
    ],
    ["cut off", async () => (await token()).slice(0, -20)],
    ["of nothing", () => "a.b.c"],
    ["that is the e-mail address", () => "ada@example.org"],
  ])("%s is refused", async (_what, made) => {
    const reply = await search(server, bearer(await made()));
    expect(reply.status).toBe(401);
    expect(await reply.text()).not.toContain("swordfish");
  });

  test("is accepted some seconds after its end, since clocks differ", async () => {
    expect((await search(server, bearer(await token({ exp: now() - 5 })))).status).toBe(200);
  });

  test("counts if its key is new", async () => {
    const fresh = await opened({ jwt });
    const later = await token({}, { alg: "ES256", kid: "new" }, rotated.privateKey);
    keys.keys.push({ ...(await exportJWK(rotated.publicKey)), kid: "new", alg: "ES256" });
    expect((await search(fresh, bearer(later))).status).toBe(200);
    expect((await search(fresh, bearer(await token()))).status).toBe(200);
  });

  test("is not believed, and not called wrong, while the keys cannot be had; others still are", async () => {
    const alone = await opened({ jwt }, { tokens: ["a-token-of-some-length"] });
    keys.status = 500;
    const reply = await search(alone, bearer(await token()));
    expect([reply.status, await reply.text()]).toEqual([503, expect.not.stringContaining(jwksUrl)]);
    expect(faults.at(-1)).toContain(`The keys at ${jwksUrl} cannot be had`);
    expect((await search(alone, bearer("a-token-of-some-length"))).status).toBe(200);
    expect((await search(alone, {})).status).toBe(401);
    keys.status = 200;
    expect((await search(alone, bearer(await token()))).status).toBe(200);
  });
});

describe("what is a user's", () => {
  const QUESTION = { question: "Where is the stand at the fair?", threadId: "5f4b1c1e-7b1a-4d6e-9d5f-1c2b3a4d5e6f" };
  const turns = async (at: typeof server, headers: Record<string, string>) => {
    const reply = await fetch(`${at.address}/api/threads/${QUESTION.threadId}`, { headers });
    return ((await reply.json()) as { turns: unknown[] }).turns.length;
  };

  test("belongs to the user's id at the issuer, not to a token, a name or an address", async () => {
    const ada = bearer(await token());
    expect((await server.post("/api/ask", QUESTION, ada)).status).toBe(200);
    expect(await turns(server, ada)).toBe(1);
    expect(await turns(server, bearer(await token({ iat: 1 })))).toBe(1);
    expect(await turns(server, bearer(await token({ sub: "2" })))).toBe(0);
    const opinion = { threadId: QUESTION.threadId, question: QUESTION.question, verdict: "up" };
    expect((await server.post("/api/feedback", opinion, bearer(await token({ sub: "2" })))).status).toBe(400);
    await fetch(`${server.address}/api/threads/${QUESTION.threadId}`, {
      method: "DELETE",
      headers: bearer(await token({ sub: "2" })),
    });
    expect(await turns(server, ada)).toBe(1);
  });

  test("is not that of a user with the same id at another issuer, or of a proxy", async () => {
    const { agent } = server;
    const elsewhere = await listening({
      tools: agent.tools,
      signIn: { jwt: { ...jwt, issuer: "https://b.example.org" } },
    });
    const b = { ...USER, iss: "https://b.example.org" };
    await elsewhere.post("/api/ask", QUESTION, bearer(await token(b)));
    expect(await turns(elsewhere, bearer(await token(b)))).toBe(1);
    const both = await opened({ jwt, proxy: { from: ["127.0.0.1"] } });
    await both.post("/api/ask", QUESTION, bearer(await token()));
    expect(await turns(both, bearer(await token()))).toBe(1);
    expect(await turns(both, { "X-Forwarded-User": "1" })).toBe(0);
  });
});

test("another program finds the user of a header by the same settings", async () => {
  const userOf = tokenUsers({ store: ":memory:", signIn: { jwt } });
  expect(await userOf(`Bearer ${await token()}`)).toMatchObject({
    identity: `${ISSUER} 1`,
    emend_scope: [{ key: "readers", values: ["everyone", "group:hr", "user:1", "user:ada@example.org"] }],
  });
  for (const header of [
    undefined,
    null,
    "",
    "Bearer",
    "Basic YTpi",
    `Bearer ${await token({ aud: "another" })}`,
    "Bearer emend_x",
  ])
    expect(await userOf(header)).toBeUndefined();
  await expect(
    tokenUsers({ store: ":memory:", signIn: { jwt: { ...jwt, jwksUrl: "http://127.0.0.1:9" } } })(
      `Bearer ${await token()}`,
    ),
  ).rejects.toThrow(/cannot be had/);
});

test("what the provider tells the page of its user is no token, also if both have one audience", async () => {
  const oidc = { issuer: ISSUER, clientId: AUDIENCE };
  const passes = sqlPasses(openDatabase(":memory:"));
  const at = await opened({ jwt, oidc }, { passes, url: "http://127.0.0.1:8787" });
  expect((await search(at, bearer(await token({ nonce: "n" })))).status).toBe(401);
  expect((await search(at, bearer(await token({ nonce: "n", typ: "ID" })))).status).toBe(401);
  for (const claims of [{}, { nonce: "n", typ: "Bearer" }])
    expect((await search(at, bearer(await token(claims)))).status).toBe(200);
});

describe("headers of a proxy", () => {
  const ADA = {
    "X-Forwarded-User": "ada",
    "X-Forwarded-Email": "ada@example.org",
    "X-Forwarded-Groups": "staff,hr",
  };

  test("say who asks, from its address", async () => {
    const behind = await opened({ proxy: { from: ["10.1.2.3", "127.0.0.0/8"] } });
    expect(await seen(search(behind, ADA))).toEqual(["own", "safe", "stand"]);
    expect(await seen(search(behind, { "X-Forwarded-User": "ada" }))).toEqual(["stand"]);
    const named = await opened({
      proxy: { from: ["127.0.0.1"], headers: ["Remote-User", "Remote-Email", "Remote-Groups"] },
    });
    const remote = { "Remote-User": "ada", "Remote-Groups": "hr" };
    expect(await seen(search(named, remote))).toEqual(["safe", "stand"]);
    expect((await search(named, ADA)).status).toBe(401);
  });

  test("may be Chinese", async () => {
    const chinese = inMemoryDocuments([
      { ...fakePassage("safe", "The safe."), metadata: { readers: "everyone", department: "人事" } },
    ]);
    const at = await listening({
      tools: { documents: chinese },
      signIn: { proxy: { from: ["127.0.0.1"] }, claims: { department: ["{groups}"] } },
    });
    const groups = Buffer.from("人事,财务").toString("latin1");
    expect(await seen(search(at, { "X-Forwarded-User": "a", "X-Forwarded-Groups": groups }))).toEqual(["safe"]);
    expect((await search(at, { "X-Forwarded-User": "" })).status).toBe(401);
  });

  test.each<[string, readonly string[], Record<string, string>]>([
    ["another address", ["10.0.0.0/8", "::2"], ADA],
    [
      "another address that says it is the proxy",
      ["10.0.0.0/8"],
      { ...ADA, "X-Forwarded-For": "10.0.0.1", "X-Real-IP": "10.0.0.1", Forwarded: "for=10.0.0.1" },
    ],
    ["the proxy for nobody", ["127.0.0.1"], { "X-Forwarded-Groups": "hr", "X-Forwarded-Email": "ada@example.org" }],
    ["a page of another site, by way of the proxy", ["127.0.0.1"], { ...ADA, "Sec-Fetch-Site": "cross-site" }],
    ["another header", ["127.0.0.1"], { "Remote-User": "ada", "X-Auth-Request-User": "ada" }],
  ])("are not believed from %s", async (_what, from, headers) => {
    const behind = await opened({ proxy: { from } });
    expect([401, 403]).toContain((await search(behind, headers)).status);
  });

  test("are not believed from a page that may ask with a token of its own", async () => {
    const Origin = "https://chat.example.org";
    const behind = await opened({ jwt, proxy: { from: ["127.0.0.1"] } }, { origins: [Origin] });
    expect((await search(behind, { ...ADA, Origin })).status).toBe(401);
    expect((await search(behind, { ...bearer(await token()), Origin })).status).toBe(200);
  });

  test("are not believed if the client sends some too", async () => {
    const behind = await opened({ proxy: { from: ["127.0.0.1"] } });
    const sent = (...lines: string[]) => {
      const host = `Host: 127.0.0.1:${behind.port}`;
      return raw(behind.port, ["GET /api/graph HTTP/1.1", host, ...lines, "Connection: close", "", ""].join("\r\n"));
    };
    expect(await sent("X-Forwarded-User: ada", "X-Forwarded-Groups: hr")).toMatch(/^HTTP\/1.1 200/);
    for (const header of ["X-Forwarded-User: ada", "X-Forwarded-Groups: hr", "x-forwarded-groups: hr"])
      expect(await sent("X-Forwarded-User: ben", "X-Forwarded-Groups: staff", header)).toMatch(/^HTTP\/1.1 401/);
  });

  test("may be a signed token instead", async () => {
    const behind = await opened({ jwt: { ...jwt, header: "Cf-Access-Jwt-Assertion" } });
    const sent = async (made: string) => search(behind, { "Cf-Access-Jwt-Assertion": made });
    expect(await seen(sent(await token()))).toEqual(["own", "safe", "stand"]);
    expect((await sent(await token({ aud: "another" }))).status).toBe(401);
    expect((await search(server, { "Cf-Access-Jwt-Assertion": await token() })).status).toBe(401);
  });
});

describe("rights", () => {
  test("operators and uploaders are named by their groups or addresses", async () => {
    const at = await opened({ jwt, operators: ["group:admins"], uploaders: ["group:editors", "user:ada@example.org"] });
    const of = async (claims: object) => {
      const headers = bearer(await token({ email: "b", ...claims }));
      const quality = await fetch(`${at.address}/api/quality`, { headers });
      return [quality.status, (await seen(search(at, headers)))?.length];
    };
    // No records are kept here, which only operators are told.
    expect(await of({ groups: ["admins"] })).toEqual([404, 4]);
    expect(await of({ groups: ["editors", "hr"] })).toEqual([403, 2]);
    expect(await of({ email: "group:admins", name: "group:admins" })).toEqual([403, 2]);
  });

  test('with "all", every user sees every document, and nobody else does', async () => {
    const at = await opened({ jwt, claims: "all" });
    expect((await seen(search(at, bearer(await token()))))?.length).toBe(4);
    expect((await search(at, {})).status).toBe(401);
  });

  test("a user of too many groups sees less, and the log says so once", async () => {
    faults.length = 0;
    const groups = Array.from({ length: 3_000 }, (_, i) => `${i}`);
    const behind = await opened({ proxy: { from: ["127.0.0.1"] } });
    const headers = { "X-Forwarded-User": "ada", "X-Forwarded-Groups": groups.join(",") };
    expect(await seen(search(behind, headers))).toEqual(["stand"]);
    expect(await seen(search(behind, headers))).toEqual(["stand"]);
    expect(faults).toEqual([expect.stringMatching(/^ada has 3002 names and groups\. Only the first 2000 count/)]);
  });
});

describe("tokens of emend token", () => {
  test("show what they were made for, beside the others, until they are revoked or end", async () => {
    const database = openDatabase(":memory:");
    const passes = sqlPasses(database);
    const at = await opened({ jwt }, { passes, tokens: ["a-token-of-some-length"] });
    const secret = `emend_${"s".repeat(43)}`;
    const hr = [{ key: "readers", values: ["group:hr"] }];
    await passes.addToken(secret, "intranet", { kind: "token", scope: hr, mayUpload: false, isOperator: false });
    expect(await seen(search(at, bearer(secret)))).toEqual(["safe"]);
    expect((await seen(search(at, bearer("a-token-of-some-length"))))?.length).toBe(4);
    await passes.revoke("intranet");
    const revoked = await search(at, bearer(secret));
    expect([revoked.status, await revoked.text()]).toEqual([401, expect.stringContaining("It may be revoked")]);
    await passes.addToken(
      `${secret}2`,
      "short",
      { kind: "token", scope: hr, mayUpload: false, isOperator: false },
      Date.now() - 1,
    );
    expect((await search(at, bearer(`${secret}2`))).status).toBe(401);
  });

  test("of operators show everybody's questions, where other tokens show only how they went", async () => {
    const database = openDatabase(":memory:");
    const [passes, runs] = [sqlPasses(database), sqlRuns(database)];
    await database.write(async () => {});
    runs.add(fakeRun({ question: "Am I paid less than others?", status: "refused" }), "");
    await runs.close();
    const at = await listening({ passes, runs, tokens: ["a-token-of-some-length"] });
    const made = (name: string, isOperator: boolean) =>
      passes.addToken(`emend_${name}`, name, { kind: "token", scope: "all", mayUpload: false, isOperator });
    await made("operator", true);
    await made("other", false);
    const shown = async (token: string) => {
      const reply = await fetch(`${at.address}/api/quality`, { headers: bearer(token) });
      return [reply.status, (await reply.text()).includes("paid less")];
    };
    expect(await shown("emend_operator")).toEqual([200, true]);
    expect(await shown("emend_other")).toEqual([200, false]);
    expect(await shown("a-token-of-some-length")).toEqual([200, false]);
  });

  test("alone close a server", async () => {
    const at = await listening({ passes: sqlPasses(openDatabase(":memory:")) });
    expect((await search(at, {})).status).toBe(401);
  });
});
