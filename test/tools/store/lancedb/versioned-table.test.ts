import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreUnavailableError, UsageError } from "../../../../src/errors.js";
import { fakePassage } from "../../../../src/testing/index.js";
import { lanceDocuments, PASSAGES } from "../../../../src/tools/documents/lancedb/lancedb.js";
import { versionedTable } from "../../../../src/tools/store/lancedb/versioned-table.js";

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "emend-table-"));
});
afterEach(() => rm(path, { recursive: true, force: true }));

const none = { create: true };

test("what is read in one go is of one moment, whatever is written meanwhile", async () => {
  const documents = lanceDocuments({ path });
  await documents.upsert([fakePassage("a", "one")]);
  const table = versionedTable(path, PASSAGES);
  const counts = await table.read(async (snapshot) => {
    const before = await snapshot.table.countRows();
    await documents.upsert([fakePassage("b", "two")]);
    return [before, await snapshot.table.countRows()];
  });
  expect(counts).toEqual([1, 1]);
  expect(await table.read((snapshot) => snapshot.table.countRows())).toBe(2);
});

test("a read that fails once is begun again on the table as it is then", async () => {
  const table = versionedTable(path, PASSAGES);
  await table.write(async () => {}, none);
  let tries = 0;
  const read = table.read(async () => {
    if (++tries === 1) throw new Error("a file is gone");
    return "read";
  });
  expect(await read).toBe("read");
  await expect(table.read(() => Promise.reject(new Error("a file is gone")))).rejects.toThrow(StoreUnavailableError);
});

test.each([
  ["Permission denied (os error 13)", /Check its name and its permissions/],
  ["Too many open files (os error 24)", /Check its name and its permissions/],
  ["No such file or directory (os error 2)", /Delete the folder/],
  ["Invalid manifest", /Delete the folder/],
])("what to do about %j: only what is damaged is to be deleted", async (message, advice) => {
  const table = versionedTable(path, PASSAGES);
  await table.write(async () => {}, none);
  const reading = table.read(() => Promise.reject(new Error(`LanceError(IO): ${message}, /src/io.rs:1`)));
  await expect(reading).rejects.toThrow(advice);
});

test("writes wait for each other, and one that fails does not stop the next", async () => {
  const table = versionedTable(path, PASSAGES);
  const order: string[] = [];
  const first = table.write(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push("first");
    throw new Error("disk full");
  }, none);
  const second = table.write(async () => order.push("second"), none);
  await expect(first).rejects.toThrow(/cannot be written \(disk full\).*What it held is untouched/);
  await second;
  expect(order).toEqual(["first", "second"]);
});

test("a mistake of the user's is passed on as it is", async () => {
  const mistake = new UsageError("wrong model");
  await expect(versionedTable(path, PASSAGES).write(() => Promise.reject(mistake), none)).rejects.toBe(mistake);
});

test("what killed writers left is gone after the next write, but for what another may be about to put back", async () => {
  const table = versionedTable(path, PASSAGES);
  await mkdir(join(path, ".new-0", "passages.lance"), { recursive: true });
  await table.write(async () => {}, none);
  expect(await readdir(path)).toEqual(["passages.lance"]);
  await mkdir(join(path, ".new-1"));
  await writeFile(join(path, ".lock.1"), "moved aside a moment ago");
  await table.write(async () => {});
  expect((await readdir(path)).sort()).toEqual([".lock.1", "passages.lance"]);
});

test("a write that is told to stop while it waits for another process writes nothing", async () => {
  const table = versionedTable(path, PASSAGES);
  await table.write(async () => {}, none);
  await writeFile(join(path, ".lock"), JSON.stringify({ process: process.pid, host: hostname(), token: "theirs" }));
  const stop = new AbortController();
  let isWritten = false;
  const writing = table.write(
    async () => {
      isWritten = true;
    },
    { signal: stop.signal },
  );
  setTimeout(() => stop.abort(new Error("the user left")), 100);
  await expect(writing).rejects.toThrow("the user left");
  expect(isWritten).toBe(false);
});
