import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { ingestDocuments } from "../../src/index.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { page, wiki } from "./wiki.js";

let folder: string;
let documents: Documents;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-program-"));
  documents = sqlDocuments(openDatabase(join(folder, ".emend")));
});
afterEach(async () => {
  await documents.close();
  await rm(folder, { recursive: true, force: true });
});

const loader = { load: async () => [{ pageContent: "Thirty days.", metadata: { key: 1, teams: ["hr"] } }] };

test("a program keeps the store in step with a loader or a connector as emend sync does", async () => {
  const options = { documents, within: "wiki", id: "metadata.key", groups: "metadata.teams", collection: "hr" };
  expect(await ingestDocuments(loader, options)).toEqual({
    ...{ written: 1, unchanged: 0, passages: 1, removed: 0, restamped: 0 },
  });
  const [first] = await documents.get(["wiki/1#0"]);
  expect(first?.metadata).toEqual({ collection: "hr", readers: "group:hr", key: "1" });
  const { source } = wiki({ a: page("One.") });
  expect(await ingestDocuments(source, { documents, within: "other/", readers: ["everyone"] })).toMatchObject({
    written: 1,
  });
  expect((await documents.list()).map(({ documentId }) => documentId)).toEqual(["other/a", "wiki/1"]);
  const failed = await ingestDocuments({ ...source, async *list() {} }, { documents, within: "other" });
  expect(failed).toMatchObject({ removed: 0, failures: [{ path: "other" }] });
});

test.each<[string, Parameters<typeof ingestDocuments>[0], object, string]>([
  ["a loader without a name", loader, {}, "within"],
  ["a loader with an empty name", loader, { within: " " }, "must name the source"],
  [
    "a loader with two kinds of rights",
    loader,
    { within: "a", users: "metadata.a", readers: ["everyone"] },
    "Give either `readers`",
  ],
  ["a loader with readers of no kind", loader, { within: "a", readers: ["hr"] }, 'must be "everyone", "user:NAME"'],
  ["a loader with an unknown option", loader, { within: "a", dates: "metadata.a" }, "Did you mean `date`?"],
  ["a list with a mapping", [], { date: "metadata.a" }, "`date` is for a loader or a connector"],
])("%s is a fault that says what to do", async (_, given, options, said) => {
  const stored = ingestDocuments(given, { documents, ...options });
  await expect(stored).rejects.toThrow(said);
  await expect(stored).rejects.toBeInstanceOf(UsageError);
});
