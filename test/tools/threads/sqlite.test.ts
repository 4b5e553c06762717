import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteThreads } from "../../../src/tools/threads/sqlite.js";
import { threadsContract } from "../../contract/threads.js";

const file = () => join(mkdtempSync(join(tmpdir(), "emend-threads-")), "conversations.sqlite");

threadsContract("A SQLite file", async () => file());

test("a file that is no database is named, and left as it is", async () => {
  const path = file();
  const notes = "This is no database, but somebody's notes, which must not be lost.".repeat(20);
  writeFileSync(path, notes);
  await expect(sqliteThreads(path).threads()).rejects.toThrow(
    /conversations in .*conversations\.sqlite cannot be opened/,
  );
  expect(readFileSync(path, "utf8")).toBe(notes);
});
