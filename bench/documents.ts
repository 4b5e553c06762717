import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, Index, MatchQuery } from "@lancedb/lancedb";
import { inEmptyStore } from "../eval/empty-store.js";
import { loadSettings } from "../src/config.js";
import { UsageError } from "../src/errors.js";
import { terms } from "../src/language/tokens.js";
import { lanceDocuments } from "../src/tools/documents/lancedb/lancedb.js";
import { neo4jDocuments } from "../src/tools/documents/neo4j/neo4j.js";
import { favourPhrases } from "../src/tools/documents/rank.js";
import { passageTerms, queryTerms } from "../src/tools/documents/terms.js";
import { neo4jConnection } from "../src/tools/store/neo4j/connection.js";
import { generatedCorpus } from "./corpus.js";

/**
 * What searching costs: `tsx bench/documents.ts [neo4j] [passages...]`, by default 1,000 and 100,000. Beside the store, in
 * the same run: LanceDB's own full-text search over the same texts (ICU tokenizer), with nothing of ours; or, with
 * `neo4j`, the store on the server that NEO4J_URI names, which must hold no documents. Each part runs in a process of its
 * own, so that its memory is its own.
 */
async function main([first = "", ...rest]: readonly string[]): Promise<void> {
  const beside = first === "neo4j" ? (["serverStore"] as const) : (["plainIngest", "plainSearch"] as const);
  const given = (first === "neo4j" ? rest : [first, ...rest]).filter((count) => count !== "").map(Number);
  const counts = given.length > 0 ? given : [1_000, 100_000];
  for (const count of counts) {
    const folder = await mkdtemp(join(tmpdir(), "emend-bench-"));
    try {
      say(`\n${count.toLocaleString("en")} passages, half English, half Chinese`);
      for (const part of ["ingest", "search", ...beside]) {
        const own = [...process.execArgv, import.meta.filename, part, folder, `${count}`];
        say(execFileSync(process.execPath, own, { encoding: "utf8" }).trimEnd());
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

const PARTS = {
  async ingest(folder: string, count: number) {
    const path = join(folder, "store");
    const documents = lanceDocuments({ path });
    const seconds = await writeAll(count, (passages) => documents.upsert(passages));
    const closing = await timed(() => documents.close());
    const size = await sizeOf(path);
    say(`store: ${rate(count, seconds + closing)}, ${megabytes(size)} on disk, ${memory()} of memory while writing`);
  },

  async search(folder: string, count: number) {
    const path = join(folder, "store");
    const documents = lanceDocuments({ path, readOnly: true });
    const first = await timed(() => documents.search({ text: "first 第一" }, 8));
    report("store: search", await perQuestion(count, (text) => documents.search({ text }, 8)));
    say(`  first search ${milliseconds(first * 1000)}, ${memory()} of memory`);
    const table = await (await connect(path)).openTable("passages");
    const find = (text: string, columns: string[]) =>
      table
        .query()
        .fullTextSearch(new MatchQuery(queryTerms(text).join(" "), "terms"))
        .select([...columns, "_score"])
        .limit(30)
        .toArray();
    const everything = (await table.schema()).fields.map(({ name }) => name);
    report("  of that, analysing the question", await perQuestion(count, async (text) => queryTerms(text)));
    report("  and finding 30 in the index", await perQuestion(count, (text) => find(text, ["id"])));
    report("  and reading them", await perQuestion(count, (text) => find(text, everything)));
    const sample = generatedCorpus()
      .passages(0, 30)
      .map((passage) => ({ ...passage, score: 1, terms: passageTerms(passage).join(" ") }));
    report("  ranking 30 again", await perQuestion(count, async (text) => favourPhrases(terms(text), sample)));
  },

  async serverStore(_: string, count: number) {
    const { neo4j } = loadSettings();
    if (!neo4j) throw new UsageError("Set NEO4J_URI and NEO4J_PASSWORD to a server that holds no documents.");
    const connection = neo4jConnection(neo4j);
    const documents = neo4jDocuments({ connection });
    await inEmptyStore(documents, async () => {
      const seconds = await writeAll(count, (passages) => documents.upsert(passages));
      say(`neo4j: ${rate(count, seconds)}, ${memory()} of memory while writing, without the server's`);
      const first = await timed(() => documents.search({ text: "first 第一" }, 8));
      report("neo4j: search", await perQuestion(count, (text) => documents.search({ text }, 8)));
      say(`  first search ${milliseconds(first * 1000)}`);
    });
    await documents.close();
    await connection.close();
  },

  async plainIngest(folder: string, count: number) {
    const path = join(folder, "plain");
    const connection = await connect(path);
    const asRows = (passages: Passages) => passages.map((passage) => ({ ...passage }));
    const table = await connection.createTable("plain", asRows(generatedCorpus().passages(0, 10)), {
      mode: "overwrite",
    });
    await table.delete("true");
    const writing = await writeAll(count, (passages) => table.add(asRows(passages)));
    const config = Index.fts({ baseTokenizer: "icu", withPosition: false, removeStopWords: false });
    const indexing = await timed(() => table.createIndex("text", { config }));
    say(
      `plain: ${rate(count, writing + indexing)}, ${megabytes(await sizeOf(path))} on disk, ${memory()} of memory while writing`,
    );
  },

  async plainSearch(folder: string, count: number) {
    const table = await (await connect(join(folder, "plain"))).openTable("plain");
    const find = (text: string) =>
      table.query().fullTextSearch(new MatchQuery(text, "text")).select(["id", "text", "_score"]).limit(8).toArray();
    await find("first 第一");
    report("plain: search", await perQuestion(count, find));
    say(`  ${memory()} of memory`);
  },
};

type Passages = ReturnType<ReturnType<typeof generatedCorpus>["passages"]>;

const AT_ONCE = 1_000;
const QUESTIONS = 100;

/** Seconds spent writing; making the passages does not count. */
async function writeAll(count: number, write: (passages: Passages) => Promise<unknown>): Promise<number> {
  const corpus = generatedCorpus();
  let seconds = 0;
  for (let first = 0; first < count; first += AT_ONCE) {
    const passages = corpus.passages(first, Math.min(AT_ONCE, count - first));
    seconds += await timed(() => write(passages));
  }
  return seconds;
}

/** Milliseconds for each of the questions, after ten that warm up. */
async function perQuestion(count: number, answer: (question: string) => Promise<unknown>): Promise<number[]> {
  const corpus = generatedCorpus();
  const known = corpus.passages(0, Math.min(count, 1_000));
  const questions = Array.from({ length: QUESTIONS + 10 }, (_, i) => {
    const passage = known[Math.floor((i * known.length) / (QUESTIONS + 10))];
    return passage ? corpus.question(passage) : "";
  });
  const spent: number[] = [];
  for (const question of questions) spent.push(1000 * (await timed(() => answer(question))));
  return spent.slice(10).sort((a, b) => a - b);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString("en")} MB`;
const memory = () => megabytes(process.memoryUsage.rss());
const rate = (count: number, seconds: number) => `${Math.round(count / seconds).toLocaleString("en")} passages/s`;
const report = (what: string, sorted: readonly number[]) => {
  const at = (share: number) => milliseconds(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  say(`${what.padEnd(36)} p50 ${at(0.5).padStart(8)}   p99 ${at(0.99).padStart(8)}`);
};

const [part = "", folder = "", count = ""] = process.argv.slice(2);
if (part in PARTS) await PARTS[part as keyof typeof PARTS](folder, Number(count));
else await main(process.argv.slice(2));
