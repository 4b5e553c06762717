import { beforeEach, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { ScopeOf, User } from "../../src/graph/scope.js";
import { createServer, type ServerOptions } from "../../src/server/app.js";
import { fakePassage, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import { fakeRun } from "../../src/testing/runs-contract.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { listening } from "./listening.js";

// Nobody gets in who is not an object with an identity and a scope, and nobody sees more than that scope.

const PASSAGES = [
  { ...fakePassage("safe", "The password of the safe is swordfish."), metadata: { department: "finance" } },
  { ...fakePassage("stand", "The stand at the fair is in hall three."), metadata: { department: "sales" } },
];
const tools = { documents: inMemoryDocuments(PASSAGES) };
const TOKEN = "a-token-of-some-length";
const QUESTION = "What is the password of the safe?";
const sales: User = { identity: "anna", emend_scope: [{ key: "department", values: ["sales"] }] };
const boss: User = { identity: "ben", emend_scope: "all" };

let find: () => unknown = () => undefined;
const faults: string[] = [];
beforeEach(() => {
  faults.length = 0;
});
const options = { tools, onFault: ({ message }: Error) => void faults.push(message) };
const found = () => find() as User;
const mounted = await listening({ ...options, userIn: found });
const byToken = await listening({ ...options, tokens: [TOKEN], userOf: found });
const headers = { Authorization: `Bearer ${TOKEN}`, Accept: "application/json, text/event-stream" };

const messages = [{ role: "user", content: QUESTION }];
const called = (name: string, given: object) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name, arguments: given },
});
const POSTS: readonly (readonly [string, object])[] = [
  ["/api/ask", { question: QUESTION }],
  ["/api/ask", { question: QUESTION, stream: true }],
  ["/api/search", { query: QUESTION }],
  ["/api/verify", { text: "The password of the safe is swordfish." }],
  ["/v1/chat/completions", { model: "emend", messages }],
  ["/v1/chat/completions", { model: "emend", messages, stream: true }],
  ["/v1/responses", { model: "emend", input: QUESTION }],
  ["/v1/responses", { model: "emend", input: QUESTION, stream: true }],
  ["/mcp", called("ask", { question: QUESTION })],
  ["/mcp", called("search", { query: QUESTION })],
  ["/mcp", called("read", { uri: "safe" })],
];
const GETS = ["/api/passages/safe", "/api/examples", "/api/graph", "/v1/models", "/metrics", "/openapi.json"];

/** The status and text of every door. */
const replies = ({ post, address }: typeof mounted) =>
  Promise.all(
    [
      ...POSTS.map(([path, body]) => post(path, body, headers)),
      ...GETS.map((path) => fetch(`${address}${path}`, { headers })),
    ].map(async (reply) => ({ status: (await reply).status, text: await (await reply).text() })),
  );

describe.each([
  ["userIn", mounted],
  ["userOf", byToken],
])("%s", (_name, server) => {
  test.each<[string, unknown]>([
    ["nobody", undefined],
    ["null", null],
    ["false", false],
    ["true", true],
    ["a text", "anna"],
    ["an empty text", ""],
    ["a number", 7],
    ["a list", [sales]],
    ["a function", () => sales],
    ["an empty object", {}],
    ["a scope alone", { emend_scope: "all" }],
    ["an empty identity", { ...boss, identity: "" }],
    ["a blank identity", { ...boss, identity: " \t\u3000" }],
    ["an identity that is a number", { ...boss, identity: 7 }],
    ["an identity that is null", { ...boss, identity: null }],
    ["an identity by another name", { id: "ben", emend_scope: "all" }],
    ["no scope", { identity: "ben" }],
    ["a misspelt scope", { identity: "ben", emendScope: "all", scope: "all", emend_scopes: "all" }],
    ["permissions without a scope", { identity: "ben", permissions: ["all"], scopes: ["all"], is_authenticated: true }],
    ...[undefined, null, false, true, 0, "", "ALL", "all ", "*", ["all"], {}, () => "all"].map(
      (emend_scope): [string, unknown] => [
        `the scope ${String(JSON.stringify(emend_scope))}`,
        { ...boss, emend_scope },
      ],
    ),
    ["a misspelt condition", { ...boss, emend_scope: [{ keys: "department", values: ["finance"], not: true }] }],
    ["a condition with an undefined value", { ...boss, emend_scope: [{ key: "department", values: [undefined] }] }],
    ["a condition in place of a list", { ...boss, emend_scope: { key: "department", values: ["finance"] } }],
  ])("that finds %s lets nobody in, at once or later", async (_what, user) => {
    for (find of [() => user, async () => user])
      for (const { status, text } of await replies(server)) {
        expect(status).toBe(401);
        expect(text).not.toContain("swordfish");
      }
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("of /etc/keys");
      },
    ],
    ["rejects", () => Promise.reject(new Error("of /etc/keys"))],
    ["rejects with nothing", () => Promise.reject()],
    [
      "returns a user who cannot be read",
      () => ({
        get identity() {
          throw new Error("of /etc/keys");
        },
      }),
    ],
  ])("that %s lets nobody in, is logged, and ends nothing", async (_what, fails) => {
    find = fails;
    const all = await replies(server);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([401]));
    expect(all.map(({ text }) => text).join()).not.toContain("/etc/keys");
    expect(faults).toHaveLength(all.length);
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200);
  });

  test.each<[string, User, boolean]>([
    ["one department", sales, false],
    ["everything", boss, true],
    ["no department", { identity: "carl", emend_scope: [] }, false],
    ["no value", { identity: "carl", emend_scope: [{ key: "department", values: [], not: true }] }, false],
    ["a blank value", { identity: "carl", emend_scope: [{ key: "department", values: [""], not: true }] }, false],
  ])("that finds a user of %s, at once or later, shows this alone", async (_what, user, sees) => {
    for (find of [() => user, async () => user]) {
      const all = await replies(server);
      expect(all.map(({ status }) => status).filter((status) => status === 401)).toEqual([]);
      // The text to check is repeated in its reply: the client sent it.
      const told = all.filter((_, i) => POSTS[i]?.[0] !== "/api/verify" && i < POSTS.length);
      for (const { text } of told) expect(text.includes("swordfish")).toBe(sees);
    }
  });
});

test("an empty header of a proxy is nobody", async () => {
  const behind = await listening({
    ...options,
    userIn: (c) => ({ identity: c.req.header("x-user") ?? "", emend_scope: "all" }),
  });
  const status = async (user?: string) =>
    (await behind.post("/api/search", { query: QUESTION }, user === undefined ? {} : { "x-user": user })).status;
  expect([await status(), await status(""), await status(" "), await status("anna")]).toEqual([401, 401, 401, 200]);
});

describe("the scope of a user and the function of the agent", () => {
  const shown = async (scope: ScopeOf, user: unknown) => {
    const { post } = await listening({ ...options, scope, userIn: () => user as User });
    const reply = await post("/api/search", { query: QUESTION });
    return [reply.status, (await reply.text()).includes("swordfish")];
  };
  const toSales: ScopeOf = () => [{ key: "department", values: ["sales"] }];
  const toDepartment: ScopeOf = ({ configurable }) => [
    { key: "department", values: configurable?.langgraph_auth_user.departments },
  ];

  test.each<[string, ScopeOf, unknown, unknown]>([
    ["everything and everything", () => "all", boss, [200, true]],
    ["less by the function", toSales, boss, [200, false]],
    ["less by the user", () => "all", sales, [200, false]],
    ["what the function alone decides", toDepartment, { identity: "anna", departments: ["finance"] }, [200, true]],
    ["nothing, if the function says nothing", () => undefined as never, boss, [401, false]],
    ["nothing, if the function throws", () => Promise.reject(new Error("down")), boss, [401, false]],
    ["nothing, if the user's own scope cannot be read", () => "all", { ...boss, emend_scope: "ALL" }, [401, false]],
    ["nothing to a user without an identity", () => "all", { emend_scope: "all" }, [401, false]],
  ])("show %s", async (_what, scope, user, expected) => {
    expect(await shown(scope, user)).toEqual(expected);
  });
});

describe("createServer refuses", () => {
  const agent = createAgent({ tools: fakeTools() });
  test.each<[string, object, RegExp]>([
    ["a misspelt option", { userin: () => boss }, /Unknown option `userin`. Did you mean `userIn`/],
    ["a user that is no function", { userIn: boss }, /userIn: must be a function/],
    ["an undefined function", { userIn: undefined }, /userIn/],
    ["users of tokens without tokens", { userOf: () => boss }, /`userOf` needs `tokens`/],
    ["an undefined list of tokens", { tokens: undefined }, /tokens/],
    ["an undefined token", { tokens: [undefined] }, /tokens/],
    ["an empty token, which everybody has", { tokens: [""] }, /tokens/],
    ["a token with a space", { operatorTokens: ["a b"] }, /operatorTokens/],
    ["a token in place of a list, of which each letter would be one", { tokens: TOKEN }, /tokens/],
    ["an origin in place of a list", { origins: "https://chat.example.org" }, /origins/],
    ["a limit that is no number", { perMinute: Number.NaN }, /perMinute/],
  ])("%s", (_what, given, said) => {
    expect(() => createServer({ agent, ...given } as ServerOptions)).toThrow(said);
  });
});

test("users of another server do not see each other's questions on the page for operators", async () => {
  const database = openDatabase(":memory:");
  await database.write(async () => {});
  const runs = sqlRuns(database);
  runs.add(fakeRun({ question: "Am I paid less than others?", status: "refused" }), "");
  await runs.close();
  const { address } = await listening({ ...options, runs, userIn: () => boss });
  const reply = await fetch(`${address}/api/quality`);
  expect([reply.status, await reply.text()]).toEqual([200, expect.not.stringContaining("paid less")]);
});
