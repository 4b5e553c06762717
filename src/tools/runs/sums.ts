import { FailureTag } from "../../types/answer.js";
import { RunDay, type RunQuality, RunRecord, type RunTotals } from "../../types/run.js";
import type { Database, Row } from "../store/port.js";

export const DAY = 86_400_000;
const LONGEST_LIST = 50;

const one = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`;
const has = (...tags: FailureTag[]) => `(${tags.map((tag) => `tags LIKE '% ${tag} %'`).join(" OR ")})`;

/** The tags of a source and a model that failed. */
export const FAULTS = ["SOURCE_FAIL", "PROMPT_FAIL"] as const;

/** The SQL expression that each total sums. */
const TOTALS: Record<keyof RunTotals, string> = {
  runs: "1",
  refused: one("status = 'refused'"),
  partial: one("status = 'partial'"),
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

/** 1 for a run that failed: refused, tagged or disliked; else 0. */
export const FAILED = one("status = 'refused' OR tags <> '  ' OR feedback = 'down'");

/** A run that another document could have helped, as in `gapsIn`. Follow-ups make no sense on their own. */
const LACKING = `follow_up = 0 AND NOT ${has(...FAULTS)}
  AND (status = 'refused' OR (status = 'partial' AND ${has("NEED_CONTENT", "NO_RECALL")}))`;

/** The time that this percentage of a day's runs did not exceed. */
const percentile = (share: number) => `min(CASE WHEN upto * 100 >= among * ${share} THEN milliseconds END)`;

/** The number of runs with each failure tag. */
const TAGS = FailureTag.options.map((tag) => `sum(${one(has(tag))}) AS "${tag}"`).join(", ");

/** Queries on the runs from $1 until before $2. Grouping all runs by day takes twice as long as one query for each day. */
const OF_DAY = [
  `SELECT ${SUMS}, ${TAGS} FROM emend.runs WHERE at >= $1 AND at < $2`,
  `SELECT ${percentile(50)} AS "medianMilliseconds", ${percentile(95)} AS "p95Milliseconds"
    FROM (SELECT milliseconds, sum(count(*)) OVER (ORDER BY milliseconds) AS upto, sum(count(*)) OVER () AS among
      FROM emend.runs WHERE at >= $1 AND at < $2 GROUP BY milliseconds) times`,
];

/** Queries on the runs since $1. */
const QUERIES = {
  unanswered: `SELECT q.runs, d.record
    FROM (SELECT max(CASE WHEN ${LACKING} THEN n END) AS n, sum(${one(LACKING)}) AS runs
      FROM emend.runs WHERE at >= $1 GROUP BY question
      HAVING max(CASE WHEN ${LACKING} THEN n END) > coalesce(max(CASE WHEN status = 'answered' THEN n END), 0)
      ORDER BY runs DESC, n DESC LIMIT ${LONGEST_LIST}) q
    JOIN emend.run_records d ON d.run = q.n ORDER BY q.runs DESC, q.n DESC`,
  // With NOT IN, Postgres may read all citations once for every document.
  neverCited: `SELECT id, count(*) OVER () AS count FROM emend.documents LEFT JOIN
      (SELECT DISTINCT document FROM emend.run_documents JOIN emend.runs ON n = run WHERE at >= $1) cited
      ON cited.document = id
    WHERE cited.document IS NULL ORDER BY id LIMIT ${LONGEST_LIST}`,
  disliked: `SELECT document, count(*) AS runs FROM emend.runs JOIN emend.run_documents ON run = n
    WHERE at >= $1 AND feedback = 'down' GROUP BY document ORDER BY runs DESC, document LIMIT ${LONGEST_LIST}`,
  disagreeing: `SELECT newer, older, count(*) AS runs FROM emend.runs JOIN emend.run_disagreements ON run = n
    WHERE at >= $1 GROUP BY newer, older ORDER BY runs DESC, newer, older LIMIT ${LONGEST_LIST}`,
};

/** The documents last reviewed before $1, the oldest first. All passages of a document state the same date. */
const STALE = `SELECT d.id, p.reviewed, count(*) OVER () AS count
  FROM emend.documents d JOIN emend.passages p ON p.document = d.n AND p.position = 0
  WHERE p.reviewed <> '' AND p.reviewed < $1 ORDER BY p.reviewed, d.id LIMIT ${LONGEST_LIST}`;
/** In days, as in `emend check`. */
const YEAR = 365;

/** Reads the quality of the answers since a time. */
export async function qualitySince(database: Database, since: Date): Promise<RunQuality> {
  const queries = Object.values(QUERIES).map((sql) => ({ sql, values: [since.getTime()] }));
  const staleBefore = isoDay(Math.floor(Date.now() / DAY) - YEAR);
  const [unanswered = [], neverCited = [], disliked = [], disagreeing = [], stale = []] = await database.read([
    ...queries,
    { sql: STALE, values: [staleBefore] },
  ]);
  const days = await daysSince(database, since);
  return {
    days: days.map((day) => RunDay.parse(day)),
    tags: FailureTag.options
      .map((tag) => ({ tag, runs: days.reduce((sum, day) => sum + Number(day[tag]), 0) }))
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

/** Returns the sums of each day that has runs, oldest first, as `RunDay` with the number of each failure tag. */
async function daysSince(database: Database, since: Date): Promise<Row[]> {
  const sql = "SELECT min(at) AS oldest, max(at) AS newest FROM emend.runs WHERE at >= $1";
  const [[ends] = []] = await database.read([{ sql, values: [since.getTime()] }]);
  if (!ends || ends.oldest === null) return [];
  const [first = 0, last = 0] = [ends.oldest, ends.newest].map((at) => Math.floor(Number(at) / DAY));
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const rows = await database.read(
    days.flatMap((day) =>
      OF_DAY.map((sql) => ({ sql, values: [Math.max(since.getTime(), day * DAY), (day + 1) * DAY] })),
    ),
  );
  return days.flatMap((day, i) => {
    const [[sums] = [], [times] = []] = rows.slice(i * OF_DAY.length);
    return Number(sums?.runs) > 0 ? [{ ...sums, ...times, day: isoDay(day) }] : [];
  });
}

const isoDay = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
