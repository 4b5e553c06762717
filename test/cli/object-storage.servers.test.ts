import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@lancedb/lancedb";
import { describe, expect, test } from "vitest";
import { StoreUnavailableError } from "../../src/errors.js";
import { fakePassage } from "../../src/testing/index.js";
import { lanceDocuments } from "../../src/tools/documents/lancedb/lancedb.js";
import { bucketLock } from "../../src/tools/store/lancedb/bucket-lock.js";
import { conceptEmbeddings } from "../contract/documents.js";
import { ended, folder } from "./emend.js";

const endpoint = process.env.EMEND_TEST_S3_URL ?? "";
const [accessKeyId, secretAccessKey] = ["emend-test", "emend-test-key"];
const s3 = { endpoint, accessKeyId, secretAccessKey };
const environment = {
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
};

const storageOptions = {
  aws_endpoint: endpoint,
  aws_access_key_id: accessKeyId,
  aws_secret_access_key: secretAccessKey,
  aws_region: "us-east-1",
  allow_http: "true",
};

/** An empty place of its own in the server's bucket. */
const newStore = () => `s3://emend/${randomUUID()}`;

const PAGES = 400;
const SECTIONS = 8;
const SAID = "The office of this part opens at eight, and it closes at six. 这一部分的办公室八点开门。 ".repeat(8);
const MANUAL = Object.fromEntries(
  Array.from({ length: PAGES }, (_, page) => [
    `docs/${page}.md`,
    Array.from({ length: SECTIONS }, (_, part) => `# Page ${page} part ${part}\n\n${SAID}\n`).join("\n"),
  ]),
);

/** In a process of its own, since these tests run side by side. */
const toTheEnd = (child: ChildProcessWithoutNullStreams) => {
  child.stdin.end();
  return ended(child);
};

describe.concurrent("a store on object storage", () => {
  test("two shards written at once beside a reader, one killed and run again, lose no row and double none", async () => {
    await using here = await folder(MANUAL);
    const store = newStore();
    const reader = lanceDocuments({ path: `${store}/documents`, s3 });
    const shard = (which: string) => {
      const child = here.start(["ingest", "docs", "--shard", which, "--store", store], environment);
      return { child, end: toTheEnd(child) };
    };
    const [one, two] = [shard("1/2"), shard("2/2")];
    let isDone = false;
    const reading = (async () => {
      const seen: number[] = [];
      while (!isDone) {
        const documents = await reader.list();
        expect(documents.filter(({ passages }) => passages !== SECTIONS)).toEqual([]);
        if (documents.length > 0) expect(await reader.search({ text: "when does the office open" }, 5)).toHaveLength(5);
        seen.push(documents.length);
      }
      return seen;
    })();
    while ((await reader.list()).length === 0 && one.child.exitCode === null) await sleep(20);
    one.child.kill("SIGKILL");
    expect((await one.end).code).toBeNull();
    const { code, stdout } = await two.end;
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^\d+ added, 0 changed, 0 unchanged, 0 removed, 0 failed/),
    ]);
    expect((await shard("1/2").end).code).toBe(0);
    isDone = true;
    const seen = await reading;
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBeGreaterThan(2);
    const again = await toTheEnd(here.start(["ingest", "docs", "--store", store], environment));
    expect(again.stdout).toMatch(/^0 added, 0 changed, 400 unchanged, 0 removed, 0 failed/);
    const status = JSON.parse((await toTheEnd(here.start(["status", "--json", "--store", store], environment))).stdout);
    expect(status).toMatchObject({ passages: PAGES * SECTIONS, store: { folder: store, bytes: null } });
    expect((await reader.list()).map(({ passages }) => passages)).toEqual(Array(PAGES).fill(SECTIONS));
  });

  test("the lock of a place that six begin to write to at once is held by one at a time", async () => {
    const address = newStore();
    let [holders, most, taken] = [0, 0, 0];
    const writer = async () => {
      const connection = await connect(address, { storageOptions });
      for (let turn = 0; turn < 2; turn++) {
        const release = await bucketLock(connection, address, {});
        most = Math.max(most, ++holders);
        taken++;
        await sleep(50);
        holders--;
        await release();
      }
    };
    await Promise.all(Array.from({ length: 6 }, writer));
    expect([most, taken]).toEqual([1, 12]);
  });

  test("a dead writer's lock is taken over after half a minute, and who waits is told", async () => {
    await using here = await folder({ "docs/a.md": "# A\n\nThe office opens at eight.\n" });
    const store = newStore();
    const beside = await connect(`${store}/documents`, { storageOptions });
    await beside.createTable("lock", [{ holder: "7 on elsewhere 1-2", renewed: 3 }]);
    const began = performance.now();
    const { code, stdout, stderr } = await toTheEnd(here.start(["ingest", "docs", "--store", store], environment));
    expect([code, stderr]).toEqual([0, expect.stringContaining("Another process (7 on elsewhere) is writing to s3:")]);
    expect(stdout).toContain("1 added");
    expect(performance.now() - began).toBeGreaterThan(30_000);
  });

  test("a bucket that is not there, a wrong key and a server that is down are told in one line", async () => {
    const reading = (path: string, settings: object) => lanceDocuments({ path, s3: { ...s3, ...settings } }).list();
    const here = `${newStore()}/documents`;
    await expect(reading("s3://nobody/x", {})).rejects.toThrow(/nobody\/x cannot be read \(NoSuchBucket\)\. Check/);
    await expect(reading(here, { secretAccessKey: "wrong" })).rejects.toThrow(/SignatureDoesNotMatch/);
    await expect(reading(here, { endpoint: "http://127.0.0.1:9" })).rejects.toThrow(StoreUnavailableError);
  });

  test("passages of a shard are embedded before they are written", async () => {
    const documents = lanceDocuments({ path: `${newStore()}/documents`, s3, embeddings: conceptEmbeddings });
    await documents.upsert([fakePassage("a#0", "holiday")], { embed: true });
    expect(await documents.embedded?.(["a#0"])).toEqual(["a#0"]);
  });
});
