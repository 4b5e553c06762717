import { placeOf } from "../answer/citations.js";
import { type Gap, gapsIn, LoggedAnswer } from "../answer/gaps.js";
import { messagesIn } from "../answer/messages/index.js";
import { UsageError } from "../errors.js";
import { openEmbeddings } from "../open.js";
import { parsedJson } from "../text/decode.js";
import { openEncoder } from "../tools/encoder/onnx.js";
import { readLines, settingsOf } from "./open.js";
import { progress } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson, oneLine, screen, warn, withCount } from "./screen.js";

/** `emend gaps`: lists what to write, from the questions that were not answered. */
export const gapsCommand: CommandRun = async (paths, options, signal) => {
  const answers: LoggedAnswer[] = [];
  let others = 0;
  for (const path of paths) {
    for await (const line of readLines(path)) {
      const answer = LoggedAnswer.safeParse(parsedJson(line)).data;
      if (answer) answers.push(answer);
      else if (line.trim() !== "") others += 1;
    }
  }
  if (answers.length === 0)
    throw new UsageError(
      `There is no answer in ${paths.join(", ")}. Write one a question with: emend ask --log <file>`,
    );
  if (others > 0) warn(`${withCount(others, "line is", "lines are")} no answer, and left out.`);
  const settings = settingsOf(options);
  const encoder = settings.embeddings ? undefined : openEncoder(settings);
  using line = progress();
  line.say(`Grouping the questions of ${withCount(answers.length, "answer")}`);
  try {
    const embeddings = settings.embeddings ? openEmbeddings(settings.embeddings) : encoder;
    const gaps = await gapsIn(answers, { embeddings, signal });
    line.stop();
    const found = { answers: answers.length, gaps };
    process.stdout.write(options.json ? `${escapedJson(found)}\n` : `${inWords(gaps, answers.length)}\n`);
    return others > 0 ? EXIT.fault : EXIT.done;
  } finally {
    await encoder?.close();
  }
};

/** Lists the gaps, each with its questions, what was missing, and the passage that came nearest. */
function inWords(gaps: readonly Gap[], answers: number): string {
  const { paint } = screen(process.stdout);
  const parts = gaps.map(({ count, newest, questions, missing, nearest }, i) => {
    const when = newest === "" ? "" : `, last on ${newest.slice(0, "2026-01-31".length)}`;
    const more =
      questions.length > MAX_WORDINGS ? [`and ${withCount(questions.length - MAX_WORDINGS, "other wording")}`] : [];
    return [
      paint("bold", `${i + 1}. asked ${count === 1 ? "once" : `${count} times`}${oneLine(when)}`),
      ...[...questions.slice(0, MAX_WORDINGS), ...more].map((text) => `   ${oneLine(text)}`),
      ...missing.slice(0, 1).map((what) => paint("dim", `   ${oneLine(messagesIn("en").missing(what))}`)),
      ...(nearest ? [paint("dim", `   Closest: ${oneLine(nearestPlace(nearest))}`)] : []),
    ].join("\n");
  });
  const sum =
    gaps.length === 0
      ? "Nothing is missing."
      : `${withCount(gaps.length, "thing")} to write, from ${withCount(answers, "answer")}.`;
  return [...parts, sum].join("\n\n");
}

const nearestPlace = ({ title, section, uri, quote }: NonNullable<Gap["nearest"]>) =>
  `${placeOf(title, section)} (${uri}): “${quote}”`;

/** The most wordings shown for one gap. */
const MAX_WORDINGS = 5;
