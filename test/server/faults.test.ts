import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test, vi } from "vitest";
import { createAgent } from "../../src/agent.js";
import { StoreUnavailableError } from "../../src/errors.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { createServer } from "../../src/server/app.js";
import { inMemoryDocuments } from "../../src/testing/index.js";
import { listening } from "./listening.js";

// A part fails with a message that reveals details of the machine. It is logged and never sent to a client.

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
])("%s %j says only that something failed, and the log has the error", async (path, body) => {
  faults.length = 0;
  const reply = await (await post(path, body)).text();
  expect(reply).toContain("Something failed.");
  expect(reply).not.toContain("anna");
  expect(faults).toEqual([SECRET]);
});

test("every MCP tool says only that something failed, and the log has the error", async () => {
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

test("clients do not see the address or path of a store that cannot be reached", async () => {
  const told: string[] = [];
  const documents = inMemoryDocuments([]);
  let searches = 0;
  const down = await listening({
    tools: {
      documents: {
        ...documents,
        isEmpty: async () => false,
        search: async () => {
          searches += 1;
          throw new StoreUnavailableError("No documents at bolt://10.1.2.3:7687, /home/anna/.emend.");
        },
      },
    },
    onFault: ({ message }) => told.push(message),
  });
  const searched = await down.post("/api/search", { query: question });
  expect(searched.status).toBe(503);
  expect(await searched.text()).toMatch(/^\{"error":"The documents or the conversations cannot be reached\./);
  const before = searches;
  const probes = await Promise.all(Array.from({ length: 5 }, () => fetch(`${down.address}/readyz`)));
  expect(probes.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
  expect(searches).toBe(before + 1);
  for (const probe of probes) expect(await probe.text()).not.toMatch(/10\.1\.2\.3|anna/);
  expect(told.some((message) => message.includes("10.1.2.3"))).toBe(true);
});

test("a probe while another still runs starts none of its own", async () => {
  let searches = 0;
  const search = () => {
    searches += 1;
    return new Promise<never>(() => {});
  };
  const tools = { ...localReasoners(), documents: { ...inMemoryDocuments(), search } };
  const { app } = createServer({ agent: createAgent({ tools }) });
  const later = performance.now() + 3_000;
  void app.request("/readyz");
  await vi.waitFor(() => expect(searches).toBe(1));
  using _ = vi.spyOn(performance, "now").mockImplementation(() => later);
  void app.request("/readyz");
  await new Promise(setImmediate);
  expect(searches).toBe(1);
});

test("an outage is status 503 with the answer that says what failed, in every door", async () => {
  const documents = { ...inMemoryDocuments([]), search: () => Promise.reject(new Error(`gone: ${SECRET}`)) };
  const { address, post } = await listening({ tools: { documents } });
  const fault = { part: "retriever", name: "Error", message: expect.stringContaining("gone: …") };
  const details = { status: "unavailable", faults: [fault] };

  const asked = await post("/api/ask", { question });
  expect([asked.status, await asked.json()]).toEqual([503, expect.objectContaining(details)]);
  for (const [path, body] of [
    ["/v1/chat/completions", { model: "emend", messages }],
    ["/v1/responses", { model: "emend", input: question }],
  ] as const) {
    const reply = await post(path, body);
    expect([reply.status, await reply.json()]).toMatchObject([
      503,
      { error: { type: "server_error", message: expect.stringContaining("could not be searched") }, emend: details },
    ]);
  }
  const streams = await Promise.all(
    [
      ["/api/ask", { question, stream: true }],
      ["/v1/chat/completions", { model: "emend", messages, stream: true }],
      ["/v1/responses", { model: "emend", input: question, stream: true }],
    ].map(async ([path, body]) => (await post(path as string, body as object)).text()),
  );
  for (const stream of streams) {
    expect(stream).toContain('"status":"unavailable"');
    expect(stream).toContain('"part":"retriever"');
    expect(stream).not.toContain("anna");
  }
  expect(streams[1]).toContain('"error":{');
  expect(streams[2]).toContain("response.failed");

  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
  const reply = await client.callTool({ name: "ask", arguments: { question } });
  expect(reply).toMatchObject({ isError: true, structuredContent: details });
  await client.close();

  const metrics = await (await fetch(`${address}/metrics`)).text();
  expect(metrics).toMatch(/emend_questions_total\{status="unavailable"\} 7/);
  expect(metrics).toMatch(/emend_faults_total\{part="retriever"\} 7/);
});
