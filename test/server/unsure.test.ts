import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import type { Tools } from "../../src/state/tools.js";
import { fakeGrader } from "../../src/testing/index.js";
import { listening } from "./listening.js";

const grader: Tools["grader"] = {
  grade: async (task, call) => ({
    ...(await fakeGrader({ relevance: 0.5, answerability: "unknown" }).grade(task, call)),
    probability: 0.4,
  }),
};
const { address, post } = await listening({ tools: { grader } });
const question = "How many days of paid leave do full-time staff have?";
const text = expect.stringMatching(/^This may answer it:\n\nFull-time staff have 28 days of paid leave \[1\]\./);

test("quotes that may answer have a status of their own, at every door", async () => {
  const asked = async (path: string, body: object) => (await post(path, body)).json();
  expect(await asked("/api/ask", { question })).toMatchObject({ status: "unsure", text });
  const emend = { status: "unsure", stopReason: "unsure" };
  const messages = [{ role: "user", content: question }];
  expect(await asked("/v1/chat/completions", { model: "emend", messages })).toMatchObject({
    choices: [{ message: { content: text } }],
    emend,
  });
  expect(await asked("/v1/responses", { model: "emend", input: question })).toMatchObject({
    output: [{ content: [{ text }] }],
    emend,
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
  const reply = await client.callTool({ name: "ask", arguments: { question } });
  expect(reply).toMatchObject({ structuredContent: { status: "unsure", text } });
  expect(reply.isError ?? false).toBe(false);
  await client.close();
  expect(await (await fetch(`${address}/metrics`)).text()).toContain('emend_questions_total{status="unsure"} 4');
});
