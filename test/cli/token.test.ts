import { on } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, folder, OFFICES } from "./emend.js";

let here: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  here = await folder({
    ...OFFICES,
    "docs/pay.md": "---\nreaders: group:hr\n---\n\n# Pay\n\nPay day is the last Friday.\n",
  });
  await here.run(["ingest", "docs"]);
}, 30_000);
afterAll(() => here[Symbol.asyncDispose]());

/** Starts a server, and returns how many passages a token finds; 0 for none, else the status. */
async function serving(environment: Record<string, string> = {}, words: string[] = []) {
  const server = here.start(["serve", "--port", "0", ...words], environment);
  const said: string[] = [];
  server.stderr.on("data", (text) => said.push(`${text}`));
  const [line] = (await on(createInterface({ input: server.stdout }), "line").next()).value ?? [];
  const address = /http:\S+/.exec(line)?.[0].replace("0.0.0.0", "127.0.0.1");
  const end = ended(server);
  return {
    said,
    async find(token = "") {
      const reply = await fetch(`${address}/api/search`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ query: "pay day Lisbon office" }),
      });
      return reply.ok ? JSON.stringify(await reply.json()).includes("last Friday") : reply.status;
    },
    async [Symbol.asyncDispose]() {
      server.kill("SIGTERM");
      await end;
    },
  };
}

test("a token is printed once, sees what it was made for, also on another address, and ends at once", async () => {
  const { code, stdout, stderr } = await here.run([
    "token",
    "add",
    "hr",
    "--where",
    "readers=group:hr",
    "--expires",
    "90d",
  ]);
  expect([code, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^emend_[\w-]{43}\n$/),
    expect.stringContaining("cannot be printed again"),
  ]);
  const hr = stdout.trim();
  await using server = await serving({}, ["--host", "0.0.0.0"]);
  expect(await server.find()).toBe(401);
  expect(await server.find(hr)).toBe(true);
  // Made while the server runs.
  const all = (await here.run(["token", "add", "all", "--all", "--operator"])).stdout.trim();
  const sales = (await here.run(["token", "add", "sales", "--where", "readers=group:sales"])).stdout.trim();
  expect([await server.find(all), await server.find(sales)]).toEqual([true, false]);
  expect((await here.run(["token", "list"])).stdout).toMatch(
    /^all +all +operator +never ends +used 20\S+\nhr +readers=group:hr +ends 20\S+T\S+ +used 20\S+\nsales +readers=group:sales +never ends +used 20\S+\n$/,
  );
  expect((await here.run(["token", "list", "--json"])).stdout).not.toContain(hr);
  expect((await here.run(["token", "revoke", "hr"])).code).toBe(0);
  expect([await server.find(hr), await server.find(all)]).toEqual([401, true]);
  expect((await here.run(["token", "list"])).stdout).toMatch(/^hr +readers=group:hr +ended 20/m);
});

test.each<[string[], RegExp]>([
  [["add", "x"], /--where department=hr .* or --all/],
  [["add", "x", "--where", "a=b", "--operator"], /--operator needs --all/],
  [["add", "x", "--where", "a=b", "--all"], /cannot be used with/],
  [["add", "x", "--all", "--expires", "soon"], /whole number/],
  [["add", "a\nb", "--all"], /visible characters/],
  [["revoke", "nobody"], /There is no token nobody\. .*emend token list/],
])("emend token %j says what to do", async (words, said) => {
  const { code, stdout, stderr } = await here.run(["token", ...words]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(said);
});

test("with sign-in, the server listens for others, and says if no document says who may read it", async () => {
  await using empty = await folder(OFFICES);
  await empty.run(["ingest", "docs"]);
  const environment = { EMEND_PROXY: "10.0.0.1" };
  await using server = await serving(environment, ["--host", "0.0.0.0"]);
  expect(server.said.join("")).not.toContain("readers");
  expect(await server.find()).toBe(401);
  const started = empty.start(["serve", "--port", "0", "--host", "0.0.0.0"], environment);
  const end = ended(started);
  for await (const text of on(started.stderr, "data"))
    if (`${text}`.includes("documents without readers are seen by nobody")) break;
  started.kill("SIGTERM");
  expect((await end).code).toBe(0);
});

test("doctor tries the provider and the keys, and status names them without the secret", async () => {
  const environment = {
    ...{ EMEND_URL: "http://127.0.0.1:1", EMEND_OIDC_ISSUER: "http://127.0.0.1:9", EMEND_OIDC_CLIENT_ID: "emend" },
    EMEND_OIDC_CLIENT_SECRET: "hush-hush",
  };
  const { code, stdout } = await here.run(["doctor"], environment);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^wrong +sign-in: provider +The provider at http:\/\/127\.0\.0\.1:9 cannot be asked: /m);
  expect(stdout).toMatch(/^not set +sign-in: keys/m);
  const keys = { EMEND_JWKS_URL: "http://127.0.0.1:9/keys", EMEND_ISSUER: "a", EMEND_AUDIENCE: "b" };
  expect((await here.run(["doctor"], keys)).stdout).toMatch(
    /^wrong +sign-in: keys +The keys at http:\/\/127\.0\.0\.1:9\/keys cannot be had/m,
  );
  const status = (await here.run(["status"], environment)).stdout;
  expect(status).toMatch(/^sign in +OIDC at http:\/\/127\.0\.0\.1:9 as emend$/m);
  expect(status + stdout).not.toContain("hush");
});
