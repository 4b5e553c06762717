import { execFile } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { load } from "../../../src/tools/ingest/load.js";
import { endIdle, inOwnProcess, limitsFor, moduleAt } from "../../../src/tools/process/own-process.js";
import { readHtmlPage, readPdfPage } from "../../../src/tools/web/read-page.js";
import { webPageReader } from "../../../src/tools/web/web-reader.js";
import { HOSTILE } from "../web/pdfs.js";
import { sleeper, worker } from "./sleeper.js";

vi.setConfig({ testTimeout: 120_000 });

const PAGES = moduleAt(new URL("../../../src/tools/web/read-page.js", import.meta.url));
const LOAD = moduleAt(new URL("../../../src/tools/ingest/load.js", import.meta.url));
const ADDRESS = "https://example.org/timetable.pdf";
const endless = HOSTILE["900 KB of objects that never end"]?.() ?? new Uint8Array();
const hostile = (options: { signal?: AbortSignal; ms?: number }) =>
  inOwnProcess(PAGES, readPdfPage, [endless, ADDRESS], { ...options, isLast: true });
const honest = (options: { signal?: AbortSignal } = {}) =>
  inOwnProcess(PAGES, readHtmlPage, ["<p>The ferry leaves at six.</p>", ADDRESS, ""], { ...options, ms: 60_000 });

/** Processes that are at work: those that rest keep nothing alive, and are not listed. */
const working = () => process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length;

test("an abort ends a job at once, and its process with it", async () => {
  const stop = new AbortController();
  const job = hostile({ signal: stop.signal, ms: 60_000 });
  await vi.waitFor(() => expect(working()).toBe(1), 30_000);
  const start = performance.now();
  stop.abort(new Error("The budget is spent."));
  await expect(job).rejects.toThrow("The budget is spent.");
  expect(performance.now() - start).toBeLessThan(1_000);
  await vi.waitFor(() => expect(working()).toBe(0), 10_000);
});

test("a job that is aborted while it waits is never begun, and the next one is", async () => {
  const stop = new AbortController();
  const busy = Promise.allSettled([hostile({ ms: 1_000 }), hostile({ ms: 1_000 })]);
  const waiting = honest({ signal: stop.signal });
  const next = honest();
  stop.abort(new Error("No longer wanted."));
  await expect(waiting).rejects.toThrow("No longer wanted.");
  expect(working()).toBe(2);
  const stopped = { status: "rejected", reason: { message: expect.stringContaining("stopped after 1 s") } };
  expect(await busy).toMatchObject([stopped, stopped]);
  expect((await next).text).toBe("The ferry leaves at six.");
});

test("one bad input does not keep the others waiting", async () => {
  const stop = new AbortController();
  const bad = hostile({ signal: stop.signal, ms: 120_000 });
  const first = await Promise.race([honest().then(({ text }) => text), bad]);
  expect(first).toBe("The ferry leaves at six.");
  stop.abort(new Error("Enough."));
  await expect(bad).rejects.toThrow("Enough.");
});

test("what is done after a kill finds a new process", async () => {
  await expect(hostile({ ms: 500 })).rejects.toThrow(/stopped after 0.5 s/);
  expect((await honest()).text).toBe("The ferry leaves at six.");
  endIdle();
  expect((await honest()).text).toBe("The ferry leaves at six.");
});

test("time that the machine spends elsewhere does not count, up to ten times the limit", async () => {
  const rest = (ms: number) =>
    inOwnProcess(moduleAt(new URL("./sleeper.js", import.meta.url)), sleeper, [ms], { ms: 200 });
  expect(await rest(1_000)).toBe("rested");
  await expect(rest(10_000)).rejects.toThrow(/stopped after 0.2 s/);
});

test("a job is not held to the time of those before it", async () => {
  const module = moduleAt(new URL("./sleeper.js", import.meta.url));
  for (let i = 0; i < 400; i++) expect(await inOwnProcess(module, worker, [5], { ms: 500 })).toBe("done");
});

test("a small file gets little time and memory, and a large one as much as there is", () => {
  expect(limitsFor(1_000)).toEqual({ ms: 5_003, memory: 400_500_000 });
  expect(limitsFor(5_000_000).ms - limitsFor(4_000_000).ms).toBe(3_000);
  expect(limitsFor(20_000_000)).toEqual({ ms: 60_000, memory: 1_000_000_000 });
});

test("a job ends at its own limit of memory, and the next one has another", async () => {
  const small = inOwnProcess(PAGES, readPdfPage, [endless, ADDRESS], { memory: 1_000_000, ms: 60_000 });
  await expect(small).rejects.toThrow(/stopped at 1 MB of memory/);
  expect((await honest()).text).toBe("The ferry leaves at six.");
});

test("a program whose folder is gone can still read", async () => {
  endIdle();
  const before = process.cwd();
  const gone = mkdtempSync(join(tmpdir(), "emend-gone-"));
  process.chdir(gone);
  rmdirSync(gone);
  try {
    expect((await honest()).text).toBe("The ferry leaves at six.");
  } finally {
    process.chdir(before);
  }
});

test("what a job throws is thrown, and the process goes on", async () => {
  await expect(inOwnProcess(LOAD, load, ["/no/such/file.md", "file.md"])).rejects.toThrow("Cannot be opened (ENOENT).");
  expect((await honest()).text).toBe("The ferry leaves at six.");
});

test("a closed reader leaves nothing at work", async () => {
  const reader = webPageReader();
  await reader.close();
  expect(working()).toBe(0);
});

test("a program that has read a page ends by itself", async () => {
  const program = `
    import { readPage } from "./src/index.ts";
    process.stdout.write((await readPage("<p>The ferry leaves at six.</p>", "https://example.org/")).text);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    { timeout: 100_000 },
  );
  expect(stdout).toBe("The ferry leaves at six.");
});
