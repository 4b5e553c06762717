import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, Index } from "@lancedb/lancedb";
import { lanceDocuments, PASSAGES } from "../src/tools/documents/lancedb/lancedb.js";
import { columnOf, prepareColumn } from "../src/tools/documents/lancedb/vectors.js";
import { tableFolder } from "../src/tools/store/lancedb/table-folder.js";
import { randomFrom } from "./random.js";

/**
 * What a large store costs: `tsx bench/million.ts [passages...]`, by default 10,000, 100,000 and 1,000,000. Rows of 60 drawn
 * words and a vector of 384 numbers are written straight to the table, since analysing and embedding cost the same for each.
 * A question is near one passage in words and in meaning. Recall is that of the ten nearest by the index, against all.
 */
async function main(counts: readonly number[]): Promise<void> {
  for (const count of counts.length > 0 ? counts : [10_000, 100_000, 1_000_000]) {
    const path = await mkdtemp(join(tmpdir(), "emend-million-"));
    try {
      say(`\n${count.toLocaleString("en")} passages`);
      await build(path, count);
      await search(path, count);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }
}

const DIMENSIONS = 384;
const WORDS = 60;
const AT_ONCE = 10_000;
const QUESTIONS = 100;
const MODEL = "drawn";

async function build(path: string, count: number): Promise<void> {
  await tableFolder(path, PASSAGES).make();
  const table = await (await connect(path)).openTable(PASSAGES.name);
  const column = columnOf(MODEL);
  await prepareColumn(table, column, DIMENSIONS);
  let seconds = 0;
  for (let first = 0; first < count; first += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => ({
      ...row(first + i),
      [column]: vectorOf(first + i),
    }));
    seconds += await timed(() => table.add(rows));
  }
  const words = await timed(() => table.optimize());
  const meaning = await timed(() => table.createIndex(column, { config: Index.ivfFlat({ distanceType: "dot" }) }));
  const { totalBytes } = await table.stats();
  say(
    `written in ${seconds.toFixed(0)} s, indexed by words in ${words.toFixed(0)} s, by meaning in ${meaning.toFixed(0)} s; ` +
      `${Math.round(totalBytes / count)} bytes a passage without indexes; ${memory()}`,
  );
}

async function search(path: string, count: number): Promise<void> {
  const asked = (i: number) => Math.floor((i * count) / QUESTIONS);
  const embeddings = {
    identity: MODEL,
    embed: async (texts: readonly string[]) => texts.map((text) => near(numberIn(text))),
  };
  const documents = lanceDocuments({ path, embeddings, readOnly: true });
  for (const mode of ["fullText", "vector", "hybrid"] as const) {
    const spent: number[] = [];
    let found = 0;
    for (let i = -10; i < QUESTIONS; i++) {
      const wanted = asked(Math.abs(i) % QUESTIONS);
      const text = row(wanted).text.split(" ").slice(0, 10).join(" ");
      const seconds = await timed(async () => {
        const best = await documents.search({ text, mode }, 10);
        if (i >= 0 && best.some(({ id }) => id === `${wanted}`)) found++;
      });
      if (i >= 0) spent.push(seconds * 1000);
    }
    spent.sort((a, b) => a - b);
    const at = (share: number) => `${(spent[Math.floor(share * (QUESTIONS - 1))] ?? 0).toFixed(0)} ms`;
    say(`${mode.padEnd(8)} p50 ${at(0.5)}, p99 ${at(0.99)}; ${found} of ${QUESTIONS} among the first ten; ${memory()}`);
  }
  const table = await (await connect(path)).openTable(PASSAGES.name);
  let shared = 0;
  for (let i = 0; i < QUESTIONS; i += 5) {
    const query = () =>
      table
        .query()
        .nearestTo(near(asked(i)))
        .column(columnOf(MODEL))
        .distanceType("dot")
        .select(["id"])
        .limit(10);
    const ids = async (rows: Promise<{ id: string }[]>) => new Set((await rows).map(({ id }) => id));
    const exact = await ids(query().bypassVectorIndex().toArray());
    shared += (await ids(query().nprobes(40).toArray())).intersection(exact).size;
  }
  say(`recall of the ten nearest: ${(shared / (QUESTIONS / 5) / 10).toFixed(3)}`);
}

/** Words drawn as often as their rank lets expect; the first names the passage, so that its vector can be told. */
function row(number: number) {
  const random = randomFrom(number);
  const words = Array.from({ length: WORDS - 1 }, () => `w${Math.floor(50_000 * random() ** 4)}`);
  const text = [`n${number}`, ...words].join(" ");
  const language = number % 2 === 0 ? "en" : "zh";
  return {
    id: `${number}`,
    documentId: `${Math.floor(number / 10)}`,
    position: number % 10,
    title: "",
    uri: "",
    section: "",
    text,
    language,
    reviewedAt: "",
    hash: `${number}`,
    terms: text,
  };
}

const numberIn = (text: string) => Number(/n(\d+)/.exec(text)?.[1]);

/** Passages lie around one of a thousand centres, as texts do around subjects. */
function vectorOf(number: number): number[] {
  const center = centers[number % centers.length] ?? [];
  const random = randomFrom(number);
  return unit(center.map((x) => x + SPREAD * (random() - 0.5)));
}

/** The question's vector is near the passage's own. */
function near(number: number): number[] {
  const random = randomFrom(-number - 1);
  return unit(vectorOf(number).map((x) => x + 0.05 * (random() - 0.5)));
}

const SPREAD = 0.15;
const unit = (vector: readonly number[]) => {
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
};
const centers = Array.from({ length: 1_000 }, (_, i) => {
  const random = randomFrom(1_000_003 + i);
  return unit(Array.from({ length: DIMENSIONS }, () => random() - 0.5));
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

const memory = () => `${Math.round(process.memoryUsage.rss() / 1e6)} MB of memory`;
const say = (line: string) => process.stdout.write(`${line}\n`);

await main(process.argv.slice(2).map(Number));
