import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { generatedCorpus } from "./corpus.js";

/**
 * Checks that an ingest survives `kill -9`: `npm run build && tsx research/bench/killed.ts [kills]`, by default 100, in
 * rounds of ten on one store. Every other kill waits for the first write of its run; the exact moment is random. A
 * second writer runs beside every fourth, and a reader beside all of them. Every document has to be whole whenever it
 * is read, and every round has to end complete.
 */
async function main([count = "100"]: readonly string[]): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), "emend-killed-"));
  try {
    const { random, passages } = generatedCorpus();
    await mkdir(join(cwd, "docs"));
    const parts = passages(0, FILES * SECTIONS);
    for (let i = 0; i < FILES; i++) {
      const own = parts.slice(i * SECTIONS, (i + 1) * SECTIONS).map(({ text }, n) => `# Part ${n}\n\n${text}\n`);
      await writeFile(join(cwd, `docs/${i}.md`), own.join("\n"));
    }
    const seen = { early: 0, late: 0, ended: 0, reads: 0, beside: 0 };
    for (let round = 0; round * ROUND < Number(count); round++) {
      const store = join(cwd, `store-${round}`);
      const isOver = new AbortController();
      const reading = readUntil(isOver.signal, store);
      for (let i = 0; i < Math.min(ROUND, Number(count) - round * ROUND); i++) {
        const before = await edits(store);
        const other = i % 4 === 3 ? ingest(cwd, store) : undefined;
        const child = ingest(cwd, store);
        if (i % 2 === 1) while (child.exitCode === null && (await edits(store)) <= before) await sleep(1);
        await sleep(random() * (i % 2 === 1 ? 300 : 1_500));
        if (child.exitCode !== null) seen.ended++;
        else seen[(await edits(store)) > before ? "late" : "early"]++;
        await killed(child);
        if (other) seen.beside++;
        if (other) await killed(other);
      }
      await finished(ingest(cwd, store));
      isOver.abort();
      seen.reads += await reading;
      const all = await wholeDocuments(store);
      if (all !== FILES) throw new Error(`Round ${round} ended with ${all} of ${FILES} documents.`);
      const faults = await openDatabase(store).check();
      if (faults.length > 0) throw new Error(`Round ${round} ended with ${faults.join(", ")}.`);
    }
    process.stdout.write(
      `${seen.early} killed before a write, ${seen.late} after one, ${seen.ended} had ended; a second writer beside ${seen.beside} of them; ` +
        `${seen.reads} reads meanwhile, every document whole; every round ended complete\n`,
    );
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const FILES = 300;
const SECTIONS = 4;
const ROUND = 10;
const MAIN = resolve("dist/cli/main.js");

const ingest = (cwd: string, store: string) =>
  spawn(process.execPath, [MAIN, "ingest", "docs", "--store", store], {
    cwd,
    stdio: "ignore",
    env: { ...process.env, EMEND_ENCODER: "off" },
  });

async function killed(child: ChildProcess): Promise<void> {
  const end = child.exitCode === null && once(child, "exit");
  child.kill("SIGKILL");
  await end;
}

async function finished(child: ChildProcess): Promise<void> {
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`An ingest that was let be ended with ${code}.`);
}

/** The number of the last transaction. */
async function edits(store: string): Promise<number> {
  if (!existsSync(store)) return 0;
  const [rows] = await openDatabase(store).read([{ sql: "SELECT max(n) AS n FROM emend.edits" }]);
  return Number(rows?.[0]?.n ?? 0);
}

/** Counts the documents; each must have all its passages. */
async function wholeDocuments(store: string): Promise<number> {
  const documents = sqlDocuments(openDatabase(store));
  const all = await documents.list();
  const part = all.find(({ passages }) => passages !== SECTIONS);
  if (part) throw new Error(`${part.documentId} has ${part.passages} of ${SECTIONS} passages.`);
  return all.length;
}

/** Reads again and again; returns how often. A document that was there once must stay. */
async function readUntil(isOver: AbortSignal, store: string): Promise<number> {
  let [reads, most] = [0, 0];
  for (; !isOver.aborted; reads++) {
    const there = await wholeDocuments(store);
    if (there < most) throw new Error(`${most - there} documents were lost.`);
    most = there;
    await sleep(20);
  }
  return reads;
}

await main(process.argv.slice(2));
