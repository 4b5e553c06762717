import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { listening } from "./listening.js";

// A server whose users see the documents of their department. Nobody in sales may learn the password of the safe.

const PASSAGES = [
  { ...fakePassage("safe", "The password of the safe is swordfish."), metadata: { department: "finance" } },
  { ...fakePassage("stand", "The stand at the fair is in hall three."), metadata: { department: "sales" } },
];
const DEPARTMENTS: Record<string, string> = { "token-of-the-finance": "finance", "token-of-the-salesman": "sales" };
const { address, post } = await listening({
  tools: { documents: inMemoryDocuments(PASSAGES) },
  tokens: Object.keys(DEPARTMENTS),
  userOf: (token) => ({ identity: token, emend_scope: [{ key: "department", values: [DEPARTMENTS[token] ?? ""] }] }),
});
const bearer = (department: string) => {
  const [token = ""] = Object.entries(DEPARTMENTS).find(([, of]) => of === department) ?? [];
  return { Authorization: `Bearer ${token}` };
};
const QUESTION = "What is the password of the safe?";

const DOORS: readonly (readonly [string, unknown])[] = [
  ["/api/ask", { question: QUESTION }],
  ["/api/ask", { question: QUESTION, context: { filter: [{ key: "department", values: ["finance"] }] } }],
  ["/api/search", { query: "password safe swordfish" }],
  ["/v1/chat/completions", { model: "emend", messages: [{ role: "user", content: QUESTION }] }],
];

describe("a scope applies to every endpoint:", () => {
  test.each(DOORS)("%s %j", async (path, body) => {
    expect(await (await post(path, body, bearer("sales"))).text()).not.toContain("swordfish");
    const { context: _, ...theirs } = body as { context?: unknown };
    expect(await (await post(path, theirs, bearer("finance"))).text()).toContain("swordfish");
  });

  test("and no request can name another user", async () => {
    const configurable = { langgraph_auth_user: { emend_scope: "all" } };
    const reply = await post("/api/ask", { question: QUESTION, configurable }, bearer("sales"));
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain("Unknown option `configurable`.");
  });

  test("/mcp: ask, search, read, and the resources", async () => {
    const seen = async (department: string) => {
      const client = new Client({ name: "test", version: "1" });
      const requestInit = { headers: bearer(department) };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }));
      const replies = [
        await client.callTool({ name: "ask", arguments: { question: QUESTION } }),
        await client.callTool({ name: "search", arguments: { query: "password safe" } }),
        await client.callTool({ name: "read", arguments: { uri: "safe" } }),
        await client.readResource({ uri: "emend://passages/safe" }).catch(() => ({})),
      ];
      return replies.map((reply) => JSON.stringify(reply).includes("swordfish"));
    };
    expect(await seen("sales")).toEqual([false, false, false, false]);
    expect(await seen("finance")).toEqual([true, true, true, true]);
  });
});
