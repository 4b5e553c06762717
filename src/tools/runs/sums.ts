import { FailureTag } from "../../types/answer.js";
import { RunDay, type RunQuality, RunRecord, type RunTotals } from "../../types/run.js";
import type { Database, Row } from "../store/port.js";

export const DAY = 86_400_000;
const MAX_LISTED = 50;

const one = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`;

/** The SQL expression that each total sums. */
const TOTALS: Record<keyof RunTotals, string> = {
  runs: "1",
  refused: one("status = 'refused'"),
  unavailable: one("status = 'unavailable'"),
  partial: one("status = 'partial'"),
  unsure: one("status = 'unsure'"),
  faults: "faults",
  followUps: "follow_up",
  drafted: "drafted",
  quoted: "quoted",
  dropped: "dropped",
  up: one("feedback = 'up'"),
  down: one("feedback = 'down'"),
  calls: "calls",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  milliseconds: "milliseconds",
};

/** The columns of `RunTotals`. */
export const SUMS = Object.entries(TOTALS)
  .map(([name, value]) => `coalesce(sum(${value}), 0) AS "${name}"`)
  .join(", ");

/** 1 for a run that failed: refused, unavailable, tagged or disliked; else 0. */
export const FAILED = one("status IN ('refused', 'unavailable') OR tags <> '  ' OR feedback = 'down'");

/** The time that this percentage of a day's runs did not exceed. */
const percentile = (share: number) => `min(CASE WHEN upto * 100 >= among * ${share} THEN milliseconds END)`;

/** Queries on the runs from $1 until before $2. Grouping all runs by day takes twice as long as one query for each day. */
const OF_DAY = [
  `SELECT ${SUMS} FROM emend.runs WHERE at >= $1 AND at < $2`,
  `SELECT ${percentile(50)} AS "medianMilliseconds", ${percentile(95)} AS "p95Milliseconds"
    FROM (SELECT milliseconds, sum(count(*)) OVER (ORDER BY milliseconds) AS upto, sum(count(*)) OVER () AS among
      FROM emend.runs WHERE at >= $1 AND at < $2 GROUP BY milliseconds) times`,
];

/** The time of the first and of the last run since $1, and the lowest number of one. */
const ENDS = "SELECT min(at) AS oldest, max(at) AS newest, min(n) AS first FROM emend.runs WHERE at >= $1";

/** Queries on the runs since $1. Each has an index of its own, since a page over a million runs has to open at once. */
const SINCE = {
  unanswered: `SELECT q.runs, d.record
    FROM (SELECT question, max(n) AS n, count(*) AS runs
      FROM emend.runs WHERE at >= $1 AND lacking = 1 GROUP BY question) q
    JOIN emend.run_records d ON d.run = q.n
    WHERE NOT EXISTS (SELECT 1 FROM emend.runs a WHERE a.question = q.question AND a.status = 'answered' AND a.n > q.n)
    ORDER BY q.runs DESC, q.n DESC LIMIT ${MAX_LISTED}`,
  // CROSS JOIN makes SQLite begin with the first table, which has few rows.
  disliked: `SELECT document, count(*) AS runs FROM emend.runs CROSS JOIN emend.run_documents
    WHERE run = n AND at >= $1 AND feedback = 'down' GROUP BY document ORDER BY runs DESC, document LIMIT ${MAX_LISTED}`,
  disagreeing: `SELECT newer, older, count(*) AS runs FROM emend.run_disagreements CROSS JOIN emend.runs
    WHERE n = run AND at >= $1 GROUP BY newer, older ORDER BY runs DESC, newer, older LIMIT ${MAX_LISTED}`,
  tagged: `SELECT tags, count(*) AS runs FROM emend.runs WHERE at >= $1 AND tags <> '  ' GROUP BY tags`,
};

/** The documents that no run from number $1 cites. Runs are numbered as they end, so the first may be a little older. */
const NEVER_CITED = `SELECT id, count(*) OVER () AS count FROM emend.documents
  WHERE NOT EXISTS (SELECT 1 FROM emend.run_documents WHERE document = id AND run >= $1)
  ORDER BY id LIMIT ${MAX_LISTED}`;

/** The documents last reviewed before $1, the oldest first. All passages of a document state the same date. */
const STALE = `SELECT d.id, p.reviewed, count(*) OVER () AS count
  FROM emend.documents d JOIN emend.passages p ON p.document = d.n AND p.position = 0
  WHERE p.reviewed <> '' AND p.reviewed < $1 ORDER BY p.reviewed, d.id LIMIT ${MAX_LISTED}`;
/** In days, as in `emend check`. */
const YEAR = 365;

/** Reads the quality of the answers since a time. */
export async function qualitySince(database: Database, since: Date): Promise<RunQuality> {
  const [[ends] = []] = await database.read([{ sql: ENDS, values: [since.getTime()] }]);
  const isEmpty = !ends || ends.oldest === null;
  // Without a run, no number is high enough.
  const first = isEmpty ? Number.MAX_SAFE_INTEGER : Number(ends.first);
  const staleBefore = isoDay(Math.floor(Date.now() / DAY) - YEAR);
  const [unanswered = [], disliked = [], disagreeing = [], tagged = [], neverCited = [], stale = []] =
    await database.read([
      ...Object.values(SINCE).map((sql) => ({ sql, values: [since.getTime()] })),
      { sql: NEVER_CITED, values: [first] },
      { sql: STALE, values: [staleBefore] },
    ]);
  const days = isEmpty ? [] : await sumsByDay(database, Number(ends.oldest), Number(ends.newest));
  return {
    days: days.map((day) => RunDay.parse(day)),
    tags: FailureTag.options
      .map((tag) => ({ tag, runs: runsWith(tagged, tag) }))
      .filter(({ runs }) => runs > 0)
      .toSorted((a, b) => b.runs - a.runs),
    unanswered: unanswered.map(({ record, runs }) => {
      const { question, at } = RunRecord.parse(JSON.parse(`${record}`));
      return { question, at, runs: Number(runs) };
    }),
    neverCited: { count: Number(neverCited[0]?.count ?? 0), documents: neverCited.map(({ id }) => `${id}`) },
    disliked: disliked.map(({ document, runs }) => ({ document: `${document}`, runs: Number(runs) })),
    disagreeing: disagreeing.map(({ newer, older, runs }) => ({
      newer: `${newer}`,
      older: `${older}`,
      runs: Number(runs),
    })),
    stale: {
      count: Number(stale[0]?.count ?? 0),
      documents: stale.map(({ id, reviewed }) => ({ document: `${id}`, reviewedAt: `${reviewed}` })),
    },
  };
}

/** Returns the number of runs with a tag, from the number of runs with each combination of tags. */
const runsWith = (tagged: readonly Row[], tag: FailureTag): number =>
  tagged.reduce((sum, { tags, runs }) => sum + (`${tags}`.includes(` ${tag} `) ? Number(runs) : 0), 0);

/** Returns the sums of each day that has runs, oldest first, as `RunDay`. */
async function sumsByDay(database: Database, oldest: number, newest: number): Promise<Row[]> {
  const [first, last] = [Math.floor(oldest / DAY), Math.floor(newest / DAY)];
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const rows = await database.read(
    days.flatMap((day) => OF_DAY.map((sql) => ({ sql, values: [Math.max(oldest, day * DAY), (day + 1) * DAY] }))),
  );
  return days.flatMap((day, i) => {
    const [[sums] = [], [times] = []] = rows.slice(i * OF_DAY.length);
    return Number(sums?.runs) > 0 ? [{ ...sums, ...times, day: isoDay(day) }] : [];
  });
}

const isoDay = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
