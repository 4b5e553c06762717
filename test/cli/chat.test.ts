import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { fakeServer, hangs, type ServerRequest, says, saysJson } from "../tools/chat/fake-server.js";
import { ended, folder, OFFICES } from "./emend.js";

let offices: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  offices = await folder(OFFICES);
  const { code, stderr } = await offices.run(["ingest", "docs"]);
  if (code !== 0) throw new Error(stderr);
}, 30_000);
afterAll(() => offices[Symbol.asyncDispose]());

test("chat answers one line after another, and understands a follow-up", async () => {
  const lines = "When does the Lisbon office open?\n\nAnd the Utrecht office?\n";
  const { code, stdout, stderr } = await offices.run(["chat", "--trace"], {}, lines);
  const [first = "", second = ""] = stdout.split(/^confidence .*\n\n/m);
  expect(first).toContain("The Lisbon office opens at eight in the morning [1].");
  expect(second).toContain("The Utrecht office opens at nine [");
  expect(stdout).toContain("(the follow-up, made to stand on its own)");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("chat understands a follow-up in Chinese", async () => {
  const { code, stdout } = await offices.run(["chat"], { EMEND_ENCODER: "" }, "上海办公室几点开门？\n几点关门？\n");
  expect(stdout.match(/上海办公室早上九点开门，晚上六点关门\[1\]。/g)?.length).toBe(2);
  expect(code).toBe(0);
});

test("/quit ends the conversation and ignores the lines after it", async () => {
  const { code, stdout } = await offices.run(["chat"], {}, "/quit\nWhen does the Lisbon office open?\n");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});

test("chat asks a clarifying question, and takes the next line as the reply", async () => {
  const utrecht = "The Utrecht office opens at nine.";
  await using server = await fakeServer((request, response) => {
    const drafts = server.requests.filter((earlier) => nameOf(earlier) === "answer");
    const answer = drafts.length === 1 ? "I don't know.\nAsk: Which office do you mean?" : `${utrecht} [1]`;
    const question = { question: "When does the Utrecht office open?" };
    return (nameOf(request) === "answer" ? says(answer) : saysJson(question))(request, response);
  });
  const settings = { EMEND_MODEL: "able", OPENAI_BASE_URL: server.baseURL };
  const { code, stdout, stderr } = await offices.run(["chat"], settings, "When does it open?\nThe one in Utrecht.\n");
  expect(stdout).toMatch(/^Which office do you mean\?\n\nThe Utrecht office opens at nine \[1\]\.\n\nSources\n/);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("Ctrl-C ends the conversation with exit code 130", async () => {
  await using server = await fakeServer(hangs);
  const child = offices.start(["chat"], { EMEND_MODEL: "slow", OPENAI_BASE_URL: server.baseURL });
  child.stdin.write("When does the Lisbon office open?\n");
  const end = ended(child);
  await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(1);
  child.kill("SIGINT");
  expect(await end).toEqual({ code: 130, stdout: "", stderr: "" });
});

const nameOf = (request: ServerRequest) => request.response_format?.json_schema?.name ?? "answer";

afterEach(() => void vi.useRealTimers());

/** The conversations in the store of a folder. */
async function threadsIn(path: string): Promise<string[]> {
  const threads = sqlThreads(openDatabase(join(path, ".emend")));
  try {
    return await threads.threads();
  } finally {
    await threads.close();
  }
}

test("forget deletes conversations by name and by age, and reports a name without a conversation", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  for (const _ of [1, 2]) await here.run(["chat"], {}, "When does the Lisbon office open?\n");
  const [first = "", second = ""] = await threadsIn(here.path);
  expect(await here.run(["forget"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--older-than") });
  expect(await here.run(["forget", first, "nobody's"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no conversation nobody's"),
  });
  expect(await threadsIn(here.path)).toEqual([first, second]);
  expect((await here.run(["forget", first])).stdout).toBe("1 conversation deleted.\n");
  expect(await threadsIn(here.path)).toEqual([second]);

  expect((await here.run(["forget", "--older-than", "2"])).stdout).toBe("0 conversations deleted.\n");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 86_400_000 });
  expect((await here.run(["forget", "--older-than", "2"])).stdout).toBe("1 conversation deleted.\n");
  expect(await threadsIn(here.path)).toEqual([]);
});
