import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { readScan, readScanInOwnProcess, scansIn } from "../../../src/tools/ocr/read-scan.js";

const page = (name: string) => readFileSync(new URL(`pages/${name}`, import.meta.url));
const read = async (bytes: Uint8Array, at = 0) => {
  const { lines } = await readScan({ key: "", bytes, page: at });
  return lines.map((words) => words.map(({ text }) => text).join(" "));
};

describe("a page that is read", { timeout: 60_000 }, () => {
  test("gives its lines with their places and how certain they are, in English", async () => {
    const { width, lines } = await readScan({ key: "", bytes: page("rates.png"), page: 0 });
    const words = lines.flat();
    const at = (text: string) => words.find((word) => word.text === text);
    const [alder, beds, birch] = [at("Alder"), at("Beds"), at("Birch")];
    expect(words.map(({ text }) => text)).toEqual(expect.arrayContaining(["Room", "112", "156", "Deposit"]));
    expect(alder?.x).toBeLessThan(beds?.x ?? 0);
    expect(alder?.y).toBeLessThan(birch?.y ?? 0);
    expect(words.every(({ x, width: own }) => x >= -5 && x + own <= width + 5)).toBe(true);
    expect(words.every(({ confidence }) => confidence > 0.5 && confidence <= 1)).toBe(true);
  });

  test("gives Chinese as well", async () => {
    expect(await read(page("form-zh.png"))).toEqual(expect.arrayContaining(["王秀兰", "2025年7月14日", "带薪年假"]));
  });

  test.each([90, 180, 270])("is turned until its lines can be read, by %i degrees", async (degrees) => {
    const turned = await sharp(page("rates.png")).rotate(degrees).png().toBuffer();
    expect(await read(turned)).toEqual(expect.arrayContaining(["Alder", "EUR 112"]));
  });

  test("may be tilted, and its words then stand level", async () => {
    const tilted = await sharp(page("rates.png")).rotate(3, { background: "white" }).png().toBuffer();
    const { lines } = await readScan({ key: "", bytes: tilted, page: 0 });
    const row = lines.flat().filter(({ text }) => ["Alder", "84", "112", "60"].includes(text));
    expect(row).toHaveLength(4);
    const heights = row.map(({ y }) => y);
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(8);
  });

  test("may be one of several of a TIFF, a HEIC photograph, or drawn from a PDF", async () => {
    expect(await read(page("two-pages.tiff"), 1)).toEqual(expect.arrayContaining(["Alder"]));
    expect((await read(page("letter.heic"))).join(" ")).toContain("31 October 2026");
    expect((await read(page("mixed.pdf"), 1)).join(" ")).toContain("A deposit of EUR 900 is due");
  });

  test("has no lines if nothing is on it", async () => {
    const blank = await sharp({ create: { width: 300, height: 300, channels: 3, background: "white" } })
      .png()
      .toBuffer();
    expect(await read(blank)).toEqual([]);
  });

  test("says in another process why it cannot be read, and the process that is killed holds up nobody", async () => {
    const damaged = { key: "", bytes: page("rates.png").subarray(0, 3_000), page: 0 };
    expect(await readScanInOwnProcess(damaged)).toEqual({ reason: expect.stringMatching(/damaged or incomplete/) });
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(readScanInOwnProcess(damaged, aborted)).rejects.toThrow("enough");
  });
});

describe("what was read", () => {
  test("is remembered by its key in a folder, and a damaged file counts as missing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emend-scans-"));
    try {
      const word = { text: "Words", x: 1, y: 2, width: 3, height: 4, confidence: 0.9 };
      const read = { width: 10, height: 20, lines: [[word]] };
      await scansIn(folder).put("a", read);
      expect(await scansIn(folder).get("a")).toEqual(read);
      expect(await scansIn(folder).get("b")).toBeUndefined();
      await sharp({ create: { width: 9, height: 9, channels: 3, background: "white" } })
        .png()
        .toFile(join(folder, "a.scan"));
      expect(await scansIn(folder).get("a")).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
