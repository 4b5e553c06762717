import { on } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { ended, folder, MAIN } from "./emend.js";

const PROJECT = {
  title: "The team's handbook",
  description: "Rules of the whole team.",
  collections: {
    hr: { title: "HR", description: "Leave, pay and travel.", sources: ["docs/hr"], readers: ["group:hr"] },
    it: {
      title: "IT",
      description: "Laptops and passwords.",
      sources: ["docs/it"],
      context: { sources: { web: false } },
    },
  },
};

/** A folder with an `emend.json`, whose sources are in the store. */
async function project() {
  const here = await folder({
    "emend.json": JSON.stringify(PROJECT),
    "docs/hr/leave.md": "# Leave\n\nFull-time staff have 28 days of paid leave.\n",
    "docs/hr/差旅.md": "# 差旅\n\n出国差旅由部门负责人审批。\n",
    "docs/it/laptop.md": "---\ncollection: hr\n---\n# Laptops\n\nA broken laptop is replaced within 2 days.\n",
  });
  expect(await here.run(["sync"])).toMatchObject({ code: 0, stderr: "" });
  return here;
}

const LEAVE = "How many days of paid leave do full-time staff have?";

test("ask answers from the collections that are named, and names the collection of each source", async () => {
  await using here = await project();
  const inHr = await here.run(["ask", LEAVE, "--collection", "hr"]);
  expect([inHr.code, inHr.stdout]).toEqual([0, expect.stringContaining("HR · docs/hr/leave.md")]);
  const chinese = await here.run(["ask", "谁审批出国差旅？", "--collection", "hr,it"]);
  expect(chinese.stdout).toContain("HR · docs/hr/差旅.md");
  expect((await here.run(["ask", LEAVE, "--collection", "it"])).code).toBe(3);
  const { references } = JSON.parse((await here.run(["ask", LEAVE, "--json"])).stdout);
  expect(references).toMatchObject([{ collection: "HR" }]);
});

test("the record of a run names its collections", async () => {
  await using here = await project();
  await here.run(["ask", LEAVE, "--collection", "it"]);
  const runs = sqlRuns(openDatabase(join(here.path, ".emend")));
  expect(await runs.find({}, 1)).toMatchObject([{ collections: ["it"] }]);
  expect((await here.run(["runs", "show", "1"])).stdout).toMatch(/^collections +it$/m);
});

test("chat and search stay in a collection", async () => {
  await using here = await project();
  expect((await here.run(["chat", "--collection", "hr"], {}, `${LEAVE}\n`)).stdout).toContain("28 days");
  expect((await here.run(["chat", "--collection", "it"], {}, `${LEAVE}\n`)).stdout).not.toContain("28 days");
  expect((await here.run(["search", "days", "--collection", "it"])).stdout).not.toContain("28 days");
  expect((await here.run(["search", "days", "--collection", "hr"])).stdout).toContain("28 days");
});

test.each(["ask", "chat", "search"])("%s refuses a collection that emend.json does not name", async (command) => {
  await using here = await project();
  const { code, stderr } = await here.run([
    command,
    ...(command === "chat" ? [] : ["Why?"]),
    "--collection",
    "hr, fun",
  ]);
  expect([code, stderr]).toEqual([2, 'emend: There is no collection "fun". Choose from: hr, it.\n']);
});

test("where emend.json names no collection, --collection says where to run it", async () => {
  await using other = await folder({ "a.md": "Tea is at three." });
  const { code, stderr } = await other.run(["search", "tea", "--collection", "hr"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("Run this in its folder") });
});

test("an answer outside of collections says nothing of them", async () => {
  await using here = await project();
  writeFileSync(join(here.path, "emend.json"), "{}");
  const { references } = JSON.parse((await here.run(["ask", LEAVE, "--json"])).stdout);
  expect(references[0]).not.toHaveProperty("collection");
});

test("mcp offers tools for each collection, also when it is started elsewhere", async () => {
  await using here = await project();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "--store", join(here.path, ".emend"), "mcp"],
    cwd: "/",
    env: { EMEND_ENCODER: "off", PATH: process.env.PATH ?? "" },
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  expect(client.getServerVersion()).toMatchObject({ name: "The team's handbook" });
  expect(client.getInstructions()).toMatch(/^The team's handbook: Rules of the whole team\. Quotes/);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["ask", "search", "ask_hr", "search_hr", "ask_it", "search_it"]),
  );
  expect(JSON.stringify(await client.callTool({ name: "ask_hr", arguments: { question: LEAVE } }))).toContain(
    "28 days",
  );
  await client.close();
});

test("serve offers the collections that emend.json names", async () => {
  await using here = await project();
  const server = here.start(["serve", "--port", "0"]);
  const end = ended(server);
  const [line] = (await on(createInterface({ input: server.stdout }), "line").next()).value ?? [];
  const address = /http:\S+/.exec(line)?.[0];
  const { collections } = (await (await fetch(`${address}/api/collections`)).json()) as { collections: unknown[] };
  expect(collections).toEqual([
    { name: "hr", title: "HR", description: "Leave, pay and travel." },
    { name: "it", title: "IT", description: "Laptops and passwords." },
  ]);
  server.kill();
  await end;
});
