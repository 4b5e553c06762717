import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeFolder } from "../../../src/tools/store/make-folder.js";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "emend-folder-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

test("a folder is created with its parents, even by several at once, and an existing one is unchanged", async () => {
  const path = join(place, "a/b/c");
  await Promise.all(Array.from({ length: 10 }, () => makeFolder(path)));
  await writeFile(join(path, "kept"), "");
  await makeFolder(path);
  await mkdir(join(place, "real"));
  await symlink(join(place, "real"), join(place, "link"), "junction");
  await makeFolder(join(place, "link/d"));
  expect(await readdir(path)).toEqual(["kept"]);
  expect((await stat(join(place, "real/d"))).isDirectory()).toBe(true);
});

// Nothing can be created in /proc, where the system reports a missing path. A deeper path first needs its parents.
test.each<[string, () => Promise<string>]>([
  ["in /proc", async () => "/proc/emend"],
  ["deep in /proc", async () => "/proc/emend/a/b"],
  ["where a file is", () => writeFile(join(place, "file"), "").then(() => join(place, "file"))],
  ["below a file", () => writeFile(join(place, "file"), "").then(() => join(place, "file/a/b"))],
  ["where a link leads nowhere", () => linkTo("nowhere").then(() => join(place, "link"))],
  ["below a link that leads nowhere", () => linkTo("nowhere").then(() => join(place, "link/a"))],
  ["below a link to itself", () => linkTo("link").then(() => join(place, "link/a"))],
  ["with too long a name", async () => join(place, "n".repeat(300), "a")],
])("a folder that cannot be created %s fails at once", async (_, prepare) => {
  await expect(makeFolder(await prepare())).rejects.toThrow(/^E[A-Z]+: .*mkdir/);
});

const linkTo = (name: string) => symlink(join(place, name), join(place, "link"));
