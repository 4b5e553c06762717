import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings } from "../../src/config.js";
import { quantile } from "../../src/evaluate/statistics.js";
import { normaliseName } from "../../src/tools/knowledge/names.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { neo4jConnection } from "../../src/tools/neo4j/connection.js";
import { neo4jKnowledge } from "../../src/tools/neo4j/knowledge.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { CHINESE_RELATIONS, ENGLISH_RELATIONS, generatedGraph, HUBS, SIZE } from "./graph.js";
import { megabytes, memory, say, sizeOf, timed } from "./measure.js";

/**
 * Measures look-ups in a graph: `tsx research/bench/knowledge.ts [triples]`, by default 1,000,000. It measures the
 * embedded graph and, if NEO4J_URI and NEO4J_PASSWORD are set, the same triples on that server. The server is emptied
 * neither before nor after, so use an empty one. Each part runs in a separate process, so that its memory can be
 * measured.
 */
async function main(triples: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "emend-bench-"));
  const kinds = loadSettings().neo4j ? ["embedded", "neo4j"] : ["embedded"];
  say(`${triples.toLocaleString("en")} triples, half English, half Chinese`);
  try {
    for (const part of ["build", "ask"])
      for (const kind of kinds) {
        const own = [...process.execArgv, import.meta.filename, `${triples}`, part, kind, folder];
        say(execFileSync(process.execPath, own, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trimEnd());
      }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function build(kind: string, graph: KnowledgeGraph, triples: number, folder: string): Promise<void> {
  const { sources, count } = generatedGraph(triples);
  let seconds = 0;
  const before = process.cpuUsage();
  for (let first = 0; first < count; first += AT_ONCE) {
    const given = sources(first, Math.min(AT_ONCE, count - first));
    seconds += await timed(() => graph.upsert(given));
  }
  const closing = await timed(() => graph.close());
  const rate = Math.round((count * SIZE) / (seconds + closing)).toLocaleString("en");
  const disk = kind === "embedded" ? `, ${megabytes(await sizeOf(folder))} on disk` : "";
  say(
    `${kind}: built in ${(seconds + closing).toFixed(0)} s (${cpu(before).toFixed(0)} s of a processor here), ${rate} triples/s${disk}, ${memory()} of memory`,
  );
  const again = generatedGraph(AT_ONCE * SIZE, 2).sources(0, 1);
  const change = await timed(() => graph.upsert(again));
  say(`${kind}: a source of ${SIZE} triples replaced in ${milliseconds(change * 1000)}`);
  await graph.close();
}

async function ask(kind: string, graph: KnowledgeGraph, triples: number): Promise<void> {
  const questions = questionsOf(triples);
  const first = await timed(() => graph.facts(["Nobody Known"], "Who is nobody known?"));
  for (const { entities, question } of questions.filter((_, i) => i % 10 === 0)) await graph.facts(entities, question);
  const before = process.cpuUsage();
  const spent = new Map<string, number[]>();
  const right = new Map<string, number>();
  for (const { about, entities, question, expected } of questions) {
    let found: string[] = [];
    const ms = 1000 * (await timed(async () => (found = (await graph.facts(entities, question)).map((f) => f.entity))));
    spent.set(about, [...(spent.get(about) ?? []), ms]);
    const isRight = expected === "" ? found.length === 0 : found.some((name) => isLike(name, expected));
    right.set(about, (right.get(about) ?? 0) + (isRight ? 1 : 0));
  }
  for (const [about, ms] of spent) report(`${kind}: ${about}, ${right.get(about)} of ${ms.length} right`, ms);
  report(`${kind}: all ${questions.length}`, [...spent.values()].flat());
  say(`${kind}: ${milliseconds((1000 * cpu(before)) / questions.length)} of a processor here for each`);
  say(
    `${kind}: first look-up ${milliseconds(first * 1000)}, schema ${milliseconds(1000 * (await timed(() => graph.schema())))}, ${memory()} of memory`,
  );
  await graph.close();
}

const isLike = (name: string, expected: string) => normaliseName(name).startsWith(normaliseName(expected));

interface Question {
  about: string;
  entities: string[];
  question: string;
  /** The entity that the facts must be about; empty if there must be no facts. */
  expected: string;
}

/** Forty of each kind. */
function questionsOf(triples: number): Question[] {
  const { nameOf, entities } = generatedGraph(triples);
  const step = Math.floor((entities - HUBS) / EACH);
  return Array.from({ length: EACH }, (_, i) => {
    const number = HUBS + i * step + (i % 2);
    const isEnglish = number % 2 === 0;
    const name = nameOf(number);
    const [one = "", two = ""] = (isEnglish ? ENGLISH_RELATIONS : CHINESE_RELATIONS).slice(i % 16);
    const plain = (of: string) => (isEnglish ? `Who ${one} ${of}?` : `${of}的${one}是谁？`);
    const hub = nameOf(i % HUBS);
    const absent = nameOf(entities * 3 + number);
    return [
      { about: "named and told", entities: [name], question: plain(name), expected: name },
      { about: "named in the question", entities: [], question: plain(name), expected: name },
      { about: "misspelt", entities: [misspelt(name)], question: plain(misspelt(name)), expected: name },
      { about: "absent", entities: [absent], question: plain(absent), expected: "" },
      { about: "a hub", entities: [hub], question: plain(hub), expected: hub },
      {
        about: "two relations away",
        entities: [name],
        question: isEnglish ? `What ${two} the one that ${name} ${one}?` : `${name}的${one}的${two}是什么？`,
        expected: name,
      },
    ];
  }).flat();
}

const EACH = 40;

/**
 * Leaves out a letter in the middle. In a Chinese name the last character is doubled, since no character may be
 * missing.
 */
const misspelt = (name: string) =>
  /^[A-Z]/.test(name) ? `${name.slice(0, 5)}${name.slice(6)}` : `${name}${name.slice(-1)}`;

const AT_ONCE = 500;

/** Seconds of processor time of this process since then, which other programs do not affect. */
function cpu(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const report = (what: string, spent: readonly number[]) => {
  const at = (share: number) => milliseconds(quantile(spent, share) ?? 0);
  say(`${what.padEnd(52)} p50 ${at(0.5).padStart(7)}   p99 ${at(0.99).padStart(7)}`);
};

const [triples = "1000000", part, kind = "", folder = ""] = process.argv.slice(2);
if (part === undefined) await main(Number(triples));
else {
  const neo4j = kind === "neo4j" ? loadSettings().neo4j : undefined;
  const connection = neo4j && neo4jConnection(neo4j);
  const graph = connection ? neo4jKnowledge({ connection }) : sqlKnowledge(openDatabase(folder));
  await (part === "build" ? build(kind, graph, Number(triples), folder) : ask(kind, graph, Number(triples)));
  await connection?.close();
}
