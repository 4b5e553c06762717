import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakePassage } from "../../../src/testing/index.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { diskCache } from "../../../src/tools/web/page-cache.js";

let top: string;
let umask: number;
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), "emend-private-"));
  umask = process.umask(0);
});
afterEach(async () => {
  process.umask(umask);
  await rm(top, { recursive: true, force: true });
});

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const modesIn = async (folder: string) =>
  Object.fromEntries(
    await Promise.all((await readdir(folder)).map(async (name) => [name, await modeOf(join(folder, name))])),
  );
const written = async (folder: string) => {
  const documents = sqlDocuments(openDatabase(folder));
  await documents.upsert([fakePassage("a", "Secret words.")]);
  return documents;
};

describe.skipIf(process.platform === "win32")("only the user of a store can read", () => {
  test.each([0, 0o22, 0o77])("its folders, its files and its backups, with the umask %o", async (mask) => {
    process.umask(mask);
    const folder = join(top, "deep", "store");
    const documents = await written(folder);
    expect(await modesIn(folder)).toEqual({ "emend.db": "600", "emend.db-shm": "600", "emend.db-wal": "600" });
    expect([await modeOf(folder), await modeOf(join(top, "deep"))]).toEqual(["700", "700"]);
    const database = openDatabase(folder);
    await database.backup(join(top, "copy.db"));
    expect(await modeOf(join(top, "copy.db"))).toBe("600");
    await expect(database.backup(join(top, "copy.db"))).rejects.toThrow("already exists");
    await expect(database.backup(join(top, "nowhere", "copy.db"))).rejects.toThrow(/cannot be written \(ENOENT\)/);
    await database.close();
    await documents.close();
  });

  test("one that was made with wider modes, once it is written to", async () => {
    const folder = join(top, "store");
    await (await written(folder)).close();
    await diskCache({ folder: join(folder, "pages") }).drop("https://a.org");
    await mkdir(join(folder, "pages"));
    await writeFile(join(folder, "pages", "1.page"), "");
    await writeFile(join(folder, "unread.txt"), "");
    await chmod(join(folder, "emend.db"), 0o644);
    await chmod(folder, 0o755);
    await (await written(folder)).close();
    expect(await modesIn(folder)).toEqual({ "emend.db": "600", pages: "700", "unread.txt": "600" });
    expect(await modeOf(folder)).toBe("700");
  });

  test("one in a folder with other things, which stay as they are", async () => {
    await chmod(top, 0o755);
    await mkdir(join(top, "pages"), { mode: 0o755 });
    await writeFile(join(top, "pages", "index.html"), "");
    await writeFile(join(top, "notes.txt"), "");
    await writeFile(join(top, "notes.log"), "");
    await symlink(join(top, "notes.log"), join(top, "unread.txt"));
    await (await written(top)).close();
    expect(await modesIn(top)).toEqual({
      "emend.db": "600",
      "notes.log": "666",
      "notes.txt": "666",
      pages: "755",
      "unread.txt": "666",
    });
    expect(await modeOf(top)).toBe("755");
  });
});
