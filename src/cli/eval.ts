import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { z } from "zod";
import type { Settings } from "../config.js";
import { cannotBe, EmptyStoreError, UsageError } from "../errors.js";
import { askEmend, askPlain } from "../evaluate/ask.js";
import { type About, evaluate, openSaved, readSaved, type Saved } from "../evaluate/evaluate.js";
import { isLeft, readChangeableText } from "../evaluate/made.js";
import { makeQuestions } from "../evaluate/make.js";
import { type Compared, checkDemands, type Demand, figures, METRICS, type Thresholds } from "../evaluate/metrics.js";
import { type Question, readQuestions } from "../evaluate/questions.js";
import { htmlReport } from "../evaluate/report.js";
import { sample } from "../evaluate/statistics.js";
import {
  badRows,
  byModelInWords,
  changedPairs,
  countOutcomes,
  figureTable,
  junit,
  markdownSummary,
  OUTCOME_WORDS,
  questionCount,
} from "../evaluate/summary.js";
import { readText } from "../ingest/load.js";
import { exactly, faultsIn } from "../options.js";
import { jsonOf } from "../text/decode.js";
import { openChat } from "../tools/chat/open-chat.js";
import type { Documents } from "../tools/documents/port.js";
import { openEncoder } from "../tools/encoder/onnx.js";
import { PRIVATE } from "../tools/store/make-folder.js";
import { storeName } from "../tools/store/settings.js";
import { costOf } from "../types/price.js";
import { openAgent } from "./ask.js";
import { contextInWords, settingsOf, usingTools } from "./open.js";
import { type Options, version } from "./options.js";
import { progress } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, screen, warn, withCount } from "./screen.js";

/** `emend eval`: asks the questions of a file, and measures the answers. */
export const evalCommand: CommandRun = async ([file = ""], options, signal) => {
  const { limit, price, budget, parallel = 1, where = [], beside } = options;
  if (budget !== undefined && !price) throw new UsageError("--budget needs --price, such as --price 0.15/0.60.");
  const thresholds = await thresholdsOf(options);
  const questions = sample(await readQuestions(file), limit, 1);
  const settings = settingsOf(options);
  // These questions are not recorded, since no user asked them.
  const agent = await openAgent(options, { runs: "off" });
  using line = progress();
  let done = 0;
  try {
    const { documents, encoder } = agent.tools;
    const chat = settings.model && openChat(settings.model, { cache: settings.replyCache });
    const about = await aboutOf(settings, documents, encoder !== undefined, where);
    const saved = options.save === undefined ? undefined : await openSaved(options.save, about);
    if (saved && saved.before.length > 0)
      warn(`${withCount(saved.before.length, "answer is", "answers are")} there already, and not asked again.`);
    const rows = await evaluate(questions, {
      systems: {
        emend: askEmend(agent, { ...agent.context, ...(options.where && { filter: where }) }, signal),
        ...(beside && { [beside]: askPlain(documents, chat, { filter: where, signal }) }),
      },
      parallel,
      most: budget,
      before: saved?.before ?? [],
      documents,
      encoder,
      chat,
      price,
      signal,
      onRow: async (row, count, all) => {
        await saved?.save(row);
        done = count;
        line.say(`${count} of ${all}, ${row.seconds.toFixed(1)} s: ${oneLine(row.question)}`);
      },
    });
    line.stop();
    const of = (name: string) => ({ name, rows: rows.filter(({ system }) => system === name) });
    const isWhole = rows.length === questions.length * (beside ? 2 : 1);
    if (!isWhole)
      warn(
        `The money was spent after ${withCount(rows.length, "answer")}. To go on, run it again with a higher --budget and the same --save.`,
      );
    const compared = { measured: of("emend"), ...(beside && { beside: of(beside) }) };
    const isMet = await reportFigures(compared, { about, rows }, thresholds, options);
    return isWhole && isMet ? EXIT.done : EXIT.fault;
  } catch (error) {
    line.stop();
    if (done > 0)
      warn(
        options.save === undefined
          ? `${withCount(done, "answer is", "answers are")} lost. With --save <file>, a run that was stopped can go on.`
          : `${withCount(done, "answer is", "answers are")} in ${options.save}. Run it again to go on.`,
      );
    throw error;
  } finally {
    await agent.close();
  }
};

/** `emend eval diff`: compares two saved evaluations, question by question. */
export const evalDiffCommand: CommandRun = async ([before = "", after = ""], options) => {
  const thresholds = await thresholdsOf(options);
  const [old, now] = [await readSaved(before), await readSaved(after)];
  const of = (name: string, { rows }: Saved) => ({ name, rows: rows.filter(({ system }) => system === "emend") });
  const compared = { measured: of(after, now), beside: of(before, old) };
  const ids = new Set(compared.beside.rows.map(({ id }) => id));
  const both = compared.measured.rows.filter(({ id }) => ids.has(id)).length;
  if (both === 0) throw new UsageError(`${before} and ${after} have no question in common.`);
  const alone = compared.measured.rows.length + ids.size - 2 * both;
  if (alone > 0)
    warn(
      `${withCount(alone, "question is", "questions are")} in one of them alone. Differences are of the ${both} in both.`,
    );
  const isMet = await reportFigures(compared, now, thresholds, options);
  if (!options.json) {
    const { write } = screen(process.stdout);
    const other = Object.entries(now.about).filter(([key, value]) => old.about[key as keyof About] !== value);
    for (const [key, value] of other) write(`${key}: ${old.about[key as keyof About]} → ${value}\n`);
    const rows = changedPairs(compared).map(([row, was]) => [
      OUTCOME_WORDS[was.outcome],
      "→",
      OUTCOME_WORDS[row.outcome],
      oneLine(row.question),
    ]);
    write(`\n${rows.length === 0 ? "No question came out differently." : columns(rows).join("\n")}\n`);
  }
  return isMet ? EXIT.done : EXIT.fault;
};

/** Prints the figures, and writes the reports. Returns whether all demands are met. */
async function reportFigures(
  compared: Compared,
  { about, rows }: Saved,
  thresholds: Thresholds,
  options: Options,
): Promise<boolean> {
  const found = figures(compared);
  const demands = checkDemands(found, thresholds);
  for (const path of options.report ?? []) {
    const text = {
      ".html": () => htmlReport({ compared, about, figures: found, demands }),
      ".md": () => markdownSummary(compared, found, demands),
      ".xml": () => junit(demands, compared),
    }[formatOf(path)]();
    await writeFile(path, text, PRIVATE).catch(cannotBe("written", path));
  }
  const { write } = screen(process.stdout);
  write(
    options.json
      ? `${escapedJson({ about, figures: found, demands, rows })}\n`
      : inWords(
          compared,
          found,
          demands,
          options.report?.find((path) => formatOf(path) === ".html"),
        ),
  );
  return demands.every(({ isMet }) => isMet);
}

/** @param page the report that lists every question, if it was written. */
function inWords(
  compared: Compared,
  found: ReturnType<typeof figures>,
  demands: readonly Demand[],
  page: string | undefined,
): string {
  const { paint } = screen(process.stdout);
  const [head = "", ...lines] = columns(figureTable(found, compared), "lrrrrr");
  const { rows } = compared.measured;
  const byModel = byModelInWords(compared);
  const faults = badRows(rows);
  const outcomes = countOutcomes(rows).map(([outcome, n]) => [`${n}`, OUTCOME_WORDS[outcome]]);
  const place = page ? `see ${page}` : "--report eval.html lists them";
  const more = faults.length > MAX_NAMED ? [`  and ${faults.length - MAX_NAMED} more: ${place}`] : [];
  return [
    `${questionCount(compared)}\n`,
    paint("bold", head),
    ...lines,
    ...(byModel ? [paint("dim", byModel)] : []),
    "",
    ...columns(outcomes, "rl"),
    "",
    ...faults
      .slice(0, MAX_NAMED)
      .flatMap(({ outcome, question, why }) => [
        `${paint("yellow", OUTCOME_WORDS[outcome])}: ${oneLine(question)}`,
        paint("dim", `  ${oneLine(why)}`),
      ]),
    ...more,
    ...demands.map(({ name, value, demand, isMet }) =>
      isMet ? `${name} is ${demand}.` : paint("red", `${name} is ${value ?? "not defined"}, not ${demand}.`),
    ),
    "",
  ].join("\n");
}

const MAX_NAMED = 10;

function formatOf(path: string): ".html" | ".md" | ".xml" {
  const format = extname(path).toLowerCase();
  if (format === ".html" || format === ".md" || format === ".xml") return format;
  throw new UsageError(`--report ${path}: name a file that ends with .html (a page), .md (a summary) or .xml (JUnit).`);
}

async function aboutOf(settings: Settings, documents: Documents, hasEncoder: boolean, where: unknown): Promise<About> {
  const all = (await documents.list()).map(({ documentId, hash }) => `${documentId}\n${hash}`).toSorted();
  const { model } = settings;
  return {
    emend: version(),
    store: storeName(settings),
    documents: all.length,
    content: createHash("sha256").update(all.join("\n")).digest("hex").slice(0, 16),
    model: model && "model" in model && typeof model.model === "string" ? model.model : model ? "custom" : "none",
    judge: hasEncoder ? (settings.encoder ?? "emend's own") : "words",
    where: JSON.stringify(where),
    context: contextInWords(settings.context),
  };
}

const Demands = z.record(z.string(), z.number()).default({});
const ThresholdsFile = exactly({ minimum: Demands, maximum: Demands });

/** @throws UsageError if the thresholds or a report's name are invalid, or a JUnit report would have no test. */
async function thresholdsOf({ thresholds, report = [] }: Options): Promise<Thresholds> {
  const read = await thresholdsIn(thresholds);
  const isNothing = Object.keys({ ...read.minimum, ...read.maximum }).length === 0;
  for (const path of report)
    if (formatOf(path) === ".xml" && isNothing)
      throw new UsageError(`--report ${path}: the tests of JUnit are what is demanded. Give a file of --thresholds.`);
  return read;
}

async function thresholdsIn(path: string | undefined): Promise<Thresholds> {
  if (path === undefined) return { minimum: {}, maximum: {} };
  const { data, error } = ThresholdsFile.safeParse(jsonOf(await readText(path), path));
  if (!data)
    throw new UsageError(`${path}: ${faultsIn(error, "it")} It looks like {"minimum": {"faithfulness": 0.95}}`);
  const names = METRICS.map(({ name }) => name);
  const unknown = Object.keys({ ...data.minimum, ...data.maximum }).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`${path}: there is no figure ${JSON.stringify(unknown)}. There are: ${names.join(", ")}.`);
  return data;
}

/** `emend eval make`: writes questions from the stored documents into a file that `emend eval` reads. */
export const evalMakeCommand: CommandRun = async (_words, options, signal) => {
  const { questions: most = 40, out = "questions.jsonl", price, budget } = options;
  if (budget !== undefined && !price) throw new UsageError("--budget needs --price, such as --price 0.15/0.60.");
  const before = await existingQuestions(out);
  const settings = settingsOf(options);
  if (!settings.model)
    throw new UsageError("A chat model writes the questions. Name one with EMEND_MODEL, see docs/configuration.md.");
  const encoder = openEncoder(settings);
  if (!encoder) throw new UsageError("The encoder checks the questions, and EMEND_ENCODER is off. Unset it.");
  await using tools = await usingTools(settings, { encoder });
  if (await tools.documents.isEmpty()) throw new EmptyStoreError(storeName(settings));
  const dropped = new Map<string, number>();
  let [made, cost] = [0, 0];
  using line = progress();
  try {
    await makeQuestions({
      documents: tools.documents,
      encoder,
      chat: openChat(settings.model, { cache: settings.replyCache }),
      most,
      before,
      signal,
      mayGoOn: () => budget === undefined || cost < budget,
      spent: (usage) => {
        if (price) cost += costOf(usage, price);
      },
      onMade: async (question) => {
        await append(out, `${JSON.stringify(question)}\n`);
        line.say(`${++made}: ${oneLine(question.question)}`);
      },
      onDropped: (reason) => {
        dropped.set(reason, (dropped.get(reason) ?? 0) + 1);
      },
    });
  } finally {
    line.stop();
    const all = [...dropped].toSorted(([, a], [, b]) => b - a).map(([reason, n]) => [`  ${n}`, reason]);
    const sum = all.reduce((total, [n]) => total + Number(n), 0);
    const head = `${withCount(made, "question")} written to ${out}, to be read before use. Dropped: ${sum}`;
    screen(process.stdout).write(`${[head, ...columns(all, "rl")].join("\n")}\n`);
  }
  const there = made + before.filter(isLeft).length;
  if (there >= most) return EXIT.done;
  const spent = budget !== undefined && cost >= budget;
  warn(
    spent
      ? `The money was spent. To go on, run it again with a higher --budget and the same --out.`
      : `The documents gave ${there} of the ${most} questions. A larger model has fewer dropped.`,
  );
  return EXIT.fault;
};

/** Returns the questions in the file; none if there is no file. @throws UsageError if the file cannot be continued. */
async function existingQuestions(path: string): Promise<Question[]> {
  if (extname(path) !== ".jsonl") throw new UsageError(`--out ${path}: name a file that ends with .jsonl.`);
  const text = existsSync(path) ? await readChangeableText(path) : "";
  if (text.trim() === "") return [];
  const questions = await readQuestions(path, { withDropped: true });
  if (!text.endsWith("\n")) await append(path, "\n");
  return questions;
}

const append = (path: string, text: string) => appendFile(path, text, PRIVATE).catch(cannotBe("written", path));
