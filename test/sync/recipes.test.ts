import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withVariables } from "../../src/config.js";
import { LoaderSource } from "../../src/sync/loader-source.js";
import { openSources, syncSources } from "../../src/sync/sync-sources.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { webServer } from "../tools/web/servers.js";

// The recipes of docs/sources.md, each against a small server of the same protocol.

let folder: string;
let documents: Documents;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-recipes-"));
  documents = sqlDocuments(openDatabase(join(folder, ".emend")));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await documents.close();
  await rm(folder, { recursive: true, force: true });
});

/** The recipe for a loader, with other options. */
function recipe(loader: string, options: (given: never) => unknown) {
  const page = readFileSync("docs/sources.md", "utf8");
  const blocks = [...page.matchAll(/^```json\n(\{ "sources"[\s\S]*?)^```/gm)].map(([, text = ""]) => text);
  const found = blocks.find((text) => text.includes(`#${loader}"`)) ?? "";
  expect(found.trim().split("\n").length).toBeLessThanOrEqual(10);
  const [source] = JSON.parse(found).sources;
  const { options: filled, secrets } = withVariables(source.options, { ...process.env, ...TOKENS });
  return { source: LoaderSource.parse({ ...source, options: options(filled as never) }), stamp: source, secrets };
}
const TOKENS = { CONFLUENCE_TOKEN: "confluence-t0ken", GITHUB_TOKEN: "github-t0ken", NOTION_TOKEN: "notion-t0ken" };

async function sync({ source, stamp: { readers }, secrets }: ReturnType<typeof recipe>) {
  const opened = await openSources([{ source, stamp: { readers }, secrets }], process.cwd());
  return syncSources(opened, { documents });
}
/** Skips the pauses between the tries of a load. */
async function hurried<Result>(work: Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let isOver = false;
  const result = work.finally(() => (isOver = true));
  for (; !isOver; await sleep(10)) await vi.advanceTimersByTimeAsync(100);
  return result;
}
const stored = async () => {
  const all = await documents.list();
  const firsts = await documents.get(all.map(({ documentId }) => `${documentId}#0`));
  return firsts.map(({ documentId, title, uri, reviewedAt, text, metadata }) => ({
    ...{ documentId, title, uri, reviewedAt, text, readers: metadata?.readers },
  }));
};

test("Confluence", async () => {
  const pages = new Map([
    [
      "17",
      {
        title: "Leave",
        value: "<h1>Leave</h1><p>Everybody has thirty days of leave.</p>",
        when: "2024-05-02T08:00:00.000Z",
      },
    ],
    ["18", { title: "Pay", value: "<p>Pay day is the last Friday.</p>", when: "2025-01-07T08:00:00.000Z" }],
  ]);
  let isDown = false;
  const server = await webServer((request, response) => {
    const asked = new URL(request.url ?? "", "http://wiki");
    const isOurs = request.headers.authorization === `Basic ${btoa("bot@example.org:confluence-t0ken")}`;
    if (isDown || !isOurs || asked.pathname !== "/rest/api/content" || asked.searchParams.get("spaceKey") !== "HR")
      return void response.writeHead(503).end("{}");
    const start = Number(asked.searchParams.get("start"));
    const results = [...pages].slice(start, start + 1).map(([id, { title, value, when }]) => ({
      ...{ id, title, status: "current", type: "page", body: { storage: { value } } },
      version: { number: 3, when, by: { displayName: "Ada" } },
    }));
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ results, size: results.length }));
  });
  const wiki = () => recipe("ConfluencePagesLoader", (given: object) => ({ ...given, baseUrl: server.url }));
  expect(await sync(wiki())).toMatchObject({ added: 2, failures: [] });
  expect(await stored()).toEqual([
    {
      documentId: "confluence:HR/17",
      title: "Leave",
      uri: `${server.url}/spaces/HR/pages/17`,
      reviewedAt: "2024-05-02",
      text: expect.stringContaining("Everybody has thirty days of leave."),
      readers: "group:hr",
    },
    expect.objectContaining({ documentId: "confluence:HR/18", reviewedAt: "2025-01-07" }),
  ]);
  pages.delete("18");
  pages.set("17", { title: "Leave", value: "<p>Thirty-one days.</p>", when: "2026-01-07T08:00:00.000Z" });
  expect(await sync(wiki())).toMatchObject({ changed: 1, removed: 1 });
  isDown = true;
  vi.spyOn(console, "error").mockImplementation(() => {});
  expect(await sync(wiki())).toMatchObject({ removed: 0, failures: [{ path: "confluence:HR" }] });
  expect(await stored()).toMatchObject([{ text: "Thirty-one days.", reviewedAt: "2026-01-07" }]);
});

test("GitHub", async () => {
  const files: Record<string, string> = {
    "README.md": "# Handbook\n\nWelcome.",
    "hr/leave.md": "# Leave\n\nThirty days.",
    "logo.svg": "<svg/>",
  };
  let isDown = false;
  const server = await webServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://git").pathname);
    const json = (value: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (isDown || request.headers.authorization !== "Bearer github-t0ken")
      return void response.writeHead(404).end("{}");
    const [, folder] = /^\/repos\/example\/handbook\/contents\/(.*)$/.exec(path) ?? [];
    if (folder === undefined) return void response.end(files[path.slice("/raw/".length)]);
    const file = (name: string) => ({
      ...{ name, path: name, type: "file", size: 9 },
      download_url: `${server.url}/raw/${name}`,
    });
    if (folder === "") json([file("README.md"), file("logo.svg"), { name: "hr", path: "hr", type: "dir" }]);
    else json([file("hr/leave.md")]);
  });
  const repository = () =>
    recipe("GithubRepoLoader", ([url, options]: [string, object]) => [
      url,
      { ...options, apiUrl: server.url, maxRetries: 0 },
    ]);
  expect(await sync(repository())).toMatchObject({ added: 2, failures: [] });
  expect(await stored()).toMatchObject([
    { documentId: "github:handbook/README.md", readers: "everyone", text: expect.stringContaining("Welcome.") },
    { documentId: "github:handbook/hr/leave.md" },
  ]);
  files["hr/leave.md"] = "# Leave\n\nThirty-one days.";
  expect(await sync(repository())).toMatchObject({ changed: 1, unchanged: 1 });
  isDown = true;
  const { removed, failures } = await hurried(sync(repository()));
  expect([removed, failures]).toEqual([0, [{ path: "github:handbook", reason: expect.stringContaining("404") }]]);
  expect(JSON.stringify(failures)).not.toContain("t0ken");
});

test("Notion", async () => {
  const text = (content: string) => [
    { type: "text", plain_text: content, href: null, annotations: {}, text: { content } },
  ];
  const ROOT = "2a1b3c4d5e6f47a8b9c0d1e2f3a4b5c6";
  const titles: Record<string, string> = { [ROOT]: "Handbook", leave: "Leave" };
  const bodies: Record<string, unknown[]> = {
    [ROOT]: [
      { object: "block", id: "p1", type: "paragraph", has_children: false, paragraph: { rich_text: text("Welcome.") } },
      { object: "block", id: "leave", type: "child_page", has_children: true, child_page: { title: "Leave" } },
    ],
    leave: [
      {
        object: "block",
        id: "p2",
        type: "paragraph",
        has_children: false,
        paragraph: { rich_text: text("Thirty days.") },
      },
    ],
  };
  const server = await webServer((request, response) => {
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.headers.authorization !== "Bearer notion-t0ken") return void json(401, { code: "unauthorized" });
    const { pathname } = new URL(request.url ?? "", "http://notion");
    const [, kind, id = ""] = /^\/v1\/(pages|blocks)\/([^/]+)/.exec(pathname) ?? [];
    if (kind === "pages" && titles[id])
      return void json(200, {
        ...{
          object: "page",
          id,
          created_time: "2020-01-01T00:00:00.000Z",
          last_edited_time: "2024-05-02T08:00:00.000Z",
        },
        ...{ url: `https://www.notion.so/${titles[id]}-${id}`, parent: { type: "workspace" } },
        properties: { title: { id: "title", type: "title", title: text(titles[id] ?? "") } },
      });
    if (kind === "blocks" && bodies[id])
      return void json(200, { object: "list", results: bodies[id], next_cursor: null, has_more: false });
    json(404, { object: "error", status: 404, code: "object_not_found", message: "Could not find it." });
  });
  const handbook = () =>
    recipe("NotionAPILoader", (given: { clientOptions: object }) => ({
      ...given,
      clientOptions: { ...given.clientOptions, baseUrl: server.url, retry: false },
    }));
  expect(await sync(handbook())).toMatchObject({ added: 2, failures: [] });
  expect(await stored()).toEqual([
    {
      documentId: `notion:handbook/${ROOT}`,
      title: "Handbook",
      uri: `https://www.notion.so/Handbook-${ROOT}`,
      reviewedAt: "2024-05-02",
      text: "Welcome.",
      readers: "everyone",
    },
    expect.objectContaining({ documentId: "notion:handbook/leave", title: "Leave", text: "Thirty days." }),
  ]);
  expect(await sync(handbook())).toMatchObject({ unchanged: 2 });
});
