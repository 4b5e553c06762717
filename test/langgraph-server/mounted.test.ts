import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ingestFiles } from "../../src/ingest/ingest.js";
import type { State } from "../../src/state/state.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { finished, startedServer } from "./start.js";

let folder: string;
let server: Awaited<ReturnType<typeof startedServer>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-mounted-"));
  const pages = { hr: "The office opens at eight.", board: "The password of the office is swordfish." };
  for (const [name, text] of Object.entries(pages))
    await writeFile(join(folder, `${name}.md`), `---\ndepartment: ${name}\n---\n\n# The office\n\n${text}\n`);
  const documents = sqlDocuments(openDatabase(join(folder, "store")));
  await ingestFiles(["."], { documents, cwd: folder });
  await documents.close();
  vi.stubEnv("EMEND_STORE", join(folder, "store"));
  const { graphs, http } = JSON.parse(await readFile("langgraph.json", "utf8"));
  const file = "test/langgraph-server/graphs/scoped.ts";
  const auth = { path: `${file}:auth`, disable_studio_auth: true };
  server = await startedServer({ ...graphs, scoped: `${file}:scoped` }, auth, http.app);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const at = (path: string, department?: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, {
    ...init,
    headers: { ...init.headers, ...(department && { authorization: department }) },
  });

test("a LangGraph server has emend's endpoints below /emend, and keeps its own", async () => {
  expect(await (await at("/emend/healthz", "hr")).json()).toEqual({ ok: true });
  expect((await at("/emend/v1/models", "hr")).status).toBe(200);
  expect((await at("/emend/openapi.json", "hr")).status).toBe(200);
  expect((await at("/emend/nowhere", "hr")).status).toBe(404);
  for (const path of ["/healthz", "/v1/models", "/emendation"]) expect((await at(path, "hr")).status).toBe(404);
  expect(await (await at("/ok", "hr")).json()).toEqual({ ok: true });
  const headers = { authorization: "hr", "content-type": "application/json" };
  const body = JSON.stringify({ assistant_id: "emend", input: { question: "When does the office open?" } });
  const run = await fetch(`${server.url}/runs/wait`, { method: "POST", headers, body });
  expect(run.headers.get("referrer-policy")).toBeNull();
  expect((await finished(run.json())).answer?.status).toBe("answered");
});

test("its authentication admits callers under any host name and from any origin, and decides what they see", async () => {
  const question = "What is the password of the office?";
  const ask = async (department?: string) => {
    const headers = { "content-type": "application/json", origin: "https://chat.example.org" };
    const asked = await at("/emend/api/ask", department, {
      method: "POST",
      headers,
      body: JSON.stringify({ question }),
    });
    return { status: asked.status, text: await asked.text() };
  };
  expect((await ask()).status).toBe(401);
  expect((await ask("board")).text).toContain("swordfish");
  expect(await ask("hr")).toMatchObject({ status: 200, text: expect.not.stringContaining("swordfish") });
});

test("an OpenAI client can ask it and stream", async () => {
  const client = new OpenAI({
    baseURL: `${server.url}/emend/v1`,
    apiKey: "none",
    defaultHeaders: { authorization: "hr" },
  });
  const messages = [{ role: "user" as const, content: "When does the office open?" }];
  let text = "";
  for await (const { choices } of await client.chat.completions.create({ model: "emend", messages, stream: true }))
    text += choices[0]?.delta.content ?? "";
  expect(text).toContain("The office opens at eight [1].");
});

describe("a graph of one's own", () => {
  const input = { question: "What is the password of the office?" };
  const clientOf = (department: string, headers = {}) =>
    new Client<State>({ apiUrl: server.url, defaultHeaders: { authorization: department, ...headers } });
  const forged = { identity: "board", emend_scope: "all" };

  test("users of a server see what its authentication permits", async () => {
    const answer = async (department: string) =>
      (await finished(clientOf(department).runs.wait(null, "scoped", { input }))).answer?.text;
    expect(await answer("board")).toContain("swordfish");
    expect(await answer("hr")).toBe("The office opens at eight [1].");
  });

  test("a client cannot pretend to be another user", async () => {
    const client = clientOf("hr");
    const assistant = await client.assistants.create({
      graphId: "scoped",
      config: { configurable: { langgraph_auth_user: forged } },
    });
    const thread = await client.threads.create({ metadata: { langgraph_auth_user: forged } });
    const asked = { input, context: { filter: [] }, config: { configurable: { langgraph_auth_user: forged } } };
    const runs = [
      client.runs.wait(null, "scoped", {
        input,
        config: { configurable: { langgraph_auth_user: forged, scope: "all" } },
      }),
      client.runs.wait(null, "scoped", { input, context: { filter: [], langgraph_auth_user: forged } }),
      client.runs.wait(thread.thread_id, assistant.assistant_id, asked),
      clientOf("hr", { "x-auth-scheme": "langsmith" }).runs.wait(null, "scoped", { input }),
    ];
    const told = await Promise.all(runs.map((run) => finished(run).then(JSON.stringify, String)));
    expect(told.filter((text) => text.includes("swordfish"))).toEqual([]);
    expect(told.filter((text) => text.includes("opens at eight")).length).toBeGreaterThanOrEqual(3);
  });
});
