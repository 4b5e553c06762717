import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { scanKey } from "../../src/ingest/formats/scans.js";
import { drawnFrom, placesIn } from "../../src/ingest/original-page.js";
import { scansIn } from "../../src/tools/ocr/read-scan.js";
import { pdf, pdfDrawn } from "../tools/web/pdfs.js";

const folder = mkdtempSync(join(tmpdir(), "emend-drawn-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const pages = fileURLToPath(new URL("../tools/ocr/pages/", import.meta.url));

const saved = (bytes: Uint8Array): string => {
  const path = join(folder, `${Math.random()}.pdf`);
  writeFileSync(path, bytes);
  return path;
};
const places = (path: string, quote: string, page = 1, scans?: string) =>
  placesIn({ path, page, text: quote, quotes: [quote], scans });

/** The shares of a picture that are dark: inside of the boxes, and outside. */
async function darkness(path: string, boxes: Awaited<ReturnType<typeof places>>["boxes"], page = 1) {
  const drawn = await drawnFrom({ path, page });
  const { data, info } = await sharp(drawn).greyscale().raw().toBuffer({ resolveWithObject: true });
  let [inside, outside] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    if ((data[i] ?? 255) >= 128) continue;
    const [x, y] = [(i % info.width) / info.width, Math.floor(i / info.width) / info.height];
    const isInside = boxes.some((box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height);
    isInside ? inside++ : outside++;
  }
  return { inside, outside };
}

describe("the boxes of a quote cover what is drawn of it", () => {
  const line = "BT /F1 12 Tf 40 700 Td (The first ferry leaves at six.) Tj ET";
  test.each([
    ["on a page", line, ""],
    ["on a page that is turned to the right", line, "/Rotate 90"],
    ["on a page that is upside down", line, "/Rotate 180"],
    ["on a page that is turned to the left", line, "/Rotate 270"],
    ["on a page that shows a part of the sheet", line, "/CropBox [20 400 500 780]"],
    ["in words that run upwards", line.replace("40 700 Td", "0 1 -1 0 300 200 Tm"), ""],
    ["in words that run downwards", line.replace("40 700 Td", "0 -1 1 0 300 700 Tm"), ""],
    ["in words that are upside down", line.replace("40 700 Td", "-1 0 0 -1 400 300 Tm"), ""],
    ["in large letters", line.replace("12 Tf", "30 Tf"), ""],
  ])("%s", async (_, operators, more) => {
    const path = saved(pdfDrawn(operators, more));
    const { boxes } = await places(path, "The first ferry leaves at six.");
    expect(boxes).toHaveLength(1);
    const { inside, outside } = await darkness(path, boxes);
    expect(inside).toBeGreaterThan(300);
    expect(outside / inside).toBeLessThan(0.05);
  });
});

describe("a page of an original", () => {
  test("of a scan has the boxes of what is remembered of it", async () => {
    const path = join(pages, "mixed.pdf");
    expect(await places(path, "Dear Mr Lunde", 2)).toEqual({ pages: 2, boxes: [] });
    const scans = join(folder, "scans");
    const word = (text: string, x: number) => ({ text, x, y: 500, width: 100, height: 40, confidence: 1 });
    const lines = [[word("Dear", 100), word("Mr", 220), word("Lunde", 340)]];
    await scansIn(scans).put(scanKey(readFileSync(path), 1), { width: 1_654, height: 2_339, lines });
    const { boxes } = await places(path, "Dear Mr Lunde", 2, scans);
    const at = (part: number, whole: number) => expect.closeTo(part / whole, 3);
    expect(boxes).toEqual([{ x: at(100, 1_654), y: at(480, 2_339), width: at(340, 1_654), height: at(40, 2_339) }]);
    expect((await places(path, "Cover sheet of the lease file.", 1, scans)).boxes).toHaveLength(1);
  });

  test("of a scan that was turned and sloped has its boxes where the words are", async () => {
    const path = join(pages, "mixed.pdf");
    const scans = join(folder, "turned");
    const [width, height] = [2_339, 1_654];
    const word = { text: "Dear", x: 2_239, y: height / 2, width: 100, height: 40, confidence: 1 };
    const boxOf = async (given: { slope?: number; quarters?: number }) => {
      await scansIn(scans).put(scanKey(readFileSync(path), 1), { width, height, lines: [[word]], ...given });
      const [box] = (await places(path, "Dear", 2, scans)).boxes;
      return box && [box.x + box.width / 2, box.y + box.height / 2].map((share) => Number(share.toFixed(2)));
    };
    expect(await boxOf({})).toEqual([0.98, 0.5]);
    expect(await boxOf({ slope: 0.1 })).toEqual([0.98, 0.57]);
    // What is at the right of the page after a turn to the right was at its top.
    expect(await boxOf({ quarters: 1 })).toEqual([0.5, 0.02]);
    expect(await boxOf({ quarters: 2 })).toEqual([0.02, 0.5]);
    expect(await boxOf({ quarters: 3 })).toEqual([0.5, 0.98]);
  });

  test("can be one of several in a picture", async () => {
    const path = join(pages, "two-pages.tiff");
    expect((await places(path, "x")).pages).toBe(2);
    expect((await sharp(await drawnFrom({ path, page: 2 })).metadata()).format).toBe("webp");
    expect(await drawnFrom({ path, page: 3 })).toBeUndefined();
  });

  test("is not larger than a screen needs", async () => {
    const large = saved(
      Buffer.from(
        Buffer.from(pdf(["A map."]))
          .toString("latin1")
          .replace("600 800", "90000 90"),
        "latin1",
      ),
    );
    const { width = 0, height = 0 } = await sharp(await drawnFrom({ path: large, page: 1 })).metadata();
    expect(width).toBeLessThanOrEqual(2_400);
    expect(height).toBeGreaterThan(0);
    expect(await drawnFrom({ path: large, page: 2 })).toBeUndefined();
  });
});
