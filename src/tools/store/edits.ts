import type { Database, Writing } from "./port.js";

/** Notes that documents or facts changed. A row for each transaction, so that two need not wait for each other. */
export const noteEdit = (to: Writing) => to.insert("emend.edits", [{ at: new Date().toISOString() }]);

/** Deletes what nothing refers to any more: what removed documents stated of themselves, and old notes of edits. */
export const forgetUnused = (database: Database, signal: AbortSignal): Promise<void> =>
  database.write(
    async (to) => {
      await to.lock("tidy");
      await to.all(`DELETE FROM emend.stated WHERE NOT EXISTS (SELECT 1 FROM emend.passages p WHERE p.stated = stated.n)
        AND NOT EXISTS (SELECT 1 FROM emend.sources s WHERE s.stated = stated.n)`);
      await to.all("DELETE FROM emend.edits WHERE n < (SELECT max(n) FROM emend.edits)");
    },
    { signal },
  );
