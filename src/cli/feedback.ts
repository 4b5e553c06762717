import { existsSync } from "node:fs";
import { UsageError } from "../errors.js";
import { evaluationItems, Feedback } from "../server/feedback.js";
import { parsedJson } from "../text/decode.js";
import { feedbackFile, readLines, settingsOf } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson, warn, withCount } from "./screen.js";

/** `emend feedback`: prints readers' opinions of answers as questions for `emend eval`. */
export const feedbackCommand: CommandRun = async (_words, options) => {
  const path = feedbackFile(settingsOf(options));
  if (!existsSync(path))
    throw new UsageError(`There is no feedback in ${path}. It is given on the page of: emend serve`);
  const opinions: Feedback[] = [];
  let others = 0;
  for await (const line of readLines(path)) {
    const opinion = Feedback.safeParse(parsedJson(line)).data;
    if (opinion) opinions.push(opinion);
    else if (line.trim() !== "") others += 1;
  }
  const items = evaluationItems(opinions);
  for (const item of items) process.stdout.write(`${escapedJson(item, 0)}\n`);
  const open = new Set(opinions.map(({ id }) => id)).size - items.length;
  if (open > 0)
    warn(
      `${withCount(open, "answer is", "answers are")} left out: nobody said what is right in place of it, or a later opinion does.`,
    );
  if (others > 0) warn(`${withCount(others, "line is", "lines are")} no feedback, and left out.`);
  return others > 0 ? EXIT.fault : EXIT.done;
};
