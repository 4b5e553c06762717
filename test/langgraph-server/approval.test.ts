import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ingestFiles } from "../../src/ingest/ingest.js";
import type { State } from "../../src/state/state.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { smallWeb } from "../tools/web/small-web.js";
import { finished, startedServer } from "./start.js";

const pages = {
  "/bridge": "The Vasco da Gama bridge was opened in 1998, after three years of work on both banks of the river.",
  "/大桥": "瓦斯科达伽马大桥于1998年通车，位于里斯本东部的特茹河上，是欧洲最长的桥梁之一。",
};

let folder: string;
let web: Awaited<ReturnType<typeof smallWeb>>;
let server: Awaited<ReturnType<typeof startedServer>>;
let thread: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-approval-"));
  await writeFile(join(folder, "offices.md"), "# Offices\n\nThe Lisbon office opens at eight.\n");
  const documents = sqlDocuments(openDatabase(join(folder, "store")));
  await ingestFiles(["offices.md"], { documents, cwd: folder });
  await documents.close();
  web = await smallWeb(pages);
  vi.stubEnv("EMEND_STORE", join(folder, "store"));
  for (const [name, value] of Object.entries(web.settings)) vi.stubEnv(name, value);
  server = await startedServer(JSON.parse(await readFile("langgraph.json", "utf8")).graphs);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  thread = (await server.client.threads.create()).thread_id;
});

const context = { web: { approve: true } };

const edited = (query: string) => ({
  decisions: [{ type: "edit", edited_action: { name: "search_web", args: { query } } }],
});

/** Asks, and resumes with this reply and no context. Returns the interrupt, the sent queries, the answer and the log. */
async function replied(question: string, resume: unknown) {
  const before = web.searched().length;
  const run = (given: object) => finished(server.client.runs.wait(thread, "emend", given));
  await run({ input: { question }, context });
  const { next, tasks } = await server.client.threads.getState(thread);
  expect({ next, sent: web.searched().slice(before) }).toEqual({ next: ["searchWeb"], sent: [] });
  const { answer, decisions } = await run({ command: { resume } });
  return { shown: tasks[0]?.interrupts[0]?.value, sent: web.searched().slice(before), answer, decisions };
}

describe.each([
  ["In which year was the Vasco da Gama bridge opened?", "Ponte Vasco da Gama"],
  ["瓦斯科达伽马大桥是哪一年通车的？", "里斯本大桥"],
])("a web search that needs approval: %s", (question, other) => {
  test("shows its queries, waits, and sends them once they are approved", async () => {
    const { shown, sent, answer } = await replied(question, true);
    expect(shown).toEqual({
      question: "",
      reason: { code: expect.any(String) },
      queries: [question],
      action_requests: [
        { name: "search_web", args: { query: question }, description: expect.stringContaining(question) },
      ],
      review_configs: [{ action_name: "search_web", allowed_decisions: ["approve", "edit", "reject"] }],
    });
    expect(sent).toEqual([question]);
    expect(answer).toMatchObject({ status: "answered", text: expect.stringContaining("1998") });
  });

  test.each([
    ["as text", other],
    ["as a list", [other]],
    ["in the form they were shown in", { queries: [other] }],
    ["as a decision", edited(other)],
  ])("sends the queries that a person gives instead, %s", async (_, resume) => {
    expect((await replied(question, resume)).sent).toEqual([other]);
  });

  test("sends them if a decision approves them, and the request for approval stays in the thread", async () => {
    expect((await replied(question, { decisions: [{ type: "approve" }] })).sent).toEqual([question]);
    const { values } = await server.client.threads.getState<State>(thread);
    const [asked, answered] = values.messages.slice(1).map(({ content }) => String(content));
    expect(values.messages).toHaveLength(3);
    expect(asked).toMatch(/^(?:Search the web for this\?|要上网搜索吗？)/);
    expect(answered).toContain("1998");
  });

  test.each([["no"], ["否"], [[]], ["2"]])("sends nothing if they are rejected by %j", async (resume) => {
    const { sent, answer, decisions } = await replied(question, resume);
    expect(sent).toEqual([]);
    expect(answer?.status).toBe("refused");
    expect(decisions.map(({ reason }) => reason)).toContainEqual({ code: "no_query_approved" });
  });
});

test("a run without a thread cannot ask, and sends nothing", async () => {
  const before = web.searched().length;
  const question = "In which year was the Vasco da Gama bridge opened?";
  const { answer } = await finished(server.client.runs.wait(null, "emend", { input: { question }, context }));
  expect(answer?.status).toBe("refused");
  expect(web.searched()).toHaveLength(before);
});
