import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { inbox } from "../../src/ingest/uploads/inbox.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Upload } from "../../src/tools/uploads/port.js";
import { sqlUploads } from "../../src/tools/uploads/sql.js";

const fakeUpload = (name: string, file = `1-${name}`): Upload => ({
  documentId: `upload:${name}`,
  ...{
    name,
    file,
    bytes: 5,
    digest: "d",
    metadata: { department: "hr" },
    scope: [{ key: "department", values: ["hr"] }],
  },
  ...{ at: "2026-03-01T10:00:00.000Z", state: "waiting", reason: "" },
});

/** What both engines of the store promise about uploads. @param place returns an empty store. */
export function sqlUploadsContract(name: string, place: () => Promise<string>) {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  const opened = async () => {
    const database = openDatabase(await place());
    ends.push(() => database.close());
    return sqlUploads(database);
  };

  /** A server's inbox over a store, with a folder of its own unless one is given. */
  async function server(at: string, given?: string) {
    const folder = given ?? (await mkdtemp(join(tmpdir(), "emend-inbox-")));
    const database = openDatabase(at);
    const documents = sqlDocuments(openDatabase(at));
    const faults: Error[] = [];
    const own = inbox({
      ...{ uploads: sqlUploads(database), documents, folder, keep: false },
      onFault: (error) => faults.push(error),
    });
    let isEnded = false;
    const end = async () => {
      if (isEnded) return;
      isEnded = true;
      await own.end();
      await documents.close();
      await database.close();
    };
    ends.push(end);
    const take = async (name: string, text: string) => {
      const path = await own.place();
      await writeFile(path, text);
      return own.take({ name, path, bytes: text.length, digest: text }, { metadata: {}, scope: [] });
    };
    const settled = async () => {
      for (;;) {
        const { documents } = await own.list([]);
        if (documents.every(({ state }) => state === "ready" || state === "failed")) return documents;
        await sleep(20);
      }
    };
    return { ...own, end, folder, faults, take, settled };
  }

  describe(`${name} keeps uploads`, () => {
    test("in order of arrival, with all that was said of them", async () => {
      const uploads = await opened();
      expect(await uploads.list(["waiting"])).toEqual([]);
      await uploads.add(fakeUpload("b"), "one", 100);
      await uploads.add(fakeUpload("a"), "one", 100);
      const own = { owner: "one", ownedUntil: 100 };
      expect(await uploads.list(["waiting", "reading"])).toEqual([
        { ...fakeUpload("b"), ...own },
        { ...fakeUpload("a"), ...own },
      ]);
      expect(await uploads.get(["upload:a", "upload:none"])).toMatchObject([fakeUpload("a")]);
    });

    test("one for each document, unless it replaces that one", async () => {
      const uploads = await opened();
      expect(await uploads.add(fakeUpload("a"), "one", 100)).toBe(true);
      expect(await uploads.add(fakeUpload("a", "2-a"), "one", 100)).toBe(false);
      expect(await uploads.add(fakeUpload("a", "2-a"), "one", 100, "9-a")).toBe(false);
      expect(await uploads.add(fakeUpload("a", "2-a"), "one", 100, "1-a")).toBe(true);
      expect(await uploads.get(["upload:a"])).toMatchObject([{ file: "2-a" }]);
      const both = [uploads.add(fakeUpload("b"), "one", 100), uploads.add(fakeUpload("b", "2-b"), "two", 100)];
      expect((await Promise.all(both)).sort()).toEqual([false, true]);
    });

    test("that only one server reads", async () => {
      const uploads = await opened();
      await uploads.add(fakeUpload("a"), "one", 100);
      const [upload] = await uploads.list(["waiting"]);
      if (!upload) throw new Error("It is gone.");
      const both = [uploads.claim(upload, "two", 200), uploads.claim(upload, "three", 300)];
      expect((await Promise.all(both)).sort()).toEqual([false, true]);
      const [claimed] = await uploads.list(["reading"]);
      await uploads.renew("nobody", 900);
      await uploads.renew(claimed?.owner ?? "", 500);
      expect(await uploads.list(["reading"])).toMatchObject([{ owner: claimed?.owner, ownedUntil: 500 }]);
    });

    test("in the state that they reached, unless they were replaced", async () => {
      const uploads = await opened();
      await uploads.add(fakeUpload("a"), "one", 100);
      expect(await uploads.settle(fakeUpload("a"), "reading", "ready")).toBe(false);
      expect(await uploads.settle(fakeUpload("a", "2-a"), "waiting", "ready")).toBe(false);
      expect(await uploads.settle(fakeUpload("a"), "waiting", "failed", "It is empty.")).toBe(true);
      expect(await uploads.get(["upload:a"])).toMatchObject([{ state: "failed", reason: "It is empty." }]);
      await uploads.remove(fakeUpload("a", "2-a"));
      expect(await uploads.get(["upload:a"])).toHaveLength(1);
      await uploads.remove(fakeUpload("a"));
      expect(await uploads.get(["upload:a"])).toEqual([]);
    });
  });

  describe(`${name} and its servers`, () => {
    test("read a file, list it and delete it", async () => {
      const one = await server(await place());
      await one.take("leave.md", "# Leave\n\nThere are 28 days.");
      expect(await one.settled()).toMatchObject([{ id: "upload:leave.md", title: "Leave", state: "ready" }]);
      expect(await one.remove("upload:leave.md", [])).toBe(true);
      expect(await one.list([])).toEqual({ documents: [] });
      expect(one.faults).toEqual([]);
    });

    test("leave a file to the one that has it, and show the same everywhere", async () => {
      const at = await place();
      const one = await server(at);
      await one.take("a.md", "# First\n\nThis is the first one.");
      await one.settled();
      await one.end();
      const two = await server(at);
      const database = openDatabase(at);
      ends.push(() => database.close());
      const uploads = sqlUploads(database);
      // Its server stopped a second ago.
      await uploads.add(fakeUpload("b.md"), "one", Date.now() - 1_000);
      two.begin();
      const three = await server(at, one.folder);
      const [folder = ""] = await readdir(one.folder);
      await writeFile(join(one.folder, folder, "1-b.md"), "# Second\n\nThis is the second one.");
      await sleep(100);
      expect((await two.list([])).documents.map(({ state }) => state)).toEqual(["waiting", "ready"]);
      three.begin();
      for (const { settled } of [three, two])
        expect((await settled()).map(({ id, state }) => [id, state])).toEqual([
          ["upload:a.md", "ready"],
          ["upload:b.md", "ready"],
        ]);
    });
  });
}
