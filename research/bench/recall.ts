import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { languageOf } from "../../src/text/language.js";
import { dot } from "../../src/text/similarity.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { passageText } from "../../src/tools/documents/terms.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import type { Embeddings } from "../../src/tools/encoder/port.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { isDatabase } from "../../src/tools/store/settings.js";
import type { Passage } from "../../src/types/evidence.js";

/**
 * Measures how many of the ten passages nearest in meaning a store finds. The truth is a comparison with every passage
 * in the question's language: `tsx research/bench/recall.ts FOLDER [postgres://…]`. FOLDER has a `corpus.jsonl` and a
 * `queries.jsonl`, as `npm run eval -- retrieval` reads them. A database must be empty. Random vectors will not do,
 * since none is near another.
 */
async function main([data = "", address = ""]: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "emend-bench-"));
  const encoder = onnxEncoder();
  const vectors = new Map<string, number[]>();
  const embeddings: Embeddings = {
    identity: encoder.identity,
    async embed(texts, options) {
      const made = await encoder.embed(texts, options);
      for (const [i, text] of texts.entries()) vectors.set(text, made[i] ?? []);
      return made;
    },
  };
  const database = openDatabase(isDatabase(address) ? address : folder);
  const documents = sqlDocuments(database, { embeddings });
  try {
    const passages = rows(join(data, "corpus.jsonl")).map(passageOf);
    for (let i = 0; i < passages.length; i += 200) await documents.upsert(passages.slice(i, i + 200));
    await documents.embed?.();
    const questions = rows(join(data, "queries.jsonl")).map(({ question }) => question ?? "");
    const model = Number((await database.read([{ sql: "SELECT n FROM emend.models" }]))[0]?.[0]?.n);
    await embeddings.embed(questions, { as: "question" });
    let share = 0;
    for (const question of questions) {
      const vector = vectors.get(question) ?? [];
      const [found = []] = await database.read([{ sql: NEAREST, nearest: { model, vector, limit: 10 } }]);
      const ids = new Set(found.map(({ id }) => id));
      const exact = passages
        .filter(({ language }) => language === languageOf(question))
        .map((passage) => ({ id: passage.id, cosine: dot(vector, vectors.get(passageText(passage)) ?? []) }))
        .sort((one, other) => other.cosine - one.cosine)
        .slice(0, 10);
      share += exact.filter(({ id }) => ids.has(id)).length / (exact.length || 1);
    }
    process.stdout.write(
      `recall@10 ${(share / questions.length).toFixed(4)} (${questions.length} questions, ${passages.length} passages)\n`,
    );
  } finally {
    await documents.close();
    await encoder.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The nearest of every language. */
const NEAREST = "SELECT p.id FROM nearest JOIN emend.passages p ON p.n = nearest.n";

interface Line {
  id?: string;
  title?: string;
  text?: string;
  question?: string;
}

const rows = (file: string): Line[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const passageOf = ({ id = "", title = "", text = "" }: Line): Passage => ({
  id,
  documentId: id,
  position: 0,
  title,
  uri: id,
  section: "",
  text,
  language: languageOf(text),
  reviewedAt: "",
  hash: id,
  metadata: {},
});

await main(process.argv.slice(2));
