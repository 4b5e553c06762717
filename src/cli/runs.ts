import { UsageError } from "../errors.js";
import { evaluationItems } from "../server/feedback.js";
import type { RunFilter, Runs } from "../tools/runs/port.js";
import { sqlRuns } from "../tools/runs/sql.js";
import { storeName } from "../tools/store/settings.js";
import { labelOf } from "../types/label.js";
import { costOf, dollars, type Price } from "../types/price.js";
import type { KeptRun, RunTotals } from "../types/run.js";
import { settingsOf, usingDatabase } from "./open.js";
import type { Options } from "./options.js";
import { daysAgo } from "./options.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, screen, truncated, warn, withCount } from "./screen.js";
import { trace } from "./trace.js";

/** `emend runs`: lists recorded runs, or prints them for other programs. */
export const runsCommand: CommandRun = async (_words, options) => {
  const { since, until, status, tag, feedback, scope, limit = 20, as, json } = options;
  const time = (days: number | undefined) => (days === undefined ? undefined : daysAgo(days));
  const filter: RunFilter = { since: time(since), until: time(until), status, tag, feedback, scope };
  return withRuns(options, async (kept, price) => {
    const found = await kept.find(filter, limit);
    const runs = found.map((run) => priced(run, price));
    if (json) process.stdout.write(`${escapedJson(runs)}\n`);
    else if (as === "jsonl") for (const run of runs) process.stdout.write(`${escapedJson(run, 0)}\n`);
    else if (as === "csv") process.stdout.write(inCsv(runs));
    else process.stdout.write(`${inWords(runs, await kept.totals(filter), price)}\n`);
    return runs.length > 0 ? EXIT.done : EXIT.notAnswered;
  });
};

/** `emend runs show`: prints how one run went. */
export const showRunCommand: CommandRun = async ([id = ""], options) =>
  withRuns(options, async (kept, price) => {
    const found = /^\d{1,15}$/.test(id) ? await kept.get(Number(id)) : undefined;
    if (!found) throw new UsageError(`There is no run ${id}. See: emend runs`);
    const run = priced(found, price);
    const out = screen(process.stdout);
    const { spend, stopReason, language } = run;
    if (options.json) out.write(`${escapedJson(run)}\n`);
    else out.write(`${columns(headOf(run)).join("\n")}\n\n${trace(run.route, { spend, stopReason, language }, out)}\n`);
    return EXIT.done;
  });

/** `emend feedback`: prints readers' opinions of answers as questions for `emend eval`. */
export const feedbackCommand: CommandRun = (_words, options) =>
  withRuns(options, async (runs) => {
    const { opinions, damaged } = await runs.feedback();
    if (damaged > 0)
      warn(`${withCount(damaged, "opinion is", "opinions are")} damaged in the store, and left out. Check the disk.`);
    if (opinions.length === 0)
      throw new UsageError(
        `There is no feedback in ${storeName(settingsOf(options))}. It is given on the page of: emend serve`,
      );
    const items = evaluationItems(opinions);
    for (const item of items) process.stdout.write(`${escapedJson(item, 0)}\n`);
    const open = opinions.length - items.length;
    if (open > 0)
      warn(
        `${withCount(open, "answer is", "answers are")} left out: nobody said what is right in place of it, or a later opinion does.`,
      );
    return EXIT.done;
  });

/** Opens the records in the store for some work. */
async function withRuns(options: Options, work: (runs: Runs, price: Price | undefined) => Promise<number>) {
  const settings = settingsOf(options);
  await using database = usingDatabase(settings);
  return await work(sqlRuns(database), settings.price);
}

/** A run with what its tokens cost, in US dollars. Without a price it has no cost. */
type PricedRun = KeptRun & { cost?: number };

const priced = (run: KeptRun, price: Price | undefined): PricedRun =>
  price ? { ...run, cost: costOf(run.spend, price) } : run;

function inWords(runs: readonly PricedRun[], totals: RunTotals, price: Price | undefined): string {
  if (totals.runs === 0) return "No such run is recorded. Each question is recorded once it is answered.";
  const head = [
    ...["run", "when (UTC)", "status", "claims", "calls", "tokens", ...(price ? ["cost"] : [])],
    ...["ms", "reader", "failures", "question"],
  ];
  const rows = runs.map((run) => {
    const { id, at, claims, spend, cost, feedback, failures, question, questionHash } = run;
    const tokens = `${spend.inputTokens + spend.outputTokens}`;
    return [
      ...[`${id}`, minute(at), labelOf(run), `${claims.shown}`, `${spend.calls}`, tokens],
      ...(cost === undefined ? [] : [dollars(cost)]),
      ...[spend.milliseconds.toFixed(0), feedback, failures.join(" "), question || `#${questionHash}`],
    ];
  });
  const lines = columns(
    [head, ...rows.map((row) => row.map((cell) => truncated(oneLine(cell), MAX_CELL_LENGTH)))],
    price ? "rllrrrrrlll" : "rllrrrrlll",
  );
  return [...lines, "", inSum(totals, price)].join("\n");
}

function inSum(totals: RunTotals, price: Price | undefined) {
  const { runs, refused, unavailable, partial, unsure, followUps, drafted, dropped, up, down, calls, milliseconds } =
    totals;
  const of = (part: number) => `${Math.round((100 * part) / runs)} %`;
  const each = (sum: number) => (sum / runs).toFixed(1);
  const spent = (totals.inputTokens + totals.outputTokens) / runs;
  const cost = price && costOf(totals, price);
  return [
    `${withCount(runs, "run")}: ${of(refused)} refused, ${of(unavailable)} unavailable, ${of(partial)} in part, ${of(unsure)} unsure, ${of(followUps)} follow-ups`,
    `${dropped} of the ${withCount(drafted, "claim")} drafted were rejected`,
    `readers: ${up} up, ${down} down`,
    `on average ${each(calls)} calls, ${spent.toFixed(0)} tokens, ${each(milliseconds / 1000)} s`,
    ...(cost === undefined ? [] : [`${dollars(cost)} in all, ${dollars(cost / runs)} a run`]),
  ].join("; ");
}

const minute = (at: string) => at.slice(0, "2026-01-31T12:00".length).replace("T", " ");
const MAX_CELL_LENGTH = 60;

function headOf(run: PricedRun): [string, string][] {
  const { score, relevance, pieces } = run.retrieved;
  const spread = (numbers: readonly number[] | null) => numbers?.map((value) => value.toFixed(2)).join(" ") ?? "none";
  return [
    ["question", oneLine(run.question || `#${run.questionHash}`)],
    ["asked", `${minute(run.at)} UTC, ${run.language}${run.isFollowUp ? ", a follow-up" : ""}`],
    ...(run.collections ? [["collections", run.collections.join(", ")] as [string, string]] : []),
    ["status", `${labelOf(run)}, confidence ${run.confidence.toFixed(2)}`],
    ["retrieved", withCount(pieces, "piece")],
    ["  scores", `${spread(score)} (least, quartiles, greatest)`],
    ["  relevance", spread(relevance)],
    ["cited", oneLine(run.used.join(", ")) || "nothing"],
    [
      "claims",
      `${run.claims.shown} shown; of ${run.claims.drafted} drafted ${run.claims.quoted} have a quote, ${run.claims.dropped} were rejected`,
    ],
    ["failures", run.failures.join(", ") || "none"],
    ...(run.cost === undefined ? [] : [["cost", dollars(run.cost)] as [string, string]]),
    ["reader", run.feedback || "has not said"],
  ];
}

/** One row per run, without its steps. */
function inCsv(runs: readonly PricedRun[]): string {
  const rows = runs.map(({ id, at, status, stopReason, language, isFollowUp, confidence, ...run }) => ({
    id,
    at,
    question: run.question,
    questionHash: run.questionHash,
    language,
    isFollowUp,
    scope: run.scope,
    collections: run.collections?.join(" ") ?? "",
    status,
    stopReason,
    confidence,
    ...run.claims,
    failures: run.failures.join(" "),
    feedback: run.feedback,
    retrieved: run.retrieved.pieces,
    used: run.used.join(" "),
    ...run.spend,
    ...(run.cost !== undefined && { cost: run.cost }),
  }));
  const head = Object.keys(rows[0] ?? {});
  return [head, ...rows.map((row) => Object.values(row))].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** Puts an apostrophe before text that a spreadsheet would run as a formula. */
function cell(value: string | number | boolean): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : `${value}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
