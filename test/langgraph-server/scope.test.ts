import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { State } from "../../src/state/state.js";
import { finished, startedServer } from "./start.js";

let server: Awaited<ReturnType<typeof startedServer>>;
beforeAll(async () => {
  const file = "test/langgraph-server/graphs/scoped.ts";
  server = await startedServer({ scoped: `${file}:scoped` }, { path: `${file}:auth`, disable_studio_auth: true });
});
afterAll(() => server.stop());

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
