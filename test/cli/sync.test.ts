import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { ingestCommand, syncCommand } from "../../src/cli/ingest.js";
import { UsageError } from "../../src/errors.js";
import { webServer } from "../tools/web/servers.js";
import { ended, folder, OFFICES } from "./emend.js";

const NOTES = { "notes/a.md": "# A\n\nThe canteen opens at noon.\n", "notes/b.txt": "The archive is in the cellar.\n" };

test("sync ingests what emend.json names, reports documents from elsewhere, and removes them only on request", async () => {
  await using here = await folder({
    ...OFFICES,
    ...NOTES,
    "emend.json": '{"sources": ["docs", "notes/*.md", "gone"]}',
  });
  await here.run(["ingest", "notes/b.txt"]);
  const plan = await here.run(["sync", "--prune", "--dry-run"]);
  expect(plan).toEqual({
    code: 1,
    stderr: "emend: gone: There is no such file or folder.\n",
    stdout: `added    docs/offices.md
added    docs/办公室.md
added    notes/a.md
removed  notes/b.txt
3 added, 0 changed, 0 unchanged, 1 removed, 1 failed; nothing was written, since this is a dry run.
`,
  });
  const first = await here.run(["sync"]);
  expect(first.stdout).toMatch(
    /^3 added, 0 changed, 0 unchanged, 0 removed, 1 failed; [^\n]+\n1 document comes from none of these sources: notes\/b\.txt\. --prune removes them\.\n$/,
  );
  await writeFile(join(here.path, "emend.json"), '{"sources": ["docs"]}');
  const pruned = JSON.parse((await here.run(["sync", "--prune", "--json", "--config", "./emend.json"])).stdout);
  expect(pruned).toMatchObject({ added: 0, unchanged: 2, removed: 2, unnamed: [] });
});

test("a site is crawled by ingest and by sync, and its pages beyond the limit are not taken for those of no source", async () => {
  const text = (title: string) =>
    `<title>${title}</title><main><h1>${title}</h1><p>${`${title} is decided by the team in spring. `.repeat(5)}</p></main>`;
  const pages: Record<string, string> = {
    "/": `${text("Garden")}<a href="/roof">x</a><a href="/a.png">x</a>`,
    "/roof": text("Roof"),
  };
  const server = await webServer(({ url = "", headers }, response) => {
    const etag = `"${pages[url]?.length}"`;
    const status = !pages[url] ? 404 : headers["if-none-match"] === etag ? 304 : 200;
    response.writeHead(status, { "content-type": "text/html", etag }).end(status === 200 ? pages[url] : undefined);
  });
  const allowed = { EMEND_ALLOW_PRIVATE_HOSTS: server.allowed };
  await using here = await folder({
    ...OFFICES,
    "emend.json": JSON.stringify({ sources: [{ site: server.url, limit: 2 }] }),
  });
  const first = await here.run(["ingest", "--crawl", server.url, "docs"], allowed);
  expect(first.stdout).toMatch(
    /^4 added, 0 changed, 0 unchanged, 0 removed, 0 failed; 4 passages written to .emend.\n/,
  );
  expect(first.stdout).toContain(`.png (1)  such as ${server.url}/a.png`);
  pages["/"] = `${text("Garden")}<a href="/pond">x</a><a href="/shed">x</a>`;
  pages["/pond"] = text("Pond");
  const synced = await here.run(["sync", "--prune"], allowed);
  expect(synced).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^1 added, 0 changed, 1 unchanged, 2 removed, [^\n]+\n2 left out: [^\n]+beyond the limit of 2 \(2\)\.\n$/,
    ),
  });
  expect((await here.run(["list"])).stdout).toContain("/roof");
  expect((await here.run(["ingest", "--crawl", "docs"])).stderr).toContain("name the address of one");
});

test.each([
  ["", "is not JSON: "],
  ["[]", 'it: must be an object with "sources", "collections" or "alerts". It looks like {"sources": ['],
  ['{"sources": []}', "sources: must name at least one source. "],
  ['{"sources": [{"site": "https://a.org", "limit": 0}]}', "sources[0].limit: "],
  [
    '{"sources": ["a", {"sitemap": "ftp://a.org"}], "x": 1}',
    "sources[1].sitemap: must be an address. Unknown option `x`. The options are `title`, ",
  ],
  [
    '{"sources": [{"url": "https://a.org"}]}',
    'sources[0]: must be a path, a glob, an address, {"path": one of these}, ',
  ],
  ['{"sources": [{"loader": "./a.mjs", "dates": "x"}]}', "sources[0].as: must name the source, such as"],
  [
    '{"sources": [{"loader": "./a.mjs", "as": "wiki:b", "dates": "x"}]}',
    "sources[0]: Unknown option `dates`. Did you mean `date`?",
  ],
  [
    '{"sources": [{"loader": "./a.mjs", "as": "https://a.org"}]}',
    "sources[0].as: must be two names with a colon between them",
  ],
  ['{"sources": [{"loader": "./a.mjs", "as": "wiki:b", "date": "a..b"}]}', "sources[0].date: must be a path such as"],
  [
    '{"sources": [{"loader": "./a.mjs", "as": "wiki:b", "groups": "a", "readers": ["everyone"]}]}',
    "sources[0].readers: is for a source that does not say who may read its documents",
  ],
  ['{"sources": [{"path": "docs", "readers": ["hr"]}]}', 'sources[0].readers[0]: must be "everyone", "user:NAME"'],
  ['{"collections": {"Hr": {"sources": ["docs"]}}}', "collections.Hr: must be a name: a small letter"],
  ['{"collections": {"hr": {"sources": ["docs"], "reader": ["x"]}}}', "Did you mean `readers`?"],
  ['{"collections": {"hr": {}}}', 'has no "sources". Write one, such as'],
  ['{"sources": ["docs"], "collections": {"hr": {"sources": ["docs"]}}}', "docs is named twice"],
  [
    '{"sources": [{"loader": "./a.mjs", "as": "wiki:b"}, {"loader": "./b.mjs", "as": "wiki:b/c"}]}',
    "Two sources are called wiki:b/c, or one is below the other",
  ],
  ['{"sources": [{"loader": "./gone.mjs#X", "as": "wiki:b"}]}', "There is no module ./gone.mjs."],
  [
    '{"sources": [{"loader": "./a.mjs", "as": "wiki:b", "options": {"token": "$EMEND_TEST_NO_SUCH"}}]}',
    "The variable EMEND_TEST_NO_SUCH is not set.",
  ],
])("sync says what is wrong with the settings %s", async (text, said) => {
  await using here = await folder({ "emend.json": text });
  const syncing = syncCommand([], { config: join(here.path, "emend.json") }, new AbortController().signal);
  await expect(syncing).rejects.toThrow(said);
  await expect(syncing).rejects.toBeInstanceOf(UsageError);
});

/** A loader of a wiki whose pages are in a file. It wants a token, and says it in its errors. */
const WIKI = {
  "loaders/wiki.mjs": `import { readFile } from "node:fs/promises";
    export class Wiki {
      constructor({ token, file }) { this.token = token; this.file = file; }
      async load() {
        if (this.token !== "s3cret-token") throw new Error("The wiki refuses " + this.token + ".");
        const pages = JSON.parse(await readFile(new URL(this.file, import.meta.url), "utf8"));
        return pages.map(({ text, ...metadata }) => ({ pageContent: text, metadata }));
      }
    }`,
};
const wikiPage = (id: string, text: string, groups: string[]) => ({
  id,
  text,
  groups,
  updated_at: "2024-05-02T08:00:00Z",
});

test("a loader in emend.json is kept in step, and list, show, remove, check, status and prune know its documents", async () => {
  const source = {
    loader: "./loaders/wiki.mjs#Wiki",
    options: { token: "$WIKI_TOKEN", file: "../pages.json" },
    as: "wiki:HR",
    groups: "metadata.groups",
  };
  await using here = await folder({
    ...OFFICES,
    ...WIKI,
    "pages.json": JSON.stringify([
      wikiPage("1", "# Leave\n\nThirty days.", ["all"]),
      wikiPage("2", "Pay day is the last Friday.", ["hr"]),
    ]),
    "emend.json": JSON.stringify({ collections: { hr: { sources: [source, "docs"], readers: ["group:all"] } } }),
  });
  const allowed = { WIKI_TOKEN: "s3cret-token" };
  const plan = await here.run(["sync", "--dry-run"], allowed);
  expect(plan.stdout).toMatch(/^added {2}docs\/offices.md\n[^\n]+\nadded {2}wiki:HR\/1\nadded {2}wiki:HR\/2\n4 added/);
  expect((await here.run(["list"])).code).toBe(1);
  const first = await here.run(["sync"], allowed);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toMatch(/^4 added, 0 changed, 0 unchanged, 0 removed, 0 failed; /);
  const shown = (await here.run(["show", "wiki:HR/2"])).stdout;
  expect(shown).toContain("collection=hr · readers=group:hr");
  expect(shown).toContain("reviewed 2024-05-02");
  expect((await here.run(["show", "docs/offices.md"])).stdout).toContain("collection=hr · readers=group:all");

  await writeFile(
    join(here.path, "pages.json"),
    JSON.stringify([wikiPage("2", "Pay day is the last Friday.", ["hr", "board"]), wikiPage("3", "New.", [])]),
  );
  expect((await here.run(["sync", "--dry-run"], allowed)).stdout).toContain("restamped  wiki:HR/2\n");
  const second = await here.run(["sync", "--prune"], allowed);
  expect(second.stdout).toMatch(
    /^1 added, 0 changed, 2 unchanged, 1 removed, 0 failed; 1 passage written to .emend.\n1 document changed only in who may read them, or in their collection.\n$/,
  );
  expect(JSON.parse((await here.run(["sync", "--json"], allowed)).stdout)).toMatchObject({
    ...{ unchanged: 4, restamped: 0, unnamed: [], failures: [], warnings: [] },
  });

  const refused = await here.run(["sync"], { WIKI_TOKEN: "wr0ng-token" });
  expect(refused).toMatchObject({
    code: 1,
    stderr: "emend: wiki:HR: The wiki refuses …. Nothing of it was removed.\n",
  });
  expect((await here.run(["list"])).stdout).toContain("wiki:HR/2\n");
  expect((await here.run(["check"])).stdout).toContain("It was last reviewed on 2024-05-02.");
  expect((await here.run(["status"])).stdout).toMatch(/documents +4/);
  expect((await here.run(["remove", "wiki:HR"])).stdout).toContain("2 documents with 2 passages removed");
  await here.run(["sync"], allowed);
  await writeFile(join(here.path, "emend.json"), '{"sources": ["docs"]}');
  expect((await here.run(["sync"])).stdout).toContain(
    "2 documents come from none of these sources: wiki:HR/2, wiki:HR/3.",
  );
  expect((await here.run(["sync", "--prune"])).stdout).toMatch(/^0 added, 0 changed, 2 unchanged, 2 removed/);
});

test("ingest puts documents into a collection of emend.json, with its readers", async () => {
  await using here = await folder({
    ...OFFICES,
    "emend.json": '{"collections": {"hr": {"sources": ["people"], "readers": ["group:hr"]}}}',
  });
  await here.run(["ingest", "--collection", "hr", "docs/offices.md"]);
  expect((await here.run(["show", "offices.md"])).stdout).toContain("collection=hr · readers=group:hr");
  const unknown = await here.run(["ingest", "--collection", "pay", "docs"]);
  expect(unknown).toMatchObject({ code: 2, stderr: "emend: emend.json has no collection pay. It has hr.\n" });
});

test("Ctrl-C ends a sync whose loader hangs, and what was stored stays", async () => {
  await using here = await folder({
    ...OFFICES,
    "hang.mjs":
      "export class Hang { async load() { console.error('hanging'); await new Promise((done) => setTimeout(done, 1e6)); } }",
    "emend.json": '{"sources": ["docs", {"loader": "./hang.mjs#Hang", "as": "hang:a"}]}',
  });
  const child = here.start(["sync"]);
  child.stdin.end();
  child.stderr.on("data", (text) => `${text}`.includes("hanging") && child.kill("SIGINT"));
  expect(await ended(child)).toMatchObject({ code: 130, stderr: expect.stringContaining("2 documents are in .emend") });
  expect((await here.run(["list"])).stdout).toContain("2 documents");
});

test("sync without settings says how to create them, and ingest from stdin without a name says how to give one", async () => {
  const { signal } = new AbortController();
  await expect(syncCommand([], {}, signal)).rejects.toThrow(
    'There is no emend.json here. Write one, such as {"sources": ',
  );
  await expect(ingestCommand(["-"], { name: "lunch" }, signal)).rejects.toThrow("does not tell a kind that is read");
  await expect(ingestCommand(["docs"], { name: "lunch.md" }, signal)).rejects.toThrow("add a - to it");
});

test("piped text is stored under a given name, and sync does not miss a folder for it", async () => {
  await using here = await folder(OFFICES);
  const piped = await here.run(["ingest", "docs", "-", "--name", "午餐.md"], {}, "# 午餐\n\n食堂中午开门。\n");
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 added/) });
  expect((await here.run(["ingest", "."])).stdout).toMatch(/^0 added, 0 changed, 2 unchanged, 0 removed/);
  expect((await here.run(["list"])).stdout).toContain("stdin:午餐.md\n3 documents");
});

test("watch runs until Ctrl-C, even if the folder disappears and returns", async () => {
  await using here = await folder(OFFICES);
  const child = here.start(["ingest", "--watch", "--json", "docs"]);
  child.stdin.end();
  const lines: string[] = [];
  const waits: (() => void)[] = [];
  child.stdout.on("data", (text) => {
    lines.push(...String(text).trim().split("\n"));
    waits.shift()?.();
  });
  const next = async () => {
    if (lines.length === 0) await new Promise<void>((done) => waits.push(done));
    return JSON.parse(lines.shift() ?? "");
  };
  expect(await next()).toMatchObject({ added: 2 });
  await writeFile(join(here.path, "docs/new.md"), "# New\n\nThe roof garden is open.\n");
  expect(await next()).toMatchObject({ added: 1, unchanged: 2 });
  await rename(join(here.path, "docs"), join(here.path, "away"));
  expect(await next()).toMatchObject({ removed: 0, failures: [{ path: "docs" }] });
  await rename(join(here.path, "away"), join(here.path, "docs"));
  await rm(join(here.path, "docs/new.md"));
  expect(await next()).toMatchObject({ unchanged: 2, removed: 1, failures: [] });
  child.kill("SIGINT");
  expect(await ended(child)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^emend: docs: There is no such [^\n]+\n$/),
  });
});

test("a file whose name looks like an address is handled as a file when it is deleted and when it is removed", async () => {
  await using here = await folder({
    "docs/a.md": "# A\n\nOne.\n",
    "todo:today.md": "# Todo\n\nTwo.\n",
    "b:c.md": "# B\n\nThree.\n",
  });
  await here.run(["ingest", "."]);
  expect((await here.run(["list"])).stdout).toContain("./todo:today.md");
  await rm(join(here.path, "todo:today.md"));
  expect((await here.run(["ingest", "."])).stdout).toContain("1 removed");
  expect((await here.run(["remove", "b:c.md"])).stdout).toContain("1 document");
});

test("sync --every syncs again until Ctrl-C, goes on after a fault, and tells only of changes", async () => {
  await using here = await folder({ ...OFFICES, "emend.json": '{"sources": ["docs"]}' });
  const child = here.start(["sync", "--every", "1", "--json"]);
  let said = "";
  let complained = "";
  child.stdout.on("data", (data) => (said += data));
  child.stderr.on("data", (data) => (complained += data));
  const end = ended(child);
  const lines = () => said.trim().split("\n").length;
  await expect.poll(lines, { timeout: 20_000 }).toBeGreaterThan(5);
  await writeFile(join(here.path, "emend.json"), '{"sources": 1}');
  await expect.poll(() => complained, { timeout: 20_000 }).toContain("emend.json: sources: must be a list.");
  const before = said;
  await writeFile(join(here.path, "emend.json"), '{"sources": ["docs"]}');
  await writeFile(join(here.path, "docs/new.md"), "# Canteen\n\nThe canteen opens at noon.\n");
  await expect.poll(() => said.slice(before.length), { timeout: 20_000 }).toMatch(/"added":1,.*"unchanged":2,/);
  child.kill("SIGINT");
  expect((await end).code).toBe(0);
});

test("a new file of a source with readers is for them alone, whichever command reads it", async () => {
  const claims = "---\nreaders: everyone\n---\n# Bonus\n\nThe bonus is 900 euros.\n";
  await using here = await folder({
    "emend.json": '{"sources": [{"path": "hr", "readers": ["group:hr"]}]}',
    "hr/bonus.md": claims,
    "open/bonus.md": claims,
  });
  expect((await here.run(["ingest", "hr/bonus.md", "open"])).code).toBe(0);
  await writeFile(join(here.path, "other.json"), '{"sources": ["open"]}');
  await writeFile(join(here.path, "emend.json"), "no JSON");
  expect((await here.run(["sync", "--config", "other.json"])).code).toBe(0);
  const readersOf = async (name: string) =>
    JSON.parse((await here.run(["show", name, "--json"])).stdout).metadata.readers;
  expect([await readersOf("hr/bonus.md"), await readersOf("open/bonus.md")]).toEqual(["group:hr", "everyone"]);
});
