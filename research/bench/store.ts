import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quantile, randomFrom } from "../../src/evaluate/statistics.js";
import { withoutPassword } from "../../src/text/address.js";
import { dot } from "../../src/text/similarity.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import type { Embeddings } from "../../src/tools/encoder/port.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { isDatabase } from "../../src/tools/store/settings.js";
import { generatedCorpus } from "./corpus.js";
import { megabytes, memory, say, sizeOf, timed } from "./measure.js";

/**
 * Measures a store: `tsx research/bench/store.ts [postgres://…] [passages...]`, by default 1,000 and 100,000 passages
 * in a SQLite file. Passages have 224 words, half are English and half Chinese, and each has a vector of 384 numbers in
 * one of 400 clusters of its language. Each part runs in a separate process, so that its memory can be measured. A
 * database must be empty.
 */
async function main(given: readonly string[]): Promise<void> {
  const address = given.find(isDatabase);
  const counts = given.filter((one) => !isDatabase(one)).map(Number);
  for (const count of counts.length > 0 ? counts : [1_000, 100_000]) {
    const folder = await mkdtemp(join(tmpdir(), "emend-bench-"));
    try {
      say(`\n${count.toLocaleString("en")} passages in ${address ? withoutPassword(address) : "SQLite"}`);
      for (const part of ["write", "search"]) {
        const own = [...process.execArgv, import.meta.filename, part, address ?? folder, `${count}`];
        say(execFileSync(process.execPath, own, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trimEnd());
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

const PARTS = {
  async write(place: string, count: number) {
    const documents = sqlDocuments(openDatabase(place), { embeddings });
    const corpus = generatedCorpus();
    let written = 0;
    for (let first = 0; first < count; first += AT_ONCE) {
      const passages = corpus.passages(first, Math.min(AT_ONCE, count - first));
      written += await timed(() => documents.upsert(passages, { embed: true }));
      if ((first + AT_ONCE) % 100_000 === 0)
        say(`${first + AT_ONCE} passages in ${written.toFixed(0)} s, ${memory()} of memory`);
    }
    const closing = await timed(() => documents.close());
    const size = isDatabase(place) ? "" : `, ${megabytes(await sizeOf(place))} on disk`;
    say(`written in ${written.toFixed(1)} s, closed in ${closing.toFixed(1)} s${size}, ${memory()} of memory`);
  },

  async search(place: string, count: number) {
    const documents = sqlDocuments(openDatabase(place), { embeddings });
    const corpus = generatedCorpus();
    const known = corpus.passages(0, Math.min(count, 1_000));
    const questions = Array.from({ length: QUESTIONS + 10 }, (_, i) => {
      const passage = known[Math.floor((i * known.length) / (QUESTIONS + 10))];
      return passage ? corpus.question(passage) : "";
    });
    const first = await timed(() => documents.search({ text: questions[0] ?? "" }, 8));
    for (const mode of ["fullText", "vector", "hybrid"] as const) {
      const spent: number[] = [];
      const before = process.cpuUsage();
      for (const text of questions) spent.push(1000 * (await timed(() => documents.search({ text, mode }, 8))));
      const { user, system } = process.cpuUsage(before);
      const processor = `${((user + system) / 1000 / questions.length).toFixed(1)} ms`;
      const at = (share: number) => `${(quantile(spent.slice(10), share) ?? 0).toFixed(1)} ms`;
      say(
        `${NAMES[mode].padEnd(12)} p50 ${at(0.5).padStart(9)}   p99 ${at(0.99).padStart(9)}   processor ${processor.padStart(9)}`,
      );
    }
    const list = await timed(() => documents.list());
    say(`first search ${(first * 1000).toFixed(0)} ms, list ${(list * 1000).toFixed(0)} ms, ${memory()} of memory`);
    await documents.close();
  },
};

const NAMES = { fullText: "by words", vector: "by meaning", hybrid: "by both" };
const AT_ONCE = 1_000;
const QUESTIONS = 100;

/**
 * A vector of unit length near a cluster of its language. All clusters of a language are on one side of the sphere, as
 * with E5.
 */
function vectorOf(text: string, language: string): number[] {
  const next = random(text);
  const center = random(`${language} ${Math.floor(next() * 400)}`);
  const side = random(language);
  const vector = Array.from({ length: 384 }, () => 2.4 * normal(side) + 0.8 * normal(center) + normal(next));
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((x) => x / length);
}

const embeddings: Embeddings = {
  identity: "generated",
  embed: async (texts) =>
    texts.map((text) => vectorOf(text, /\p{Script=Han}/u.test(text) || text.endsWith(" zh") ? "zh" : "en")),
};

/** Numbers from 0 to 1 that depend on the text alone. */
function random(text: string): () => number {
  let seed = 0;
  for (let i = 0; i < text.length; i++) seed = (Math.imul(seed, 31) + text.charCodeAt(i)) | 0;
  return randomFrom(seed);
}

/** Near enough to a normal distribution. */
const normal = (next: () => number) => next() + next() + next() - 1.5;

const [part = "", place = "", count = ""] = process.argv.slice(2);
if (part in PARTS) await PARTS[part as keyof typeof PARTS](place, Number(count));
else await main(process.argv.slice(2));
