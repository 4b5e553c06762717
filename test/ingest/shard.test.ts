import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ingestFiles, isInShard } from "../../src/ingest/ingest.js";
import { inMemoryDocuments } from "../../src/testing/documents.js";
import { conceptEmbeddings } from "../../src/testing/documents-sample.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "emend-shards-"));
  await mkdir(join(cwd, "docs"));
  for (let i = 0; i < 12; i++)
    await writeFile(join(cwd, `docs/${i} 假期.md`), `# ${i}\n\nA holiday is asked for 假期。\n`);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

test("a document belongs to the same shard on every machine and in every version", () => {
  const shardOf = (id: string) => [1, 2, 3, 4, 5, 6, 7, 8].filter((number) => isInShard(id, { number, of: 8 }));
  expect(["docs/a.md", "docs/年假.md", "https://example.org/", ""].map(shardOf)).toEqual([[2], [4], [3], [3]]);
});

test("each shard ingests and embeds only its own documents, removes only those, and together they cover all", async () => {
  const documents = sqlDocuments(openDatabase(join(cwd, "store")), { embeddings: conceptEmbeddings });
  const run = (number: number) => ingestFiles(["docs"], { documents, cwd, shard: { number, of: 3 } });
  const stored = async () => (await documents.list()).map(({ documentId }) => documentId);
  const first = await run(1);
  const own = await stored();
  expect(own.length).toBeGreaterThan(0);
  expect(own.every((id) => isInShard(id, { number: 1, of: 3 }))).toBe(true);
  const added = [first.added, (await run(2)).added, (await run(3)).added];
  expect(added.reduce((sum, count) => sum + count)).toBe(12);
  expect(await stored()).toHaveLength(12);
  expect(await documents.describe?.()).toMatchObject({ embedded: 12 });
  expect(await run(1)).toMatchObject({ added: 0, unchanged: own.length, removed: 0, passages: 0 });
  for (const id of own) await rm(join(cwd, id));
  expect((await run(2)).removed).toBe(0);
  expect((await run(1)).removed).toBe(own.length);
  expect(await stored()).toHaveLength(12 - own.length);
  await documents.close();
});

test("one shard reports a missing folder, and no shard takes it for a spelling mistake", async () => {
  const documents = inMemoryDocuments();
  await ingestFiles(["docs/3 假期.md"], { documents, cwd });
  const shards = [1, 2, 3].map((number) => ({ documents, cwd, shard: { number, of: 3 } }));
  const run = (...paths: string[]) => Promise.all(shards.map((shard) => ingestFiles(paths, shard)));
  const disk = join(cwd, "docs");
  await rename(disk, join(cwd, "away"));
  const summaries = await run("docs");
  await rename(join(cwd, "away"), disk);
  expect(summaries.flatMap(({ failures }) => failures)).toEqual([
    { path: "docs", reason: expect.stringContaining("1 document from it stays in the store") },
  ]);
  expect(await documents.list()).toHaveLength(1);
  await expect(run("dosc")).rejects.toThrow("There is no file or folder dosc.");
});
