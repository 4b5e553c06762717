import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quantile, randomFrom } from "../../src/evaluate/statistics.js";
import { withoutPassword } from "../../src/text/address.js";
import { questionHash, type Runs } from "../../src/tools/runs/port.js";
import { columnsOf, documentsOf, sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Database } from "../../src/tools/store/port.js";
import { isDatabase } from "../../src/tools/store/settings.js";
import type { FailureTag } from "../../src/types/answer.js";
import type { RunRecord } from "../../src/types/run.js";
import { megabytes, say, timed } from "./measure.js";

/**
 * `tsx research/bench/runs.ts [count] [postgres://…]`: measures what it takes to record a run, and to read the records of
 * `count` drawn runs (100,000) of the last 30 days over 5,000 documents, in a SQLite file, or in a database that is
 * empty. Figures are medians, in milliseconds.
 */
const DAYS = 30;
const DOCUMENTS = 5_000;
const QUESTIONS = 20_000;
/** Rows of one insert. */
const AT_ONCE = 5_000;
const DAY = 86_400_000;
/** Runs that are recorded one by one. */
const ADDED = 500;
/** How often each query is asked. */
const REPEATS = 11;

const given = process.argv.slice(2);
const address = given.find(isDatabase);
const count = Number(given.find((one) => !isDatabase(one)) ?? 100_000);
const folder = await mkdtemp(join(tmpdir(), "emend-bench-"));
const database = openDatabase(address ?? folder);
try {
  await measure(database, sqlRuns(database));
} finally {
  await database.close();
  await rm(folder, { recursive: true, force: true });
}

async function measure(database: Database, runs: Runs) {
  if ((await runs.find({}, 1)).length > 0) throw new Error("The database has runs already. Name an empty one.");
  const seconds = await timed(() => filled(database));
  const size = address ? "" : `, ${megabytes((await stat(join(folder, "emend.db"))).size)}`;
  const place = address ? withoutPassword(address) : "SQLite";
  say(`${count.toLocaleString("en")} runs in ${place}, inserted in ${seconds.toFixed(0)} s${size}`);
  await recorded(runs);
  const since = (days: number) => new Date(Date.now() - days * DAY);
  await read("the 20 newest", () => runs.find({}, 20));
  await read("the 20 newest that were refused", () => runs.find({ status: "refused" }, 20));
  await read("the 20 newest with a rare tag", () => runs.find({ tag: "SOURCE_FAIL" }, 20));
  await read("a list of none", () => runs.find({ scope: "nobody" }, 20));
  await read("totals", () => runs.totals({}));
  await read("totals of a day", () => runs.totals({ since: since(1) }));
  await read(`the page of ${DAYS} days`, async () => {
    await Promise.all([runs.quality(since(DAYS)), runs.find({ since: since(DAYS), failed: true }, 50)]);
  });
}

/** Adds runs one by one, as answers do. The first is left out, since it also deletes old runs. */
async function recorded(runs: Runs) {
  const [called, written]: [number[], number[]] = [[], []];
  let processor = process.cpuUsage();
  for (let i = 0; i <= ADDED; i++) {
    const run = drawn(i);
    const start = performance.now();
    runs.add(run, `thread-${i}`);
    called.push(performance.now() - start);
    await runs.close();
    written.push(performance.now() - start);
    if (i === 0) processor = process.cpuUsage();
  }
  const { user, system } = process.cpuUsage(processor);
  const lost = runs.lost();
  if (lost) throw lost;
  tell("recording a run: the answer waits", called.slice(1), 3);
  tell("recording a run: until it is written", written.slice(1), 3);
  say(`  recording a run: processor time, mean of ${ADDED}`.padEnd(58) + ((user + system) / 1000 / ADDED).toFixed(3));
}

async function read(name: string, work: () => Promise<unknown>) {
  const times: number[] = [];
  for (let i = 0; i < REPEATS; i++) times.push(1000 * (await timed(work)));
  tell(name, times, 1);
}

function tell(name: string, times: readonly number[], digits: number) {
  say(`  ${name}, p50 of ${times.length}`.padEnd(58) + (quantile(times, 0.5) ?? 0).toFixed(digits));
}

/** Fills the tables with many rows at a time, the newest run last. */
async function filled(database: Database) {
  await database.write((to) =>
    to.insert(
      "emend.documents",
      Array.from({ length: DOCUMENTS }, (_, i) => ({ id: document(i), hash: "", name: document(i), dated: 0 })),
    ),
  );
  for (let first = 0; first < count; first += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => drawn(first + i));
    await database.write(async (to) => {
      await to.insert(
        "emend.runs",
        some.map((run, i) => columnsOf(run, `thread-${(first + i) >> 2}`)),
      );
      const added = await to.all("SELECT n FROM emend.runs ORDER BY n DESC LIMIT $1", [some.length]);
      const numbered = added
        .reverse()
        .flatMap(({ n }, i) => some.slice(i, i + 1).map((run) => ({ n: Number(n), run })));
      await to.insert(
        "emend.run_records",
        numbered.map(({ n, run }) => ({ run: n, record: JSON.stringify(run) })),
      );
      await to.insert(
        "emend.run_documents",
        numbered.flatMap(({ n, run }) => documentsOf(run).map((document) => ({ run: n, document }))),
      );
      await to.insert(
        "emend.run_disagreements",
        numbered.flatMap(({ n, run }) => run.disagreements.map((pair) => ({ run: n, ...pair }))),
      );
    });
  }
  await database.tidy();
}

/** The run with this number: one in ten is refused, and few have a failed source. */
function drawn(i: number): RunRecord {
  const random = randomFrom(i);
  const several = (most: number) => Math.floor(random() * most);
  const [isRefused, isFollowUp] = [random() < 0.1, random() < 0.2];
  const question = `How is matter ${Math.floor(QUESTIONS * random() ** 2)} handled by the office in Lisbon?`;
  const tags: FailureTag[] = isRefused ? ["NO_RECALL", "NEED_CONTENT", "BAD_RERANK"] : ["OVERGEN"];
  const failures = isRefused || random() < 0.1 ? [tags[several(tags.length)] as FailureTag] : [];
  const steps = ["understand", "retrieve", "grade", "generate", "check", "respond"];
  return {
    at: new Date(Date.now() - ((count - i) / count) * (DAYS - 0.1) * DAY).toISOString(),
    ...{ question, questionHash: questionHash(question), language: "en", isFollowUp, scope: "" },
    status: isRefused ? "refused" : "answered",
    stopReason: isRefused ? "unanswerable" : "supported",
    confidence: random(),
    retrieved: { pieces: 8, score: [0.1, 0.2, 0.3, 0.4, 0.5].map((x) => x * random()), relevance: null },
    used: isRefused ? [] : Array.from({ length: 1 + several(3) }, () => `${document(several(4_500))}#${several(9)}`),
    disagreements: random() < 0.01 ? [{ newer: document(several(900)), older: document(900 + several(900)) }] : [],
    claims: { drafted: 3, quoted: 3, shown: 2, dropped: several(2) },
    failures: random() < 0.0005 ? ["SOURCE_FAIL", ...failures] : failures,
    spend: {
      calls: 1 + several(3),
      inputTokens: 900 + several(3_000),
      cachedTokens: 0,
      outputTokens: 50 + several(300),
      milliseconds: 500 + several(4_000),
    },
    route: steps.map((step, j) => ({
      ...{ step, to: steps[j + 1] ?? "end", reason: { code: "passages_to_grade", count: 8 }, faults: [] },
      ...{ calls: several(2), tokens: several(900), milliseconds: several(900) },
    })),
  };
}

function document(i: number): string {
  return `handbook/chapter-${i}.md`;
}
