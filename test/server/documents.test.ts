import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { JOBS, OPEN_JOBS } from "../computed.js";
import { pdf } from "../tools/web/pdfs.js";
import { listening } from "./listening.js";

const folder = mkdtempSync(join(tmpdir(), "emend-originals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "渡轮.pdf"), pdf(["The first ferry leaves at six."]));
writeFileSync(join(folder, "secret.pdf"), pdf(["The password of the safe is swordfish."]));
writeFileSync(join(folder, "unlisted.pdf"), pdf(["Nobody ingested this."]));
writeFileSync(join(folder, "notes.md"), "Notes.");
symlinkSync(join(folder, "unlisted.pdf"), join(folder, "link.pdf"));

const passage = (documentId: string, position: number, text: string, department = "all") => ({
  ...fakePassage(`${documentId}#${position}`, text),
  ...{ documentId, position, uri: documentId, metadata: { department } },
});
const PASSAGES = [
  passage("渡轮.pdf", 0, "The first ferry leaves at six."),
  passage("渡轮.pdf", 1, "The second ferry leaves at seven."),
  passage("渡轮.pdf", 2, "The last ferry leaves at ten."),
  passage("secret.pdf", 0, "The password of the safe is swordfish.", "finance"),
  passage("notes.md", 0, "Notes."),
  passage("link.pdf", 0, "A link."),
  passage("gone.pdf", 0, "The file is gone."),
  passage("https://example.org/leave.pdf", 0, "A page."),
];
const LONG = Array.from({ length: 1_100 }, (_, i) => [`Job ${i}`, "Done", "1 EUR"]);
const TABLES = [
  { ...JOBS, metadata: { department: "all" } },
  { ...JOBS, id: "long", cells: LONG, rows: LONG.length, metadata: { department: "all" } },
  { ...JOBS, id: "pay", metadata: { department: "finance" } },
];
const TOKENS = { sales: "token-of-the-salesman", finance: "token-of-the-finance" };
const { address } = await listening({
  tools: {
    documents: inMemoryDocuments(PASSAGES),
    tables: {
      search: async () => [],
      heads: async ([id]) => TABLES.filter((one) => one.id === id),
      get: async ([id]) => TABLES.filter((one) => one.id === id),
      query: async () => OPEN_JOBS,
    },
  },
  tokens: Object.values(TOKENS),
  userOf: (token) => ({
    identity: token,
    emend_scope: token === TOKENS.finance ? "all" : [{ key: "department", values: ["all"] }],
  }),
  originals: folder,
});
interface Reading {
  original: boolean;
  passages: { id: string; text: string }[];
}
const get = (path: string, who: keyof typeof TOKENS = "sales") =>
  fetch(address + path, { headers: { Authorization: `Bearer ${TOKENS[who]}` } });
const read = async (path: string): Promise<Reading> => (await get(path)).json() as Promise<Reading>;
const passageAt = (id: string, query = "") => `/api/passages/${encodeURIComponent(id)}${query}`;
const fileAt = (id: string) => `/api/originals/${encodeURIComponent(id)}`;

describe("a passage that is cited", () => {
  test("can be read with the passages around it", async () => {
    const near = await read(passageAt("渡轮.pdf#0"));
    expect(near).toMatchObject({ documentId: "渡轮.pdf", original: true });
    expect(near.passages.map(({ id }) => id)).toEqual(["渡轮.pdf#0", "渡轮.pdf#1"]);
    const whole = await read(passageAt("渡轮.pdf#1", "?around=500"));
    expect(whole.passages.map(({ text }) => text)).toEqual(PASSAGES.slice(0, 3).map(({ text }) => text));
    const alone = await read(passageAt("渡轮.pdf#1", "?around=0"));
    expect(alone.passages).toHaveLength(1);
  });

  test("can also be found by its document", async () => {
    expect((await read("/api/passages/渡轮.pdf?around=0")).passages).toMatchObject([{ id: "渡轮.pdf#0" }]);
  });

  test.each(["secret.pdf#0", "secret.pdf", "no such#0", "../../etc/passwd"])("is not found by %s", async (id) => {
    expect((await get(passageAt(id))).status).toBe(404);
  });

  test.each(["501", "-1", "x"])("cannot be read with %s passages around it", async (around) => {
    expect((await get(passageAt("notes.md#0", `?around=${around}`))).status).toBe(400);
  });
});

describe("a document", () => {
  test("that is a PDF is served unchanged, in a sandbox", async () => {
    const reply = await get(fileAt("渡轮.pdf"));
    expect(reply.status).toBe(200);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": "inline; filename*=UTF-8''%E6%B8%A1%E8%BD%AE.pdf",
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
    });
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(new Uint8Array(pdf(["The first ferry leaves at six."])));
  });

  test("answers HEAD without leaving a file open", async () => {
    const headers = { Authorization: `Bearer ${TOKENS.sales}` };
    const reply = await fetch(address + fileAt("渡轮.pdf"), { method: "HEAD", headers });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    await sleep(100);
    // Linux lists the files that a process has open.
    const fds = existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd") : [];
    const open = fds
      .map((fd) => join("/proc/self/fd", fd))
      .filter((fd) => existsSync(fd) && readlinkSync(fd).endsWith(".pdf"));
    expect(open).toEqual([]);
  });

  test("is served only to users whose scope includes it", async () => {
    expect((await get(fileAt("secret.pdf"))).status).toBe(404);
    expect((await get(fileAt("secret.pdf"), "finance")).status).toBe(200);
  });

  test.each([
    "unlisted.pdf",
    "notes.md",
    "link.pdf",
    "gone.pdf",
    "https://example.org/leave.pdf",
    "../渡轮.pdf",
    folder,
  ])("is not served for %s", async (id) => {
    expect((await get(fileAt(id))).status).toBe(404);
  });

  test("is not served without a token", async () => {
    expect((await fetch(address + fileAt("渡轮.pdf"))).status).toBe(401);
  });
});

test("a server without a configured folder serves no file", async () => {
  const other = await listening({ tools: { documents: inMemoryDocuments(PASSAGES) } });
  expect((await fetch(other.address + fileAt("渡轮.pdf"))).status).toBe(404);
  const reading = (await (await fetch(other.address + passageAt("渡轮.pdf#0"))).json()) as Reading;
  expect(reading.original).toBe(false);
});

test("reading counts towards the rate limit too", async () => {
  const other = await listening({ perMinute: 3 });
  const replies = [];
  for (let i = 0; i < 4; i++) replies.push((await fetch(`${other.address}/api/graph`)).status);
  expect(replies).toEqual([200, 200, 200, 429]);
});

describe("a table that a figure rests on", () => {
  const rows = async (id: string, query = "") =>
    (await get(`/api/tables/${encodeURIComponent(id)}${query}`)).json() as Promise<{ cells: string[][]; rows: number }>;

  test("can be read with its headings and cells as they are written", async () => {
    expect(await rows(JOBS.id)).toEqual({ columns: ["Job", "State", "Cost"], cells: JOBS.cells, rows: 12 });
  });

  test("is read 500 rows at a time", async () => {
    const parts = await Promise.all(["", "?after=500", "?after=1000", "?after=2000"].map((from) => rows("long", from)));
    expect(parts.map(({ cells, rows }) => [cells[0]?.[0], cells.length, rows])).toEqual([
      ["Job 0", 500, 1_100],
      ["Job 500", 500, 1_100],
      ["Job 1000", 100, 1_100],
      [undefined, 0, 1_100],
    ]);
  });

  test.each(["pay", "no such"])("is not found by %s", async (id) => {
    expect((await get(`/api/tables/${id}`)).status).toBe(404);
  });

  test("is found by those who may see it", async () => {
    expect((await get("/api/tables/pay", "finance")).status).toBe(200);
  });
});
