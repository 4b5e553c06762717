import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { StoreUnavailableError } from "../../../src/errors.js";
import { withFacts } from "../../../src/ingest/facts/keep-facts.js";
import { fakePassage } from "../../../src/testing/index.js";
import { sourceOf, triple } from "../../../src/testing/knowledge-team.js";
import { fakeFeedback } from "../../../src/testing/runs-contract.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { sqlKnowledge } from "../../../src/tools/knowledge/sql.js";
import { sqlRuns } from "../../../src/tools/runs/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { togetherContract } from "../../contract/together.js";

const newPlace = async () => join(await mkdtemp(join(tmpdir(), "emend-store-")), "store");

togetherContract("SQLite", newPlace);

test("on a full disk, a write says so and changes nothing, and the next one works once there is space", async () => {
  const database = openDatabase(await newPlace());
  const documents = sqlDocuments(database);
  const knowledge = sqlKnowledge(database);
  const runs = sqlRuns(database);
  const write = (edition: string, length: number) => {
    const passages = Array.from({ length }, (_, n) =>
      fakePassage(`guide#${n}`, `Part ${n}, ${edition}. ${"word ".repeat(500)}`, { documentId: "guide" }),
    );
    return withFacts(
      documents,
      () => documents.upsert(passages),
      () => knowledge.upsert([{ source: sourceOf("guide#0"), triples: [triple("Guide", "is", edition)] }]),
    );
  };
  const stored = async () => [
    await documents.list(),
    await documents.get(["guide#0"]),
    await documents.search({ text: "first second" }, 9),
    await knowledge.facts(["Guide"], ""),
    (await runs.feedback()).opinions,
  ];
  await write("first", 2);
  await runs.addFeedback(fakeFeedback(), { thread: "a" });
  const before = await stored();
  const [size] = await database.write((to) => to.all("PRAGMA page_count"));
  await limitTo(Number(size?.page_count));

  const long = { reason: "x".repeat(50_000) };
  const writes = [() => write("second", 50), () => runs.addFeedback(fakeFeedback(long), { thread: "a" })];
  for (const fails of [...writes, ...writes]) {
    const error = await fails().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(`${error}`).toContain("The disk is full. Free some space; what was stored before is untouched.");
    expect(await stored()).toEqual(before);
  }
  expect(await database.check()).toEqual([]);

  await limitTo(1_000_000);
  await write("second", 50);
  expect(await documents.list()).toMatchObject([{ documentId: "guide", passages: 50 }]);
  expect(await knowledge.facts(["Guide"], "")).toMatchObject([{ others: ["second"] }]);
  expect(await database.check()).toEqual([]);
  await database.close();

  /** In pages of the file. Beyond it, SQLite fails as on a full disk. The limit holds for the connection that writes. */
  async function limitTo(pages: number) {
    await database.write((to) => to.all(`PRAGMA max_page_count = ${pages}`));
  }
});
