import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { checkDocuments } from "../../src/ingest/check-documents.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { ingestSources, sourcesNamed } from "../../src/ingest/sources.js";
import type { Stamp } from "../../src/ingest/stamp.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { WebPageReader } from "../../src/tools/web/web-reader.js";

let cwd: string;
let documents: Documents;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "emend-stamp-"));
  documents = sqlDocuments(openDatabase(join(cwd, ".emend")));
  await write("docs/hr/pay.md", "---\ncollection: board\nreaders: everyone\n---\nPay rises in May.\n");
  await write("docs/hr/public/hours.md", "The office opens at eight.\n");
  await write("docs/roof.md", "The roof is green.\n");
});
afterEach(async () => {
  await documents.close();
  await rm(cwd, { recursive: true, force: true });
});

async function write(name: string, text: string) {
  await mkdir(dirname(join(cwd, name)), { recursive: true });
  await writeFile(join(cwd, name), text);
}
const ingest = (stamp?: Stamp, paths = ["docs"]) => ingestFiles(paths, { documents, cwd, stamp });
const sync = (stamps: Record<string, Stamp>) =>
  ingestSources(
    { ...sourcesNamed(Object.keys(stamps), cwd), stamps: new Map(Object.entries(stamps)) },
    { documents, cwd, pageReader: {} as WebPageReader, missing: "keep" },
  );
const stated = async (id: string) => {
  const [{ metadata: { collection, readers } = {} } = {}] = await documents.get([`${id}#0`]);
  return [collection, readers];
};

test("a file never puts itself into a collection, and its own readers count where nobody else says who they are", async () => {
  await ingest();
  expect(await stated("docs/hr/pay.md")).toEqual([undefined, "everyone"]);
});

test("a stamp replaces what a file says, and changes without the file being read again", async () => {
  expect(await ingest({ collection: "hr", readers: ["group:hr"] })).toMatchObject({ added: 3 });
  expect(await stated("docs/hr/pay.md")).toEqual(["hr", "group:hr"]);
  expect(await ingest({ collection: "hr", readers: ["group:hr"] })).toMatchObject({ unchanged: 3, passages: 0 });
  const wider = { collection: "people", readers: ["user:ada", "group:hr"] };
  expect(await ingest(wider)).toMatchObject({ restamped: 3, changed: 0, unchanged: 0, passages: 0 });
  expect(await stated("docs/hr/pay.md")).toEqual(["people", "group:hr\nuser:ada"]);
  await write("docs/roof.md", "The roof is blue.\n");
  expect(await ingest({ collection: "people", readers: [] })).toMatchObject({ restamped: 2, changed: 1 });
  expect(await stated("docs/hr/pay.md")).toEqual(["people", undefined]);
  expect(await checkDocuments({ documents, cwd, staleBefore: "2000-01-01" })).toEqual([]);
});

test("without a stamp of its own, an ingest keeps the stamps that documents have", async () => {
  await ingest({ collection: "hr", readers: ["group:hr"] });
  await write("docs/hr/pay.md", "---\nreaders: everyone\n---\nPay rises in June.\n");
  await write("docs/hr/new.md", "Somebody is new.\n");
  expect(await ingest()).toMatchObject({ added: 1, changed: 1, unchanged: 2 });
  expect(await stated("docs/hr/pay.md")).toEqual(["hr", "group:hr"]);
  expect(await stated("docs/hr/new.md")).toEqual([undefined, undefined]);
  expect(await ingest()).toMatchObject({ unchanged: 4 });
});

test("a file whose source no longer says who may read it is read again, and says it itself", async () => {
  await ingest({ readers: ["group:hr"] });
  expect(await ingest({})).toMatchObject({ changed: 3 });
  expect(await stated("docs/hr/pay.md")).toEqual([undefined, "everyone"]);
});

test("a file that can no longer be read gets new readers all the same", async () => {
  await ingest({ readers: ["everyone"] });
  await writeFile(join(cwd, "docs/roof.md"), Buffer.alloc(2_000));
  const { failures } = await ingest({ readers: ["group:hr"] });
  expect(failures).toHaveLength(1);
  expect(await stated("docs/roof.md")).toEqual([undefined, "group:hr"]);
});

test("a moved file is the same document, with the stamp of its new place", async () => {
  await sync({ docs: {}, "docs/hr": { readers: ["group:hr"] } });
  await rename(join(cwd, "docs/roof.md"), join(cwd, "docs/hr/roof.md"));
  await write("docs/other.md", "Other.\n");
  expect(await sync({ docs: {}, "docs/hr": { readers: ["group:hr"] } })).toMatchObject({ added: 2, removed: 1 });
  expect(await stated("docs/hr/roof.md")).toEqual([undefined, "group:hr"]);
});

test("of several sources that a file is below, the longest path says who may read it", async () => {
  const stamps = {
    docs: { collection: "team" },
    "docs/hr": { collection: "hr", readers: ["group:hr"] },
    "docs/hr/public/*.md": { readers: ["everyone"] },
  };
  expect(await sync(stamps)).toMatchObject({ added: 3 });
  expect(await stated("docs/hr/pay.md")).toEqual(["hr", "group:hr"]);
  expect(await stated("docs/hr/public/hours.md")).toEqual([undefined, "everyone"]);
  expect(await stated("docs/roof.md")).toEqual(["team", undefined]);
  expect(await sync(stamps)).toMatchObject({ unchanged: 3 });
});

test("two sources that say different things of a file are a fault, before anything is written", async () => {
  const stamps = { "docs/hr": { collection: "hr" }, "docs/hr/**/*.md": { collection: "people" } };
  await expect(sync(stamps)).rejects.toThrow("both name");
  await expect(sync(stamps)).rejects.toBeInstanceOf(UsageError);
  expect(await documents.list()).toEqual([]);
});
