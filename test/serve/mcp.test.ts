import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import { listening } from "./listening.js";

const { address } = await listening();
const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
const call = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
const QUESTION = { question: "How many days of paid leave do full-time staff have?" };
const SOURCES = [{ id: "leave.md", text: "Full-time staff have 28 days of paid leave." }];

describe("an MCP client", () => {
  test("sees the tools, each with what it takes", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(["ask", "cite", "read", "search", "verify"]);
    expect(tools.every(({ description, inputSchema }) => description && inputSchema.type === "object")).toBe(true);
  });

  test("asks, and gets the answer as text, as data, and its sources as links that can be read", async () => {
    const { content, structuredContent } = await call("ask", QUESTION);
    expect(structuredContent).toMatchObject({
      status: "answered",
      claims: [{ citations: [{ quote: SOURCES[0]?.text }] }],
    });
    const [text, link] = content as { type: string; text?: string; uri?: string }[];
    expect(text?.text).toContain("28 days of paid leave [1]");
    expect(link?.type).toBe("resource_link");
    const { contents } = await client.readResource({ uri: link?.uri ?? "" });
    expect(contents).toMatchObject([{ text: SOURCES[0]?.text }]);
  });

  test("hears of the steps on the way", async () => {
    const told: (string | undefined)[] = [];
    await client.callTool({ name: "ask", arguments: QUESTION }, undefined, {
      onprogress: ({ message }) => told.push(message),
    });
    expect(told.length).toBeGreaterThan(2);
  });

  test("is refused in words what the documents do not say", async () => {
    const { structuredContent } = await call("ask", { question: "Who painted the ceiling of the Sistine Chapel?" });
    expect(structuredContent).toMatchObject({ status: "refused", claims: [] });
  });

  test("searches, and reads what it found", async () => {
    const { structuredContent } = await call("search", { query: "出国差旅", limit: 1 });
    const [first] = (structuredContent as { passages: { id: string; text: string }[] }).passages;
    expect(first?.text).toBe("出国差旅由部门负责人审批。");
    expect(await call("read", { uri: first?.id })).toMatchObject({ content: [{ text: first?.text }] });
  });

  test("has a text checked and cited", async () => {
    const text = "Full-time staff have 30 days of paid leave.";
    const checked = await call("verify", { text, sources: SOURCES });
    expect(checked.structuredContent).toMatchObject({ supported: false, claims: [{ verdict: "unsupported" }] });
    const cited = await call("cite", { text: text.replace("30", "28"), sources: SOURCES });
    expect(cited.content).toMatchObject([{ text: expect.stringContaining("paid leave [1].") }]);
  });

  test.each([
    ["ask", { question: "" }],
    ["ask", {}],
    ["read", { uri: "no such document" }],
    ["read", { uri: "../../etc/passwd" }],
    ["verify", { text: "x", sources: [] }],
  ])("is told what is wrong with %s %o", async (name, given) => {
    expect(await call(name, given)).toMatchObject({ isError: true });
  });
});
