import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@lancedb/lancedb";
import { expect, test } from "vitest";
import { ended, folder } from "./emend.js";

const PAGES = 163;
const SECTIONS = 4;
const SAID = "The office of this part opens at eight, and it closes at six. 这一部分的办公室八点开门。 ".repeat(8);

/** Files of four passages: 652 rows in four writes, enough to be worth an index at the end. */
const MANUAL = Object.fromEntries(
  Array.from({ length: PAGES }, (_, page) => [
    `docs/${page}.md`,
    Array.from({ length: SECTIONS }, (_, part) => `# Page ${page} part ${part}\n\n${SAID}\n`).join("\n"),
  ]),
);

/** Runs that are killed; the next one is let be. */
const KILLED = 16;

const names = (path: string) => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/**
 * Every durable step of a store is a version of its table; before the first there is a table that is built aside. So a
 * run that is killed as soon as there is one more was killed between two steps, and the next goes on from there.
 */
test("killed right after a durable step, again and again, an ingest goes on each time and ends complete", {
  timeout: 300_000,
}, async () => {
  await using here = await folder(MANUAL);
  const store = join(here.path, ".emend/documents");
  const steps = () =>
    names(store).filter((name) => name.startsWith(".new-")).length +
    names(join(store, "passages.lance/_versions")).length;
  const kept: number[] = [];
  for (let runs = 0; ; runs++) {
    const before = steps();
    const child = here.start(["ingest", "docs"]);
    child.stdin.end();
    const end = ended(child);
    while (child.exitCode === null && (runs === KILLED || steps() <= before)) await sleep(1);
    child.kill("SIGKILL");
    if ((await end).code === 0) break;
    if (names(store).includes("passages.lance")) kept.push(await wholeDocuments(store));
  }
  expect(kept.length).toBeGreaterThan(3);
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  expect(kept.filter((count) => count > 0 && count < PAGES).length).toBeGreaterThan(0);
  const last = await here.run(["ingest", "docs"]);
  expect(last.stdout).toMatch(/^0 added, 0 changed, 163 unchanged, 0 removed, 0 failed;/);
  expect(names(store)).toEqual(["passages.lance"]);
  const table = await (await connect(store)).openTable("passages");
  expect(await table.countRows()).toBe(PAGES * SECTIONS);
  expect((await table.listIndices()).map(({ numUnindexedRows }) => numUnindexedRows)).toEqual([0]);
});

/** How many documents there are, each with all its passages. */
async function wholeDocuments(store: string): Promise<number> {
  const table = await (await connect(store)).openTable("passages");
  const rows: { documentId: string }[] = await table.query().select(["documentId"]).toArray();
  const sizes = [...Map.groupBy(rows, ({ documentId }) => documentId).values()].map(({ length }) => length);
  expect(sizes.filter((size) => size !== SECTIONS)).toEqual([]);
  return sizes.length;
}

test("stopped by Ctrl-C it says what it has kept, and the same command goes on", { timeout: 120_000 }, async () => {
  await using here = await folder(MANUAL);
  const store = join(here.path, ".emend/documents");
  const child = here.start(["ingest", "docs"]);
  child.stdin.end();
  const end = ended(child);
  while (names(join(store, "passages.lance/_versions")).length < 3) await sleep(1);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await end;
  const [, count = "0"] = /^emend: Stopped\. (\d+) documents are in \.emend as they are now; .*\n$/.exec(stderr) ?? [];
  expect(Number(count)).toBeGreaterThan(0);
  expect(Number(count)).toBeLessThan(PAGES);
  expect([code, stdout]).toEqual([130, ""]);
  expect(await wholeDocuments(store)).toBe(Number(count));
  expect(names(store)).toEqual(["passages.lance"]);
  const again = await here.run(["ingest", "docs"]);
  expect(again.stdout).toMatch(new RegExp(`^${PAGES - Number(count)} added, 0 changed, ${count} unchanged`));
});
