import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { withPictures } from "../../../src/ingest/formats/content.js";
import { contentOf } from "../../../src/ingest/formats/registry.js";
import { resultOf, type Scans, scanPlace, wordsOf } from "../../../src/ingest/formats/scans.js";
import { loadCutInOwnProcess } from "../../../src/ingest/load.js";
import type { ReadPage } from "../../../src/tools/ocr/read-page.js";
import type { KnownScans, Scan } from "../../../src/tools/ocr/read-scan.js";

const page = (name: string) => readFileSync(new URL(`../../tools/ocr/pages/${name}`, import.meta.url));
const word = (text: string, x: number, y: number, confidence = 1) => ({
  ...{ text, x, y, confidence },
  width: 10 * text.length,
  height: 20,
});
const readPage = (...lines: ReadPage["lines"]): ReadPage => ({ width: 800, height: 1_000, lines });
const folder = mkdtempSync(join(tmpdir(), "emend-scans-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Stands in for reading: everything wanted is read as this page. */
async function readAs(bytes: Uint8Array, name: string, result: ReadPage | { reason: string }) {
  const wanted = new Map<string, Scan>();
  await contentOf(bytes, name, { read: new Map(), wanted });
  return contentOf(bytes, name, { read: new Map([...wanted.keys()].map((key) => [key, result])), wanted: new Map() });
}

describe("words of a scan", () => {
  test("that were read with doubt are marked before the end of their sentence", () => {
    const { words } = wordsOf(readPage([word("It", 0, 0), word("costs", 30, 0), word("4,8O0.", 90, 0, 0.4)]));
    expect(words.map(({ text }) => text)).toEqual(["It costs 4,8O0 [?]."]);
  });

  test("are parted where a line has a wide gap, as between the cells of a table", () => {
    const { words } = wordsOf(readPage([word("Alder", 0, 0), word("EUR", 300, 0), word("84", 340, 0)]));
    expect(words.map(({ text }) => text)).toEqual(["Alder", "EUR 84"]);
  });

  test("have one size if they are about as high", () => {
    const lines = [18, 20, 20, 22, 40].map((height, i) => [{ ...word("words", 0, 50 * i), height }]);
    const sizes = wordsOf(readPage(...lines)).words.map(({ height }) => height);
    expect(new Set(sizes.slice(0, 4)).size).toBe(1);
    expect(sizes[4]).toBeGreaterThan(1.5 * (sizes[0] ?? 0));
  });
});

describe("the place of a scan", () => {
  test("says that it is one and how certain it was read, in English and Chinese", () => {
    expect(scanPlace("p. 3", "The rent is due.", 0.987)).toBe("p. 3 (scan, 98 % certain)");
    expect(scanPlace("", "The rent is due.", 0.5)).toBe("scan, 50 % certain");
    expect(scanPlace("第3页", "租金到期。", 0.9)).toBe("第3页（扫描识别，可信度90%）");
    expect(scanPlace("p. 3", "[?]", undefined)).toBe("p. 3 (picture, could not be read)");
  });
});

describe("pictures that are still to be read", () => {
  test("are asked for in rounds that memory can hold, and no more than a thousand", () => {
    const scans: Scans = { read: new Map(), wanted: new Map() };
    for (let i = 0; i < 3; i++) resultOf(scans, new Uint8Array(30_000_000).fill(i), 0);
    expect(scans.wanted.size).toBe(1);
    const many: Scans = { read: new Map(), wanted: new Map() };
    const pages = () => Array.from({ length: 1_001 }, (_, at) => resultOf(many, Uint8Array.of(1), at));
    expect(pages).toThrow(/more than 1000 pictures of text. Split it/);
  });
});

describe("a picture", () => {
  test("as a file becomes text whose place says that it is a scan", async () => {
    const { text, places } = await readAs(page("rates.png"), "rates.png", readPage([word("Rates", 0, 20)]));
    expect(text).toContain("Rates");
    expect(places).toEqual([{ start: 0, name: "scan, 100 % certain" }]);
  });

  test("as a file that cannot be read is refused with the reason", async () => {
    await expect(readAs(page("rates.png"), "rates.png", { reason: "It took too long." })).rejects.toThrow("too long");
    await expect(contentOf(page("rates.png"), "rates.png")).rejects.toThrow(/npm install onnxruntime-web/);
  });

  test("in a document stands where it stood, as a place of its own", async () => {
    const pictures = ["\ufdd01\ufdd1", "\ufdd02\ufdd1"].map((mark) => ({ mark, bytes: async () => page("rates.png") }));
    const content = {
      ...{ title: "", reviewedAt: "", format: "markdown" as const },
      text: `Above.\n\n${pictures[0]?.mark}\n\nBelow.\n\n${pictures[1]?.mark}`,
      pictures,
    };
    const read = await withPictures(content, ({ mark }) =>
      mark === pictures[0]?.mark ? { name: "picture", text: "In it." } : undefined,
    );
    expect(read.text).toBe("Above.\n\nIn it.\n\nBelow.");
    expect(read.places).toEqual([
      { start: 0, name: "" },
      { start: 8, name: "picture" },
      { start: 16, name: "" },
    ]);
  });
});

describe("a PDF with scanned pages", { timeout: 60_000 }, () => {
  test("is read page by page, and what was read once is not read again", async () => {
    const path = join(folder, "mixed.pdf");
    writeFileSync(path, page("mixed.pdf"));
    const kept = new Map<string, ReadPage>();
    let [hits, told] = [0, ""];
    const scans: KnownScans = {
      get: async (key) => {
        if (kept.has(key)) hits += 1;
        return kept.get(key);
      },
      put: async (key, read) => void kept.set(key, read),
    };
    const onScan = (read: number, found: number) => (told = `${read} of ${found}`);
    const cut = await loadCutInOwnProcess([path, "mixed.pdf"], { scans, onScan });
    expect(cut?.passages[0]).toMatchObject({ section: "p. 1", text: "Cover sheet of the lease file." });
    expect(cut?.passages[1]?.section).toMatch(/^p\. 2 \(scan, 9\d % certain\)$/);
    expect(cut?.passages[1]?.text).toMatch(/A deposit of EUR 900\s+is\s+due/);
    expect(told).toBe("1 of 1");
    expect(await loadCutInOwnProcess([path, "mixed.pdf"], { scans })).toEqual(cut);
    expect([kept.size, hits]).toEqual([1, 1]);
  });

  test("says of a page that could not be read that it was not", async () => {
    const { text, places } = await readAs(page("mixed.pdf"), "mixed.pdf", { reason: "It took too long." });
    expect(text).toBe("Cover sheet of the lease file.\n\n[?]");
    expect(places?.[1]?.name).toBe("p. 2 (picture, could not be read)");
  });
});

test("a picture without text in a folder is not a failure", { timeout: 60_000 }, async () => {
  const path = join(folder, "logo.png");
  writeFileSync(
    path,
    await sharp({ create: { width: 300, height: 300, channels: 3, background: "red" } })
      .png()
      .toBuffer(),
  );
  expect(await loadCutInOwnProcess([path, "logo.png"])).toEqual({ passages: [], tables: [] });
});
