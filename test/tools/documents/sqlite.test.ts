import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { StoreUnavailableError, UsageError } from "../../../src/errors.js";
import { conceptEmbeddings } from "../../../src/testing/documents-sample.js";
import { fakePassage } from "../../../src/testing/index.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import type { Embeddings } from "../../../src/tools/encoder/port.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { ownDocumentsContract } from "../../contract/documents.js";
import { keeps } from "../../contract/keeps.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "emend-sqlite-"));
  folders.push(folder);
  return folder;
}

keeps(
  "SQLite",
  ownDocumentsContract(async () => {
    const path = join(await newFolder(), "store");
    return (options) => sqlDocuments(openDatabase(path), options);
  }),
);

keeps(
  "SQLite in memory",
  ownDocumentsContract(async () => {
    const database = openDatabase(":memory:");
    // If one instance closed it, the others would lose the data.
    return (options) => ({ ...sqlDocuments(database, options), close: async () => {} });
  }),
);

const page = (documentId: string, text: string) => fakePassage(`${documentId}#0`, text, { documentId, title: "" });

describe("a store in a SQLite file", () => {
  let folder: string;
  let path: string;
  let file: string;
  beforeEach(async () => {
    folder = await newFolder();
    path = join(folder, "store");
    file = join(path, "emend.db");
  });
  const open = (embeddings?: Embeddings) => sqlDocuments(openDatabase(path), { embeddings });
  const rows = (sql: string) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };

  test("embeds passages again that lose their vectors while others are embedded, and gives up if that goes on", async () => {
    const all = Array.from({ length: 40 }, (_, i) => page(`page ${i}`, `Page ${i}.`));
    const losing = (times: number): Embeddings => ({
      ...conceptEmbeddings,
      async embed(texts, options) {
        if (times-- > 0 && texts.length > 8) {
          const database = new DatabaseSync(file);
          database.exec("DELETE FROM vectors WHERE n = (SELECT min(n) FROM vectors)");
          database.close();
        }
        return conceptEmbeddings.embed(texts, options);
      },
    });
    const documents = open(losing(2));
    await documents.upsert(all);
    await documents.embed?.();
    expect(rows("SELECT count(*) AS n FROM vectors")).toEqual([{ n: 40 }]);
    await documents.close();
    const database = new DatabaseSync(file);
    database.exec(`DELETE FROM vectors; CREATE TRIGGER broken AFTER INSERT ON vectors WHEN new.passage = 3
      BEGIN DELETE FROM vectors WHERE passage = 3; END`);
    database.close();
    const again = open(losing(0));
    await expect(again.embed?.()).rejects.toThrow("does not keep the vectors");
    await again.close();
  });

  test("has no statistics for its queries, since they would soon be those of a smaller store", async () => {
    const documents = open();
    await documents.upsert([page("a", "The first.")]);
    await documents.search({ text: "first" }, 8);
    await documents.tidy?.();
    await documents.close();
    expect(rows("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'")).toEqual([]);
  });

  test("never returns words that a flipped bit changed, and reports the damage", { timeout: 60_000 }, async () => {
    const written = open();
    const texts = Array.from({ length: 40 }, (_, i) => `Rule ${i}: the fee for locker ${i} is ${i * 7} pounds a year.`);
    await written.upsert(texts.map((text, i) => page(`page ${i}`, text)));
    await written.close();
    const whole = await readFile(file);
    for (const [n, text] of texts.entries()) {
      const flipped = Buffer.from(whole);
      // Pages that were split keep stale bytes.
      for (let found = whole.indexOf(text); found >= 0; found = whole.indexOf(text, found + 1)) {
        const at = found + (n % text.length);
        flipped[at] = (whole[at] ?? 0) ^ (1 << (n % 7));
      }
      await writeFile(file, flipped);
      const documents = open();
      const [found, got, beside] = [
        await documents.search({ text: "locker fee" }, 100),
        await documents.get(texts.map((_, i) => `page ${i}#0`)),
        await documents.neighbours(`page ${n}#0`),
      ];
      for (const passage of [...found, ...got, ...beside]) expect(texts).toContain(passage.text);
      expect(found).toHaveLength(39);
      expect(got.map(({ id }) => id)).not.toContain(`page ${n}#0`);
      await documents.close();
    }
    await writeFile(file, whole);
    expect(await open().search({ text: "locker fee" }, 100)).toHaveLength(40);
  });

  test("does not show a passage to others if its metadata or the reference to it is damaged", async () => {
    const documents = open();
    await documents.upsert([
      { ...page("a", "apple"), metadata: { department: "hr" } },
      { ...page("b", "apple"), metadata: { department: "it" } },
    ]);
    const filter = [{ key: "department", values: ["it"] }];
    const found = async () => (await open().search({ text: "apple", filter }, 5)).map(({ id }) => id);
    expect(await found()).toEqual(["b#0"]);
    const database = new DatabaseSync(file);
    database.exec("UPDATE passages SET stated = (SELECT stated FROM passages WHERE id = 'b#0')");
    expect(await found()).toEqual(["b#0"]);
    expect(await open().damaged?.()).toEqual(["a"]);
    database.exec(`UPDATE stated SET pairs = '["department=is"]' WHERE pairs LIKE '%it%'`);
    expect(await found()).toEqual([]);
    expect(await open().damaged?.()).toEqual(["a", "b"]);
    database.close();
  });

  test("reports damaged metadata instead of taking an old version for the valid one", async () => {
    await open().upsert([
      { ...page("fees-2024.md", "apple"), metadata: { valid_until: "2024-12-31" } },
      { ...page("fees-2025.md", "apple"), metadata: { supersedes: "fees-2024.md" } },
    ]);
    expect(await open().heads?.()).toHaveLength(2);
    const database = new DatabaseSync(file);
    database.exec("UPDATE stated SET pairs = replace(pairs, '2024-12', '2034-12')");
    database.close();
    await expect(open().heads?.()).rejects.toThrow(/metadata of fees-2024\.md is damaged.*ingest the documents again/);
  });

  test("compares no damaged vector, names its document, and still finds it by words", async () => {
    await open(conceptEmbeddings).upsert([page("a", "holiday pay"), page("b", "holiday rules")], { embed: true });
    expect(await open().damaged?.()).toEqual([]);
    const database = new DatabaseSync(file);
    const { embedding } = database.prepare("SELECT embedding FROM vectors WHERE n = 1").get() ?? {};
    const flipped = Uint8Array.from(embedding as Uint8Array);
    flipped[5] = (flipped[5] ?? 0) ^ 64;
    database.prepare("UPDATE vectors SET embedding = ? WHERE n = 1").run(flipped);
    database.close();
    const found = async (mode: "vector" | "fullText" | "hybrid") =>
      (await open(conceptEmbeddings).search({ text: "holiday", mode }, 5)).map(({ id }) => id).sort();
    expect(await found("vector")).toEqual(["b#0"]);
    expect(await found("fullText")).toEqual(["a#0", "b#0"]);
    expect(await found("hybrid")).toEqual(["a#0", "b#0"]);
    expect(await open().damaged?.()).toEqual(["a"]);
  });

  test("reports an index of words that differs from the passages", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple"), page("b", "banana")]);
    await documents.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE passages SET terms = 'cherry' WHERE id = 'a#0'");
    database.close();
    expect(await openDatabase(path).check()).toEqual([expect.stringMatching(/^the index of words of passages: /)]);
    await open().upsert([page("c", "still writable")]);
  });

  test("finds the other passages if the language of one is damaged", async () => {
    await open(conceptEmbeddings).upsert([page("a", "holiday pay"), page("b", "holiday rules")], { embed: true });
    const database = new DatabaseSync(file);
    database.exec("UPDATE passages SET language = 'em' WHERE id = 'a#0'");
    database.close();
    for (const mode of ["fullText", "vector", "hybrid"] as const)
      expect((await open(conceptEmbeddings).search({ text: "holiday", mode }, 5)).map(({ id }) => id)).toEqual(["b#0"]);
  });

  test("reports damage with a remedy if pages are missing or overwritten", async () => {
    const written = open();
    await written.upsert(Array.from({ length: 600 }, (_, i) => page(`page ${i}`, `apple number ${i}`)));
    await written.close();
    const whole = await readFile(file);
    expect(await openDatabase(path).check()).toEqual([]);
    await truncate(file, whole.length - 3 * 4096 - 100);
    expect(await openDatabase(path).check()).not.toEqual([]);
    await expect(open().search({ text: "apple" }, 200)).rejects.toThrow(StoreUnavailableError);
    await expect(open().search({ text: "apple" }, 200)).rejects.toThrow(/damaged.*backup.*ingest the documents again/);
    const overwritten = Buffer.from(whole).fill("?", 8 * 4096, 40 * 4096);
    await rm(file);
    await writeFile(file, overwritten);
    expect(await openDatabase(path).check()).not.toEqual([]);
    await expect(open().upsert([page("page 1", "anew")])).rejects.toThrow(/damaged/);
  });

  test("returns unusual texts unchanged: a byte order mark, half a character, a null", async () => {
    const odd = ["\uFEFFholiday", "holiday \uD83D", "holiday \u0000 end", "", "holiday\r\n\tend"];
    await open().upsert(odd.map((text, i) => page(`${i}`, text)));
    const got = await open().get(odd.map((_, i) => `${i}#0`));
    expect(got.map(({ text }) => text)).toEqual(odd.map((text) => text.toWellFormed()));
  });

  test("is not created by reading, removing or closing", async () => {
    const documents = open();
    await documents.search({ text: "anything" }, 5);
    await documents.list();
    await documents.get(["a"]);
    await documents.neighbours("a");
    await documents.remove(["a"]);
    await documents.upsert([]);
    await documents.tidy?.();
    await documents.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test("is a single file in its folder once it is closed", async () => {
    const documents = open(conceptEmbeddings);
    await documents.upsert([page("a", "apple")]);
    await documents.embed?.();
    expect(await documents.search({ text: "apple" }, 1)).toHaveLength(1);
    await documents.close();
    expect(await readdir(path)).toEqual(["emend.db"]);
  });

  test("does not count the vectors of another model as current ones", async () => {
    const documents = open(conceptEmbeddings);
    await documents.upsert([page("a", "holiday")]);
    await documents.embed?.();
    expect(await documents.embedded?.(["a#0"])).toEqual(["a#0"]);
    const other = open({ ...conceptEmbeddings, identity: "other" });
    expect(await other.embedded?.(["a#0"])).toEqual([]);
    expect(await documents.describe?.()).toMatchObject({ embedded: 1, embeddedByOthers: 0 });
    expect(await other.describe?.()).toMatchObject({ embedded: 0, embeddedByOthers: 1 });
  });

  test("reports when it was last written", async () => {
    const documents = open();
    const before = Date.now();
    await documents.upsert([page("a", "holiday")]);
    const { writtenAt = "" } = (await documents.describe?.()) ?? {};
    expect(Date.parse(writtenAt)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(writtenAt)).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test.each([
    ["a file", () => writeFile(path, "notes"), /is a file, not a store\. Name another folder/],
    [
      "a file of other contents",
      () => mkdir(path).then(() => writeFile(file, "notes of somebody that must not be lost ".repeat(200))),
      /not a store of emend, or it is damaged.*name another folder/,
    ],
  ])("is neither read from nor written to %s", async (_, prepare, message) => {
    await prepare();
    const before = await readFile(path).catch(() => readFile(file));
    await expect(open().upsert([page("a", "apple")])).rejects.toThrow(StoreUnavailableError);
    await expect(open().upsert([page("a", "apple")])).rejects.toThrow(message);
    expect(await readFile(path).catch(() => readFile(file))).toEqual(before);
  });

  test("of another version is refused", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple")]);
    await documents.close();
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 1000");
    database.close();
    await expect(open().upsert([page("b", "banana")])).rejects.toThrow(/another version of emend/);
    await expect(open().search({ text: "apple" }, 5)).rejects.toThrow(/another version of emend.*name another folder/);
  });

  test("that is deleted while open reads as empty, and can be written again", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple")]);
    await rm(path, { recursive: true });
    expect(await documents.search({ text: "apple" }, 5)).toEqual([]);
    await documents.upsert([page("b", "banana")]);
    expect((await documents.list()).map(({ documentId }) => documentId)).toEqual(["b"]);
  });

  test("that is replaced while open shows the new content", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple")]);
    expect(await documents.search({ text: "apple" }, 5)).toHaveLength(1);
    const other = sqlDocuments(openDatabase(join(folder, "other")));
    await other.upsert([page("b", "banana")]);
    await other.close();
    await rm(path, { recursive: true });
    await cp(join(folder, "other"), path, { recursive: true });
    expect((await documents.search({ text: "apple banana" }, 5)).map(({ id }) => id)).toEqual(["b#0"]);
  });

  test("keeps no term, metadata or vector of a removed document", async () => {
    const documents = open(conceptEmbeddings);
    await documents.upsert([{ ...page("a", "secret holiday 秘密"), metadata: { author: "Ann" } }, page("b", "badge")]);
    await documents.embed?.();
    await documents.remove(["a"]);
    await documents.tidy?.();
    expect(rows("SELECT term FROM counts WHERE passages > 0 AND term LIKE 'secret%'")).toEqual([]);
    expect(rows("SELECT pair FROM pairs")).toEqual([]);
    expect(rows("SELECT n FROM vectors")).toHaveLength(1);
    await documents.close();
    const { length } = await readFile(file);
    expect(length).toBeGreaterThan(0);
    expect(await open().search({ text: "secret" }, 5)).toEqual([]);
  });

  test("counts its terms correctly after documents were added, replaced and removed", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple apple pie"), page("b", "apple")]);
    await documents.upsert([page("a", "pie")]);
    await documents.remove(["b"]);
    await documents.upsert([page("c", "apple tart")]);
    const counted = rows("SELECT term, passages, length FROM counts WHERE passages > 0 ORDER BY term");
    expect(counted.map(({ term, passages, length }) => [term, passages, length])).toEqual([
      ["", 2, 3],
      ["appl", 1, 0],
      ["pie", 1, 0],
      ["tart", 1, 0],
    ]);
  });

  test("applies a group of writes completely or not at all", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple")]);
    const work = documents.together?.(async () => {
      await documents.upsert([page("a", "changed")]);
      await documents.upsert([page("b", "banana")]);
      expect((await open().list()).map(({ documentId }) => documentId)).toEqual(["a"]);
      throw new Error("the power went");
    });
    await expect(work).rejects.toThrow("the power went");
    expect(await documents.get(["a#0", "b#0"])).toMatchObject([{ text: "apple" }]);
    await documents.together?.(async () => {
      await documents.upsert([page("b", "banana")]);
      await documents.remove(["a"]);
    });
    expect((await documents.list()).map(({ documentId }) => documentId)).toEqual(["b"]);
  });

  test("rolls back work that fails while a write waits for another process, and can be written afterwards", async () => {
    await open().upsert([page("a", "apple")]);
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const documents = open();
    const work = documents.together?.(async () => {
      documents.upsert([page("a", "changed")]).catch(() => {});
      throw new Error("the power went");
    });
    setTimeout(() => other.exec("ROLLBACK"), 100);
    await expect(work).rejects.toThrow("the power went");
    await documents.upsert([page("b", "banana")]);
    await open().upsert([page("c", "cherry")]);
    expect((await open().get(["a#0", "b#0", "c#0"])).map(({ text }) => text)).toEqual(["apple", "banana", "cherry"]);
    other.close();
  });

  test("can be backed up while others write, and the copy is complete", async () => {
    const documents = open(conceptEmbeddings);
    await documents.upsert(Array.from({ length: 300 }, (_, i) => page(`page ${i}`, `holiday number ${i}`)));
    await documents.embed?.();
    const database = openDatabase(path);
    const copy = join(folder, "copy", "emend.db");
    await mkdir(join(folder, "copy"));
    await Promise.all([database.backup(copy), documents.upsert([page("late", "late")])]);
    const copied = sqlDocuments(openDatabase(join(folder, "copy")), { embeddings: conceptEmbeddings });
    expect(await openDatabase(join(folder, "copy")).check()).toEqual([]);
    expect((await copied.list()).length).toBeGreaterThanOrEqual(300);
    expect(await copied.search({ text: "vacation" }, 5)).toHaveLength(5);
    await expect(database.backup(copy)).rejects.toThrow(UsageError);
    await expect(openDatabase(join(folder, "none")).backup(join(folder, "x"))).rejects.toThrow(/no store/);
    await expect(openDatabase(copy).backup(join(folder, "x"))).rejects.toThrow(/is a file, not a store/);
  });

  describe("with vectors", () => {
    const other = (identity: string, dimensions: number): Embeddings => ({
      identity,
      embed: async (texts) => texts.map(() => [1, ...Array<number>(dimensions - 1).fill(0)]),
    });

    test.each([
      ["another model", other("another", 5), 5],
      ["the same model in another length", other("concepts", 7), 7],
    ])("of %s are never compared with the existing ones, and replace them", async (_, embeddings, dimensions) => {
      await open(conceptEmbeddings).upsert([page("a", "holiday")]);
      await open(conceptEmbeddings).embed?.();
      await open(embeddings).upsert([page("b", "refund")]);
      expect(await open(embeddings).search({ text: "holiday" }, 5)).toMatchObject([{ id: "a#0" }]);
      await open(embeddings).embed?.();
      expect(rows("SELECT dimensions FROM models")).toMatchObject([{ dimensions }]);
      expect(await open(embeddings).search({ text: "anything", mode: "vector" }, 5)).toHaveLength(2);
    });

    test("that are removed while another program searches are no longer found, and all others are", async () => {
      const writer = open(conceptEmbeddings);
      await writer.upsert(Array.from({ length: 400 }, (_, i) => page(`${i}`, `holiday ${i}`)));
      await writer.embed?.();
      const reader = open(conceptEmbeddings);
      const found = async () => (await reader.search({ text: "vacation", mode: "vector" }, 200)).map(({ id }) => id);
      expect(await found()).toHaveLength(200);
      for (const some of [3, 150]) {
        const gone = (await found()).slice(0, some);
        await writer.remove(gone.map((id) => id.slice(0, -2)));
        const left = await found();
        expect(left).toHaveLength(200);
        expect(left.filter((id) => gone.includes(id))).toEqual([]);
      }
      await writer.upsert([page("new", "vacation")]);
      await writer.embed?.();
      await writer.remove(Array.from({ length: 400 }, (_, i) => `${i}`));
      expect(await found()).toEqual(["new#0"]);
    });

    test("are not requested for a store that does not exist", async () => {
      const unasked: Embeddings = { identity: "none", embed: () => Promise.reject(new Error("asked")) };
      expect(await open(unasked).search({ text: "holiday" }, 5)).toEqual([]);
    });
  });

  describe("with several processes", () => {
    const begin = (name: string, count: number) =>
      spawn(process.execPath, ["--import", "tsx", join(import.meta.dirname, "writer.ts"), path, name, `${count}`], {
        stdio: ["ignore", "pipe", "inherit"],
      });
    const ended = async (child: ChildProcess) =>
      child.exitCode === null ? ((await once(child, "exit"))[0] as number) : child.exitCode;

    test("accepts concurrent writes of two, and shows each to a third that reads", { timeout: 60_000 }, async () => {
      const writers = [begin("left", 10), begin("right", 10)];
      const reader = open();
      let most = 0;
      while (writers.some(({ exitCode }) => exitCode === null)) {
        const sizes = (await reader.list()).map(({ passages }) => passages);
        expect(sizes.filter((size) => size !== 3)).toEqual([]);
        expect(sizes.length).toBeGreaterThanOrEqual(most);
        most = sizes.length;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(await Promise.all(writers.map(ended))).toEqual([0, 0]);
      expect(await reader.list()).toHaveLength(20);
      expect(await reader.search({ text: "written by right" }, 200)).toHaveLength(60);
    });

    test("survives a process that is killed while it writes", { timeout: 60_000 }, async () => {
      const writer = begin("killed", 1_000);
      const written: string[] = [];
      for await (const chunk of writer.stdout) {
        written.push(...String(chunk).trim().split("\n"));
        if (written.length >= 5) writer.kill("SIGKILL");
      }
      const documents = open();
      const listed = await documents.list();
      expect(listed.map(({ documentId }) => documentId)).toEqual(expect.arrayContaining(written));
      expect(listed.every(({ passages }) => passages === 3)).toBe(true);
      expect(await openDatabase(path).check()).toEqual([]);
      await documents.upsert([page("after", "still writable")]);
      expect(await documents.search({ text: "writable" }, 5)).toHaveLength(1);
    });

    test("makes a second writer wait, which says so and gives up when aborted", { timeout: 60_000 }, async () => {
      await open().upsert([page("a", "apple")]);
      const holder = new DatabaseSync(file);
      const messages: string[] = [];
      const waiting = sqlDocuments(openDatabase(path, { onWait: (message) => messages.push(message) }));
      try {
        holder.exec("BEGIN IMMEDIATE");
        const stopped = AbortSignal.timeout(200);
        await expect(waiting.upsert([page("c", "cherry")], { signal: stopped })).rejects.toThrow(/timeout/);
        const writing = waiting.upsert([page("b", "banana")]);
        await expect.poll(() => messages, { timeout: 5_000 }).toHaveLength(1);
        expect(messages[0]).toMatch(/^Another process is writing to /);
        // Readers do not wait.
        expect(await open().search({ text: "apple" }, 5)).toHaveLength(1);
        holder.exec("ROLLBACK");
        await writing;
      } finally {
        holder.close();
      }
      expect((await open().list()).map(({ documentId }) => documentId)).toEqual(["a", "b"]);
    });
  });
});
