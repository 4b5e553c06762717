import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { generatedCorpus } from "./corpus.js";

/**
 * Measures what the facts of tables add to the time of an ingest: `tsx research/bench/facts.ts [files] [every]`, by
 * default 1,000 files, of which every fifth has a table of ten rows. The baseline, in the same run, is the same files
 * without a graph. Each is done several times in turn, and the fastest counts, since other work on the machine only
 * makes it slower.
 */
const [count = "1000", every = "5"] = process.argv.slice(2);
const TURNS = 3;
const cwd = await mkdtemp(join(tmpdir(), "emend-bench-"));
try {
  await writeFiles();
  const times = { without: [] as number[], with: [] as number[], again: [] as number[] };
  for (let turn = 0; turn < TURNS; turn++) {
    times.without.push(await timed(join(cwd, `without-${turn}`), false));
    times.with.push(await timed(join(cwd, `with-${turn}`), true));
    times.again.push(await timed(join(cwd, `with-${turn}`), true));
  }
  const [without, facts, again] = Object.values(times).map((some) => Math.min(...some));
  console.log(`${count} files, every ${every}. with a table of ten rows, ${TURNS} turns each, the fastest in seconds`);
  console.log(
    `with facts ${facts?.toFixed(2)}, without ${without?.toFixed(2)}: ratio ${((facts ?? 0) / (without ?? 1)).toFixed(2)}`,
  );
  console.log(`with facts, when nothing has changed: ${again?.toFixed(2)}`);
} finally {
  await rm(cwd, { recursive: true, force: true });
}

async function timed(path: string, facts: boolean): Promise<number> {
  const start = performance.now();
  const documents = sqlDocuments(openDatabase(path));
  const knowledge = sqlKnowledge(openDatabase(path));
  await ingestFiles(["docs"], { documents, cwd, ...(facts && { knowledge }) });
  await Promise.all([documents.close(), knowledge.close()]);
  return (performance.now() - start) / 1000;
}

async function writeFiles(): Promise<void> {
  await mkdir(join(cwd, "docs"));
  const corpus = generatedCorpus();
  let made = 0;
  for (let i = 0; i < Number(count); i++) {
    const sections = corpus.passages(made, 1 + (i % 5));
    made += sections.length;
    const text = sections.map(({ title, text: words }) => `# ${title}\n\n${words}\n`).join("\n");
    const rows = Array.from(
      { length: 10 },
      (_, row) => `| Part ${i}-${row} | €${row * 7 + 3} | shelf ${row} | Ann Lee |`,
    );
    const table = `\n# Parts ${i}\n\n| Part | Price | Place | Owner |\n|-|-|-|-|\n${rows.join("\n")}\n`;
    await writeFile(join(cwd, "docs", `${i}.md`), i % Number(every) === 0 ? text + table : text);
  }
}
