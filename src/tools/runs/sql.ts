import { z } from "zod";
import { StoreUnavailableError, toError } from "../../errors.js";
import { aCount, check, exactly } from "../../options.js";
import { parsedJson } from "../../text/decode.js";
import { FAULT_TAGS, lacksContent } from "../../types/answer.js";
import { Feedback } from "../../types/feedback.js";
import { KeptRun, type RunRecord, RunTotals } from "../../types/run.js";
import { aDatabase, type Database, type Row, type SqlQuery, type Value, type Writing } from "../store/port.js";
import { documentOf, questionHash, type RunFilter, type Runs } from "./port.js";
import { DAY, FAILED, qualitySince, SUMS } from "./sums.js";

export interface RunsOptions {
  /** Days that a record is kept. Default 90. */
  days?: number | undefined;
  /** Keep only the hash of a question. Default false. */
  hashed?: boolean;
}

const Given = exactly({ database: aDatabase, days: aCount(1).optional(), hashed: z.boolean().optional() });

/**
 * Keeps runs in an existing store; only `addFeedback` and a raised alert create one. `close` does not close the database.
 */
export function sqlRuns(database: Database, options: RunsOptions = {}): Runs {
  check(Given, { ...options, database });
  const { days = 90, hashed = false } = options;
  let pending = Promise.resolve();
  let added = 0;
  let failed: Error | undefined;

  /** Writes in the background, one after another, if the store exists. */
  const write = (work: (to: Writing) => Promise<unknown>) => {
    pending = pending.then(async () => {
      try {
        if (await database.exists()) await database.write(work, { signal: AbortSignal.timeout(PATIENCE) });
      } catch (error) {
        const { name, message } = toError(error);
        const why = name === "TimeoutError" ? "Another process is writing to the store." : message;
        failed = new StoreUnavailableError(`A run was not recorded. ${why} EMEND_RUNS=off records none.`);
      }
    });
  };

  const record = async (run: RunRecord, thread: string, to: Writing) => {
    const kept = hashed ? { ...run, question: "" } : run;
    const columns = columnsOf(run, thread);
    const names = Object.keys(columns);
    const sql = `INSERT INTO emend.runs (${names.join(", ")}) VALUES (${names.map((_, i) => `$${i + 1}`)}) RETURNING n`;
    const [row] = await to.all(sql, Object.values(columns));
    const n = Number(row?.n);
    await to.insert("emend.run_records", [{ run: n, record: JSON.stringify(kept) }]);
    await to.insert(
      "emend.run_documents",
      documentsOf(run).map((document) => ({ run: n, document })),
    );
    await to.insert(
      "emend.run_disagreements",
      run.disagreements.map((pair) => ({ run: n, ...pair })),
    );
    if (added++ % BETWEEN_CLEANING === 0) await deleteBefore(new Date(Date.now() - days * DAY), to);
  };

  const read = async (query: SqlQuery): Promise<Row[]> => (await database.read([query]))[0] ?? [];

  return {
    add: (run, thread) => write((to) => record(run, thread, to)),
    lost() {
      const error = failed;
      failed = undefined;
      return error;
    },
    flag(thread, question, feedback) {
      const newest = "SELECT max(n) FROM emend.runs WHERE thread = $2 AND question = $3";
      const values = [feedback, thread, questionHash(question)];
      write((to) => to.all(`UPDATE emend.runs SET feedback = $1 WHERE n = (${newest})`, values));
    },
    async find(filter, limit) {
      const { where, values } = conditions(filter);
      // Records are long, so they are joined only to the runs that were found.
      const found = `SELECT n, feedback FROM emend.runs ${where} ORDER BY n DESC LIMIT $${values.length + 1}`;
      return (await read(withRecords(found, [...values, limit]))).map(asRun);
    },
    async get(id) {
      const [row] = await read(withRecords("SELECT n, feedback FROM emend.runs WHERE n = $1", [id]));
      return row && asRun(row);
    },
    async totals(filter) {
      const { where, values } = conditions(filter);
      const [row = {}] = await read({ sql: `SELECT ${SUMS} FROM emend.runs ${where}`, values });
      return RunTotals.parse(row);
    },
    quality: (since) => qualitySince(database, since),
    addFeedback: (feedback, about) =>
      database.write(async (to) => {
        const { id } = feedback;
        await to.lock(`feedback ${id}`);
        const [of] = "run" in about ? await to.all("SELECT thread FROM emend.runs WHERE n = $1", [about.run]) : [about];
        if (!of) return;
        // Deleted first, so that the row is the newest.
        await to.all("DELETE FROM emend.feedback WHERE id = $1", [id]);
        await to.insert("emend.feedback", [{ id, thread: `${of.thread}`, record: JSON.stringify(feedback) }]);
      }),
    async feedback() {
      const rows = await read({ sql: "SELECT record FROM emend.feedback ORDER BY n" });
      const opinions = rows.flatMap((row) => feedbackOf(row) ?? []);
      return { opinions, damaged: rows.length - opinions.length };
    },
    async noteAlert(name, isRaised) {
      const [noted] = await read({ sql: "SELECT name FROM emend.alerts WHERE name = $1", values: [name] });
      if (isRaised === (noted !== undefined)) return false;
      const sql = isRaised
        ? "INSERT INTO emend.alerts (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING name"
        : "DELETE FROM emend.alerts WHERE name = $1 RETURNING name";
      return database.write(async (to) => (await to.all(sql, [name])).length > 0);
    },
    close: () => pending,
  };
}

/** Deletes old runs, and old or damaged opinions that no conversation takes with it. */
async function deleteBefore(time: Date, to: Writing) {
  await to.all("DELETE FROM emend.runs WHERE at < $1", [time.getTime()]);
  const alone = await to.all("SELECT n, record FROM emend.feedback WHERE thread = ''");
  for (const row of alone)
    if ((feedbackOf(row)?.at ?? "") < time.toISOString())
      await to.all("DELETE FROM emend.feedback WHERE n = $1", [Number(row.n)]);
}

/** Returns undefined if the row is damaged. */
const feedbackOf = ({ record }: Row): Feedback | undefined => Feedback.safeParse(parsedJson(`${record}`)).data;

/** The columns of a run that are counted. */
export const columnsOf = ({ claims, spend, ...run }: RunRecord, thread: string) => ({
  at: Date.parse(run.at),
  thread,
  scope: run.scope,
  question: run.questionHash,
  status: run.status,
  tags: ` ${run.failures.join(" ")} `,
  // A follow-up makes no sense on its own.
  lacking: Number(!run.isFollowUp && lacksContent(run.status, run.failures)),
  feedback: "",
  faults: Number(
    FAULT_TAGS.some((tag) => run.failures.includes(tag)) ||
      run.route.some(({ faults }) => faults.some(({ part }) => part !== "")),
  ),
  follow_up: Number(run.isFollowUp),
  drafted: claims.drafted,
  quoted: claims.quoted,
  dropped: claims.dropped,
  calls: spend.calls,
  input_tokens: spend.inputTokens,
  output_tokens: spend.outputTokens,
  milliseconds: Math.round(spend.milliseconds),
});

/** The documents that the answer cites. */
export const documentsOf = ({ used }: RunRecord) => [...new Set(used.map(documentOf))];

/** Milliseconds that a write may take, including the wait for another writer. */
const PATIENCE = 2_000;
const BETWEEN_CLEANING = 1_000;

function conditions({ since, until, status, tag, feedback, scope, failed }: RunFilter) {
  const given: [sql: string, value: Value | undefined][] = [
    ["at >= $", since?.getTime()],
    ["at < $", until?.getTime()],
    ["status = $", status],
    ["tags LIKE $", tag && `% ${tag} %`],
    ["feedback = $", feedback],
    ["scope = $", scope],
    [`${FAILED} = $`, failed && 1],
  ];
  const wanted = given.filter(([, value]) => value !== undefined);
  const where = wanted.map(([sql], i) => `${sql}${i + 1}`).join(" AND ");
  return { where: where && `WHERE ${where}`, values: wanted.map(([, value]) => value as Value) };
}

const withRecords = (runs: string, values: readonly Value[]): SqlQuery => ({
  sql: `SELECT r.n, r.feedback, d.record FROM (${runs}) r JOIN emend.run_records d ON d.run = r.n ORDER BY r.n DESC`,
  values,
});

const asRun = ({ n, feedback, record }: Row): KeptRun =>
  KeptRun.parse({ ...JSON.parse(`${record}`), id: Number(n), feedback });
