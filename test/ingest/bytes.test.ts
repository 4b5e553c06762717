import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readCommand } from "../../src/cli/read.js";
import { bytesOf, LARGEST_FILE } from "../../src/ingest/bytes.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { readText } from "../../src/ingest/load.js";
import { inMemoryDocuments } from "../../src/testing/documents.js";

const REFUSED = /It is a device, a pipe or a socket\. Save what comes from it to a file/;
const isWindows = process.platform === "win32";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "bytes-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

test.skipIf(isWindows)(
  "a pipe without a writer is refused instead of blocking, by every function that reads files",
  async () => {
    const pipe = join(cwd, "pipe.md");
    execFileSync("mkfifo", [pipe]);
    await expect(bytesOf(pipe)).rejects.toThrow(REFUSED);
    await expect(readText(pipe)).rejects.toThrow(REFUSED);
    await expect(readCommand([pipe], {}, new AbortController().signal)).rejects.toThrow(REFUSED);
    const { failures } = await ingestFiles([pipe], { documents: inMemoryDocuments(), cwd });
    expect(failures).toEqual([{ path: "pipe.md", reason: expect.stringMatching(REFUSED) }]);
  },
);

test.skipIf(!existsSync("/dev/zero"))("an endless device is refused", async () => {
  await expect(bytesOf("/dev/zero")).rejects.toThrow(REFUSED);
});

test.skipIf(isWindows)("a socket is refused", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(cwd, "a.md"), resolve));
  try {
    await expect(bytesOf(join(cwd, "a.md"))).rejects.toThrow(REFUSED);
  } finally {
    server.close();
  }
});

test("a file is read up to the limit, and no further", async () => {
  const path = join(cwd, "a.md");
  await writeFile(path, "words");
  expect(Buffer.from(await bytesOf(path)).toString()).toBe("words");
  await truncate(path, LARGEST_FILE);
  expect((await bytesOf(path)).length).toBe(LARGEST_FILE);
  await truncate(path, LARGEST_FILE + 1);
  await expect(bytesOf(path)).rejects.toThrow(/Larger than 20 MB\. Split it/);
});

test("a folder and a missing file are refused with a clear reason", async () => {
  await expect(bytesOf(cwd)).rejects.toThrow(/folder\. Name a file/);
  await expect(bytesOf(join(cwd, "none"))).rejects.toThrow(/Cannot be opened \(ENOENT\)/);
});
