import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { generatedCorpus } from "./corpus.js";
import { say } from "./measure.js";

/**
 * Checks that a store survives `kill -9`: `npm run build && tsx research/bench/killed.ts [kills]`, by default 200, in
 * rounds of at most ten on one store, or until a run ends before its kill. The rounds take turns: ingest, remove, graph build, chat. The moment of a kill is random
 * within the time that an undisturbed run takes; every other kill waits for the first write of its run. A second writer runs beside every fourth kill, and a reader beside all
 * of them. Every read has to find whole documents with whole facts, finished work must not go back, and every round
 * has to end complete.
 */
async function main([count = "200"]: readonly string[]): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), "emend-killed-"));
  try {
    await writeFiles(cwd);
    const base = join(cwd, "base");
    await finished(start(JOBS.ingest, cwd, base));
    const whole = new Map((await documentsIn(base)).map(({ documentId, passages }) => [documentId, passages]));
    const names = Object.keys(JOBS) as (keyof typeof JOBS)[];
    const times = new Map<string, number>();
    for (const name of names) {
      const store = await begun(JOBS[name], cwd, `timed-${names.indexOf(name)}`);
      const began = performance.now();
      await finished(start(JOBS[name], cwd, store));
      times.set(name, performance.now() - began);
    }
    const seen = new Map(names.map((name) => [name, { kills: 0, early: 0, late: 0, beside: 0, reads: 0 }]));
    let kills = 0;
    for (let round = 0; kills < Number(count); round++) {
      const name = names[round % names.length] ?? "ingest";
      const job: Job = JOBS[name];
      const tally = seen.get(name);
      if (!tally) continue;
      const store = await begun(job, cwd, `store-${round}`);
      const isOver = new AbortController();
      const reading = readUntil(isOver.signal, store, whole);
      for (let i = 0; i < ROUND && kills < Number(count); i++) {
        const before = await job.done(store);
        const others = i % 4 === 3 ? [start(job, cwd, store)] : [];
        const written = lastWrite(store);
        const child = start(job, cwd, store);
        const waits = kills % 2 === 1;
        while (waits && child.exitCode === null && lastWrite(store) === written) await sleep(1);
        const moment = (random() * (times.get(name) ?? 0)) / (waits ? 4 : 1);
        await Promise.race([sleep(moment), once(child, "exit")]);
        const hasEnded = child.exitCode !== null;
        for (const one of [child, ...others]) await killed(one);
        // The work is done, so the round is over.
        if (hasEnded) break;
        const after = await job.done(store);
        if (after < before) throw new Error(`Round ${round}, ${name}: of ${before} done, ${after} are left.`);
        kills++;
        tally.kills++;
        tally.beside += others.length;
        tally[after > before ? "late" : "early"]++;
        if (after === job.complete(before)) break;
      }
      const before = await job.done(store);
      if (before !== job.complete(before)) await finished(start(job, cwd, store));
      isOver.abort();
      tally.reads += await reading;
      const [after, wanted] = [await job.done(store), job.complete(before)];
      if (after !== wanted) throw new Error(`Round ${round}, ${name}, ended with ${after} done, not ${wanted}.`);
      const faults = await openDatabase(store).check();
      if (faults.length > 0) throw new Error(`Round ${round}, ${name}, ended with ${faults.join(", ")}.`);
    }
    for (const [name, { kills, early, late, beside, reads }] of seen)
      say(
        `${name.padEnd(12)} ${kills} kills: ${early} before anything was kept, ${late} after; ` +
          `${beside} with a second writer; ${reads} reads meanwhile, all of them whole`,
      );
    say("every round ended complete");
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const FILES = 300;
const SECTIONS = 4;
const ROUND = 10;
const MAIN = resolve("dist/cli/main.js");
const { random, passages, question } = generatedCorpus();
const QUESTIONS = 5;

/** A command that is killed. */
interface Job {
  command: readonly string[];
  /** What is typed. */
  input?(): string;
  /** True if it begins with all documents, false if with no store. */
  isFilled: boolean;
  /** Counts what is done. */
  done(store: string): Promise<number>;
  /** What `done` returns after a run that was not killed, from what it returned before. */
  complete(before: number): number;
}

const JOBS = {
  ingest: {
    command: ["ingest", "docs"],
    isFilled: false,
    done: async (store) => (await documentsIn(store)).length,
    complete: () => FILES,
  },
  remove: {
    command: ["remove", "docs"],
    isFilled: true,
    done: async (store) => FILES - (await documentsIn(store)).length,
    complete: () => FILES,
  },
  "graph build": {
    command: ["graph", "build", "--ontology", "team.json"],
    isFilled: true,
    done: async (store) => (await sqlKnowledge(openDatabase(store)).sources()).filter(isBuilt).length,
    complete: () => FILES * SECTIONS,
  },
  chat: {
    command: ["chat", "--resume"],
    // New ones, since the answer to a question that is asked again replaces the one before.
    input: () => `${passages(0, QUESTIONS).map(question).join("\n")}\n`,
    isFilled: true,
    done: answersIn,
    complete: (before) => before + QUESTIONS,
  },
} satisfies Record<string, Job>;

const isBuilt = ({ hash }: { hash: string }) => hash.includes(" ontology ");

async function writeFiles(cwd: string): Promise<void> {
  await mkdir(join(cwd, "docs"));
  for (let i = 0; i < FILES; i++) {
    const sections = passages(i * SECTIONS, SECTIONS).map(
      ({ text }, n) => `# Part ${i}-${n}\n\nOwner: Ann Lee ${i}\n\nPrice: €${i * 7 + n}\n\n${text}\n`,
    );
    await writeFile(join(cwd, `docs/${i}.md`), sections.join("\n"));
  }
  await writeFile(join(cwd, "team.json"), JSON.stringify({ relations: ["Owner", "Price"] }));
}

/** Returns a store for a round. */
async function begun({ isFilled }: Job, cwd: string, name: string): Promise<string> {
  if (isFilled) await cp(join(cwd, "base"), join(cwd, name), { recursive: true });
  return join(cwd, name);
}

function start({ command, input }: Job, cwd: string, store: string): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...command, "--store", store], {
    cwd,
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...process.env, EMEND_ENCODER: "off" },
  });
  // A program that is killed does not read its input to the end.
  child.stdin?.on("error", () => {}).end(input?.() ?? "");
  return child;
}

/** When the log was last written. */
const lastWrite = (store: string) => statSync(join(store, "emend.db-wal"), { throwIfNoEntry: false })?.mtimeMs;

async function killed(child: ChildProcess): Promise<void> {
  const end = child.exitCode === null && once(child, "exit");
  child.kill("SIGKILL");
  await end;
}

async function finished(child: ChildProcess): Promise<void> {
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${child.spawnargs.slice(2).join(" ")} was not killed, and ended with ${code}.`);
}

const documentsIn = (store: string) => sqlDocuments(openDatabase(store)).list();

/** Counts the answers of the conversation. Each must follow its question; a question that was stopped may go. */
async function answersIn(store: string): Promise<number> {
  const threads = sqlThreads(openDatabase(store));
  const names = await threads.threads();
  if (names.length > 1) throw new Error(`There are ${names.length} conversations instead of one.`);
  const said = (await Promise.all(names.map((name) => threads.conversation(name)))).flat();
  if (said.some((one, i) => one.type === "ai" && said[i - 1]?.type !== "human"))
    throw new Error("An answer is stored without its question.");
  return said.filter(({ type }) => type === "ai").length;
}

/**
 * Reads again and again; returns how often. Each document must have all its passages, and each source all its facts and
 * its document.
 */
async function readUntil(isOver: AbortSignal, store: string, whole: ReadonlyMap<string, number>): Promise<number> {
  let reads = 0;
  for (; !isOver.aborted; reads++) {
    const [listed = [], sources = []] = await openDatabase(store).read([
      {
        sql: "SELECT d.id, (SELECT count(*) FROM emend.passages p WHERE p.document = d.n) AS passages FROM emend.documents d",
      },
      {
        sql: `SELECT s.id, s.document, s.triples, (SELECT count(*) FROM emend.triples t WHERE t.source = s.n) AS stored
          FROM emend.sources s`,
      },
    ]);
    for (const { id, passages } of listed)
      if (passages !== whole.get(`${id}`)) throw new Error(`${id} has ${passages} of ${whole.get(`${id}`)} passages.`);
    const there = new Set(listed.map(({ id }) => id));
    for (const { id, document, triples, stored } of sources)
      if (triples !== stored || !there.has(document)) throw new Error(`${id} has ${stored} of ${triples} facts.`);
    await sleep(50);
  }
  return reads;
}

await main(process.argv.slice(2));
