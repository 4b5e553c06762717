import { expect, test } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { listening } from "./listening.js";

// Ada and Bo may both read the plan. Neither may learn that the other one does, or that the board does.

const PLAN = {
  ...fakePassage("plan", "The office moves to Lisbon in May."),
  hash: "delivered:1 @secret-deal/0123456789abcdef",
  metadata: { readers: "group:board\nuser:ada@example.org\nuser:bo@example.org", author: "Cy" },
};
const SCOPES: Record<string, "all" | [{ key: string; values: string[] }]> = {
  "token-of-ada": [{ key: "readers", values: ["everyone", "user:ada@example.org"] }],
  "token-of-all": "all",
  // Of a program that asks for its users.
  "token-of-program": [{ key: "author", values: ["Cy"] }],
};
const { address, post } = await listening({
  tools: { documents: inMemoryDocuments([PLAN]) },
  tokens: Object.keys(SCOPES),
  userOf: (token) => ({ identity: token, emend_scope: SCOPES[token] ?? [] }),
});
const as = (name: string) => ({ Authorization: `Bearer token-of-${name}` });
const QUESTION = "To which city does the office move in May?";
const BY_BOARD = { filter: [{ key: "Readers", values: ["group:board"] }] };

test.each([
  ["/api/search", { query: QUESTION }],
  ["/api/ask", { question: QUESTION }],
  ["/api/ask", { question: QUESTION, stream: true }],
  ["/v1/chat/completions", { model: "emend", messages: [{ role: "user", content: QUESTION }] }],
])("%s %j does not say who else may read a document", async (path, body) => {
  const text = await (await post(path, body, as("ada"))).text();
  expect(text).toContain("Lisbon");
  expect(text).not.toMatch(/board|bo@example|secret-deal|0123456789abcdef/);
});

test("a passage and its document do not say it either", async () => {
  const text = await (await fetch(`${address}/api/passages/plan`, { headers: as("ada") })).text();
  expect(text).toMatch(/^(?!.*board).*Lisbon/);
});

test("a reader cannot find it out by a filter", async () => {
  const asked = { question: QUESTION, context: BY_BOARD };
  const reply = await post("/api/ask", asked, as("ada"));
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining("A filter by readers")]);
  for (const other of ["all", "program"])
    expect(await (await post("/api/ask", asked, as(other))).text()).toContain("Lisbon");
});

test("what a client may see is kept by no cache on the way", async () => {
  const paths = ["/api/passages/plan", "/api/passages/plan.css", "/api/collections", "/openapi.json"];
  for (const path of paths)
    for (const headers of [as("ada"), {}])
      expect((await fetch(address + path, { headers })).headers.get("cache-control")).toBe("no-store");
});
