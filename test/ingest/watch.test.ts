import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileChanges } from "../../src/ingest/watch.js";

let here: string;
let controller: AbortController;
let changes: AsyncGenerator<(path: string) => boolean>;
const PAUSE = 20;
beforeEach(async () => {
  here = await mkdtemp(join(tmpdir(), "watched-"));
  await mkdir(join(here, "docs"));
  await writeFile(join(here, "docs/a.md"), "one");
  controller = new AbortController();
  changes = fileChanges(["docs"], { here, signal: controller.signal, pause: PAUSE });
});
afterEach(async () => {
  controller.abort();
  await rm(here, { recursive: true, force: true });
});

/** The next report: for each file whether it is unchanged. Undefined if there is none for a while. */
async function next(...names: string[]) {
  const told = await Promise.race([changes.next(), sleep(2_000)]);
  if (!told || told.done) return undefined;
  return Object.fromEntries(names.map((name) => [name, told.value(join(here, "docs", name))]));
}

test("watching reports at once, and then files that were changed, added, deleted or moved, in new folders too", async () => {
  expect(await next("a.md")).toEqual({ "a.md": false });
  await writeFile(join(here, "docs/b.md"), "two");
  expect(await next("a.md", "b.md")).toEqual({ "a.md": true, "b.md": false });
  await writeFile(join(here, "docs/a.md"), "three");
  expect(await next("a.md", "b.md")).toEqual({ "a.md": false, "b.md": true });
  await mkdir(join(here, "docs/新/deep"), { recursive: true });
  await rename(join(here, "docs/b.md"), join(here, "docs/新/deep/c.md"));
  expect(await next("a.md", "新/deep/c.md")).toEqual({ "a.md": true, "新/deep/c.md": false });
  await rm(join(here, "docs/a.md"));
  expect(await next("新/deep/c.md")).toEqual({ "新/deep/c.md": true });
});

test("watching survives a folder that disappears and returns", async () => {
  await next();
  await rename(join(here, "docs"), join(here, "away"));
  expect(await next()).toEqual({});
  await rename(join(here, "away"), join(here, "docs"));
  expect(await next("a.md")).toEqual({ "a.md": false });
});

test("watching reports files that a new rule leaves out, and no files of other formats", async () => {
  await next();
  await writeFile(join(here, "docs/picture.psd"), "?");
  await writeFile(join(here, "docs/.gitignore"), "a.md");
  expect(await next("a.md")).toBeDefined();
  const told = changes.next();
  await writeFile(join(here, "docs/picture.psd"), "!");
  expect(await Promise.race([told, sleep(10 * PAUSE, "nothing")])).toBe("nothing");
});

test("watching waits until a file stops changing, but not for ever", async () => {
  await next();
  const told = changes.next();
  let writes = 0;
  const writing = setInterval(() => {
    writes += 1;
    appendFile(join(here, "docs/a.md"), "more ").catch(() => {});
  }, 4);
  const { value } = await told;
  clearInterval(writing);
  expect(value?.(join(here, "docs/a.md"))).toBe(false);
  expect(writes).toBeGreaterThan(10);
});

test("watching ends when aborted", async () => {
  await next();
  const told = changes.next();
  controller.abort();
  expect(await told).toEqual({ done: true, value: undefined });
});
