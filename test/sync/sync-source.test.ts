import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { deliver } from "../../src/ingest/deliver.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import type { Connector, Listed } from "../../src/loaders/port.js";
import { type SyncOptions, syncSource } from "../../src/sync/sync-source.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { page, type WikiPage, wiki } from "./wiki.js";

let folder: string;
let documents: Documents;
let knowledge: KnowledgeGraph;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-sync-test-"));
  const database = openDatabase(join(folder, ".emend"));
  [documents, knowledge] = [sqlDocuments(database), sqlKnowledge(database)];
});
afterEach(async () => {
  await documents.close();
  await rm(folder, { recursive: true, force: true });
});

const sync = (source: Connector, rest: Partial<SyncOptions> = {}) =>
  syncSource(source, { documents, knowledge, as: "wiki:hr", ...rest });
const ids = async () => (await documents.list()).map(({ documentId }) => documentId);
const first = async (id: string) => (await documents.get([`${id}#0`]))[0];
const seenBy = (...readers: string[]) => [{ key: "readers", values: readers }];

test("what is new or changed is read, what has the same version is not, and what is no longer listed is removed", async () => {
  const { source, pages, reads } = wiki({ a: page("# A\n\nOne."), b: page("Two."), c: page("Three.") });
  expect(await sync(source)).toMatchObject({ added: 3, passages: 3, failures: [] });
  expect(await ids()).toEqual(["wiki:hr/a", "wiki:hr/b", "wiki:hr/c"]);
  reads.length = 0;
  expect(await sync(source)).toMatchObject({ added: 0, unchanged: 3, passages: 0 });
  expect(reads).toEqual([]);
  pages.b = page("Two and a half.");
  delete pages.c;
  expect(await sync(source)).toMatchObject({ added: 0, changed: 1, unchanged: 1, removed: 1 });
  expect(reads).toEqual(["b"]);
  expect((await first("wiki:hr/b"))?.text).toBe("Two and a half.");
});

test("a document without a version is read each time and written only if its content changed", async () => {
  const { source, pages, reads } = wiki({ a: page("One.", { version: undefined }) });
  await sync(source);
  expect(await sync(source)).toMatchObject({ unchanged: 1, passages: 0 });
  pages.a = page("Uno.", { version: undefined });
  expect(await sync(source)).toMatchObject({ changed: 1 });
  expect(reads).toEqual(["a", "a", "a"]);
});

test("title, address, date, labels and pages come from the source", async () => {
  const places = [
    { start: 0, name: "p. 1" },
    { start: 6, name: "p. 2" },
  ];
  const listed = { title: "Leave", url: "https://wiki.example/leave", changedAt: "2024-03-01T09:00:00Z" };
  const { source } = wiki({
    a: { ...listed, metadata: { labels: ["hr", "pay"] }, content: { text: "First\nSecond", places } },
    b: { url: "javascript:alert(1)", content: { text: "Plain." } },
  });
  await sync(source);
  const passages = await documents.get(["wiki:hr/a#0", "wiki:hr/a#1"]);
  expect(passages.map(({ section, text }) => [section, text])).toEqual([
    ["p. 1", "First"],
    ["p. 2", "Second"],
  ]);
  expect(passages[0]).toMatchObject({
    title: "Leave",
    uri: "https://wiki.example/leave",
    reviewedAt: "2024-03-01",
    metadata: { labels: "hr\npay" },
  });
  expect(await first("wiki:hr/b")).toMatchObject({ title: "b", uri: "wiki:hr/b", reviewedAt: "" });
});

test("a file is read by emend's own readers, and its date is used only if the source has none", async () => {
  const bytes = Buffer.from("---\nreviewed: 2020-05-01\nauthor: Ada\n---\n# Leave\n\nThirty days.\n");
  const { source } = wiki({
    a: { content: { name: "leave.md", bytes } },
    b: { changedAt: "2025-01-01", content: { name: "docs/leave.md", bytes } },
    c: { content: { name: "photo.xyz", bytes } },
    d: { content: undefined },
    e: { content: { text: " \n" } },
  });
  const temporary = join(folder, "temporary");
  await mkdir(temporary);
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, temporary);
  const summary = await sync(source);
  vi.unstubAllEnvs();
  expect(summary).toMatchObject({ added: 2, skipped: { ".xyz": 1 }, empty: ["wiki:hr/e"], failures: [] });
  expect(await first("wiki:hr/a")).toMatchObject({
    title: "Leave",
    text: expect.stringContaining("Thirty days."),
    reviewedAt: "2020-05-01",
    metadata: { author: "Ada" },
  });
  expect((await first("wiki:hr/b"))?.reviewedAt).toBe("2025-01-01");
  expect(await readdir(temporary)).toEqual([]);
});

describe("a source that fails", () => {
  test.each<[string, () => AsyncIterable<Listed>, string]>([
    ["lists nothing", async function* () {}, "lists no document"],
    [
      "fails half way",
      async function* () {
        yield { id: "a", version: "2" };
        throw new Error("The token has expired.");
      },
      "The token has expired. Nothing of it was removed.",
    ],
    [
      "throws at once",
      () => {
        throw new Error("No.");
      },
      "No. Nothing of it was removed.",
    ],
    [
      "lists something else",
      async function* () {
        yield* [undefined, { id: " " }, { id: {} }] as never[];
      },
      "without an id",
    ],
  ])("and %s removes nothing and is reported", async (_, list, said) => {
    const { source, pages } = wiki({ a: page("One."), b: page("Two.") });
    await sync(source);
    pages.a = page("New.", { version: "2" });
    const { removed, failures } = await sync({ ...source, list });
    expect(removed).toBe(0);
    expect(failures).toEqual([{ path: "wiki:hr", reason: expect.stringContaining(said) }]);
    expect(await ids()).toEqual(["wiki:hr/a", "wiki:hr/b"]);
  });

  test("for one document leaves that one as it is stored, and is reported", async () => {
    const { source, pages } = wiki({ a: page("One."), b: page("Two."), c: page("Three.") });
    await sync(source);
    pages.a = { version: "2", content: new Error("It is locked.") };
    pages.b = { version: "2", content: { text: 17 } as never };
    pages.c = page("Drei.");
    const summary = await sync(source);
    expect(summary).toMatchObject({ changed: 1, unchanged: 0, removed: 0 });
    expect(summary.failures).toEqual([
      { path: "wiki:hr/a", reason: "It is locked." },
      { path: "wiki:hr/b", reason: expect.stringContaining("neither a text nor a file") },
    ]);
    expect((await first("wiki:hr/a"))?.text).toBe("One.");
  });

  test("for twenty documents in a row is left alone", async () => {
    const broken = Array.from({ length: 60 }, (_, i) => [`p${i}`, { version: "1", content: new Error("No.") }]);
    const { source, reads } = wiki(Object.fromEntries(broken));
    const { failures } = await sync(source);
    expect(failures.at(-1)).toEqual({
      path: "wiki:hr",
      reason: expect.stringContaining("the other 40 were not tried"),
    });
    expect(reads.length).toBeLessThan(30);
  });

  test("for documents that are too large or damaged is asked for all the others", async () => {
    const odd = (i: number): WikiPage["content"] =>
      i % 2 ? new RangeError("It has more than 25 MB.") : ({ name: "a.pdf", bytes: "no bytes" } as never);
    const broken = Array.from({ length: 30 }, (_, i) => [`p${i}`, { version: "1", content: odd(i) }]);
    const { source } = wiki({ ...Object.fromEntries(broken), last: page("The last one.") });
    const { added, failures } = await sync(source);
    expect([added, failures.length]).toEqual([1, 30]);
  });

  test.each(["list", "read"] as const)("by hanging in %s ends when the caller aborts", async (where) => {
    const { source } = wiki({ a: page("One.") });
    const stop = new AbortController();
    const hanging = () => {
      queueMicrotask(() => stop.abort(new Error("Ctrl-C")));
      return new Promise<never>(() => {});
    };
    const list = () => ({ [Symbol.asyncIterator]: () => ({ next: hanging }) });
    const broken = where === "list" ? { ...source, list } : { ...source, read: hanging };
    await expect(sync(broken, { signal: stop.signal })).rejects.toThrow("Ctrl-C");
    expect(await sync(source)).toMatchObject({ added: 1 });
  });
});

test("what was written before an interruption is not read again", async () => {
  const many = Array.from({ length: 250 }, (_, i) => [`p${i}`, page(`Page ${i}.`)] as const);
  const { source, reads } = wiki(Object.fromEntries(many));
  const stop = new AbortController();
  const onKept = (kept: number) => kept >= 200 && stop.abort(new Error("Ctrl-C"));
  await expect(sync(source, { signal: stop.signal, onKept })).rejects.toThrow("Ctrl-C");
  const read = reads.length;
  expect(read).toBeLessThan(250);
  expect(await sync(source)).toMatchObject({ added: 50, unchanged: 200 });
});

test("a trial reads nothing that has a version, and writes nothing", async () => {
  const { source, pages, reads } = wiki({ a: page("One."), b: page("Two.") });
  await sync(source);
  pages.a = page("Uno.", { readers: ["group:hr"] });
  pages.c = page("Three.");
  delete pages.b;
  reads.length = 0;
  const readOnly = { ...documents, upsert: async () => {}, remove: async () => 0, restate: async () => {} };
  const plan = await sync(source, { documents: readOnly, knowledge: undefined, isTrial: true });
  expect(plan).toMatchObject({ added: 1, changed: 1, removed: 1 });
  expect(reads).toEqual([]);
  expect(await ids()).toEqual(["wiki:hr/a", "wiki:hr/b"]);
});

test("ids of any kind stay apart and below the source", async () => {
  const odd = [
    "../../etc/passwd",
    "a\nb",
    "a%0Ab",
    "wiki:hr/a",
    "..",
    "\u202egpj.a",
    "长".repeat(3_000),
    "\ud800",
    "__proto__",
  ];
  const source = {
    async *list() {
      for (const id of odd) yield { id, version: "1" };
    },
    read: async ({ id }: Listed) => ({ text: `Text of ${id.length}.` }),
  };
  expect(await sync(source)).toMatchObject({ added: odd.length, failures: [] });
  const stored = await ids();
  expect(stored).toContain("wiki:hr/%2E%2E/%2E%2E/etc/passwd");
  expect(stored.every((id) => id.startsWith("wiki:hr/") && id.length < 500 && !/[\p{Cc}\p{Cf}]/u.test(id))).toBe(true);
  expect(await sync(source)).toMatchObject({ unchanged: odd.length, removed: 0 });
});

test("two documents of one id are reported, and a document never replaces a file's or another source's", async () => {
  const twice = {
    async *list() {
      yield* [
        { id: "a", version: "1" },
        { id: "a", version: "1" },
        { id: "a", title: "Other" },
      ];
    },
    read: async () => ({ text: "One." }),
  };
  const { failures } = await sync(twice);
  expect(failures).toEqual([{ path: "wiki:hr/a", reason: expect.stringContaining("two documents with this id") }]);
  await deliver([{ pageContent: "Other.", metadata: { source: "wiki:hrx/a" } }], { documents });
  const file = { path: join(folder, "a.md"), documentId: "wiki:hr/file" };
  await (await import("node:fs/promises")).writeFile(file.path, "A file.");
  await ingestFiles([file], { documents });
  const summary = await sync(wiki({ a: page("Two."), file: page("Mine.") }).source);
  expect(summary.failures).toEqual([{ path: "wiki:hr/file", reason: expect.stringContaining("A file or a page") }]);
  expect((await first("wiki:hr/file"))?.text).toBe("A file.");
  expect(await ids()).toEqual(["wiki:hr/a", "wiki:hr/file", "wiki:hrx/a"]);
});

test("a source that lists only its newest keeps what it no longer lists", async () => {
  const { source, pages } = wiki({ a: page("One."), b: page("Two.") });
  await sync({ ...source, keepsOld: true });
  delete pages.a;
  expect(await sync({ ...source, keepsOld: true })).toMatchObject({ unchanged: 1, removed: 0, failures: [] });
  delete pages.b;
  expect(await sync({ ...source, keepsOld: true })).toMatchObject({ removed: 0, failures: [] });
});

test("a sync that listed the source before another one does not undo what that one wrote", async () => {
  const { source, pages } = wiki({ a: page("Old.", { readers: ["everyone"] }) });
  let other: Promise<unknown> | undefined;
  const slow = {
    ...source,
    async read(listed: Listed) {
      const before = { text: "Old." };
      if (!other) {
        pages.a = page("New.", { readers: ["group:hr"] });
        other = sync(source);
        await other;
        return before;
      }
      return source.read(listed, { signal: new AbortController().signal });
    },
  };
  const { failures } = await sync(slow);
  expect(failures).toEqual([{ path: "wiki:hr/a", reason: expect.stringContaining("Another sync") }]);
  expect(await first("wiki:hr/a")).toMatchObject({ text: "New.", metadata: { readers: "group:hr" } });
});

describe("who may read a document", () => {
  const TABLE = "| Area | Lead |\n|-|-|\n| Roost | Noor el Amrani |";

  test("comes from the source alone, and a change of it alone is written without reading or losing facts", async () => {
    const { source, pages, reads } = wiki({
      a: page(TABLE, { readers: ["everyone"] }),
      b: page("Open.", { readers: ["everyone"] }),
      c: page("Nobody said.", {}),
    });
    expect(await sync(source, { stamp: { collection: "hr" } })).toMatchObject({ added: 3 });
    const leads = async (...readers: string[]) =>
      (await knowledge.facts(["Roost"], "", { filter: seenBy(...readers) })).flatMap(({ others }) => others);
    expect(await leads("everyone")).toEqual(["Noor el Amrani"]);
    reads.length = 0;
    pages.a = page(TABLE, { readers: ["group:hr", "user:ada@example.org"] });
    const summary = await sync(source, { stamp: { collection: "hr" } });
    expect(summary).toMatchObject({ restamped: 1, changed: 0, unchanged: 2, passages: 0 });
    expect(reads).toEqual([]);
    const found = async (...readers: string[]) =>
      (await documents.search({ text: "Roost Noor", filter: seenBy(...readers) }, 5)).map(({ id }) => id);
    expect(await found("everyone", "user:bob")).toEqual([]);
    expect(await found("group:hr")).toEqual(["wiki:hr/a#0"]);
    expect(await leads("everyone", "user:bob")).toEqual([]);
    expect(await leads("user:ada@example.org")).toEqual(["Noor el Amrani"]);
    expect((await first("wiki:hr/a"))?.metadata).toEqual({
      collection: "hr",
      readers: "group:hr\nuser:ada@example.org",
    });
    expect((await first("wiki:hr/c"))?.metadata).toEqual({ collection: "hr" });
    expect(await documents.damaged?.()).toEqual([]);
    expect(await sync(source, { stamp: { collection: "hr" } })).toMatchObject({ unchanged: 3, restamped: 0 });
  });

  test("is restricted at once, even if the changed document cannot be read", async () => {
    const { source, pages } = wiki({ a: page("Secret.", { readers: ["everyone"] }) });
    await sync(source);
    pages.a = { version: "2", readers: ["group:hr"], content: new Error("It is locked.") };
    await sync(source);
    expect(await documents.search({ text: "secret", filter: seenBy("everyone") }, 5)).toEqual([]);
    expect(await documents.search({ text: "secret", filter: seenBy("group:hr") }, 5)).toHaveLength(1);
  });

  test("is not what a document says of itself, and neither is its collection", async () => {
    const bytes = Buffer.from(
      "---\nreaders: [everyone, 'group:hr\\neveryone']\ncollection: pay\nteam: hr\n---\nSalaries.\n",
    );
    const file = { content: { name: "a.md", bytes } };
    const { source } = wiki({
      a: { ...file, readers: ["group:hr"], metadata: { readers: ["everyone"], Collection: "pay" } },
      b: { ...file, readers: [] },
      c: file,
      d: { ...file, readers: ["group:a\neveryone", "everyone ", "group:x\u200b", "root", 7, null] as never },
      e: { ...file, readers: "everyone" as never },
    });
    await sync(source);
    const stated = await Promise.all(
      ["a", "b", "c", "d", "e"].map(async (id) => (await first(`wiki:hr/${id}`))?.metadata),
    );
    expect(stated).toEqual([
      { readers: "group:hr", team: "hr" },
      { team: "hr" },
      { team: "hr" },
      { team: "hr" },
      { team: "hr" },
    ]);
  });

  test("is the readers of the source where it does not say it, and never where it says nobody", async () => {
    const { source } = wiki({
      a: page("One."),
      b: page("Two.", { readers: [] }),
      c: page("Three.", { readers: ["user:ada"] }),
    });
    await sync(source, { stamp: { readers: ["everyone"] } });
    const readers = await Promise.all(
      ["a", "b", "c"].map(async (id) => (await first(`wiki:hr/${id}`))?.metadata?.readers),
    );
    expect(readers).toEqual(["everyone", undefined, "user:ada"]);
  });

  test("is nobody for all documents of a source, with a warning", async () => {
    const { source } = wiki({ a: page("One.", { readers: [] }), b: page("Two.", { readers: [] }) });
    const { warnings } = await sync(source);
    expect(warnings).toEqual([{ path: "wiki:hr", reason: expect.stringMatching(/^The source names no reader/) }]);
  });

  test("is cut to what there is room for, with a warning", async () => {
    const many = Array.from({ length: 300 }, (_, i) => `user:${`${i}`.padStart(4, "0")}@example.org` as const);
    const { source } = wiki({ a: page("One.", { readers: many, metadata: { label: "hr" } }) });
    const { warnings, failures } = await sync(source);
    expect(failures).toEqual([]);
    expect(warnings).toEqual([
      { path: "wiki:hr/a", reason: expect.stringMatching(/^\d+ of its readers are left out/) },
    ]);
    const kept = (await first("wiki:hr/a"))?.metadata?.readers?.split("\n") ?? [];
    expect(kept.length + Number(warnings[0]?.reason.split(" ")[0])).toBe(300);
    expect(await sync(source)).toMatchObject({ unchanged: 1, restamped: 0 });
  });

  test("is written anew by reading in a store that cannot change it alone", async () => {
    const { restate: _, ...old } = documents;
    const { source, pages, reads } = wiki({ a: page("Secret.", { readers: ["everyone"] }) });
    await sync(source, { documents: old });
    pages.a = page("Secret.", { readers: ["group:hr"] });
    expect(await sync(source, { documents: old })).toMatchObject({ changed: 1 });
    expect(reads).toEqual(["a", "a"]);
    pages.a = { ...pages.a, readers: ["group:it"], content: new Error("It is locked.") };
    await sync(source, { documents: old });
    expect(await ids()).toEqual([]);
  });
});

test("more documents than are written at once are synced, and a change of all their rights reads none of them", async () => {
  const many = Array.from(
    { length: 1_200 },
    (_, i) => [`p${i}`, page(`Page ${i}.`, { readers: ["everyone"] })] as const,
  );
  const { source, pages, reads } = wiki(Object.fromEntries(many));
  expect(await sync(source, { knowledge: undefined })).toMatchObject({ added: 1_200 });
  for (const one of Object.values(pages)) one.readers = ["group:all"];
  reads.length = 0;
  expect(await sync(source, { knowledge: undefined })).toMatchObject({ restamped: 1_200, passages: 0 });
  expect(reads).toEqual([]);
});
