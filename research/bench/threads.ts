import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { createAgent } from "../../src/agent.js";
import { quantile } from "../../src/evaluate/statistics.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { isDatabase } from "../../src/tools/store/settings.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import type { Passage } from "../../src/types/evidence.js";
import { generatedCorpus } from "./corpus.js";

/**
 * `tsx research/bench/threads.ts [postgres://…]`: measures what a question costs and what is stored around the 5th, the
 * 25th and the 50th question of one conversation, in which every third is a follow-up. It uses a SQLite file, and a
 * database if one is named. Figures are medians of five questions, without the encoder, which would take longer than
 * everything else. With EMEND_MODEL set, that model answers.
 */
const QUESTIONS = 50;
const AROUND = [5, 25, 48];
const PASSAGES = 1_000;

interface Turn {
  milliseconds: number;
  /** Milliseconds of processor time of this process, which other programs do not affect. */
  processor: number;
  promptTokens: number;
  state: number;
  steps: number;
  said: number;
}

const COLUMNS: Readonly<Record<string, (turn: Turn) => number>> = {
  milliseconds: ({ milliseconds }) => milliseconds,
  "processor milliseconds": ({ processor }) => processor,
  "prompt tokens": ({ promptTokens }) => promptTokens,
  "state, kB": ({ state }) => state / 1000,
  "steps as stored, kB": ({ steps }) => steps / 1000,
  "all that was said, kB": ({ said }) => said / 1000,
};

const folder = await mkdtemp(join(tmpdir(), "emend-bench-"));
const stored = generatedCorpus().passages(0, PASSAGES);
const questions = Array.from({ length: QUESTIONS }, (_, i) => question(stored[i * 20], i));
for (const place of [folder, ...process.argv.slice(2)]) await measure(place);
await rm(folder, { recursive: true });

async function measure(place: string) {
  const threads = sqlThreads(openDatabase(place));
  const agent = createAgent({ store: folder, encoder: "off", checkpointer: threads });
  if (await agent.tools.documents.isEmpty()) await agent.tools.documents.upsert(stored);
  const threadId = `bench:${crypto.randomUUID()}`;
  for (const warm of questions.slice(0, 5)) await agent.ask(warm);
  const turns: Turn[] = [];
  for (const asked of questions) {
    const start = performance.now();
    const cpu = process.cpuUsage();
    const { spend } = await agent.ask(asked, { threadId });
    const milliseconds = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    const { values } = await agent.graph.getState({ configurable: { thread_id: threadId } });
    const state = JSON.stringify(values).length;
    turns.push({
      milliseconds,
      processor: (user + system) / 1000,
      promptTokens: spend.inputTokens,
      state,
      ...(await bytes(place, threadId)),
    });
  }
  await threads.deleteThread(threadId);
  await threads.close();
  await agent.close();
  console.log(isDatabase(place) ? "Postgres" : "SQLite");
  for (const [name, of] of Object.entries(COLUMNS)) {
    const medians = AROUND.map((turn) => median(turns.slice(turn - 3, turn + 2).map(of)));
    const [fifth = 0, middle = 0, last = 0] = medians;
    const ratio = (from: number) => (from > 0 ? (last / from).toFixed(2) : "-");
    console.log(
      `  ${name.padEnd(24)}${medians.map((value) => value.toFixed(1).padStart(9)).join("")}   50th to 5th ${ratio(fifth)}, to 25th ${ratio(middle)}`,
    );
  }
}

async function bytes(place: string, thread: string): Promise<Pick<Turn, "steps" | "said">> {
  if (isDatabase(place)) {
    const client = new pg.Client({ connectionString: place });
    await client.connect();
    const size = async (table: string) => {
      const sql = `SELECT coalesce(sum(pg_column_size(t.*)), 0)::int AS n FROM emend.${table} t WHERE thread = $1`;
      return (await client.query<{ n: number }>(sql, [thread])).rows[0]?.n ?? 0;
    };
    const steps = (await size("steps")) + (await size("writes"));
    const said = await size("said");
    await client.end();
    return { steps, said };
  }
  const database = new DatabaseSync(join(place, "emend.db"), { readOnly: true });
  const sum = (sql: string) => Number(Object.values(database.prepare(sql).get(thread) ?? {})[0] ?? 0);
  const steps =
    sum("SELECT sum(length(state) + length(metadata)) FROM steps WHERE thread = ?") +
    sum("SELECT sum(length(value)) FROM writes WHERE thread = ?");
  const said = sum("SELECT sum(length(message)) FROM said WHERE thread = ?");
  database.close();
  return { steps, said };
}

/** Most of a sentence in the middle of a passage, or a follow-up. */
function question(passage: Passage | undefined, i: number): string {
  if (!passage) throw new Error("too few passages");
  const { text, language } = passage;
  if (i % 3 === 2) return language === "zh" ? "它是谁负责的？" : "And who is in charge of it?";
  const sentence = text.split(/(?<=[.。])\s*/)[6] ?? "";
  return language === "zh" ? `${sentence.slice(2, 18)}？` : `${sentence.split(" ").slice(2, 12).join(" ")}?`;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5) ?? 0;
}
