import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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

/** The number of the last transaction, 0 before the first. Every durable step of a store is a transaction. */
function steps(store: string): number {
  try {
    using database = new DatabaseSync(join(store, "emend.db"), { readOnly: true });
    return Number(database.prepare("SELECT max(n) AS n FROM edits").get()?.n ?? 0);
  } catch {
    // There is no store yet, or it is being made.
    return 0;
  }
}

/** How many documents there are, each with all its passages. */
async function wholeDocuments(store: string): Promise<number> {
  const sizes = (await sqlDocuments(openDatabase(store)).list()).map(({ passages }) => passages);
  expect(sizes.filter((size) => size !== SECTIONS)).toEqual([]);
  return sizes.length;
}

/** Each run is ended right after a durable step: between two transactions or while it writes the next one. */
test("an ingest that is stopped by Ctrl-C, or killed, keeps whole documents, and the next one continues", {
  timeout: 300_000,
}, async () => {
  await using here = await folder(MANUAL);
  const store = join(here.path, ".emend");
  const endedAfter = async (step: number, signal: NodeJS.Signals) => {
    const child = here.start(["ingest", "docs"]);
    child.stdin.end();
    const end = ended(child);
    while (child.exitCode === null && steps(store) < step) await sleep(2);
    child.kill(signal);
    return end;
  };
  const { code, stdout, stderr } = await endedAfter(3, "SIGINT");
  const kept = [await wholeDocuments(store)];
  const [, said] = /^emend: Stopped\. (\d+) documents are in \.emend as they are now; .*\n$/.exec(stderr) ?? [];
  expect([code, stdout, Number(said)]).toEqual([130, "", kept[0]]);
  for (const _ of [1, 2]) {
    await endedAfter(steps(store) + 1, "SIGKILL");
    kept.push(await wholeDocuments(store));
  }
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  expect(kept[0]).toBeGreaterThan(0);
  const last = kept.at(-1) ?? 0;
  const again = await here.run(["ingest", "docs"]);
  expect(again.stdout).toMatch(
    new RegExp(`^${PAGES - last} added, 0 changed, ${last} unchanged, 0 removed, 0 failed;`),
  );
  expect(await openDatabase(store).check()).toEqual([]);
  expect(await wholeDocuments(store)).toBe(PAGES);
});
