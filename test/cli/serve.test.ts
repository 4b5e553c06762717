import { on, once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, folder, OFFICES } from "./emend.js";

let offices: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  offices = await folder(OFFICES);
  await offices.run(["ingest", "docs"]);
}, 30_000);
afterAll(() => offices[Symbol.asyncDispose]());

test("serve answers at the address that it prints, says where to review questions, and ends on a signal", async () => {
  const made = {
    ...{ id: "one passage: docs/offices.md#0", question: "When does it open?", answer: "eight", passages: [] },
    tags: ["made", "one passage"],
  };
  await writeFile(join(offices.path, "made.jsonl"), JSON.stringify(made));
  const server = offices.start(["serve", "--port", "0", "--review", "made.jsonl"]);
  const end = ended(server);
  const lines = on(createInterface({ input: server.stdout }), "line");
  const [address = ""] = /http:\S+/.exec((await lines.next()).value?.[0]) ?? [];
  expect((await lines.next()).value?.[0]).toContain(`${address}/#/quality/questions`);
  const reply = await fetch(`${address}/api/ask`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ question: "When does the Lisbon office open?" }),
  });
  expect(await reply.json()).toMatchObject({ status: "answered" });
  expect(await (await fetch(address)).text()).toContain('<script type="module" src="main.js">');
  const listed = await fetch(`${address}/api/quality/questions`);
  expect(await listed.json()).toEqual({ questions: [{ ...made, isKept: false, isDropped: false }] });
  expect(await readFile(join(offices.path, "made.jsonl"), "utf8")).toBe(JSON.stringify(made));
  server.kill("SIGTERM");
  expect((await end).code).toBe(0);
});

test("serve begins with an empty store and takes documents, and ingest leaves them and their files alone", async () => {
  await using empty = await folder({ "docs/parking.md": "# Parking\n\nGuests park behind the gate.\n" });
  const server = empty.start(["serve", "--port", "0"], { EMEND_UPLOADS: "kept" });
  const end = ended(server);
  const [line] = (await on(createInterface({ input: server.stdout }), "line").next()).value ?? [];
  const documents = `${/http:\S+/.exec(line)?.[0]}/api/documents`;
  const form = new FormData();
  form.append("files", new Blob(["# Leave\n\n", "Staff have 28 days of leave.\n\n".repeat(200)]), "leave.md");
  expect((await fetch(documents, { method: "POST", body: form })).status).toBe(202);
  for (let text = ""; !text.includes('"ready"'); text = await (await fetch(documents)).text()) await sleep(50);
  expect((await empty.run(["ingest", "."])).stdout).toMatch(/^1 added, 0 changed, 0 unchanged, 0 removed, 0 failed/);
  await writeFile(join(empty.path, "emend.json"), '{"sources": ["docs"]}');
  expect((await empty.run(["sync", "--prune"])).stdout).toMatch(/^0 added, 0 changed, 1 unchanged, 0 removed/);
  expect((await empty.run(["list"])).stdout).toMatch(/docs\/parking\.md\n.*upload:leave\.md\n2 documents/);
  server.kill("SIGTERM");
  expect((await end).code).toBe(0);
});

test("serve refuses to begin with an empty store if nobody may add documents", async () => {
  await using empty = await folder({});
  const tokens = { EMEND_TOKENS: "a-token-that-is-long-enough-to-use" };
  const { code, stderr } = await empty.run(["serve", "--port", "0"], tokens);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("No documents in .emend") });
});

test("serve on a port that is taken says what to do", async () => {
  await using taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const { code, stderr } = await offices.run(["serve", "--port", `${port}`]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `emend: Port ${port} is taken. Choose another one with --port.\n`,
  });
});

test("serve refuses to listen on a public address without tokens", async () => {
  const { code, stderr } = await offices.run(["serve", "--host", "0.0.0.0"]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      "emend: Others can reach 0.0.0.0. Say who may ask: make a token with emend token add, set EMEND_TOKENS, or let users sign in (docs/sign-in.md).\n",
  });
});

test("serve --review refuses two questions of one id, of which only the first could be changed", async () => {
  const line = JSON.stringify({ id: "a", question: "When?", answer: "eight", passages: [], tags: ["made"] });
  await writeFile(join(offices.path, "twice.jsonl"), `${line}\n${line}\n`);
  const { code, stderr } = await offices.run(["serve", "--port", "0", "--review", "twice.jsonl"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('two questions have the id "a"') });
});

test.each([
  ["a file that is not there", "nowhere.jsonl", {}, /nowhere\.jsonl cannot be read/],
  ["a file without generated questions", "docs/offices.md", {}, /no questions that emend eval make wrote/],
  ["tokens", "nowhere.jsonl", { EMEND_TOKENS: "a-token-that-is-long-enough-to-use" }, /Set EMEND_OPERATOR_TOKENS/],
])("serve --review refuses %s before it listens", async (_name, file, settings, said) => {
  const { code, stdout, stderr } = await offices.run(["serve", "--port", "0", "--review", file], settings);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(said) });
});

test("mcp serves a client that starts it", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [resolve("dist/cli/main.js"), "mcp"],
      cwd: offices.path,
      env: { PATH: process.env.PATH ?? "", EMEND_ENCODER: "off" },
      stderr: "inherit",
    }),
  );
  const { structuredContent } = await client.callTool({ name: "ask", arguments: { question: "上海办公室几点开门？" } });
  expect(structuredContent).toMatchObject({ status: "answered" });
  await client.close();
});

test("chat continues a conversation where it ended, and /new begins another", async () => {
  await offices.run(["chat"], {}, "When does the Lisbon office open?\n/sources\n");
  const resumed = await offices.run(["chat", "--resume", "--trace"], {}, "And the Utrecht office?\n");
  expect(resumed.stdout).toContain("(the follow-up, made to stand on its own)");
  const fresh = await offices.run(["chat", "--resume", "--trace"], {}, "/new\nAnd the Utrecht office?\n/nothing\n");
  expect(fresh.stdout).not.toContain("made to stand on its own");
  expect(fresh.stdout).toContain("Unknown command /nothing.\n/sources");
});
