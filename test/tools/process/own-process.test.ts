import { execFile } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { load } from "../../../src/ingest/load.js";
import { endIdle, inOwnProcess, limitsFor, moduleAt } from "../../../src/tools/process/own-process.js";
import { readHtmlPage, readPdfPage } from "../../../src/tools/web/read-page.js";
import { webPageReader } from "../../../src/tools/web/web-reader.js";
import { HOSTILE } from "../web/pdfs.js";
import { sleeper, worker } from "./sleeper.js";

vi.setConfig({ testTimeout: 120_000 });

const PAGES = moduleAt(new URL("../../../src/tools/web/read-page.js", import.meta.url));
const LOAD = moduleAt(new URL("../../../src/ingest/load.js", import.meta.url));
const ADDRESS = "https://example.org/timetable.pdf";
const endless = HOSTILE["900 KB of objects that never end"]?.() ?? new Uint8Array();
const hostile = (options: { signal?: AbortSignal; ms?: number }) =>
  inOwnProcess(PAGES, readPdfPage, [endless, ADDRESS], { ...options, isLast: true });
const honest = (options: { signal?: AbortSignal } = {}) =>
  inOwnProcess(PAGES, readHtmlPage, ["<p>The ferry leaves at six.</p>", ADDRESS, ""], { ...options, ms: 60_000 });

/** The number of busy processes. Idle ones do not keep the program alive and are not listed. */
const working = () => process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length;

test("an abort ends a job and its process at once", async () => {
  const stop = new AbortController();
  const job = hostile({ signal: stop.signal, ms: 60_000 });
  await vi.waitFor(() => expect(working()).toBe(1), 30_000);
  stop.abort(new Error("The budget is spent."));
  await expect(job).rejects.toThrow("The budget is spent.");
  await vi.waitFor(() => expect(working()).toBe(0), 10_000);
});

test("a job that is aborted while it waits never starts, and the next one does", async () => {
  const stop = new AbortController();
  const busy = Promise.allSettled([hostile({ ms: 500 }), hostile({ ms: 500 })]);
  const waiting = honest({ signal: stop.signal });
  const next = honest();
  stop.abort(new Error("No longer wanted."));
  await expect(waiting).rejects.toThrow("No longer wanted.");
  expect(working()).toBe(2);
  const stopped = { status: "rejected", reason: { message: expect.stringContaining("stopped after 0.5 s") } };
  expect(await busy).toMatchObject([stopped, stopped]);
  expect((await next).text).toBe("The ferry leaves at six.");
});

test("one hostile input does not block other jobs", async () => {
  const stop = new AbortController();
  const bad = hostile({ signal: stop.signal, ms: 120_000 });
  const first = await Promise.race([honest().then(({ text }) => text), bad]);
  expect(first).toBe("The ferry leaves at six.");
  stop.abort(new Error("Enough."));
  await expect(bad).rejects.toThrow("Enough.");
});

test("a job after a kill gets a new process", async () => {
  await expect(hostile({ ms: 500 })).rejects.toThrow(/stopped after 0.5 s/);
  expect((await honest()).text).toBe("The ferry leaves at six.");
  endIdle();
  expect((await honest()).text).toBe("The ferry leaves at six.");
});

test("time without computing does not count, up to ten times the limit", async () => {
  const rest = (ms: number) =>
    inOwnProcess(moduleAt(new URL("./sleeper.js", import.meta.url)), sleeper, [ms], { ms: 200 });
  expect(await rest(1_000)).toBe("rested");
  await expect(rest(10_000)).rejects.toThrow(/stopped after 0.2 s/);
});

test("the time of earlier jobs does not count towards the limit of a job", async () => {
  const module = moduleAt(new URL("./sleeper.js", import.meta.url));
  for (let i = 0; i < 150; i++) expect(await inOwnProcess(module, worker, [5], { ms: 500 })).toBe("done");
});

test("a small file gets low limits of time and memory, and a large one the highest", () => {
  expect(limitsFor(1_000)).toEqual({ ms: 5_002, memory: 400_500_000 });
  expect(limitsFor(5_000_000).ms - limitsFor(4_000_000).ms).toBe(2_000);
  expect(limitsFor(5_000_000).ms).toBe(15_000);
  expect(limitsFor(30_000_000)).toEqual({ ms: 60_000, memory: 1_000_000_000 });
});

test("a job ends at its own memory limit, and the next one has its own", async () => {
  const small = inOwnProcess(PAGES, readPdfPage, [endless, ADDRESS], { memory: 1_000_000, ms: 60_000 });
  await expect(small).rejects.toThrow(/stopped at 1 MB of memory/);
  expect((await honest()).text).toBe("The ferry leaves at six.");
});

test("a program whose working directory was deleted can still read", async () => {
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

test("an error of a job is rethrown, and the process stays usable", async () => {
  await expect(inOwnProcess(LOAD, load, ["/no/such/file.md", "file.md"])).rejects.toThrow("Cannot be opened (ENOENT).");
  expect((await honest()).text).toBe("The ferry leaves at six.");
});

test("a closed reader leaves no busy process", async () => {
  const reader = webPageReader();
  await reader.close();
  expect(working()).toBe(0);
});

test("a program that has read a page exits by itself", async () => {
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
