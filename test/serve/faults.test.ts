import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import { listening } from "./listening.js";

// A part fails with words that name the machine. The log gets them, a client never.

const SECRET = "/home/anna/.emend/keys is not a function";
const faults: string[] = [];
const { address, post } = await listening({
  scope: () => {
    throw new TypeError(SECRET);
  },
  onFault: ({ message }) => faults.push(message),
});
const question = "How many days of paid leave do full-time staff have?";
const messages = [{ role: "user", content: question }];

test.each([
  ["/api/ask", { question }],
  ["/api/ask", { question, stream: true }],
  ["/api/search", { query: question }],
  ["/v1/chat/completions", { model: "emend", messages }],
  ["/v1/chat/completions", { model: "emend", messages, stream: true }],
  ["/v1/responses", { model: "emend", input: question }],
  ["/v1/responses", { model: "emend", input: question, stream: true }],
])("%s %j says that something failed, and the log says what", async (path, body) => {
  faults.length = 0;
  const reply = await (await post(path, body)).text();
  expect(reply).toContain("Something failed.");
  expect(reply).not.toContain("anna");
  expect(faults).toEqual([SECRET]);
});

test("so does every tool of MCP", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
  const sources = [{ text: "Full-time staff have 28 days of paid leave." }];
  for (const [name, given] of [
    ["ask", { question }],
    ["search", { query: question }],
    ["read", { uri: "leave" }],
    ["verify", { text: question, sources }],
  ] as const) {
    faults.length = 0;
    const reply = JSON.stringify(await client.callTool({ name, arguments: given }));
    expect(reply).toContain('"isError":true');
    expect(reply).not.toContain("anna");
    expect(faults).toEqual([SECRET]);
  }
  await expect(client.readResource({ uri: "emend://passages/leave" })).rejects.toThrow("Something failed.");
  await client.close();
});
