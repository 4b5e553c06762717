import { readFileSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { readBmp } from "../../../src/tools/ocr/bmp.js";
import { pictureKind } from "../../../src/tools/ocr/kinds.js";
import { decodePicture, measure } from "../../../src/tools/ocr/picture.js";
import { cutOut, turned } from "../../../src/tools/ocr/pixels.js";

const page = (name: string) => readFileSync(new URL(`pages/${name}`, import.meta.url));

/** A BMP of 2 × 2 pixels: black, white, white, red, from the top left. */
function bmp({ bits = 24, isDownwards = false, width = 2 } = {}): Buffer {
  const palette = bits === 4 ? [0, 0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 0] : [];
  const rows =
    bits === 4
      ? [
          [0x01, 0, 0, 0],
          [0x12, 0, 0, 0],
        ]
      : [
          [0, 0, 0, 255, 255, 255, 0, 0],
          [255, 255, 255, 0, 0, 255, 0, 0],
        ];
  const head = Buffer.alloc(54);
  head.write("BM");
  head.writeUInt32LE(54 + palette.length, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(width, 18);
  head.writeInt32LE(isDownwards ? -2 : 2, 22);
  head.writeUInt16LE(bits, 28);
  head.writeUInt32LE(palette.length / 4, 46);
  const body = isDownwards ? rows : rows.toReversed();
  return Buffer.concat([head, Buffer.from(palette), Buffer.from(body.flat())]);
}

describe("pictures", () => {
  test("are recognised by their first bytes", async () => {
    const drawn = sharp({ create: { width: 4, height: 4, channels: 3, background: "white" } });
    for (const kind of ["png", "jpeg", "tiff", "webp", "gif"] as const)
      expect(pictureKind(await drawn.clone().toFormat(kind).toBuffer())).toBe(kind);
    expect(pictureKind(bmp())).toBe("bmp");
    expect(pictureKind(page("letter.heic"))).toBe("heic");
    expect(pictureKind(Buffer.from("BMW and GIFs are words of a text, not a picture of any kind."))).toBeUndefined();
  });

  test("of several pages are those of a TIFF; a film is one picture", async () => {
    expect(await measure(page("two-pages.tiff"))).toMatchObject({ pages: 2, width: 1440 });
  });

  test("are read upright where the camera says how it was held", async () => {
    const drawn = await sharp({ create: { width: 40, height: 20, channels: 3, background: "white" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(await decodePicture(drawn, 0)).toMatchObject({ width: 20, height: 40 });
  });

  test("have white where they are transparent", async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const drawn = await sharp({ create: { width: 2, height: 1, channels: 4, background: clear } })
      .png()
      .toBuffer();
    expect([...(await decodePicture(drawn, 0)).data]).toEqual([255, 255]);
  });

  test("with more pixels than are read are refused, whatever their size in bytes", async () => {
    const bomb = await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: "white" } })
      .png()
      .toBuffer();
    await expect(decodePicture(bomb, 0)).rejects.toThrow(/more than 60 million pixels. Make it smaller/);
    const claims = bmp({ width: 2_000_000_000 });
    await expect(decodePicture(claims, 0)).rejects.toThrow(/pixels/);
  });

  test("that are cut off or damaged are refused", async () => {
    const whole = page("rates.png");
    await expect(decodePicture(whole.subarray(0, 4_000), 0)).rejects.toThrow(/damaged or incomplete/);
    await expect(decodePicture(page("letter.heic").subarray(0, 9_000), 0)).rejects.toThrow(/damaged or incomplete/);
  });
});

describe("BMP", () => {
  test.each([
    { bits: 24, isDownwards: false },
    { bits: 24, isDownwards: true },
    { bits: 4, isDownwards: false },
  ])("of $bits bits gives its pixels from the top (downwards: $isDownwards)", (kind) => {
    const { width, height, data } = readBmp(bmp(kind), 100);
    expect([width, height]).toEqual([2, 2]);
    expect([...data]).toEqual([0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 0, 0]);
  });

  test("is refused if it is compressed or cut off", () => {
    const packed = bmp();
    packed.writeUInt32LE(1, 30);
    expect(() => readBmp(packed, 100)).toThrow(/compressed/);
    expect(() => readBmp(bmp().subarray(0, 60), 100)).toThrow(/cut off/);
  });
});

describe("pixels", () => {
  const three = { width: 3, height: 1, data: Uint8Array.of(0, 100, 200) };

  test("are turned clockwise", async () => {
    expect(await turned(three, 1)).toMatchObject({ width: 1, height: 3, data: Buffer.of(0, 100, 200) });
    expect(await turned(three, 2)).toMatchObject({ width: 3, height: 1, data: Buffer.of(200, 100, 0) });
  });

  test("of a box are cut out level", () => {
    const data = Uint8Array.from({ length: 400 }, (_, i) => (Math.floor(i / 20) + (i % 20) < 20 ? 0 : 255));
    const box = { x: 10, y: 10, width: 8, height: 8, angle: Math.PI / 4 };
    const cut = cutOut({ width: 20, height: 20, data }, box, 4);
    // The diagonal of the picture becomes the middle of the box, from top to bottom.
    for (const row of [0, 1, 2, 3]) {
      expect(cut.data[row * cut.width]).toBeLessThan(50);
      expect(cut.data[(row + 1) * cut.width - 1]).toBeGreaterThan(200);
    }
  });
});
