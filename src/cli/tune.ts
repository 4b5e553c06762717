import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Settings } from "../config.js";
import { toError, UsageError } from "../errors.js";
import { askEmend } from "../evaluate/ask-emend.js";
import { evaluate } from "../evaluate/evaluate.js";
import { MADE } from "../evaluate/made.js";
import { type Question, readQuestions } from "../evaluate/questions.js";
import { isNowhere } from "../evaluate/score.js";
import { shown, size, table } from "../evaluate/summary.js";
import { FEWEST_OF_A_KIND, FEWEST_TUNED, type Tuning, tune } from "../evaluate/tune.js";
import { merged } from "../state/context.js";
import { judgingOnce } from "../tools/encoder/judging-once.js";
import { openEncoder } from "../tools/encoder/onnx.js";
import { PRIVATE } from "../tools/store/make-folder.js";
import { openAgent } from "./ask.js";
import { contextInWords, settingsOf } from "./open.js";
import { progress } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, oneLine, screen, warn, withCount } from "./screen.js";

/** `emend tune`: finds settings per question that answer a file's questions better. */
export const tuneCommand: CommandRun = async ([file = ""], options, signal) => {
  const questions = await readQuestions(file);
  warnOfFew(questions, file);
  const settings = settingsOf(options);
  const encoder = openEncoder(settings);
  await using replies = await repliesOf(settings);
  const tools = encoder && { encoder: judgingOnce(encoder) };
  const agent = await openAgent(options, { runs: "off", replyCache: replies.folder, ...(tools && { tools }) });
  using line = progress();
  try {
    const { documents } = agent.tools;
    let run = "";
    const nowhere = new Map<string, string>();
    const found = await tune(questions, {
      hasModel: settings.model !== undefined,
      onRun: (done, all) => {
        run = `run ${done + 1} of ${all}`;
      },
      ask: (some, tried) =>
        evaluate(some, {
          // Without the web, whose results differ each time.
          systems: { emend: askEmend(agent, merged(agent.context, { ...tried, sources: { web: false } }), signal) },
          parallel: 1,
          before: [],
          documents,
          signal,
          ...tools,
          onRow: async (row, done, all) => {
            if (isNowhere(row)) nowhere.set(row.id, row.question);
            line.say(`${run}: ${done} of ${all}`);
          },
        }),
    });
    line.stop();
    const [one] = nowhere.values();
    if (one !== undefined)
      warn(
        `No document has the expected answer of ${withCount(nowhere.size, "question")}, such as “${oneLine(one)}”. No setting helps there: correct the answers, or ingest the documents.`,
      );
    const context = contextInWords(merged(agent.context, found.best));
    const setting = `EMEND_CONTEXT='${context.replaceAll("'", "\\u0027")}'`;
    screen(process.stdout).write(inWords(found, setting));
    if (found.isBetter && options.write) await write(setting);
    return EXIT.done;
  } finally {
    await agent.close();
  }
};

/**
 * The folder that keeps a chat model's replies, so that nothing is asked twice: the folder in the settings, or else a
 * temporary one.
 */
async function repliesOf({ model, replyCache }: Settings) {
  const own = model && !replyCache ? await mkdtemp(join(tmpdir(), "emend-tune-")) : undefined;
  const remove = async () => own && rm(own, { recursive: true, force: true });
  return { folder: replyCache ?? own, [Symbol.asyncDispose]: async () => void (await remove()) };
}

/** @throws UsageError if there are too few questions to tell anything. */
function warnOfFew(questions: readonly Question[], file: string) {
  const more =
    "Write more, take over what readers said (emend feedback --as eval), or let a model write some (emend eval make).";
  if (questions.length < FEWEST_TUNED)
    throw new UsageError(
      `${file} has ${withCount(questions.length, "question")}, and tuning needs ${FEWEST_TUNED}: half of them only show whether it helped. ${more}`,
    );
  const without = questions.filter(({ answerable }) => !answerable).length;
  if (Math.min(without, questions.length - without) < FEWEST_OF_A_KIND)
    throw new UsageError(
      `${file} has ${questions.length - without} questions with an answer and ${without} without one. Tuning needs ${FEWEST_OF_A_KIND} of each, to weigh answers against refusals. ${more}`,
    );
  const made = questions.filter(({ tags }) => tags.includes(MADE)).length;
  if (made > questions.length / 2)
    warn(
      `${made} of the ${questions.length} questions were made by emend eval make, with the judge that is tuned here. What helps them may not help people: look at their questions too.`,
    );
}

function inWords({ best, training, before, after, figures, isBetter }: Tuning, setting: string): string {
  const { paint } = screen(process.stdout);
  const chosen = `On the ${training.questions} questions of the training half, right − 2 × wrong is ${shown(training.before)} a question`;
  if (Object.keys(best).length === 0)
    return `${chosen}, and nothing that was tried is better than the settings in force. Nothing was written.\n`;
  const compared = { measured: { name: "after", rows: after }, beside: { name: "before", rows: before } };
  const [head = "", ...lines] = columns(table(figures, compared), "lrrrrr");
  return [
    `${chosen}, and ${shown(training.after)} with ${JSON.stringify(best)}.`,
    `The held-out half: ${size(compared)}`,
    "",
    paint("bold", head),
    ...lines,
    "",
    isBetter
      ? `It is better on the held-out half too, by more than chance. To set it:\n${setting}`
      : "On the held-out half it is not better by more than chance. Nothing was written; more questions may tell.",
    "",
  ].join("\n");
}

/** Appends the setting to `.env`, so that nothing in the file is lost. The last line for a variable counts. */
async function write(setting: string) {
  await appendFile(".env", `\n# Found by emend tune\n${setting}\n`, PRIVATE).catch((error: unknown) => {
    throw new UsageError(`.env cannot be written (${toError(error).message}). Set it yourself: ${setting}`);
  });
  warn("It is written to .env, and applies from the next command on.");
}
