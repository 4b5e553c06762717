import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, win32 } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UsageError } from "../../src/errors.js";
import { LARGEST_FILE } from "../../src/ingest/bytes.js";
import { findFiles } from "../../src/ingest/find.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { inMemoryDocuments } from "../../src/testing/documents.js";
import { documentIdOf } from "../../src/tools/documents/document-id.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { Passage } from "../../src/types/evidence.js";
import { CHINESE, ENGLISH } from "./documents.js";

let cwd: string;
let documents: ReturnType<typeof inMemoryDocuments>;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "corpus-"));
  documents = inMemoryDocuments();
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function file(path: string, content: string | Uint8Array = `# ${path}\n\n${ENGLISH}`) {
  await mkdir(dirname(join(cwd, path)), { recursive: true });
  await writeFile(join(cwd, path), content);
}

const run = (...paths: string[]) => ingestFiles(paths, { documents, cwd });
const stored = async () => (await documents.list()).map(({ documentId }) => documentId).sort();
const found = async (...paths: string[]) => (await findFiles(paths, cwd)).files.map(({ documentId }) => documentId);

describe("finding files", () => {
  test("lists supported files below a folder in order, with extensions in any case", async () => {
    for (const path of [
      "docs/b.MD",
      "docs/a.html",
      "docs/子/年假.txt",
      "docs/[x] (1)/c.md",
      "docs/d.wav",
      "docs/noext",
    ])
      await file(path);
    expect(await found("docs")).toEqual(["docs/[x] (1)/c.md", "docs/a.html", "docs/b.MD", "docs/子/年假.txt"]);
    expect(await found("docs/[x] (1)")).toEqual(["docs/[x] (1)/c.md"]);
    expect(await found("docs", "docs/b.MD", "./docs/", ".")).toHaveLength(4);
  });

  test("skips dotfiles, packages and stores unless they are named", async () => {
    for (const path of [".git/a.md", ".emend/a.md", "a/node_modules/p/a.md", ".hidden.md", "a/.x/b.md"])
      await file(path);
    expect(await found(".")).toEqual([]);
    expect(await found(".hidden.md", "a/.x")).toEqual([".hidden.md", "a/.x/b.md"]);
  });

  test("follows no link below a folder", async () => {
    await file("outside/secret.md");
    await file("docs/a.md");
    await symlink(join(cwd, "outside"), join(cwd, "docs/out"));
    await symlink(join(cwd, "outside/secret.md"), join(cwd, "docs/secret.md"));
    await symlink(join(cwd, "docs"), join(cwd, "docs/loop"));
    expect(await found("docs")).toEqual(["docs/a.md"]);
  });

  test("names files outside the working directory by their full path, with forward slashes on every system", async () => {
    expect(documentIdOf("/team/docs/a.md", "/team")).toBe("docs/a.md");
    expect(documentIdOf("/other/a.md", "/team")).toBe("/other/a.md");
    expect(documentIdOf("/team-old/a.md", "/team")).toBe("/team-old/a.md");
    expect(documentIdOf("/team/..a.md", "/team")).toBe("..a.md");
    expect(documentIdOf("C:\\work\\docs\\a.md", "C:\\work", win32)).toBe("docs/a.md");
    expect(documentIdOf("D:\\docs\\a.md", "C:\\work", win32)).toBe("D:/docs/a.md");
  });

  test("says which path does not exist, and writes nothing", async () => {
    await file("a.md");
    await expect(run("a.md", "nowhere")).rejects.toThrow(new UsageError("There is no file or folder nowhere."));
    await expect(run()).rejects.toThrow(UsageError);
    expect(await stored()).toEqual([]);
  });
});

describe("ingesting", () => {
  test("stores passages with title, address, date and language, and without front matter", async () => {
    await file("docs/leave.md", `---\ntitle: 请假制度\nreviewed: 2024-05-01\n---\n# 请假\n\n${CHINESE}`);
    await file(
      "docs/pay.html",
      `<title>Pay</title><h1>Pay</h1><p>${ENGLISH.replace("leave", "le&#8203;ave&#x202e;")}</p>`,
    );
    await file("docs/note.txt", ENGLISH);
    expect(await run("docs")).toEqual({
      added: 3,
      changed: 0,
      unchanged: 0,
      removed: 0,
      moved: 0,
      passages: 3,
      failures: [],
      skipped: {},
      examples: {},
      empty: [],
      hidden: [],
      ignored: {},
      removedAsIgnored: 0,
      restamped: 0,
      warnings: [],
    });
    const passages = await documents.get(["docs/leave.md#0", "docs/pay.html#0", "docs/note.txt#0"]);
    expect(
      passages.map(({ title, uri, section, reviewedAt, language }) => [title, uri, section, reviewedAt, language]),
    ).toEqual([
      ["请假制度", "docs/leave.md", "请假", "2024-05-01", "zh"],
      ["Pay", "docs/pay.html", "", "", "en"],
      ["note", "docs/note.txt", "", "", "en"],
    ]);
    expect(passages[0]?.text).toBe(`# 请假\n\n${CHINESE}`);
    expect(passages[1]?.text).toBe(`# Pay\n\n${ENGLISH.trim()}`);
  });

  test("uses the file name as the title of data without one, not a nested value", async () => {
    const parking = { spaces: 12, price: "40 euros" };
    await file("office.json", JSON.stringify({ city: "Lisbon", parking }));
    await file("数据.json", JSON.stringify({ 城市: "上海", 停车: { 车位: 12 } }));
    await file("rows.jsonl", JSON.stringify({ name: "First", parking }));
    await file("named.json", JSON.stringify({ title: "Offices", parking }));
    await run(".");
    const passages = await documents.get(["office.json#0", "数据.json#0", "rows.jsonl#0", "named.json#0"]);
    expect(passages.map(({ title }) => title)).toEqual(["office", "数据", "rows", "Offices"]);
    expect(passages.map(({ section }) => section)).toEqual(["", "", "First", ""]);
  });

  test("unchanged files writes nothing", async () => {
    await file("docs/a.md");
    await run("docs");
    const upsert = vi.spyOn(documents, "upsert");
    const remove = vi.spyOn(documents, "remove");
    expect(await run("docs")).toMatchObject({ added: 0, changed: 0, unchanged: 1, removed: 0, passages: 0 });
    expect(upsert).not.toHaveBeenCalled();
    expect(remove).not.toHaveBeenCalled();
  });

  test("writes only changed files and removes deleted ones", async () => {
    for (const name of ["a", "b", "c"]) await file(`docs/${name}.md`);
    await run("docs");
    await file("docs/a.md", "# New\n\nWords.");
    await rm(join(cwd, "docs/b.md"));
    await file("docs/c.md", "  \n");
    expect(await run("docs")).toEqual({
      added: 0,
      changed: 1,
      unchanged: 0,
      removed: 2,
      moved: 0,
      passages: 1,
      failures: [],
      skipped: {},
      examples: {},
      empty: ["docs/c.md"],
      hidden: [],
      ignored: {},
      removedAsIgnored: 0,
      restamped: 0,
      warnings: [],
    });
    expect(await stored()).toEqual(["docs/a.md"]);
  });

  test("does not touch other folders, even with the same prefix, or documents that were never files", async () => {
    for (const path of ["docs/a.md", "docs/kept.md", "docs-old/b.md", "other/c.md"]) await file(path);
    await run(".");
    const [passage] = await documents.get(["docs/a.md#0"]);
    if (!passage) throw new Error("docs/a.md was not stored");
    for (const documentId of ["https://example.org/docs/a.md", "handbook", "/docs/x.md"])
      await documents.upsert([{ ...passage, id: `${documentId}#0`, documentId }]);
    await rm(join(cwd, "docs/a.md"));
    await rm(join(cwd, "docs-old"), { recursive: true });
    expect(await run("docs")).toMatchObject({ removed: 1 });
    expect(await stored()).toEqual([
      "/docs/x.md",
      "docs-old/b.md",
      "docs/kept.md",
      "handbook",
      "https://example.org/docs/a.md",
      "other/c.md",
    ]);
    expect(await run(".")).toMatchObject({ removed: 1, unchanged: 2 });
  });

  test("does not take a name with a colon and a space for an address", async () => {
    await file("Q3: gate.md", "The gate code is 4711.");
    await file("kept.md", "Kept.");
    await run(".");
    await rm(join(cwd, "Q3: gate.md"));
    expect(await run(".")).toMatchObject({ removed: 1 });
  });

  test("reports unreadable files, continues, and keeps their stored documents", async () => {
    for (const name of ["a", "b", "big"]) await file(`docs/${name}.md`);
    await file("sound.wav");
    await run("docs");
    await file(
      "docs/a.md",
      Uint8Array.from({ length: 200 }, (_, i) => i % 8),
    );
    await file("docs/b.md", "# Changed\n\nWords.");
    await file("docs/big.md", new Uint8Array(LARGEST_FILE + 1).fill(0x61));
    const summary = await run("docs", "sound.wav");
    expect(summary).toMatchObject({ changed: 1, removed: 0 });
    expect(summary.failures.map(({ path }) => path)).toEqual(["docs/a.md", "docs/big.md"]);
    expect(summary.failures.map(({ reason }) => reason).join("\n")).toMatch(/binary[\s\S]*Larger than 20 MB/);
    expect([summary.skipped, summary.examples]).toEqual([{ ".wav": 1 }, { ".wav": "sound.wav" }]);
    expect(await stored()).toEqual(["docs/a.md", "docs/b.md", "docs/big.md"]);
  });

  test("does not count files without text, or of other kinds than their names say, as failures", async () => {
    await file("docs/a.md");
    await file("docs/empty.docx", new Uint8Array());
    await file("docs/server.key", "-----BEGIN PRIVATE KEY-----");
    expect(await run("docs")).toMatchObject({
      added: 1,
      failures: [],
      empty: ["docs/empty.docx"],
      skipped: { ".key": 1 },
      examples: { ".key": "docs/server.key" },
    });
  });

  describe("of a folder that was moved", () => {
    const move = (from: string, to: string) => rename(join(cwd, from), join(cwd, to));
    test("stores nothing twice, not even what has changed since", async () => {
      for (const name of ["a", "in/b", "in/c"]) await file(`docs/${name}.md`, `# ${name}\n\nWords of ${name}.`);
      await run("docs");
      await move("docs", "manuals");
      await file("manuals/in/b.md", "# b\n\nNew words.");
      expect(await run("manuals")).toMatchObject({ added: 3, removed: 0, moved: 3, failures: [] });
      expect(await stored()).toEqual(["manuals/a.md", "manuals/in/b.md", "manuals/in/c.md"]);
      expect(await run("manuals")).toMatchObject({ unchanged: 3, moved: 0 });
    });

    test("knows it also after an interruption, and if the old folder is named too", async () => {
      for (const name of ["a", "b"]) await file(`docs/${name}.md`, `# ${name}\n\nWords of ${name}.`);
      await run("docs");
      await move("docs", "manuals");
      await run("manuals/a.md");
      const summary = await run("docs", "manuals");
      expect(summary).toMatchObject({ added: 1, unchanged: 1, moved: 1 });
      expect(summary.failures).toEqual([{ path: "docs", reason: "There is no such file or folder." }]);
      expect(await stored()).toEqual(["manuals/a.md", "manuals/b.md"]);
    });

    test("keeps the documents of a folder that was only copied, or of which nothing is found again", async () => {
      await file("docs/a.md", "# A\n\nThe same words.");
      await file("docs/b.md", "# B\n\nOther words.");
      await run("docs");
      await file("copy/a.md", "# A\n\nThe same words.");
      expect(await run("copy")).toMatchObject({ added: 1, moved: 0 });
      await rm(join(cwd, "docs"), { recursive: true });
      await file("new/b.md", "# B\n\nNew words.");
      expect(await run("new")).toMatchObject({ added: 1, moved: 0 });
      expect(await stored()).toEqual(["copy/a.md", "docs/a.md", "docs/b.md", "new/b.md"]);
    });
  });

  test("does not take unreachable files for deleted", async () => {
    for (const path of ["docs/in/a.md", "docs/b.md"]) await file(path);
    await run("docs");
    await rm(join(cwd, "docs/in"), { recursive: true });
    await symlink(join(cwd, "docs/in"), join(cwd, "docs/in"));
    expect(await run("docs")).toMatchObject({ removed: 0 });
    await rm(join(cwd, "docs/in"));
    expect(await run("docs")).toMatchObject({ removed: 1 });
  });

  test("keeps and reports the documents of a folder that is empty now, since a disk may be unmounted", async () => {
    for (const path of ["docs/disk/a.md", "docs/disk/b/c.md", "docs/d.md"]) await file(path);
    await run("docs");
    await rm(join(cwd, "docs/disk"), { recursive: true });
    await mkdir(join(cwd, "docs/disk"));
    const stay = (documents: string) =>
      `The folder is empty. ${documents} from it stay in the store, since a disk may only be unmounted. To remove what is gone for good, add --remove-missing.`;
    expect(await run("docs")).toMatchObject({
      removed: 0,
      unchanged: 1,
      failures: [{ path: "docs/disk", reason: stay("2 documents") }],
    });
    await rm(join(cwd, "docs/d.md"));
    await rm(join(cwd, "docs/disk"), { recursive: true });
    expect(await run("docs")).toMatchObject({
      removed: 0,
      failures: [{ path: "docs", reason: stay("3 documents") }],
    });
    expect(await stored()).toEqual(["docs/d.md", "docs/disk/a.md", "docs/disk/b/c.md"]);
    expect(await ingestFiles(["docs"], { documents, cwd, missing: "remove" })).toMatchObject({
      removed: 3,
      failures: [{ path: "docs", reason: "The folder is empty." }],
    });
    expect(await stored()).toEqual([]);
  });

  test("keeps and reports the documents of a deleted folder unless told to remove them, and ingests the others", async () => {
    for (const path of ["docs/a.md", "docs/b.md", "other/c.md"]) await file(path);
    await run(".");
    await symlink(join(cwd, "docs"), join(cwd, "linked"));
    await run("linked");
    await rm(join(cwd, "docs"), { recursive: true });
    const reason =
      "There is no such file or folder. 2 documents from it stay in the store, since a disk may only be unmounted. To remove what is gone for good, add --remove-missing.";
    for (const path of ["docs", "linked", "docs/**/*.md"])
      expect(await run("other", path)).toMatchObject({ unchanged: 1, removed: 0, failures: [{ path, reason }] });
    expect(await stored()).toHaveLength(5);
    const removing = () => ingestFiles(["other", "docs/*.md"], { documents, cwd, missing: "remove" });
    const failures = [{ path: "docs/*.md", reason: "There is no such file or folder." }];
    expect(await removing()).toMatchObject({ unchanged: 1, removed: 2, failures });
    expect(await stored()).toEqual(["linked/a.md", "linked/b.md", "other/c.md"]);
    expect(await removing()).toMatchObject({ unchanged: 1, removed: 0, failures });
  });

  test.skipIf(process.getuid?.() === 0)(
    "reports a folder or file that cannot be opened, and keeps its documents",
    async () => {
      await file("docs/in/a.md");
      await file("docs/b.md");
      await run("docs");
      await chmod(join(cwd, "docs/in"), 0);
      await chmod(join(cwd, "docs/b.md"), 0);
      const summary = await run("docs");
      await chmod(join(cwd, "docs/in"), 0o755);
      expect(summary.failures).toEqual([
        { path: "docs/in", reason: "The folder cannot be opened (EACCES)." },
        { path: "docs/b.md", reason: "Cannot be opened (EACCES)." },
      ]);
      expect(await stored()).toEqual(["docs/b.md", "docs/in/a.md"]);
    },
  );

  test("keeps complete documents when it is stopped halfway, and continues the next time", async () => {
    for (const name of ["a", "b", "c"]) await file(`docs/${name}.txt`, `${name} word `.repeat(200_000));
    const controller = new AbortController();
    const written: string[][] = [];
    const kept: Documents = {
      ...documents,
      list: async () =>
        written.flat().map((documentId) => ({ documentId, hash: hashes.get(documentId) ?? "", passages: 1 })),
      upsert: async (passages) => {
        written.push([...new Set(passages.map(({ documentId }) => documentId))]);
        for (const { documentId, hash } of passages) hashes.set(documentId, hash);
      },
    };
    const hashes = new Map<string, string>();
    const onProgress = () => written.length > 0 && controller.abort(new Error("stopped"));
    const stopping = ingestFiles(["docs"], { documents: kept, cwd, signal: controller.signal, onProgress });
    await expect(stopping).rejects.toThrow("stopped");
    expect(written).toEqual([["docs/a.txt"]]);
    expect(await ingestFiles(["docs"], { documents: kept, cwd })).toMatchObject({ added: 2, unchanged: 1 });
    expect(written).toEqual([["docs/a.txt"], ["docs/b.txt"], ["docs/c.txt"]]);
  });

  test("writes a few documents at a time, each once, and reports how many are stored", async () => {
    for (let i = 0; i < 250; i++) await file(`docs/${i}.txt`, `${i} word `.repeat(800));
    const upsert = vi.spyOn(documents, "upsert");
    const onKept = vi.fn();
    const { added, passages } = await ingestFiles(["docs"], { documents, cwd, onKept });
    const [first = [], second = [], ...more] = upsert.mock.calls.map(([passages]) => passages);
    expect([added, first.length + second.length, more.length]).toEqual([250, passages, 0]);
    // A document is written whole, with those that fill the batch.
    const ids = (some: readonly Passage[]) => new Set(some.map(({ documentId }) => documentId));
    expect([first.length >= 1_000, first.length < 1_010]).toEqual([true, true]);
    expect(ids(first).intersection(ids(second)).size).toBe(0);
    expect(onKept.mock.calls).toEqual([[ids(first).size], [250]]);
  });

  test("finishes the work of a killed ingest, even if nothing changed", async () => {
    await file("docs/a.md");
    await run("docs");
    const tidy = vi.fn(async () => {});
    await ingestFiles(["docs"], { documents: { ...documents, tidy }, cwd });
    expect(tidy).toHaveBeenCalledOnce();
  });

  test("reports its progress", async () => {
    for (const name of ["a", "b"]) await file(`docs/${name}.md`);
    const onProgress = vi.fn();
    await ingestFiles(["docs"], { documents, cwd, onProgress });
    expect(onProgress.mock.calls).toEqual([
      [0, 2, "docs/a.md"],
      [1, 2, "docs/b.md"],
      [2, 2, ""],
    ]);
  });
});
