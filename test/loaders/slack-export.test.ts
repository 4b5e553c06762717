import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { slackExport } from "../../src/loaders/slack-export.js";
import { connectorContract, listed, textOf } from "./contract.js";

const signal = new AbortController().signal;
const workspace = "https://acme.slack.com/";

type Files = Record<string, unknown>;

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-slack-"));
});
afterAll(() => rm(folder, { recursive: true }));

const sample = (): Files => ({
  "users.json": [
    { id: "U1", name: "ada", profile: { real_name: "Ada Lovelace", email: "ada@example.org" } },
    { id: "U2", name: "bo", profile: { real_name: "", display_name: "Bo", email: "bo@example.org" } },
    { id: "U3", name: "cy", deleted: true, profile: { email: "cy@example.org" } },
  ],
  "channels.json": [{ id: "C1", name: "general", members: ["U1"], topic: {} }],
  "groups.json": [{ id: "G1", name: "pay", members: ["U2", "U3", "U9"] }],
  "dms.json": [{ id: "D1", members: ["U1", "U2"] }],
  "D1/2024-05-01.json": [{ ts: "1714554000.000100", user: "U1", text: "Between us" }],
  "general/2024-05-01.json": [
    {
      ts: "1714554000.000100",
      user: "U1",
      text: "When is the office open?",
      thread_ts: "1714554000.000100",
      reply_count: 1,
    },
    {
      ts: "1714554060.000200",
      user: "U2",
      text: "Lunch at <https://example.org/menu?a=1&amp;b=2|the [menu]>, <@U1>, see <#C1>. 1 &lt; 2",
    },
    { ts: "1714554070.000300", user: "U2", subtype: "channel_join", text: "<@U2> has joined" },
    {
      ts: "1714554080.000400",
      username: "Builds",
      subtype: "bot_message",
      text: "",
      attachments: [{ fallback: "Build 7 failed" }],
    },
    { ts: "1714554090.000500", user: "U1", text: "", files: [{ name: "plan.pdf", title: "Plan" }] },
  ],
  "general/2024-05-02.json": [
    {
      ts: "1714640400.000100",
      user: "U2",
      text: "From eight to five.\n• not on <!date^1^{date}|Sunday>",
      thread_ts: "1714554000.000100",
    },
  ],
  "pay/2024-05-01.json": [{ ts: "1714554000.000100", user: "U2", text: "每月十日。" }],
});

async function asFolder(files: Files): Promise<string> {
  const root = join(folder, `${count++}`);
  await mkdir(root);
  for (const [name, value] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), typeof value === "string" ? value : JSON.stringify(value));
  }
  return root;
}

async function asZip(files: Files, inside = ""): Promise<string> {
  const path = join(folder, `${count++}.zip`);
  const named = Object.entries(files).map(([name, value]) => [`${inside}${name}`, strToU8(JSON.stringify(value))]);
  await writeFile(path, zipSync(Object.fromEntries(named)));
  return path;
}

let files: Files;
beforeEach(() => {
  files = sample();
});

connectorContract("slackExport", async () => {
  let path = await asZip(files);
  const again = async () => {
    path = await asZip(files);
  };
  return {
    connect: () => slackExport({ path, workspace }),
    id: "G1/2024-05-01",
    change: () => {
      files["pay/2024-05-01.json"] = [{ ts: "1714554000.000100", user: "U2", text: "每月九日。" }];
      return again();
    },
    remove: () => {
      files["pay/2024-05-01.json"] = [];
      return again();
    },
    // Nothing is asked of anybody; the file may be out of reach.
    refuse: () => rm(path),
    secrets: ["每月"],
    [Symbol.asyncDispose]: async () => {},
  };
});

test("threads and days are documents with names, times, links and readers", async () => {
  const connector = slackExport({ path: await asZip(files), workspace });
  const [thread, day, pay, ...rest] = await listed(connector);
  expect(rest).toEqual([]);
  expect(thread).toEqual({
    id: "C1/1714554000.000100",
    version: expect.any(String),
    title: "#general: When is the office open?",
    url: "https://acme.slack.com/archives/C1/p1714554000000100",
    changedAt: "2024-05-02T09:00:00.000Z",
    readers: ["everyone"],
    metadata: { channel: "general", author: ["Ada Lovelace", "Bo"] },
  });
  expect(await textOf(connector, "C1/1714554000.000100")).toBe(`# #general: When is the office open?

Ada Lovelace, [2024-05-01 09:00](https://acme.slack.com/archives/C1/p1714554000000100): When is the office open?

Bo, [2024-05-02 09:00](https://acme.slack.com/archives/C1/p1714640400000100): From eight to five.
- not on Sunday
`);
  expect(day).toMatchObject({ id: "C1/2024-05-01", title: "#general, 2024-05-01" });
  expect(await textOf(slackExport({ path: await asFolder(files) }), "C1/2024-05-01")).toBe(`# #general, 2024-05-01

Bo, 09:01: Lunch at [the menu](https://example.org/menu?a=1&b=2), @Ada Lovelace, see #general. 1 < 2

Builds, 09:01: Build 7 failed

Ada Lovelace, 09:01: (Plan)
`);
  expect(pay).toMatchObject({ id: "G1/2024-05-01", readers: ["user:bo@example.org"] });
  await connector.close?.();
});

test("an archive, an archive of a folder and a folder hold the same", async () => {
  const all = await Promise.all(
    [await asZip(files), await asZip(files, "acme export/"), await asFolder(files)].map((path) =>
      listed(slackExport({ path })),
    ),
  );
  expect(all[1]).toEqual(all[0]);
  expect(all[2]).toEqual(all[0]);
});

test("members who come or go change the readers and not the version", async () => {
  const [before] = (await listed(slackExport({ path: await asZip(files) }))).filter(({ id }) => id.startsWith("G1"));
  files["groups.json"] = [{ id: "G1", name: "pay", members: ["U1"] }];
  const [after] = (await listed(slackExport({ path: await asZip(files) }))).filter(({ id }) => id.startsWith("G1"));
  expect(after).toEqual({ ...before, readers: ["user:ada@example.org"] });
});

test("a private channel among the public ones stays private, and direct messages are left out", async () => {
  files["channels.json"] = [
    { id: "C1", name: "general", is_private: true, members: ["U1"] },
    { id: "D1", name: "D1", is_im: true },
  ];
  const all = await listed(slackExport({ path: await asZip(files) }));
  expect(all.map(({ id }) => id)).not.toContain("D1/2024-05-01");
  expect(all[0]?.readers).toEqual(["user:ada@example.org"]);
});

test("a channel is read from its own folder only, whatever its name", async () => {
  const outside = await asFolder({ "2024-05-01.json": [{ ts: "1714554000.000100", text: "Outside" }] });
  files["channels.json"] = ["..", "../x", "/", "link"].map((name, i) => ({ id: `C${i}`, name }));
  const path = await asFolder(files);
  await symlink(outside, join(path, "link"), "junction");
  await cp(join(outside, "2024-05-01.json"), join(dirname(path), "2024-05-01.json"));
  if (process.platform !== "win32") await symlink(join(outside, "2024-05-01.json"), join(path, "pay/2024-05-02.json"));
  const connector = slackExport({ path });
  expect((await listed(connector)).map(({ id }) => id)).toEqual(["G1/2024-05-01"]);
  expect(await textOf(connector, "G1/2024-05-01")).not.toContain("Outside");
  expect(await connector.read({ id: "../2024-05-01" }, { signal })).toBeUndefined();
});

test("what is no whole export is an error that says what to do", async () => {
  const fault = async (path: string) =>
    listed(slackExport({ path })).then(
      () => "",
      (error: Error) => error.message,
    );
  const { "users.json": _, ...noUsers } = files;
  expect(await fault(await asFolder(noUsers))).toMatch("users.json of the export cannot be read");
  expect(await fault(await asFolder({ "a.txt": 1 }))).toMatch("holds no export of Slack");
  expect(await fault(await asFolder({ ...files, "general/2024-05-02.json": '[{"ts": "171464' }))).toMatch(
    "general/2024-05-02.json of the export cannot be read",
  );
  expect(await fault(await asFolder({ ...files, "general/2024-05-02.json": [{ text: "No time" }] }))).toMatch(
    "([0].ts)",
  );
  expect(await fault(join(folder, "none.zip"))).toMatch("there is no such file");
  const text = join(folder, "text.zip");
  await writeFile(text, "PK no archive");
  expect(await fault(text)).toMatch("damaged or incomplete, or no ZIP file. Export it again.");
});

test("a file of more than 20 MB is refused before it is unpacked", async () => {
  const path = join(folder, "bomb.zip");
  const zeros = new Uint8Array(21 * 1024 * 1024);
  const more = Object.entries(files).map(([name, value]) => [name, strToU8(JSON.stringify(value))]);
  await writeFile(path, zipSync({ ...Object.fromEntries(more), "general/2024-05-03.json": zeros }));
  await expect(listed(slackExport({ path }))).rejects.toThrow("larger than 20 MB");
});

test("wrong options are named", () => {
  expect(() => slackExport({ path: "" })).toThrow("path");
  expect(() => slackExport({ path: "a", workspace: "acme" })).toThrow("the address of the workspace");
});
