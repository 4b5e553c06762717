import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { Field, FixedSizeList, Float32 } from "apache-arrow";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { StoreUnavailableError } from "../../../../src/errors.js";
import { fakePassage } from "../../../../src/testing/index.js";
import { lanceDocuments, PASSAGES } from "../../../../src/tools/documents/lancedb/lancedb.js";
import type { Embeddings } from "../../../../src/tools/encoder/port.js";
import { tableFolder } from "../../../../src/tools/store/lancedb/table-folder.js";
import { conceptEmbeddings, documentsContract } from "../../../contract/documents.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "emend-lance-"));
  folders.push(folder);
  return folder;
}

documentsContract("LanceDB on disk", async () => {
  const path = join(await newFolder(), "store");
  return (options) => lanceDocuments({ path, ...options });
});

/** How many rows at most an index does not hold. */
async function outsideIndexes(path: string): Promise<number> {
  const table = await (await connect(path)).openTable("passages");
  return Math.max(...(await table.listIndices()).map(({ numUnindexedRows = 0 }) => numUnindexedRows));
}

const page = (documentId: string, text: string) => fakePassage(`${documentId}#0`, text, { documentId, title: "" });

describe("a LanceDB store on disk", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await newFolder();
    path = join(folder, "store");
  });
  const open = (embeddings?: Embeddings) => lanceDocuments({ path, ...(embeddings && { embeddings }) });

  test("of an older version has no metadata until it is written to", async () => {
    await open().upsert([page("a", "The office opens at eight."), page("b", "The office closes at six.")]);
    await (await (await connect(path)).openTable("passages")).dropColumns(["metadata"]);
    const documents = open();
    expect(await documents.search({ text: "office" }, 5)).toMatchObject([
      { metadata: undefined },
      { metadata: undefined },
    ]);
    expect(await documents.neighbours("a#0")).toEqual([]);
    const filter = [{ key: "department", values: ["hr"], not: true }];
    expect(await documents.search({ text: "office", filter }, 5)).toEqual([]);
    expect(await documents.get(["a#0"], { filter })).toEqual([]);
    await documents.upsert([{ ...page("b", "The office closes at seven."), metadata: { department: "hr" } }]);
    expect(await documents.get(["a#0", "b#0"])).toMatchObject([
      { metadata: undefined },
      { metadata: { department: "hr" } },
    ]);
    // Nobody knows what the other one states.
    expect(await documents.search({ text: "office", filter }, 5)).toEqual([]);
  });

  test("never shows words that a flipped bit changed", { timeout: 60_000 }, async () => {
    const written = open();
    const texts = Array.from({ length: 40 }, (_, i) => `Rule ${i}: the fee for locker ${i} is ${i * 7} pounds a year.`);
    await written.upsert(texts.map((text, i) => page(`page ${i}`, text)));
    await written.close();
    const data = join(path, "passages.lance", "data");
    const [name = ""] = await readdir(data);
    const whole = await readFile(join(data, name));
    for (const [n, text] of texts.entries()) {
      const flipped = Buffer.from(whole);
      const at = whole.indexOf(text) + (n % text.length);
      flipped[at] = (whole[at] ?? 0) ^ (1 << (n % 7));
      await writeFile(join(data, name), flipped);
      const [found, got, beside] = [
        await open().search({ text: "locker fee" }, 100),
        await open().get(texts.map((_, i) => `page ${i}#0`)),
        await open().neighbours(`page ${n}#0`),
      ];
      for (const passage of [...found, ...got, ...beside]) expect(texts).toContain(passage.text);
      expect(found).toHaveLength(39);
      expect(got.map(({ id }) => id)).not.toContain(`page ${n}#0`);
    }
    await writeFile(join(data, name), whole);
    expect(await open().search({ text: "locker fee" }, 100)).toHaveLength(40);
  });

  test("of an older version has no checksums until a document is written again", async () => {
    await open().upsert([page("a", "The office opens at eight."), page("b", "The office closes at six.")]);
    const checksums = async () => {
      const table = await (await connect(path)).openTable("passages");
      return (await table.query().select(["id", "checksum"]).toArray()).map((row) => [row.id, typeof row.checksum]);
    };
    await (await (await connect(path)).openTable("passages")).dropColumns(["checksum"]);
    expect(await open().search({ text: "office" }, 5)).toHaveLength(2);
    await open().upsert([page("b", "The office closes at seven.")]);
    expect((await open().get(["a#0", "b#0"])).map(({ text }) => text).toSorted()).toEqual([
      "The office closes at seven.",
      "The office opens at eight.",
    ]);
    expect((await checksums()).toSorted()).toEqual([
      ["a#0", "object"],
      ["b#0", "string"],
    ]);
  });

  test("gives back texts that the store changes a little: a byte order mark, half a character, a null", async () => {
    const odd = ["\uFEFFholiday", "holiday \uD83D", "holiday \u0000 end", "", "holiday\r\n\tend"];
    await open().upsert(odd.map((text, i) => page(`${i}`, text)));
    expect(await open().get(odd.map((_, i) => `${i}#0`))).toHaveLength(odd.length);
  });

  test("is not made by reading, removing or closing", async () => {
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

  test("does not count the vectors of another model as the current one's", async () => {
    const documents = open(conceptEmbeddings);
    await documents.upsert([page("a", "holiday")]);
    await documents.embed?.();
    expect(await documents.embedded?.(["a#0"])).toEqual(["a#0"]);
    const other = open({ ...conceptEmbeddings, identity: "other" });
    expect(await other.embedded?.(["a#0"])).toEqual([]);
    expect(await documents.describe?.()).toMatchObject({ embedded: 1, embeddedByOthers: 0 });
    expect(await other.describe?.()).toMatchObject({ embedded: 0, embeddedByOthers: 1 });
  });

  test("tells when it was last written", async () => {
    const documents = open();
    const before = Date.now();
    await documents.upsert([page("a", "holiday")]);
    const { writtenAt = "" } = (await documents.describe?.()) ?? {};
    expect(Date.parse(writtenAt)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(writtenAt)).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test("opened for reading only takes no writes", async () => {
    await open().upsert([page("a", "apple")]);
    const documents = lanceDocuments({ path, readOnly: true });
    await expect(documents.upsert([page("b", "banana")])).rejects.toThrow(StoreUnavailableError);
    await expect(documents.remove(["a"])).rejects.toThrow(StoreUnavailableError);
    expect(await documents.search({ text: "apple banana" }, 5)).toHaveLength(1);
  });

  test("leaves nothing in its folder but the table", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple")]);
    await documents.close();
    expect(await readdir(path)).toEqual(["passages.lance"]);
  });

  test.each([
    ["a file", () => writeFile(path, "notes")],
    ["a folder of other files", () => mkdir(path).then(() => writeFile(join(path, "notes.md"), "# Notes"))],
  ])("is not looked for in %s, nor written into it", async (_, prepare) => {
    await prepare();
    for (const use of [
      () => open().search({ text: "notes" }, 5),
      () => open().list(),
      () => open().upsert([page("a", "apple")]),
    ]) {
      await expect(use()).rejects.toThrow(StoreUnavailableError);
      await expect(use()).rejects.toThrow(/is not a store.*Name a new or an empty folder/);
    }
  });

  test.each(["_versions", "data", "_indices"])(
    "without its %s says that it is damaged and what to do",
    async (part) => {
      const written = open();
      await written.upsert(Array.from({ length: 600 }, (_, i) => page(`page ${i}`, `apple number ${i}`)));
      await written.close();
      await rm(join(path, "passages.lance", part), { recursive: true });
      const reading = open().search({ text: "apple" }, 5);
      await expect(reading).rejects.toThrow(StoreUnavailableError);
      await expect(reading).rejects.toThrow(/cannot be read.*Delete the folder and ingest the documents again/);
    },
  );

  test("deleted while it is open is empty, and can be written again", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple")]);
    await rm(path, { recursive: true });
    expect(await documents.search({ text: "apple" }, 5)).toEqual([]);
    await documents.upsert([page("b", "banana")]);
    expect((await documents.list()).map(({ documentId }) => documentId)).toEqual(["b"]);
  });

  test("replaced by another while it is open shows the other", async () => {
    const documents = open();
    await documents.upsert([page("a", "apple")]);
    expect(await documents.search({ text: "apple" }, 5)).toHaveLength(1);
    const other = lanceDocuments({ path: join(folder, "other") });
    await other.upsert([page("b", "banana")]);
    await rm(path, { recursive: true });
    await cp(join(folder, "other"), path, { recursive: true });
    expect((await documents.search({ text: "apple banana" }, 5)).map(({ id }) => id)).toEqual(["b#0"]);
  });

  test("finds what is in the index and what is not yet, in one order", async () => {
    const documents = open();
    const numbered = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => page(`page ${first + i}`, `entry number ${first + i} 条目`));
    await documents.upsert(numbered(0, 700));
    await documents.close();
    const again = open();
    await again.upsert(numbered(700, 20));
    const ids = async (text: string) => (await again.search({ text }, 5)).map(({ id }) => id);
    expect((await ids("number 5"))[0]).toBe("page 5#0");
    expect((await ids("number 715"))[0]).toBe("page 715#0");
    await again.upsert([page("page 5", "replaced 已替换")]);
    expect((await ids("replaced"))[0]).toBe("page 5#0");
    expect((await again.search({ text: "条目" }, 200)).length).toBe(200);
    expect(await ids("5")).not.toContain("page 5#0");
  });

  test("takes in later what a killed writer left out of its index, and finds it before that too", async () => {
    await open().upsert(Array.from({ length: 700 }, (_, i) => page(`page ${i}`, `entry number ${i} 条目`)));
    expect(await outsideIndexes(path)).toBe(700);
    expect((await open().search({ text: "条目 315" }, 5))[0]?.id).toBe("page 315#0");
    const documents = open();
    await documents.tidy?.();
    expect(await outsideIndexes(path)).toBe(0);
    expect((await documents.search({ text: "条目 315" }, 5))[0]?.id).toBe("page 315#0");
  });

  test("opened for reading only is not tidied", async () => {
    await open().upsert(Array.from({ length: 700 }, (_, i) => page(`page ${i}`, `entry ${i}`)));
    const documents = lanceDocuments({ path, readOnly: true });
    await documents.tidy?.();
    await documents.close();
    expect(await outsideIndexes(path)).toBe(700);
  });

  test("is tidied later where another process writes", async () => {
    await open().upsert(Array.from({ length: 700 }, (_, i) => page(`page ${i}`, `entry ${i}`)));
    const lock = JSON.stringify({ process: process.pid, host: hostname(), token: "theirs" });
    await writeFile(join(path, ".lock"), lock);
    await open().tidy?.();
    expect(await outsideIndexes(path)).toBe(700);
    await rm(join(path, ".lock"));
    await open().tidy?.();
    expect(await outsideIndexes(path)).toBe(0);
  });

  describe("with embeddings", () => {
    const other = (identity: string, dimensions: number): Embeddings => ({
      identity,
      embed: async (texts) => texts.map(() => [1, ...Array<number>(dimensions - 1).fill(0)]),
    });
    const vectors = async () => {
      const { fields } = await (await (await connect(path)).openTable("passages")).schema();
      return fields.flatMap(({ name, type }) => (name.startsWith("vector") ? [`${type}`] : []));
    };

    test.each([
      ["another model", other("another", 5), 5],
      ["the same model in another length", other("concepts", 7), 7],
    ])("of %s are not compared with, and take the place of those there are", async (_, embeddings, dimensions) => {
      await open(conceptEmbeddings).upsert([page("a", "holiday")]);
      await open(conceptEmbeddings).embed?.();
      await open(embeddings).upsert([page("b", "refund")]);
      expect(await open(embeddings).search({ text: "holiday" }, 5)).toMatchObject([{ id: "a#0" }]);
      await open(embeddings).embed?.();
      expect(await vectors()).toEqual([`FixedSizeList[${dimensions}]<Float32>`]);
      expect(await open(embeddings).search({ text: "anything", mode: "vector" }, 5)).toHaveLength(2);
    });

    test("of an older version's store, which had one for every row, are made anew", async () => {
      const { fields } = PASSAGES;
      const vector = new Field("vector", new FixedSizeList(5, new Field("item", new Float32(), true)), false);
      await tableFolder(path, { ...PASSAGES, fields: () => [...fields(), vector] }).make();
      const table = await (await connect(path)).openTable("passages");
      await table.add([{ ...page("a", "holiday"), terms: "holidai", vector: [1, 0, 0, 0, 0] }]);
      expect((await open(conceptEmbeddings).search({ text: "holiday" }, 5)).map(({ id }) => id)).toEqual(["a#0"]);
      await open(conceptEmbeddings).upsert([page("b", "badge")]);
      await open(conceptEmbeddings).embed?.();
      expect((await open(conceptEmbeddings).search({ text: "vacation" }, 5))[0]?.id).toBe("a#0");
      expect(await vectors()).toHaveLength(1);
    });

    test("find the nearest of more than ten thousand", { timeout: 240_000 }, async () => {
      const onCircle: Embeddings = {
        identity: "circle",
        embed: async (texts) =>
          texts.map((text) => {
            const angle = (Number(text.match(/\d+/)?.[0]) / 10_500) * Math.PI;
            return [Math.cos(angle), Math.sin(angle)];
          }),
      };
      const documents = open(onCircle);
      await documents.upsert(Array.from({ length: 10_500 }, (_, i) => page(`${i}`, `number ${i}`)));
      await documents.embed?.();
      await documents.close();
      const table = await (await connect(path)).openTable("passages");
      const indexed = async () => (await table.listIndices()).map(({ columns }) => columns[0]).toSorted();
      expect(await indexed()).toEqual(["terms", expect.stringMatching(/^vector_/)]);
      const nearest = async () =>
        (await open(onCircle).search({ text: "7000.2", mode: "vector" }, 3)).map(({ text }) => text).toSorted();
      expect(await nearest()).toEqual(["number 6999", "number 7000", "number 7001"]);
      // As if a writer was killed between the words and the vectors: the next one has no word to take in.
      const [, column = ""] = await indexed();
      await table.dropIndex(`${column}_idx`);
      await open(onCircle).tidy?.();
      await table.checkoutLatest();
      expect(await indexed()).toContain(column);
      expect(await nearest()).toEqual(["number 6999", "number 7000", "number 7001"]);
    });

    test("are kept of a text that begins with a byte order mark, which the store gives back without it", async () => {
      const documents = open(conceptEmbeddings);
      await documents.upsert([page("a", "\uFEFFholiday"), page("b", "badge")]);
      await documents.embed?.();
      expect(await documents.embedded?.(["a#0", "b#0"])).toEqual(["a#0", "b#0"]);
    });

    test("that the store cannot keep end the embedding with an error, and not never", async () => {
      const documents = open(conceptEmbeddings);
      await documents.upsert([page("\uFEFFa", "holiday")]);
      await expect(documents.embed?.()).rejects.toThrow(/keeps no vector of a#0/);
    });

    test("are not asked about a store that does not exist", async () => {
      const unasked: Embeddings = { identity: "none", embed: () => Promise.reject(new Error("asked")) };
      expect(await open(unasked).search({ text: "holiday" }, 5)).toEqual([]);
    });
  });

  describe("among processes", () => {
    const begin = (name: string, count: number) =>
      spawn(process.execPath, ["--import", "tsx", join(import.meta.dirname, "writer.ts"), path, name, `${count}`], {
        stdio: ["ignore", "pipe", "inherit"],
      });
    const ended = async (child: ChildProcess) =>
      child.exitCode === null ? ((await once(child, "exit"))[0] as number) : child.exitCode;

    test("takes the writes of two at once, and shows each to a third that reads", { timeout: 60_000 }, async () => {
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
      expect(await readdir(path)).toEqual(["passages.lance"]);
    });

    test("outlives one that is killed while it writes", { timeout: 60_000 }, async () => {
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
      await documents.upsert([page("after", "still writable")]);
      expect(await documents.search({ text: "writable" }, 5)).toHaveLength(1);
    });
  });
});
