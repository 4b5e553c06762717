import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quantile, randomFrom } from "../../src/evaluate/statistics.js";
import { withoutPassword } from "../../src/text/address.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import type { Embeddings } from "../../src/tools/encoder/port.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { isDatabase } from "../../src/tools/store/settings.js";
import type { Passage } from "../../src/types/evidence.js";
import { generatedCorpus } from "./corpus.js";
import { say } from "./measure.js";

/**
 * Two programs write the same 40 documents for a while, and eight read them: `tsx research/bench/crowd.ts [postgres://…]
 * [seconds]`, by default a SQLite file and 60 seconds. Every reader has to find whole documents of one write. Any other
 * finding, and any error, ends it with exit code 1. A database must be empty.
 */
async function main(given: readonly string[]): Promise<void> {
  const address = given.find(isDatabase);
  const seconds = given.find((one) => !isDatabase(one)) ?? "60";
  const folder = await mkdtemp(join(tmpdir(), "emend-crowd-"));
  try {
    const place = address ?? folder;
    say(
      `${WRITERS} writers and ${READERS} readers for ${seconds} s on ${address ? withoutPassword(address) : "SQLite"}`,
    );
    const parts = [...Array<string>(WRITERS).fill("write"), ...Array<string>(READERS).fill("read")];
    const codes = await Promise.all(
      parts.map(async (part, i) => {
        const own = [...process.execArgv, import.meta.filename, part, place, seconds, `${i}`];
        const [code] = await once(spawn(process.execPath, own, { stdio: "inherit" }), "exit");
        return code as number;
      }),
    );
    const faults = await openDatabase(place).check();
    if (faults.length > 0) say(faults.join("\n"));
    process.exitCode = codes.some((code) => code !== 0) || faults.length > 0 ? 1 : 0;
    say(process.exitCode === 0 ? "no error, and no half document" : "FAILED");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const WRITERS = 2;
const READERS = 8;
const DOCUMENTS = 40;
const MOST_PASSAGES = 8;

const PARTS = {
  async write(place: string, milliseconds: number, seed: number) {
    const random = randomFrom(seed);
    const { passages } = generatedCorpus(seed);
    const documents = sqlDocuments(openDatabase(place), { embeddings });
    const spent: number[] = [];
    for (const end = performance.now() + milliseconds; performance.now() < end; ) {
      const document = `doc-${Math.floor(random() * DOCUMENTS)}`;
      const before = performance.now();
      if (random() < 0.1) await documents.remove([document]);
      else {
        const all = passages(0, 1 + Math.floor(random() * MOST_PASSAGES));
        await documents.upsert(all.map(inWrite(document, `${seed}-${spent.length}`, all.length)), { embed: true });
      }
      spent.push(performance.now() - before);
    }
    await documents.close();
    sayTimes("writes", spent);
  },

  async read(place: string, milliseconds: number, seed: number) {
    const random = randomFrom(seed);
    const documents = sqlDocuments(openDatabase(place), { embeddings });
    const { passages, question } = generatedCorpus(seed);
    const questions = passages(0, 20).map(question);
    const spent: number[] = [];
    for (const end = performance.now() + milliseconds; performance.now() < end; ) {
      const before = performance.now();
      for (const { documentId, hash, passages } of await documents.list())
        if (passages !== sizeIn(hash)) throw new Error(`${documentId} is listed with ${passages} passages: ${hash}`);
      const document = `doc-${Math.floor(random() * DOCUMENTS)}`;
      const whole = await documents.get(Array.from({ length: MOST_PASSAGES }, (_, i) => `${document}#${i}`));
      checked(document, whole);
      const found = await documents.search({ text: questions[spent.length % questions.length] ?? "" }, 20);
      for (const { id, section, hash } of found)
        if (section !== hash) throw new Error(`${id} is of two writes: ${section}, ${hash}`);
      spent.push(performance.now() - before);
    }
    await documents.close();
    sayTimes("reads", spent);
  },
};

/** Marks a passage with its write and with the number of passages of that write. */
const inWrite =
  (documentId: string, write: string, size: number) =>
  (passage: Passage, position: number): Passage => {
    const mark = `${write}/${size}`;
    return { ...passage, id: `${documentId}#${position}`, documentId, position, section: mark, hash: mark };
  };

const sizeIn = (mark: string) => Number(mark.split("/")[1]);

/** @throws if passages that were read together are not one whole document of one write. */
function checked(document: string, passages: readonly Passage[]): void {
  const [first] = passages;
  if (!first) return;
  const marks = new Set(passages.flatMap(({ section, hash }) => [section, hash]));
  if (marks.size > 1 || passages.length !== sizeIn(first.section))
    throw new Error(`${document} has ${passages.length} passages: ${[...marks].join(", ")}`);
}

/** Vectors that depend on the text alone. */
const embeddings: Embeddings = {
  identity: "drawn",
  embed: async (texts) =>
    texts.map((text) => {
      const next = randomFrom([...text.slice(0, 40)].reduce((sum, one) => sum * 31 + (one.codePointAt(0) ?? 0), 7) | 0);
      return Array.from({ length: 64 }, () => next() - 0.5);
    }),
};

const sayTimes = (what: string, spent: readonly number[]) =>
  say(
    `${spent.length} ${what}, p50 ${quantile(spent, 0.5)?.toFixed(0)} ms, p99 ${quantile(spent, 0.99)?.toFixed(0)} ms, ` +
      `longest ${Math.max(...spent).toFixed(0)} ms`,
  );

const [part = "", place = "", seconds = "", seed = ""] = process.argv.slice(2);
if (part in PARTS) await PARTS[part as keyof typeof PARTS](place, Number(seconds) * 1000, Number(seed) + 1);
else await main(process.argv.slice(2));
