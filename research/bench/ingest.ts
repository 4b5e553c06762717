import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chunk } from "../../src/ingest/chunk.js";
import { findFiles } from "../../src/ingest/find.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { load } from "../../src/ingest/load.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { generatedCorpus } from "./corpus.js";
import { say, timed } from "./measure.js";

/**
 * Measures the cost of writing in batches, by which an interrupted ingest keeps its work: `tsx research/bench/ingest.ts
 * [files]`, by default 1,000. The baseline, in the same run, is the same files read, cut and stored in one write, which
 * keeps nothing until its end. Each is done several times in turn, or once from 5,000 files on, and the fastest counts,
 * since other work on the machine only makes it slower.
 */
async function main([count = "1000"]: readonly string[]): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), "emend-bench-"));
  try {
    const passages = await writeFiles(join(cwd, "docs"), Number(count));
    const turns = Number(count) < 5_000 ? TURNS : 1;
    const inBatches: number[] = [];
    const atOnce: number[] = [];
    let again = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < turns; turn++) {
      atOnce.push(await timed(() => ingestAtOnce(cwd, join(cwd, `at-once-${turn}`))));
      inBatches.push(await timed(() => ingestAsUsual(cwd, join(cwd, `batches-${turn}`))));
      again = Math.min(again, await timed(() => ingestAsUsual(cwd, join(cwd, `batches-${turn}`))));
    }
    const [usual, baseline] = [Math.min(...inBatches), Math.min(...atOnce)];
    say(`${count} files, ${passages} passages, ${turns} turns each, the fastest in seconds`);
    say(`in batches ${usual.toFixed(2)}, in one write ${baseline.toFixed(2)}: ratio ${(usual / baseline).toFixed(2)}`);
    say(`in batches, when nothing has changed: ${again.toFixed(2)}`);
    for (let i = 0; i < Number(count); i += 100) await appendFile(join(cwd, "docs", `${i}.md`), "\nOne line more.\n");
    const changed = await timed(() => ingestAsUsual(cwd, join(cwd, "batches-0")));
    say(`in batches, when one in a hundred has changed: ${changed.toFixed(2)}`);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const TURNS = 5;

async function ingestAsUsual(cwd: string, path: string) {
  const documents = sqlDocuments(openDatabase(path));
  await ingestFiles(["docs"], { documents, cwd });
  await documents.close();
}

async function ingestAtOnce(cwd: string, path: string) {
  const documents = sqlDocuments(openDatabase(path));
  const { files } = await findFiles(["docs"], cwd);
  const read = [];
  for (const file of files) read.push(await load(file.path, file.documentId));
  await documents.upsert(read.flatMap((document) => (document ? chunk(document) : [])));
  await documents.close();
}

/** Writes files of one to five sections; returns how many passages they make. */
async function writeFiles(folder: string, count: number): Promise<number> {
  await mkdir(folder, { recursive: true });
  const corpus = generatedCorpus();
  let made = 0;
  for (let i = 0; i < count; i++) {
    const sections = corpus.passages(made, 1 + (i % 5));
    made += sections.length;
    await writeFile(join(folder, `${i}.md`), sections.map(({ title, text }) => `# ${title}\n\n${text}\n`).join("\n"));
  }
  return made;
}

await main(process.argv.slice(2));
