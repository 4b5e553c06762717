import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { randomFrom } from "../../src/evaluate/statistics.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import type { Embeddings } from "../../src/tools/encoder/port.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { say } from "./measure.js";
import { realFolders, realQuestions } from "./real.js";

/**
 * Flips one bit of a store at a time: `tsx research/bench/damaged.ts [flips]`, by default 200 random bits of the file and
 * as many of its write-ahead log, as a crash leaves it. Cuts off a quarter as many files at random places. The store has the real documents of eval, with their vectors and facts. After each flip,
 * 40 real questions are searched and the file is checked. Counts the flips that change what a search returns, and those that `emend doctor` finds.
 */
async function main([count = "200"]: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "emend-damaged-"));
  const encoder = onnxEncoder();
  const embeddings = remembering(encoder);
  try {
    const database = openDatabase(folder);
    const documents = sqlDocuments(database, { embeddings });
    // Not tidied, so that everything is still in the log.
    const tidy = async () => {};
    await ingestFiles(realFolders, {
      documents: { ...documents, tidy },
      knowledge: { ...sqlKnowledge(database), tidy },
      cwd: import.meta.dirname,
    });
    await documents.embed?.();
    const log = join(folder, "emend.db-wal");
    await copyFile(log, join(folder, "log"));
    await copyFile(join(folder, "emend.db"), join(folder, "before"));
    await documents.close();
    const file = join(folder, "emend.db");
    const whole = await readFile(file);
    const before = await searched(folder, embeddings);
    const random = randomFrom(7);
    const kinds = pagesOf(file);

    const inFile: Seen[] = [];
    for (let i = 0; i < Number(count); i++) {
      const at = Math.floor(random() * whole.length);
      await writeFile(file, flipped(whole, at, random));
      inFile.push({
        where: kinds.get(Math.floor(at / PAGE)) ?? "free",
        ...(await compared(folder, embeddings, before)),
      });
    }
    report(`${count} bits of the file, ${whole.length} bytes`, inFile);

    const cut: Seen[] = [];
    for (let i = 0; i < Number(count) / 4; i++) {
      await writeFile(file, whole.subarray(0, Math.floor(random() * whole.length)));
      cut.push({ where: "file", ...(await compared(folder, embeddings, before)) });
    }
    report(`${cut.length} files that are cut off`, cut);

    const [start, frames] = [await readFile(join(folder, "before")), await readFile(join(folder, "log"))];
    const inLog: Seen[] = [];
    for (let i = 0; i < Number(count); i++) {
      await rm(`${file}-shm`, { force: true });
      await writeFile(file, start);
      await writeFile(log, flipped(frames, Math.floor(random() * frames.length), random));
      inLog.push({ where: "log", ...(await compared(folder, embeddings, before)) });
    }
    report(`${count} bits of the log, ${frames.length} bytes`, inLog);
  } finally {
    await encoder.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const PAGE = 4096;
const QUESTIONS = realQuestions(40);

/** What a flip did to the searches, from bad to good. */
const EFFECTS = ["other words", "other order", "left out", "an earlier state", "an error", "nothing"] as const;
interface Seen {
  /** The table or index that has the page. */
  where: string;
  effect: (typeof EFFECTS)[number];
  /** True if a check of the store reports damage. */
  isFound: boolean;
}

interface Results {
  documents: number;
  vectors: number;
  /** By question. */
  passages: { id: string; said: string }[][];
  facts: string[];
}

async function searched(folder: string, embeddings: Embeddings): Promise<Results> {
  const database = openDatabase(folder);
  const documents = sqlDocuments(database, { embeddings });
  const knowledge = sqlKnowledge(database);
  try {
    const { embedded: vectors = 0 } = (await documents.describe?.()) ?? {};
    const results: Results = { documents: (await documents.list()).length, vectors, passages: [], facts: [] };
    for (const text of QUESTIONS) {
      const found = await documents.search({ text }, 8);
      // A changed hash only makes the next ingest read the file again.
      results.passages.push(
        found.map(({ score: _, hash: __, ...rest }) => ({ id: rest.id, said: JSON.stringify(rest) })),
      );
      const facts = await knowledge.facts([], text);
      results.facts.push(...facts.map(({ score: _, ...rest }) => JSON.stringify(rest)));
    }
    return results;
  } finally {
    await documents.close();
  }
}

/** What `emend doctor` reads. */
async function checked(folder: string): Promise<string[]> {
  const database = openDatabase(folder);
  const faults = await database.check();
  return faults.length > 0 ? faults : ((await sqlDocuments(database).damaged?.()) ?? []);
}

async function compared(folder: string, embeddings: Embeddings, before: Results): Promise<Omit<Seen, "where">> {
  const faults = await checked(folder).catch((error: Error) => [error.message]);
  const isFound = faults.length > 0;
  const after = await searched(folder, embeddings).catch(() => undefined);
  if (!after) return { effect: "an error", isFound };
  if (after.documents < before.documents || after.vectors < before.vectors)
    return { effect: "an earlier state", isFound };
  const said = new Set([...before.passages.flat().map((one) => one.said), ...before.facts]);
  const ids = new Set(before.passages.flat().map(({ id }) => id));
  // A passage that no search found before may be found now that another is left out.
  const isOther = (one: { id: string; said: string }) => ids.has(one.id) && !said.has(one.said);
  if (after.passages.flat().some(isOther) || after.facts.some((one) => !said.has(one)))
    return { effect: "other words", isFound };
  const [orders, ordersBefore] = [after, before].map(({ passages }) =>
    passages.map((found) => found.map(({ id }) => id)),
  );
  const isReordered = ordersBefore?.some((was, i) => {
    const now = orders?.[i] ?? [];
    const kept = was.filter((id) => now.includes(id));
    return now.slice(0, kept.length).join() !== kept.join();
  });
  if (isReordered) return { effect: "other order", isFound };
  const isSame = JSON.stringify(after) === JSON.stringify(before);
  return { effect: isSame ? "nothing" : "left out", isFound };
}

function report(title: string, all: readonly Seen[]): void {
  say(`\n${title}`);
  const rows = EFFECTS.map((effect) => {
    const some = all.filter((one) => one.effect === effect);
    const unseen = some.filter(({ isFound }) => !isFound).map(({ where }) => where);
    const places = [...Map.groupBy(unseen, (where) => where)].map(([where, { length }]) => `${where} ${length}`);
    return `${effect.padEnd(16)} ${some.length}, found by a check ${some.length - unseen.length}; not found: ${places.join(", ") || "none"}`;
  });
  for (const row of rows) say(row);
}

function flipped(bytes: Buffer, at: number, random: () => number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  return copy;
}

/** Returns the table or index of each page, by its number from 0. */
function pagesOf(file: string): Map<number, string> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare("SELECT pageno, name FROM dbstat").all();
    return new Map(rows.map(({ pageno, name }) => [Number(pageno) - 1, `${name}`]));
  } finally {
    database.close();
  }
}

/** Embeds each text once. */
function remembering({ identity, embed }: Embeddings): Embeddings {
  const known = new Map<string, number[]>();
  return {
    identity,
    async embed(texts, options) {
      const missing = texts.filter((text) => !known.has(text));
      const made = missing.length > 0 ? await embed(missing, options) : [];
      for (const [i, text] of missing.entries()) known.set(text, made[i] ?? []);
      return texts.map((text) => known.get(text) ?? []);
    },
  };
}

await main(process.argv.slice(2));
