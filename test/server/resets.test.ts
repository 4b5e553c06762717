import { once } from "node:events";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { inMemoryDocuments } from "../../src/testing/index.js";
import { listening } from "./listening.js";

// Clients that reset their connections must not fill the log of the server.

const MANY = 300;
/** Questions that begin before they are reset. */
const SOME = 20;
const faults: string[] = [];
let searches = 0;
const { port, address } = await listening({
  perMinute: 100_000,
  onFault: ({ message }) => faults.push(message),
  tools: {
    documents: {
      ...inMemoryDocuments(),
      isEmpty: async () => false,
      // Searches until its caller leaves.
      search: (_query, _limit, { signal } = {}) => {
        searches += 1;
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
    },
  },
});

const question = "How many days of paid leave do full-time staff have?";
const messages = [{ role: "user", content: question }];
const call = (name: string, given: object) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name, arguments: given },
});
const post = (path: string, body: object, part = 1) => {
  const text = JSON.stringify(body);
  const head = [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Content-Type: application/json"];
  const accept = "Accept: application/json, text/event-stream";
  return [...head, accept, `Content-Length: ${text.length}`, "", text.slice(0, text.length * part)].join("\r\n");
};
const chunked = post("/api/ask", { question }, 0.5).replace(
  /Content-Length: \d+\r\n\r\n/,
  "Transfer-Encoding: chunked\r\n\r\n9\r\n",
);

/** Sends a text over `count` connections, and resets them all once the server is at work on it. */
async function resetAfter(text: string, count: number, isAtWork: () => boolean) {
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await Promise.all(sockets.map((socket) => new Promise((sent) => socket.write(text, sent))));
  await vi.waitFor(() => expect(isAtWork()).toBe(true), 20_000);
  await Promise.all(
    sockets.map((socket) => {
      const closed = once(socket, "close");
      socket.resetAndDestroy();
      return closed;
    }),
  );
}

test.each([
  ["half a head", "POST /api/ask HTTP/1.1\r\nHost: 127.0", 0],
  ["half a question", post("/api/ask", { question }, 0.5), 0],
  ["half a question in chunks", chunked, 0],
  ["half a question of OpenAI's", post("/v1/chat/completions", { model: "emend", messages }, 0.5), 0],
  ["half a message over MCP", post("/mcp", call("search", { query: question }), 0.5), 0],
  ["a question", post("/api/ask", { question }), SOME],
  ["a question to be streamed", post("/api/ask", { question, stream: true }), SOME],
  ["a question of OpenAI's", post("/v1/chat/completions", { model: "emend", messages }), SOME],
  ["a response of OpenAI's", post("/v1/responses", { model: "emend", input: question, stream: true }), SOME],
  ["a search", post("/api/search", { query: question }), SOME],
  ["a text to check", post("/api/verify", { text: question.replace("?", ".") }), 0],
  ["a search over MCP", post("/mcp", call("search", { query: question })), SOME],
  ["a question over MCP", post("/mcp", call("ask", { question })), SOME],
])("connections that are reset after %s write nothing to the log", async (_name, text, least) => {
  faults.length = searches = 0;
  const printed = (["error", "warn", "info", "log"] as const).map((name) => vi.spyOn(console, name));
  await resetAfter(text, least || MANY, () => searches >= least);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const lines = printed.flatMap(({ mock }) => mock.calls);
  vi.restoreAllMocks();
  expect([...faults, ...lines.flat().map(String)]).toEqual([]);
});
