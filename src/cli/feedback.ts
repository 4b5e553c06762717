import { UsageError } from "../errors.js";
import { evaluationItems } from "../server/feedback.js";
import { storeName } from "../tools/store/settings.js";
import { settingsOf } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";
import { withRuns } from "./runs.js";
import { escapedJson, warn, withCount } from "./screen.js";

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
