import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { retrieval } from "../../../research/eval/retrieval.js";
import { readReading } from "../../../research/eval/sets/reading.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { testDatabase } from "../../postgres.js";

const DATA = "../shared/data";
let database: Awaited<ReturnType<typeof testDatabase>>;
let folder: string;
beforeAll(async () => {
  database = await testDatabase("retrieval");
  folder = await mkdtemp(join(tmpdir(), "emend-retrieval-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

test.each([
  ["XQuAD, English", "xquad/xquad.en.json", 0.92],
  ["XQuAD, Chinese", "xquad/xquad.zh.json", 0.93],
  ["CMRC 2018, trial", "cmrc2018/cmrc2018_trial.json", 0.97],
])("Postgres puts the right passage first as often as SQLite: %s", async (name, file, least) => {
  const asked = readReading(join(DATA, file));
  const corpus = [...new Map(asked.map(({ paragraph }) => [paragraph.id, { ...paragraph, title: "" }])).values()];
  // Every third of 1,190 or 1,002 questions shows the same in a third of the time.
  const queries = asked
    .filter((_, i) => i % 3 === 0)
    .map(({ id, question, paragraph }) => ({ id, question, relevant: [paragraph.id] }));
  const first = [];
  for (const place of [join(folder, name), await database.emptied()]) {
    const documents = sqlDocuments(openDatabase(place));
    const { metrics } = await retrieval(corpus, queries, documents);
    await documents.close();
    first.push(Number(metrics.recallAt1));
  }
  const [sqlite = 0, postgres = 0] = first;
  process.stdout.write(`${name}: R@1 ${sqlite.toFixed(3)} in SQLite, ${postgres.toFixed(3)} in Postgres\n`);
  expect(sqlite).toBeGreaterThan(least);
  expect(Math.abs(sqlite - postgres)).toBeLessThanOrEqual(0.01);
});
