import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sitesIn } from "../../src/ingest/site-memory.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-sites-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const visits = new Map([
  ["https://a.org/", { at: 1, etag: '"1"', hash: "f00" }],
  ["https://a.org/new", {}],
]);

test("what is known of a site is remembered in its order, beside other sites", async () => {
  const path = join(folder, "some", "sites.json");
  expect([...(await sitesIn(path).recall("https://a.org/"))]).toEqual([]);
  await sitesIn(path).keep("https://a.org/", visits);
  await sitesIn(path).keep("https://b.org/", new Map([["https://b.org/", {}]]));
  expect([...(await sitesIn(path).recall("https://a.org/"))]).toEqual([...visits]);
});

test("what another version of the readers knew is only where the pages are", async () => {
  const path = join(folder, "old.json");
  await sitesIn(path).keep("https://a.org/", visits);
  await writeFile(path, (await readFile(path, "utf8")).replace(/"reader":"\w+"/, '"reader":"old"'));
  expect([...(await sitesIn(path).recall("https://a.org/"))]).toEqual([...visits.keys()].map((url) => [url, {}]));
});

test("a damaged file counts as empty, and a file that cannot be written stops nothing", async () => {
  const path = join(folder, "damaged.json");
  await writeFile(path, "{");
  expect((await sitesIn(path).recall("https://a.org/")).size).toBe(0);
  await sitesIn(join(path, "below", "sites.json")).keep("https://a.org/", visits);
});
