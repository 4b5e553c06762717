import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { listening, stuck } from "./listening.js";

const isIn = (...values: string[]) => ({ key: "department", values });

const { address } = await listening();
const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
const call = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
const QUESTION = { question: "How many days of paid leave do full-time staff have?" };
const SOURCES = [{ id: "leave.md", text: "Full-time staff have 28 days of paid leave." }];

describe("an MCP client", () => {
  test("gets the list of tools, each with its input", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(["ask", "cite", "read", "search", "verify"]);
    const { properties } = tools.find(({ name }) => name === "ask")?.inputSchema ?? {};
    expect(properties).toMatchObject({ filter: { type: "array" }, context: { properties: { budget: {} } } });
    expect(tools.every(({ description, inputSchema }) => description && inputSchema.type === "object")).toBe(true);
  });

  test("asks, and gets the answer as text and data, with its sources as readable resources", async () => {
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

  test("gets progress notifications for the steps", async () => {
    const told: (string | undefined)[] = [];
    await client.callTool({ name: "ask", arguments: QUESTION }, undefined, {
      onprogress: ({ message }) => told.push(message),
    });
    expect(told.length).toBeGreaterThan(2);
  });

  test.each([
    ["ask", { ...QUESTION, filtr: [] }, "Unknown option `filtr`. Did you mean `filter`?"],
    ["ask", { ...QUESTION, context: { budget: { second: 5 } } }, "`context.budget.second`. Did you mean `seconds`?"],
    ["search", { query: "leave", limits: 5 }, "Unknown option `limits`. Did you mean `limit`?"],
    ["read", { uri: "leave", ur: "x" }, "Unknown option `ur`. Did you mean `uri`?"],
    ["verify", { text: "A.", sources: [{ text: "A.", titel: "B" }] }, "`sources[0].titel`. Did you mean `title`?"],
  ])("is told what %s does not understand: %j", async (name, given, said) => {
    const { isError, content } = await call(name, given);
    expect(isError).toBe(true);
    expect((content as { text: string }[])[0]?.text).toContain(said);
  });

  test("gets a refusal if the documents do not answer", async () => {
    const { structuredContent } = await call("ask", { question: "Who painted the ceiling of the Sistine Chapel?" });
    expect(structuredContent).toMatchObject({ status: "refused", claims: [] });
  });

  test("can ask within a filter, and never beyond the limits of the server", async () => {
    const passage = (id: string, text: string, department: string) => ({
      ...fakePassage(id, text),
      metadata: { department },
    });
    const documents = inMemoryDocuments([
      passage("a", "Office staff have 28 days of paid leave.", "office"),
      passage("b", "Warehouse staff have 30 days of paid leave.", "warehouse"),
    ]);
    const narrow = await listening({ tools: { documents }, context: { filter: [isIn("office", "warehouse")] } });
    const within = new Client({ name: "test", version: "1" });
    await within.connect(new StreamableHTTPClientTransport(new URL(`${narrow.address}/mcp`)));
    const ask = async (given: object) => {
      const question = "How many days of paid leave do warehouse staff have?";
      const { structuredContent } = await within.callTool({ name: "ask", arguments: { question, ...given } });
      return (structuredContent as { claims: { text: string }[] }).claims.map(({ text }) => text);
    };
    const found = "Warehouse staff have 30 days of paid leave.";
    expect(await ask({})).toContain(found);
    expect(await ask({ filter: [isIn("warehouse")] })).toContain(found);
    expect(await ask({ filter: [isIn("office")] })).not.toContain(found);
    expect(await ask({ context: { filter: [isIn("office")] }, filter: [isIn("warehouse")] })).toEqual([]);
    expect(await ask({ context: { budget: { rounds: 1 } } })).toContain(found);
    await within.close();
  });

  test.each([
    [{ filter: [{ key: "", values: [] }] }, /filter[\s\S]*key/],
    [{ filter: "office" }, /filter/],
    [{ filters: [] }, /filters/],
    [{ context: { budget: { rounds: 0 } } }, /context[\s\S]*budget[\s\S]*rounds/],
    [{ context: { filters: [] } }, /filters/],
    [{ context: 3 }, /context/],
  ])("gets the name of the invalid field of %o", async (given, message) => {
    const { isError, content } = await call("ask", { ...QUESTION, ...given });
    expect([isError, content]).toEqual([true, [{ type: "text", text: expect.stringMatching(message) }]]);
  });

  test("searches, and reads the found passages", async () => {
    const { structuredContent } = await call("search", { query: "出国差旅", limit: 1 });
    const [first] = (structuredContent as { passages: { id: string; text: string }[] }).passages;
    expect(first?.text).toBe("出国差旅由部门负责人审批。");
    expect(await call("read", { uri: first?.id })).toMatchObject({ content: [{ text: first?.text }] });
  });

  test("reads a long document in part, and is told so", async () => {
    const parts = Array.from({ length: 502 }, (_, position) => ({
      ...fakePassage(`long#${position}`, `Part ${position}.`),
      documentId: "long",
      position,
    }));
    const long = await listening({ tools: { documents: inMemoryDocuments(parts) } });
    const read = async (name: string) => {
      const connected = new Client({ name: "test", version: "1" });
      await connected.connect(new StreamableHTTPClientTransport(new URL(`${long.address}/mcp`)));
      const { content } = await connected.callTool({ name: "read", arguments: { uri: name } });
      return (content as { text: string }[])[0]?.text;
    };
    expect(await read("long")).toMatch(/^Part 0\..*Part 500\.\n\n\(The document is longer\./s);
    expect(await read("long#501")).toMatch(/^Part 1\..*Part 501\.\n\n\(The document is longer\./s);
    expect(await read("long#1")).toMatch(/^Part 0\..*Part 501\.$/s);
  });

  test("can have a text checked and cited", async () => {
    const text = "Full-time staff have 30 days of paid leave.";
    const checked = await call("verify", { text, sources: SOURCES });
    expect(checked.structuredContent).toMatchObject({ supported: false, claims: [{ verdict: "unsupported" }] });
    const chinese = { text: "全职员工每年有30天带薪假。", sources: [{ text: "全职员工每年有28天带薪假。" }] };
    expect((await call("verify", chinese)).structuredContent).toMatchObject({
      claims: [{ reason: "来源的相关内容没有提到“30天”。" }],
    });
    const cited = await call("cite", { text: text.replace("30", "28"), sources: SOURCES });
    expect(cited.content).toMatchObject([{ text: expect.stringContaining("paid leave [1].") }]);
  });

  test.each([
    ["ask", { question: "" }],
    ["ask", {}],
    ["read", { uri: "no such document" }],
    ["read", { uri: "../../etc/passwd" }],
    ["verify", { text: "x", sources: [] }],
  ])("gets an error that explains %s %o", async (name, given) => {
    expect(await call(name, given)).toMatchObject({ isError: true });
  });

  test.each(["emend://passages/no-such-passage", "emend://passages/%E0%A4%A", "emend://passages/..%2F..%2Fetc"])(
    "gets an error for the unknown resource %s",
    async (uri) => {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 });
    },
  );

  test("stops a question by cancelling it or by disconnecting", async () => {
    for (const how of ["cancels", "leaves"]) {
      const slow = await stuck();
      const impatient = new Client({ name: "test", version: "1" });
      await impatient.connect(new StreamableHTTPClientTransport(new URL(`${slow.address}/mcp`)));
      const left = new AbortController();
      const asked = impatient.callTool({ name: "ask", arguments: QUESTION }, undefined, { signal: left.signal });
      const failed = expect(asked).rejects.toThrow();
      await slow.began;
      if (how === "cancels") left.abort();
      else await impatient.close();
      await slow.stopped;
      await failed;
      if (how === "cancels") await impatient.close();
    }
  });
});

describe("MCP over HTTP", () => {
  const send = (body: unknown, headers: Record<string, string> = {}, at = address) =>
    fetch(`${at}/mcp`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const message = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });
  const beginning = (protocolVersion: string) =>
    message(0, "initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } });
  const repliesOf = async (reply: Response) =>
    (await reply.text())
      .split("\n")
      .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as { id?: number }] : []));

  test.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2024-11-05"],
    ["1999-01-01", "2025-11-25"],
  ])(
    "answers a client of protocol version %s with %s, and with a session if that version needs one",
    async (asked, expected) => {
      const reply = await send(beginning(asked));
      expect(reply.headers.get("mcp-session-id")).toMatch(/^[\w-]{36}$/);
      expect(await repliesOf(reply)).toMatchObject([{ result: { protocolVersion: expected } }]);
    },
  );

  test.each(["GET", "DELETE", "PUT"])("refuses the HTTP method %s", async (method) => {
    const reply = await fetch(`${address}/mcp`, { method, headers: { Accept: "text/event-stream" } });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("answers a batch of requests, and accepts a notification", async () => {
    const reply = await send([message(1, "ping"), message(2, "tools/list")]);
    expect((await repliesOf(reply)).map(({ id }) => id).toSorted()).toEqual([1, 2]);
    expect((await send({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
  });

  test("does not let another session cancel a question", async () => {
    const slow = await stuck();
    const ask = message(7, "tools/call", { name: "ask", arguments: QUESTION });
    const asked = send(ask, { "Mcp-Session-Id": "mine" }, slow.address).then((reply) => reply.text());
    await slow.began;
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    const stopped = slow.stopped.then(() => "stopped");
    for (const session of ["other", ""]) {
      const headers: Record<string, string> = session ? { "Mcp-Session-Id": session } : {};
      expect((await send(cancel, headers, slow.address)).status).toBe(202);
    }
    expect(await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 50, "runs"))])).toBe("runs");
    await send(cancel, { "Mcp-Session-Id": "mine" }, slow.address);
    expect(await stopped).toBe("stopped");
    void asked.catch(() => {});
  });

  test.each(["{", "null", "3", '{"jsonrpc":"1.0"}', `[${"null,".repeat(5_000)}null]`])(
    "refuses the invalid message %.20s",
    async (body) => {
      expect((await send(body)).status).toBe(400);
    },
  );
});
