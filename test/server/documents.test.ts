import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { hashOf } from "../../src/ingest/load.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { deliveredHash } from "../../src/tools/documents/document-id.js";
import type { Passage } from "../../src/types/evidence.js";
import { JOBS, OPEN_JOBS } from "../computed.js";
import { HOSTILE, pdf } from "../tools/web/pdfs.js";
import { listening } from "./listening.js";

const folder = mkdtempSync(join(tmpdir(), "emend-originals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "渡轮.pdf"), pdf(["The first ferry leaves at six."]));
writeFileSync(join(folder, "delivered.pdf"), pdf(["Nobody ingested this either."]));
writeFileSync(join(folder, "secret.pdf"), pdf(["The password of the safe is swordfish."]));
writeFileSync(join(folder, "unlisted.pdf"), pdf(["Nobody ingested this."]));
writeFileSync(
  join(folder, "timetable.pdf"),
  pdf([["The first ferry leaves at six.", "The last one leaves at ten."], "Dogs travel free."]),
);
writeFileSync(join(folder, "broken.pdf"), "%PDF-1.4 and no more");
writeFileSync(join(folder, "bomb.pdf"), HOSTILE["a page that is drawn 200,000 times"]?.() ?? "");
writeFileSync(join(folder, "notes.md"), "Notes.");
writeFileSync(
  join(folder, "photo.png"),
  await sharp({ create: { width: 40, height: 30, channels: 3, background: "red" } })
    .png()
    .toBuffer(),
);
symlinkSync(join(folder, "unlisted.pdf"), join(folder, "link.pdf"));
const elsewhere = mkdtempSync(join(tmpdir(), "emend-elsewhere-"));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));
writeFileSync(join(elsewhere, "same.pdf"), pdf(["Linked."]));
writeFileSync(join(elsewhere, "other.pdf"), pdf(["Not what was read."]));
symlinkSync(elsewhere, join(folder, "linked"));

const passage = (documentId: string, position: number, text: string, department = "all"): Passage => ({
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
  { ...passage("timetable.pdf", 0, "The first ferry leaves at six. The last one leaves at ten."), section: "p. 1" },
  { ...passage("timetable.pdf", 1, "Dogs travel free."), section: "Fares › p. 2" },
  passage("broken.pdf", 0, "Read when it was whole."),
  passage("bomb.pdf", 0, "The ferry leaves at six."),
  passage("photo.png", 0, "A photo."),
  {
    ...passage("mail.eml", 0, "Dear both"),
    metadata: { department: "all", from: "Ann", to: "Bo\nCy", date: "2026-05-12", readers: "everyone" },
  },
  { ...passage("delivered.pdf", 0, "From a wiki."), hash: deliveredHash("1") },
  { ...passage("linked/same.pdf", 0, "Linked."), hash: hashOf(pdf(["Linked."])) },
  { ...passage("linked/other.pdf", 0, "Read before."), hash: hashOf(pdf(["Read before."])) },
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

  test("says whether its page can be shown, and who wrote a mail", async () => {
    expect(await read(passageAt("渡轮.pdf#0"))).toMatchObject({ original: true, drawn: true });
    expect(await read(passageAt("notes.md#0"))).toMatchObject({ original: true, drawn: false });
    expect(await read(passageAt("link.pdf#0"))).toMatchObject({ original: false, drawn: false });
    expect(await read(passageAt("mail.eml#0"))).toMatchObject({
      mail: { from: ["Ann"], to: ["Bo", "Cy"], cc: [], date: ["2026-05-12"] },
    });
  });

  test("is the first one of a document that has become shorter", async () => {
    expect((await read(passageAt("渡轮.pdf#7", "?around=0"))).passages).toMatchObject([{ id: "渡轮.pdf#0" }]);
    expect((await get(passageAt("secret.pdf#7"))).status).toBe(404);
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

  test("that is none is saved, not shown", async () => {
    const reply = await get(fileAt("notes.md"));
    expect(await reply.text()).toBe("Notes.");
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment; filename*=UTF-8''notes.md",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
  });

  test("behind a link to a folder is served as long as it is what was read", async () => {
    expect((await get(fileAt("linked/same.pdf"))).status).toBe(200);
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
    "link.pdf",
    "linked/other.pdf",
    "delivered.pdf",
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

describe("a page of a document", () => {
  const places = async (id: string, query = "", who: keyof typeof TOKENS = "sales") => {
    const reply = await get(`/api/pages/${encodeURIComponent(id)}${query}`, who);
    return { status: reply.status, ...((await reply.json()) as { page?: number; pages?: number; boxes?: unknown[] }) };
  };
  const quoted = (...quotes: string[]) => `?${quotes.map((quote) => `quote=${encodeURIComponent(quote)}`).join("&")}`;

  test("is that of the passage, with the boxes of its quotes", async () => {
    const found = await places("timetable.pdf#0", quoted("The last one leaves at ten.", "The first ferry"));
    expect(found).toMatchObject({ status: 200, page: 1, pages: 2 });
    expect(found.boxes).toHaveLength(2);
    expect(found.boxes?.[0]).toMatchObject({ x: expect.closeTo(40 / 600, 2), y: expect.closeTo(114 / 800, 1) });
    expect(await places("timetable.pdf#1", quoted("Dogs travel free."))).toMatchObject({ page: 2, boxes: [{}] });
  });

  test("can be another one, where the quotes may not be", async () => {
    const other = await places("timetable.pdf#1", `${quoted("Dogs travel free.")}&page=1`);
    expect(other).toMatchObject({ page: 1, pages: 2, boxes: [] });
  });

  test("has no boxes for a quote that is gone, whatever its signs", async () => {
    expect(await places("timetable.pdf#0", quoted("It costs (.*)+[ EUR \\d"))).toMatchObject({
      status: 200,
      boxes: [],
    });
  });

  test("is drawn as a picture", async () => {
    const reply = await get(`${fileAt("timetable.pdf")}?page=2`);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "private, no-cache",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    const { width, height, format } = await sharp(await reply.arrayBuffer()).metadata();
    expect({ width, height, format }).toEqual({ width: 1250, height: 1666, format: "webp" });
  });

  test("is a picture that was ingested, with one page", async () => {
    expect(await places("photo.png#0", quoted("A photo."))).toMatchObject({ page: 1, pages: 1, boxes: [] });
    const reply = await get(`${fileAt("photo.png")}?page=1`);
    expect(await sharp(await reply.arrayBuffer()).metadata()).toMatchObject({ width: 40, height: 30, format: "webp" });
  });

  test.each([
    ["timetable.pdf#0", "3", 404],
    ["timetable.pdf#0", "0", 400],
    ["timetable.pdf#0", "-1", 400],
    ["timetable.pdf#0", "1.5", 400],
    ["timetable.pdf#0", "x", 400],
    ["photo.png#0", "2", 404],
    ["notes.md#0", "1", 404],
    ["secret.pdf#0", "1", 404],
    ["no such.pdf#0", "1", 404],
    ["link.pdf#0", "1", 404],
    ["delivered.pdf#0", "1", 404],
    ["../渡轮.pdf#0", "1", 404],
    ["broken.pdf#0", "1", 422],
  ])("is not shown for %s, page %s", async (id, page, status) => {
    expect((await places(id, `?page=${page}`)).status).toBe(status);
    expect((await get(`${fileAt(id.slice(0, -2))}?page=${page}`)).status).toBe(status);
  });

  test("is shown to those alone who may see the document", async () => {
    expect(await places("secret.pdf#0", "", "finance")).toMatchObject({ status: 200 });
    const hidden = await get(`/api/pages/${encodeURIComponent("secret.pdf#0")}`);
    const missing = await get(`/api/pages/${encodeURIComponent("no such.pdf#0")}`);
    expect((await hidden.text()).replace("secret", "no such")).toBe(await missing.text());
  });

  test("that takes too long is given up, and the next one is shown", async () => {
    expect((await places("bomb.pdf#0")).status).toBe(422);
    expect((await places("timetable.pdf#0")).status).toBe(200);
  }, 120_000);
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
