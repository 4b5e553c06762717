import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreUnavailableError } from "../../../../src/errors.js";
import { writeLock } from "../../../../src/tools/store/lancedb/write-lock.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const permit = (content: object) => writeFile(join(folder, ".lock"), JSON.stringify(content));

test("goes from one to the next", async () => {
  const release = await writeLock(folder);
  const order: string[] = [];
  const second = writeLock(folder).then((releaseSecond) => {
    order.push("second");
    return releaseSecond();
  });
  order.push("first");
  await release();
  await second;
  expect(order).toEqual(["first", "second"]);
  expect(await readdir(folder)).toEqual([]);
});

test("is held by one of many at a time", async () => {
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const release = await writeLock(folder);
      most = Math.max(most, ++holders);
      await new Promise(setImmediate);
      holders--;
      await release();
    }),
  );
  expect(most).toBe(1);
});

test("names the process that keeps it, when patience ends", async () => {
  await permit({ process: process.pid, host: hostname(), token: "theirs" });
  const waiting = writeLock(folder, { patience: 10 });
  await expect(waiting).rejects.toThrow(StoreUnavailableError);
  await expect(waiting).rejects.toThrow(`(${process.pid} on ${hostname()})`);
});

test("is taken over from a process that has ended", async () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  await permit({ process: pid, host: hostname(), token: "theirs" });
  const release = await writeLock(folder, { patience: 10 });
  await release();
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["another machine", { process: 1, host: "elsewhere", token: "theirs" }],
  ["a number that another process has now", { process: process.pid, host: hostname(), token: "of a killed one" }],
  ["nobody", {}],
])("is taken over from %s after a minute without renewal, and not before", async (_, content) => {
  await permit(content);
  await expect(writeLock(folder, { patience: 10 })).rejects.toThrow(StoreUnavailableError);
  const before = new Date(Date.now() - 61_000);
  await utimes(join(folder, ".lock"), before, before);
  await (await writeLock(folder, { patience: 10 }))();
});

test("whose holder was killed before it could name itself is taken over after five seconds, and not before", async () => {
  const path = join(folder, ".lock");
  await writeFile(path, "");
  await expect(writeLock(folder, { patience: 10 })).rejects.toThrow(StoreUnavailableError);
  const before = new Date(Date.now() - 6_000);
  await utimes(path, before, before);
  await (await writeLock(folder, { patience: 10 }))();
});

test("renewed at a time to come, as before the clock was put back, is abandoned too", async () => {
  await permit({ process: process.pid, host: hostname(), token: "theirs" });
  const later = new Date(Date.now() + 3_600_000);
  await utimes(join(folder, ".lock"), later, later);
  await (await writeLock(folder, { patience: 10 }))();
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["a folder", () => mkdir(join(folder, ".lock"))],
  ["a link that leads nowhere", () => symlink(join(folder, "nowhere"), join(folder, ".lock"))],
])("cannot be had while %s is in its place, and says so when patience ends", async (_, prepare) => {
  await prepare();
  await expect(writeLock(folder, { patience: 200 })).rejects.toThrow(/is writing to/);
});

test("that is waited for is told of once, after a second", async () => {
  const release = await writeLock(folder);
  const onWait = vi.fn();
  const waiting = writeLock(folder, { onWait });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(onWait.mock.calls).toEqual([[`Another process (${process.pid} on ${hostname()}) is writing to ${folder}.`]]);
  await release();
  await (await waiting)();
});

test("is waited for no longer when told to stop", async () => {
  const release = await writeLock(folder);
  const stop = new AbortController();
  const waiting = writeLock(folder, { signal: stop.signal });
  stop.abort(new Error("the user left"));
  await expect(waiting).rejects.toThrow("the user left");
  await release();
  expect(await readdir(folder)).toEqual([]);
});

test("of many that find an abandoned one, each gets it once", async () => {
  await permit({ process: 1, host: "elsewhere", token: "theirs" });
  const before = new Date(Date.now() - 61_000);
  await utimes(join(folder, ".lock"), before, before);
  let holders = 0;
  let most = 0;
  const holding = Array.from({ length: 10 }, async () => {
    const release = await writeLock(folder);
    most = Math.max(most, ++holders);
    await new Promise(setImmediate);
    holders--;
    await release();
  });
  await Promise.all(holding);
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});
