import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, describe, expect, test } from "vitest";
import type { CollectionSettings } from "../../src/collections.js";
import { createServer } from "../../src/server/app.js";
import { chosenFrom, within } from "../../src/server/collections.js";
import { contextOf } from "../../src/state/context.js";
import { fakePassage, inMemoryKnowledge } from "../../src/testing/index.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Conversation } from "../../src/types/conversation.js";
import type { RunRecord } from "../../src/types/run.js";
import { listening } from "./listening.js";

// Ada works in human resources, Bo in engineering, and Kim audits both. Neither Ada nor Bo may learn that there is a
// collection of the other, nor what is in it.

const COLLECTIONS: Record<string, CollectionSettings> = {
  hr: { title: "人事 HR", description: "Leave, pay and travel.", readers: ["group:hr", "group:audit"] },
  "it-support": { title: "IT support", description: "Laptops and passwords.", readers: ["group:engineering"] },
  // Its documents have readers of their own.
  wiki: { title: "Wiki", context: { sources: { web: false } } },
};

const passage = (id: string, text: string, metadata: Record<string, string>) =>
  fakePassage(`${id}#0`, text, { documentId: id, title: id, uri: `${id}.md`, metadata });
const PASSAGES = [
  passage("leave", "Full-time staff have 28 days of paid leave.", {
    collection: "hr",
    readers: "group:hr\ngroup:audit",
  }),
  passage("差旅", "出国差旅由部门负责人审批。", { collection: "hr", readers: "group:hr" }),
  passage("laptop", "A broken laptop is replaced within 2 days.", {
    collection: "it-support",
    readers: "group:engineering",
  }),
  passage("密码", "忘记密码时请联系服务台。", { collection: "it-support", readers: "group:engineering" }),
  passage("minutes", "The wiki moves to Lisbon in May.", { collection: "wiki", readers: "user:ada@example.org" }),
  passage("note", "Bo may park the van in bay 12.", { collection: "hr", readers: "user:bo@example.org" }),
  passage("office", "The office opens at 8 in the morning.", { readers: "everyone" }),
];

const USERS: Record<string, string[]> = {
  "token-of-ada": ["everyone", "user:ada@example.org", "group:hr"],
  "token-of-bo": ["everyone", "user:bo@example.org", "group:engineering"],
};
const userOf = (token: string) => ({
  identity: token,
  emend_scope:
    token === "token-of-kim"
      ? ("all" as const)
      : [token === LEO ? { key: "Collection", values: ["hr"] } : { key: "readers", values: USERS[token] ?? [] }],
  emend_may_upload: true,
});
const ADA = "token-of-ada";
const BO = "token-of-bo";
const KIM = "token-of-kim";
const LEO = "token-of-leo";

const folder = mkdtempSync(join(tmpdir(), "emend-collections-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const documents = sqlDocuments(openDatabase(":memory:"));
await documents.upsert(PASSAGES);
const recorded: RunRecord[] = [];
const runs = { add: (run: RunRecord) => recorded.push(run), flag() {}, lost: () => undefined, close: async () => {} };
const { address, post } = await listening({
  tools: { documents, runs },
  tokens: [ADA, BO, KIM, LEO, "token-of-nobody"],
  userOf,
  collections: COLLECTIONS,
});
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const get = async (path: string, token: string) => fetch(address + path, { headers: bearer(token) });
const askAs = async (token: string, question: string, rest: object = {}) => {
  const reply = await post("/api/ask", { question, ...rest }, bearer(token));
  return { code: reply.status, ...((await reply.json()) as Told) };
};
interface Told {
  status?: string;
  text?: string;
  error?: string;
  references?: { uri: string; collection?: string }[];
}

const LEAVE = "How many days of paid leave do full-time staff have?";
const LAPTOP = "Within how many days is a broken laptop replaced?";

describe("the collections of a caller", () => {
  test.each([
    [ADA, ["hr", "wiki"]],
    [BO, ["it-support"]],
    [KIM, ["hr", "it-support", "wiki"]],
    // Sees one collection, whoever may read what is in it.
    [LEO, ["hr"]],
    ["token-of-nobody", []],
  ])("%s: %j, in a list and as models", async (token, names) => {
    const { collections } = (await (await get("/api/collections", token)).json()) as {
      collections: { name: string }[];
    };
    expect(collections.map(({ name }) => name)).toEqual(names);
    const { data } = (await (await get("/v1/models", token)).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(["emend", ...names.map((name) => `emend/${name}`)]);
  });

  test("have a title and a description, and nothing else", async () => {
    const { collections } = (await (await get("/api/collections", BO)).json()) as { collections: unknown[] };
    expect(collections).toEqual([{ name: "it-support", title: "IT support", description: "Laptops and passwords." }]);
  });
});

describe("a question in a collection", () => {
  test.each([
    [ADA, "hr", LEAVE, "28 days", "人事 HR"],
    [ADA, "hr", "谁审批出国差旅？", "部门负责人", "人事 HR"],
    [BO, "it-support", LAPTOP, "2 days", "IT support"],
    [BO, "it-support", "忘记密码时联系谁？", "服务台", "IT support"],
    [KIM, ["hr", "it-support"], LAPTOP, "2 days", "IT support"],
  ])("%s in %j: %s", async (token, collection, question, words, title) => {
    const { text, references } = await askAs(token, question, { collection });
    expect(text).toContain(words);
    expect(references?.map((one) => one.collection)).toEqual([title]);
  });

  test.each([
    [KIM, "it-support", LEAVE],
    [KIM, "hr", "忘记密码时联系谁？"],
    [KIM, ["it-support", "wiki"], "谁审批出国差旅？"],
    [ADA, "hr", "When does the office open?"],
  ])("%s in %j does not answer from others: %s", async (token, collection, question) => {
    expect(await askAs(token, question, { collection })).toMatchObject({ status: "refused", references: [] });
  });

  test("cannot be left by the client's own filter", async () => {
    const filter = [{ key: "collection", values: ["hr", "it-support"] }];
    expect(await askAs(KIM, LEAVE, { collection: "it-support", context: { filter } })).toMatchObject({
      status: "refused",
    });
    expect(await askAs(KIM, LAPTOP, { collection: "it-support", context: { filter } })).toMatchObject({
      status: "answered",
    });
    expect(await askAs(BO, LEAVE, { context: { filter } })).toMatchObject({ status: "refused" });
  });

  test("is named by nothing in the context", async () => {
    const { code, error } = await askAs(KIM, LEAVE, { context: { collection: "hr" } });
    expect([code, error]).toEqual([400, expect.stringContaining("Unknown option `context.collection`.")]);
  });

  test("without a name asks all that the caller may see, and names each source with its collection", async () => {
    expect(await askAs(ADA, LEAVE)).toMatchObject({ references: [{ collection: "人事 HR" }] });
    expect((await askAs(ADA, "When does the office open in the morning?")).references).toEqual([
      expect.not.objectContaining({ collection: expect.anything() }),
    ]);
    const reply = await post("/v1/chat/completions", { model: "emend", messages: [said(LEAVE)] }, bearer(ADA));
    expect(await reply.text()).toContain("(`leave.md`) · 人事 HR");
  });

  test("does not name the collection of a document to a reader who may not choose it", async () => {
    const { text, references } = await askAs(BO, "In which bay may Bo park the van?");
    expect(text).toContain("bay 12");
    expect(references).toEqual([expect.not.objectContaining({ collection: expect.anything() })]);
  });

  test("is in the conversation that it began, and in the record of the run", async () => {
    const threadId = crypto.randomUUID();
    await askAs(ADA, LEAVE, { collection: "hr", threadId });
    const { turns } = (await (await get(`/api/threads/${threadId}`, ADA)).json()) as Conversation;
    expect(turns[0]?.citations[0]?.collection).toBe("人事 HR");
    expect(recorded.at(-1)?.collections).toEqual(["hr"]);
    await askAs(ADA, LEAVE);
    expect(recorded.at(-1)).not.toHaveProperty("collections");
  });

  test("streams claims whose sources name it", async () => {
    const reply = await post("/api/ask", { question: LEAVE, collection: "hr", stream: true }, bearer(ADA));
    const events = (await reply.text()).split("\n").filter((line) => line.startsWith("data: "));
    const claim = events.map((line) => JSON.parse(line.slice(6))).find(({ type }) => type === "claim");
    expect(claim.references[0].collection).toBe("人事 HR");
  });
});

const said = (content: string) => ({ role: "user", content });

describe("a collection that the caller may not choose is like one that does not exist:", () => {
  const DOORS = (name: string): [string, object][] => [
    ["/api/ask", { question: LAPTOP, collection: name }],
    ["/api/ask", { question: LAPTOP, collection: ["hr", name], stream: true }],
    ["/api/search", { query: "laptop", collection: name }],
    ["/api/verify", { text: "A broken laptop is replaced within 2 days.", collection: name }],
    ["/v1/chat/completions", { model: `emend/${name}`, messages: [said(LAPTOP)] }],
    ["/v1/responses", { model: `emend/${name}`, input: LAPTOP }],
  ];
  test.each(DOORS("it-support").map(([path, body], i) => [path, body, DOORS("nowhere")[i]?.[1] ?? {}] as const))(
    "%s %j",
    async (path, hidden, unknown) => {
      const [one, other] = [await post(path, hidden, bearer(ADA)), await post(path, unknown, bearer(ADA))];
      expect(one.status).toBe(path.startsWith("/v1/") ? 404 : 400);
      const text = await one.text();
      expect(text.replaceAll("it-support", "nowhere")).toBe(await other.text());
      expect(text).toContain("hr");
      expect(text).not.toContain("IT support");
    },
  );

  test("OpenAI's error says so in its own form", async () => {
    const reply = await post("/v1/responses", { model: "emend/it-support", input: LAPTOP }, bearer(ADA));
    expect(await reply.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
    expect((await get("/v1/models/emend/it-support", ADA)).status).toBe(404);
    expect(await (await get("/v1/models/emend%2Fhr", ADA)).json()).toMatchObject({ id: "emend/hr", name: "人事 HR" });
  });

  test("its documents are not found, and neither are their passages by id", async () => {
    const found = await post("/api/search", { query: "laptop password 密码" }, bearer(ADA));
    expect(await found.text()).not.toMatch(/laptop|密码|it-support/);
    const bay = await post("/api/search", { query: "van bay 12" }, bearer(BO));
    expect(await bay.text()).toMatch(/^(?!.*"hr").*bay 12/);
    for (const id of ["laptop", "密码"])
      expect((await get(`/api/passages/${encodeURIComponent(id)}`, ADA)).status).toBe(404);
    expect((await get("/api/passages/laptop", BO)).status).toBe(200);
  });
});

describe("OpenAI's doors answer from the collection that the model names", () => {
  test.each([
    ["/v1/chat/completions", { messages: [said(LEAVE)] }],
    ["/v1/responses", { input: LEAVE }],
  ])("%s", async (path, body) => {
    const answered = await (await post(path, { ...body, model: "emend/hr" }, bearer(KIM))).text();
    expect(answered).toContain("28 days");
    expect(JSON.parse(answered).model).toBe("emend/hr");
    expect(await (await post(path, { ...body, model: "emend/it-support" }, bearer(KIM))).text()).not.toContain(
      "28 days",
    );
  });
});

test("search, verification and examples stay in a collection", async () => {
  const search = async (collection: string) =>
    (await post("/api/search", { query: "days of paid leave", collection }, bearer(KIM))).text();
  expect(await search("hr")).toContain("28 days");
  expect(await search("it-support")).not.toContain("28 days");
  const verify = async (collection: string) =>
    (await post("/api/verify", { text: PASSAGES[0]?.text, collection }, bearer(KIM))).text();
  expect(await verify("hr")).toContain('"supported":true');
  expect(await verify("it-support")).toContain('"supported":false');
  const examples = async (collection: string) => (await get(`/api/examples?collection=${collection}`, KIM)).text();
  expect(await examples("hr")).toContain("leave");
  expect(await examples("it-support")).not.toContain("leave");
  expect((await get("/api/examples?collection=it-support", ADA)).status).toBe(400);
});

describe("over MCP", () => {
  const connected = async (token: string) => {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: bearer(token) };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }));
    return client;
  };
  const toolsOf = async (token: string) => {
    const { tools } = await (await connected(token)).listTools();
    return new Map(tools.map((tool) => [tool.name, tool]));
  };

  test("each collection that the caller may choose has tools that say what is in it", async () => {
    const tools = await toolsOf(BO);
    expect([...tools.keys()]).toEqual([
      "ask",
      "search",
      "ask_it_support",
      "search_it_support",
      "read",
      "verify",
      "cite",
    ]);
    expect(tools.get("ask_it_support")).toMatchObject({
      title: "Ask IT support",
      description: expect.stringMatching(/^IT support: Laptops and passwords\. Answers/),
    });
    expect(JSON.stringify([...(await toolsOf(ADA)).values()])).not.toMatch(/it_support|IT support/);
  });

  test("a tool finds what is in its collection", async () => {
    const client = await connected(KIM);
    const call = async (name: string, args: object) =>
      JSON.stringify(await client.callTool({ name, arguments: { ...args } }));
    expect(await call("ask_hr", { question: LEAVE })).toContain("28 days");
    expect(await call("ask_it_support", { question: LEAVE })).not.toContain("28 days");
    expect(await call("search_hr", { query: "leave" })).toContain("28 days");
    expect(await call("search_it_support", { query: "days leave" })).not.toContain("28 days");
    const filter = [{ key: "collection", values: ["hr"] }];
    expect(await call("ask_it_support", { question: LEAVE, filter })).not.toContain("28 days");
    expect(await call("ask", { question: LEAVE })).toContain("人事 HR");
  });

  test("a tool of another's collection does not exist", async () => {
    const client = await connected(ADA);
    const reply = await client.callTool({ name: "ask_it_support", arguments: { question: LAPTOP } });
    expect(reply).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("not found") }] });
  });
});

test("a question to a collection over MCP counts as a question, like any other", async () => {
  const few = await listening({ perMinute: 2, collections: COLLECTIONS });
  const call = async (name: string, given: object) => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
    return (await few.post("/mcp", message, { Accept: "application/json, text/event-stream" })).status;
  };
  expect([await call("ask", { question: LEAVE }), await call("ask_hr", { question: LEAVE })]).toEqual([200, 200]);
  expect(await call("ask_hr", { question: LEAVE })).toBe(429);
  expect(await call("search_hr", { query: "leave" })).toBe(200);
});

describe("the context of a collection", () => {
  const [hr, it] = [
    { name: "hr", title: "HR", description: "", context: { sources: { web: false }, instructions: "Be brief." } },
    { name: "it", title: "IT", description: "", context: { budget: { seconds: 20, calls: 50 }, staleAfter: 30 } },
  ];
  const shown = [hr, it].flatMap((one) => one ?? []);
  const server = contextOf({ context: { budget: { calls: 4 }, filter: [{ key: "status", values: ["final"] }] } });
  const inside = (names?: string[]) => within(server, chosenFrom(shown, names));

  test("narrows what the server allows and widens nothing", () => {
    const filter = [...server.filter, { key: "collection", values: ["it"] }];
    expect(inside(["it"])).toMatchObject({ filter, budget: { seconds: 20, calls: 4 }, staleAfter: 30 });
    expect(inside(["it"]).sources.web).toBe(true);
    expect(inside(["hr"])).toMatchObject({ sources: { web: false }, instructions: "Be brief.", staleAfter: 730 });
  });

  test.each([[["hr", "it"]], [undefined]])("limits a question to %j as each of them does, but styles none", (names) => {
    expect(inside(names)).toMatchObject({
      sources: { web: false },
      budget: { seconds: 20, calls: 4 },
      instructions: "",
      staleAfter: 730,
      filter: names ? [...server.filter, { key: "collection", values: names }] : server.filter,
    });
  });

  test("has no filter", () => {
    expect(() =>
      createServer({ agent: {} as never, collections: { hr: { context: { filter: [] } as never } } }),
    ).toThrow("Unknown option `collections.hr.context.filter`.");
    expect(() => createServer({ agent: {} as never, collections: { HR: {} } })).toThrow(
      "collections.HR: must be a name",
    );
  });
});

describe("uploads", async () => {
  const database = openDatabase(join(folder, "store"));
  const documents = sqlDocuments(openDatabase(join(folder, "store")));
  const server = await listening({
    tools: { documents, knowledge: inMemoryKnowledge() },
    tokens: [ADA, BO, KIM, LEO],
    userOf,
    uploads: { database, folder },
    collections: { ...COLLECTIONS, news: { title: "News", readers: ["everyone"] } },
  });
  afterAll(async () => {
    await server.drain(0);
    await database.close();
  });
  const send = async (token: string, name: string, text: string, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [key, value] of Object.entries(fields)) form.append(key, value);
    form.append("files", new File([text], name));
    const reply = await fetch(`${server.address}/api/documents`, {
      method: "POST",
      body: form,
      headers: bearer(token),
    });
    return { code: reply.status, ...((await reply.json()) as { error?: string; documents?: { id: string }[] }) };
  };
  const metadataOf = async (id = "") => {
    for (;;) {
      const [stored] = await documents.get([`${id}#0`]);
      if (stored) return stored.metadata;
      await sleep(20);
    }
  };

  test("go into the collection that is named, with its readers, whatever the file states", async () => {
    const text = "---\ncollection: it-support\nreaders: everyone\ntopic: pay\n---\n# Pay\n\nPay day is the 25th.\n";
    const { code, documents: taken } = await send(ADA, "pay.md", text, { collection: "hr" });
    expect(code).toBe(202);
    expect(await metadataOf(taken?.[0]?.id)).toMatchObject({
      collection: "hr",
      readers: "group:hr\ngroup:audit",
      topic: "pay",
    });
    const ask = async (token: string, rest: object) =>
      (await server.post("/api/ask", { question: "Which day is pay day?", ...rest }, bearer(token))).text();
    expect(await ask(ADA, { collection: "hr" })).toContain("25th");
    expect(await ask(BO, {})).not.toContain("25th");
  });

  test("go into none without a name, and a file alone gives nobody the right to read it", async () => {
    const text = "---\ncollection: hr\nreaders: everyone\n---\n# Safe\n\nThe safe is in room 7.\n";
    const { documents: taken } = await send(KIM, "safe.md", text);
    const metadata = await metadataOf(taken?.[0]?.id);
    expect(metadata).not.toHaveProperty("collection");
    expect(metadata).not.toHaveProperty("readers");
  });

  test.each([
    ["a collection of others", { collection: "it-support" }, 'no collection \\"it-support\\". Choose from: hr, news.'],
    ["a collection as metadata", { metadata: '{"Collection": "hr"}' }, "in the field `collection`"],
    ["a collection as its scope", { scope: '[{"key": "collection", "values": ["hr"]}]' }, "in the field `collection`"],
    ["readers of its own", { collection: "hr", metadata: '{"readers": "everyone"}' }, "leave `readers` out"],
  ])("refuse %s", async (_, fields, words) => {
    const { code, error } = await send(ADA, "note.md", "# Note\n\nA note.", fields as Record<string, string>);
    expect([code, JSON.stringify(error)]).toEqual([400, expect.stringContaining(words)]);
  });

  test("stay in the collection that the client's scope names", async () => {
    const codeOf = async (fields: Record<string, string>) =>
      (await send(LEO, "leo.md", "# Leo\n\nA note.", fields)).code;
    expect(await codeOf({ collection: "hr" })).toBe(202);
    for (const fields of [{}, { collection: "it-support" }, { collection: "news" }])
      expect(await codeOf(fields as Record<string, string>)).toBe(400);
  });

  test("ask for readers only where the collection does not say them", async () => {
    const scopeIn = async (query: string) => {
      const reply = await fetch(`${server.address}/api/rights${query}`, { headers: bearer(ADA) });
      return ((await reply.json()) as { upload: { scope: unknown[] } }).upload.scope;
    };
    expect(await scopeIn("")).toEqual([{ key: "readers", values: USERS[ADA] }]);
    expect(await scopeIn("?collection=hr")).toEqual([]);
  });
});
