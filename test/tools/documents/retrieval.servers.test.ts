import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { retrieval } from "../../../research/eval/retrieval.js";
import { readReading } from "../../../research/eval/sets/reading.js";
import { ingest } from "../../../src/index.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { onnxEncoder } from "../../../src/tools/encoder/onnx.js";
import type { Embeddings } from "../../../src/tools/encoder/port.js";
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

/** Embeds each text once, since both stores get the same ones. */
function embeddingOnce(encoder: Embeddings): Embeddings {
  const known = new Map<string, number[]>();
  return {
    identity: encoder.identity,
    embed: async (texts, options) => {
      const fresh = texts.filter((text) => !known.has(`${options.as} ${text}`));
      const vectors = await encoder.embed(fresh, options);
      for (const [i, text] of fresh.entries()) known.set(`${options.as} ${text}`, vectors[i] ?? []);
      return texts.map((text) => known.get(`${options.as} ${text}`) ?? []);
    },
  };
}

test.each([
  ["XQuAD, English", "xquad/xquad.en.json", 0.92],
  ["XQuAD, Chinese", "xquad/xquad.zh.json", 0.93],
])("Postgres puts the right passage first as often as SQLite: %s", async (name, file, least) => {
  const asked = readReading(join(DATA, file));
  const corpus = [...new Map(asked.map(({ paragraph }) => [paragraph.id, { ...paragraph, title: "" }])).values()];
  // Every third of 1,190 questions shows the same in a third of the time.
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

test("Postgres finds by meaning, and by words and meaning, what SQLite finds", async () => {
  const encoder = onnxEncoder();
  const embeddings = embeddingOnce(encoder);
  const asked = readFileSync("examples/questions.jsonl", "utf8").trim().split("\n");
  const questions = asked.map((line) => String(JSON.parse(line).question)).filter((_, i) => i % 4 === 0);
  const found = [];
  for (const place of [join(folder, "vectors"), await database.emptied()]) {
    const documents = sqlDocuments(openDatabase(place), { embeddings });
    await ingest(["examples/handbook"], { documents });
    await documents.embed?.();
    const of = async (mode: "vector" | "hybrid") =>
      Promise.all(
        questions.map(async (text) => (await documents.search({ text, mode }, 3)).map(({ id }) => id).join(" ")),
      );
    found.push([...(await of("vector")), ...(await of("hybrid"))]);
    await documents.close();
  }
  await encoder.close();
  const [sqlite = [], postgres = []] = found;
  // Vectors are halves of a float there, so that two passages that are as near may change places.
  const same = sqlite.filter((ids, i) => ids === postgres[i]).length;
  expect(same / sqlite.length).toBeGreaterThan(0.9);
});
