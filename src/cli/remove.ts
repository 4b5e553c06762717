import { dirname, resolve } from "node:path";
import { loadSettings } from "../config.js";
import { removeSources } from "../corpus/remove.js";
import { openTools } from "../tools/open.js";
import { progress } from "./progress.js";
import { EXIT, type Run } from "./run.js";
import { screen } from "./screen.js";
import { waiting } from "./waiting.js";

/** `emend remove`: takes out of the store what came from files, folders and pages. */
export const removeCommand: Run = async (names, { store }, signal) => {
  const settings = loadSettings(store === undefined ? {} : { store });
  const line = progress();
  const { documents, knowledge } = openTools(settings, { onWait: waiting(line, screen(process.stderr)) });
  try {
    const removed = await removeSources(names, {
      documents,
      knowledge,
      signal,
      cwd: dirname(resolve(settings.store)),
      here: process.cwd(),
    });
    process.stdout.write(
      `${counted(removed.documents, "document")} with ${counted(removed.passages, "passage")} removed from ${settings.store}. The files are left as they are.\n`,
    );
    return EXIT.done;
  } finally {
    await documents.close();
    await knowledge?.close();
  }
};

const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
