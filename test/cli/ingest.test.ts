import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { fakeEndpoint, refuse } from "../tools/encoder/endpoint.js";
import { ended, folder, OFFICES } from "./emend.js";

test("ingest reports what was added, changed and removed, and prints nothing else when its output is piped", async () => {
  await using here = await folder(OFFICES);
  const first = await here.run(["ingest", "docs"]);
  expect(first).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^2 added, 0 changed, 0 unchanged, 0 removed, 0 failed; \d+ passages written to \.emend\.\n$/,
    ),
    stderr: "",
  });
  await writeFile(join(here.path, "docs/offices.md"), "# Offices\n\nThe Lisbon office opens at seven.\n");
  await rm(join(here.path, "docs/办公室.md"));
  const second = await here.run(["ingest", "docs"]);
  expect(second.stdout).toMatch(/^0 added, 1 changed, 0 unchanged, 1 removed, 0 failed; 1 passages? /);
});

test("ingest lists each unreadable file, stores the others, and reports by its exit code that some are missing", async () => {
  await using here = await folder({ ...OFFICES, "docs/broken.md": new Uint8Array([1, 0, 0, 2, 0, 0, 3]) });
  const { code, stdout, stderr } = await here.run(["ingest", "docs"]);
  expect(stdout).toMatch(/^2 added.* 1 failed;/);
  expect(stderr).toMatch(/^emend: docs\/broken\.md: [^\n]+\n$/);
  expect(code).toBe(1);
});

test("ingest names the folders that it does not search for their dot, but not those of programs", async () => {
  const hidden = { "docs/.notes/a.md": "A.", "docs/.git/b.md": "B.", "docs/node_modules/c.md": "C." };
  await using here = await folder({ ...OFFICES, ...hidden });
  const { code, stdout } = await here.run(["ingest", "docs"]);
  expect(stdout).toMatch(
    /^2 added.*\.emend\.\n1 folder that begins with a dot not searched: docs\/\.notes\. Name one to ingest it\.\n$/,
  );
  expect(code).toBe(0);
  expect((await here.run(["ingest", "docs/.notes"])).stdout).toMatch(/^1 added/);
});

test("a folder with nothing to read is an error", async () => {
  await using here = await folder({ "docs/sound.wav": "?" });
  const { code, stdout } = await here.run(["ingest", "docs"]);
  expect(stdout).toMatch(/^Nothing to ingest/);
  expect(code).toBe(1);
});

test("ingest counts the files of unsupported formats, and prints its result as JSON", async () => {
  await using here = await folder({
    ...OFFICES,
    "docs/a.psd": "?",
    "docs/b.psd": "?",
    "docs/LICENCE": "?",
    "docs/broken.docx": "?",
  });
  const { code, stdout } = await here.run(["ingest", "docs"]);
  expect(stdout).toMatch(
    /\.emend\.\n3 files of kinds that emend does not read:\n {2}\.psd \(2\) {18}such as docs\/a\.psd; a picture: [^\n]*\n {2}without an extension \(1\) {2}such as docs\/LICENCE\n$/,
  );
  expect(code).toBe(1);
  const again = await here.run(["ingest", "--json", "docs"]);
  expect(JSON.parse(again.stdout)).toEqual({
    added: 0,
    changed: 0,
    unchanged: 2,
    removed: 0,
    moved: 0,
    passages: 0,
    failures: [{ path: "docs/broken.docx", reason: expect.stringContaining("not DOCX") }],
    skipped: { ".psd": 2, "": 1 },
    examples: { ".psd": "docs/a.psd", "": "docs/LICENCE" },
    empty: [],
    hidden: [],
    ignored: {},
    removedAsIgnored: 0,
    restamped: 0,
    warnings: [],
  });
  expect(again.code).toBe(1);
});

test("a folder with recordings, programs and empty files is not a failure", async () => {
  await using here = await folder({ ...OFFICES, "docs/talk.mp4": "?", "docs/setup.exe": "?", "docs/empty.md": "" });
  const { code, stdout, stderr } = await here.run(["ingest", "docs"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(
    `2 added, 0 changed, 0 unchanged, 0 removed, 0 failed; 2 passages written to .emend.
2 files of kinds that emend does not read:
  .exe (1)  such as docs/setup.exe
  .mp4 (1)  such as docs/talk.mp4; a recording: save what is said as .srt, .vtt or .txt
1 file without text: docs/empty.md.
`,
  );
});

test("a store that was moved with its folder, or whose folder was moved, knows its files", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  await mkdir(join(here.path, "elsewhere"));
  for (const name of ["docs", ".emend"]) await rename(join(here.path, name), join(here.path, "elsewhere", name));
  const together = await here.run(["ingest", "elsewhere/docs", "--store", "elsewhere/.emend"]);
  expect(together).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^0 added, 0 changed, 2 unchanged, 0 removed/),
  });
  await rename(join(here.path, "elsewhere/docs"), join(here.path, "docs"));
  const alone = await here.run(["ingest", "docs", "--store", "elsewhere/.emend"]);
  expect(alone).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2 added.*\n2 documents had another path before/),
  });
  expect((await here.run(["list", "--store", "elsewhere/.emend"])).stdout).toMatch(/\n2 documents with 2 passages/);
});

test("ingest writes only to the given store", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs/offices.md", "--store", "one"]);
  await here.run(["--store", "two", "ingest", "docs/办公室.md"]);
  const one = await here.run(["ask", "--store", "one", "When does the Lisbon office open?"]);
  const two = await here.run(["ask", "--store", "two", "When does the Lisbon office open?"]);
  expect([one.code, two.code]).toEqual([0, 3]);
});

test("a document is recognised from whichever folder it is ingested", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const again = await here.run(["ingest", join(here.path, "docs")]);
  expect(again.stdout).toMatch(/^0 added, 0 changed, 2 unchanged, 0 removed/);
  await using elsewhere = await folder({ "other.md": "# Other\n\nSomething else.\n" });
  const other = await elsewhere.run(["ingest", ".", "--store", join(here.path, ".emend")]);
  expect(other.stdout).toMatch(/^1 added, 0 changed, 0 unchanged, 0 removed/);
});

test("documents of a deleted folder are listed, reported with a remedy, and removed on request", async () => {
  await using here = await folder({ ...OFFICES, "old/leave.md": "# Leave\n\nEverybody has twenty days.\n" });
  await here.run(["ingest", "docs", "old"]);
  await rm(join(here.path, "old"), { recursive: true });
  expect(await here.run(["ingest", "old"])).toEqual({
    code: 1,
    stdout: "0 added, 0 changed, 0 unchanged, 0 removed, 1 failed; 0 passages written to .emend.\n",
    stderr: expect.stringMatching(/^emend: old: There is no such .* 1 document from it stays .* --remove-missing\.\n$/),
  });
  const listed = await here.run(["list"]);
  expect(listed.stdout).toBe(
    "1  docs/offices.md\n1  docs/办公室.md\n1  old/leave.md\n3 documents with 3 passages in .emend.\n",
  );
  expect(await here.run(["remove", "old"])).toEqual({
    code: 0,
    stdout: "1 document with 1 passage removed from .emend. The files are left as they are.\n",
    stderr: "",
  });
  expect((await here.run(["list"])).stdout).not.toContain("old/");
  expect(await here.run(["remove", "old"])).toMatchObject({ code: 2, stderr: expect.stringContaining("emend list") });
});

test("list and remove print JSON for programs", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const listed = JSON.parse((await here.run(["list", "--json"])).stdout);
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(listed).toEqual({
    documents: [
      { documentId: "docs/offices.md", hash, passages: 1 },
      { documentId: "docs/办公室.md", hash, passages: 1 },
    ],
  });
  const removed = await here.run(["remove", "--json", "docs/办公室.md"]);
  expect(JSON.parse(removed.stdout)).toEqual({ documents: 1, passages: 1 });
});

test("an ingest that is stopped by Ctrl-C while it waits says that nothing was written", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs/offices.md"]);
  using theirs = new DatabaseSync(join(here.path, ".emend/emend.db"));
  theirs.exec("BEGIN IMMEDIATE");
  const child = here.start(["ingest", "docs"]);
  child.stdin.end();
  child.stderr.once("data", () => child.kill("SIGINT"));
  const { code, stderr } = await ended(child);
  expect(stderr).toMatch(/\nemend: Stopped\. No document was written to \.emend\.\n$/);
  expect(code).toBe(130);
});

test("ingest embeds last, says how many passages remain if that fails, and the next run embeds only those", async () => {
  await using here = await folder(OFFICES);
  let isDown = true;
  await using endpoint = await fakeEndpoint((_, response) => (isDown ? refuse(response, 401, "no") : undefined));
  const environment = { EMEND_EMBEDDINGS_MODEL: "fake", EMEND_EMBEDDINGS_BASE_URL: endpoint.baseURL };
  const failed = await here.run(["ingest", "docs"], environment);
  expect(failed.stdout).toMatch(/^2 added, 0 changed, 0 unchanged, 0 removed, 0 failed;/);
  expect(failed.stderr).toMatch(
    /^emend: \d passages are not embedded yet and found by words alone; the same command goes on from there\. The embeddings endpoint .*refused the key.*\n$/,
  );
  expect(failed.code).toBe(1);
  isDown = false;
  endpoint.requests.length = 0;
  const again = await here.run(["ingest", "docs"], environment);
  expect(again).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/^0 added, 0 changed, 2 unchanged/),
  });
  expect(endpoint.requests.flat().join()).toContain("Lisbon");
  endpoint.requests.length = 0;
  await here.run(["ingest", "docs"], environment);
  expect(endpoint.requests).toEqual([]);
});

test("an ingest that is stopped by Ctrl-C while it embeds says how many passages remain", async () => {
  await using here = await folder(OFFICES);
  let isHanging = true;
  await using endpoint = await fakeEndpoint(() => isHanging);
  const environment = { EMEND_EMBEDDINGS_MODEL: "fake", EMEND_EMBEDDINGS_BASE_URL: endpoint.baseURL };
  const child = here.start(["ingest", "docs"], environment);
  child.stdin.end();
  const end = ended(child);
  await expect.poll(() => endpoint.requests.length, { timeout: 20_000 }).toBe(1);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await end;
  const [, count] = /; (\d+) passages written/.exec(stdout) ?? [];
  expect(stderr).toMatch(
    new RegExp(
      `^emend: ${count} passages are not embedded yet and found by words alone; the same command goes on from there\\.\nemend: Stopped\\. 2 documents [^\n]+\n$`,
    ),
  );
  expect(code).toBe(130);
  isHanging = false;
  expect(await here.run(["ingest", "docs"], environment)).toMatchObject({ code: 0, stderr: "" });
});
