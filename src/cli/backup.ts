import { openDatabase } from "../tools/store/open.js";
import { storeName } from "../tools/store/settings.js";
import { settingsOf } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";

/** `emend backup`: copies the store into a file, while others read and write. */
export const backupCommand: CommandRun = async ([file = ""], options) => {
  const settings = settingsOf(options);
  const database = openDatabase(settings.store);
  try {
    await database.backup(file);
    process.stdout.write(`${storeName(settings)} is copied to ${file}. To use it, put it in a folder as emend.db.\n`);
    return EXIT.done;
  } finally {
    await database.close();
  }
};
