import { UsageError } from "../errors.js";
import { openDatabase } from "../tools/store/open.js";
import { sqlThreads } from "../tools/threads/sql.js";
import { settingsOf } from "./open.js";
import { warnOfWait } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { withCount } from "./screen.js";

/** `emend forget`: deletes conversations, by their ids or their age. */
export const forgetCommand: CommandRun = async (ids, options) => {
  const { olderThan } = options;
  if (ids.length === 0 && olderThan === undefined)
    throw new UsageError("Name the conversations to delete, or give --older-than <days>.");
  const threads = sqlThreads(openDatabase(settingsOf(options).store, { onWait: warnOfWait }));
  try {
    const known = new Set(ids.length > 0 ? await threads.threads() : []);
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length > 0)
      throw new UsageError(`There is no conversation ${unknown.join(", ")}. Nothing was deleted.`);
    for (const id of ids) await threads.deleteThread(id);
    const old = olderThan === undefined ? 0 : await threads.deleteBefore(daysAgo(olderThan));
    process.stdout.write(`${withCount(ids.length + old, "conversation", "conversations")} deleted.\n`);
    return EXIT.done;
  } finally {
    await threads.close();
  }
};

export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
