import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { ended, folder } from "./emend.js";

const PAGES = 163;
const SECTIONS = 20;
const SAID = "The office of this part opens at eight, and it closes at six. 这一部分的办公室八点开门。 ".repeat(8);

/** Files of twenty passages: 3,260 in four writes. */
const MANUAL = Object.fromEntries(
  Array.from({ length: PAGES }, (_, page) => [
    `docs/${page}.md`,
    Array.from({ length: SECTIONS }, (_, part) => `# Page ${page} part ${part}\n\n${SAID}\n`).join("\n"),
  ]),
);

/** How many runs are killed. The next run may finish. */
const KILLED = 5;

/** The number of the last transaction, 0 before the first. Every durable step of a store is a transaction. */
async function steps(store: string): Promise<number> {
  const [rows] = await openDatabase(store).read([{ sql: "SELECT max(n) AS n FROM emend.edits" }]);
  return Number(rows?.[0]?.n ?? 0);
}

/**
 * Each run is killed as soon as there is a new transaction: between two transactions or while it writes the next one.
 * The next run continues from there.
 */
test("an ingest that is killed again and again right after a durable step continues each time and ends complete", {
  timeout: 300_000,
}, async () => {
  await using here = await folder(MANUAL);
  const store = join(here.path, ".emend");
  const kept: number[] = [];
  for (let runs = 0; ; runs++) {
    const before = await steps(store);
    const child = here.start(["ingest", "docs"]);
    child.stdin.end();
    const end = ended(child);
    while (child.exitCode === null && (runs === KILLED || (await steps(store)) <= before)) await sleep(10);
    child.kill("SIGKILL");
    if ((await end).code === 0) break;
    kept.push(await wholeDocuments(store));
  }
  expect(kept.length).toBeGreaterThan(3);
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  expect(kept.filter((count) => count > 0 && count < PAGES).length).toBeGreaterThan(0);
  const last = await here.run(["ingest", "docs"]);
  expect(last.stdout).toMatch(/^0 added, 0 changed, 163 unchanged, 0 removed, 0 failed;/);
  expect(await openDatabase(store).check()).toEqual([]);
  expect(await wholeDocuments(store)).toBe(PAGES);
});

/** How many documents there are, each with all its passages. */
async function wholeDocuments(store: string): Promise<number> {
  const sizes = (await sqlDocuments(openDatabase(store)).list()).map(({ passages }) => passages);
  expect(sizes.filter((size) => size !== SECTIONS)).toEqual([]);
  return sizes.length;
}

test("an ingest that is stopped by Ctrl-C says what it has kept, and the same command continues", {
  timeout: 120_000,
}, async () => {
  await using here = await folder(MANUAL);
  const store = join(here.path, ".emend");
  const child = here.start(["ingest", "docs"]);
  child.stdin.end();
  const end = ended(child);
  while ((await steps(store)) < 3) await sleep(10);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await end;
  const [, count = "0"] = /^emend: Stopped\. (\d+) documents are in \.emend as they are now; .*\n$/.exec(stderr) ?? [];
  expect(Number(count)).toBeGreaterThan(0);
  expect(Number(count)).toBeLessThan(PAGES);
  expect([code, stdout]).toEqual([130, ""]);
  expect(await wholeDocuments(store)).toBe(Number(count));
  const again = await here.run(["ingest", "docs"]);
  expect(again.stdout).toMatch(new RegExp(`^${PAGES - Number(count)} added, 0 changed, ${count} unchanged`));
});
