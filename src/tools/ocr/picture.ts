import sharp, { type Sharp } from "sharp";
import { readBmp } from "./bmp.js";
import { pictureKind } from "./kinds.js";
import { type Pixels, shades } from "./pixels.js";

/**
 * Returns how many pages a picture has, and its size.
 * @throws Error with a message for the user if it is damaged or too large.
 */
export async function measure(bytes: Uint8Array): Promise<{ pages: number; width: number; height: number }> {
  const kind = pictureKind(bytes);
  if (kind === "bmp" || kind === "heic") return { pages: 1, width: Number.NaN, height: Number.NaN };
  const { width, height, pages = 1 } = await sharp(bytes, LIMITS).metadata().catch(damaged);
  // The further pictures of a GIF or WebP are those of a film.
  return { pages: kind === "tiff" ? pages : 1, width, height };
}

/**
 * Reads a page of a picture, upright if the camera said how it was held, and made smaller if it is very large.
 * @param page from 0.
 * @throws Error with a message for the user if it is damaged or too large.
 */
export async function decodePicture(bytes: Uint8Array, page: number): Promise<Pixels> {
  const fitted = (await upright(bytes, page)).resize(LONGEST, LONGEST, { fit: "inside", withoutEnlargement: true });
  return shades(fitted).catch(damaged);
}

/**
 * Opens a page of a picture, upright if the camera said how it was held. Its pixels are read when it is written.
 * @param page from 0.
 * @throws Error with a message for the user if it is damaged or too large.
 */
export async function upright(bytes: Uint8Array, page: number): Promise<Sharp> {
  const kind = pictureKind(bytes);
  const picture =
    kind === "bmp"
      ? fromRaw(readBmp(bytes, MOST_PIXELS), 3)
      : kind === "heic"
        ? fromRaw(await decodeHeic(bytes), 4)
        : sharp(bytes, { ...LIMITS, page });
  return picture.autoOrient();
}

const fromRaw = ({ width, height, data }: { width: number; height: number; data: Uint8Array }, channels: 3 | 4) =>
  sharp(data, { raw: { width, height, channels } });

/** Memory is all that limits its size, since its pixels are counted only when they are there. */
async function decodeHeic(bytes: Uint8Array) {
  const { default: decode } = await import("heic-decode");
  const { width, height, data } = await decode({ buffer: Buffer.from(bytes) }).catch(damaged);
  return { width, height, data: new Uint8Array(data.buffer, data.byteOffset, data.length) };
}

/** 60 million are those of a page of A4 at 700 dpi, or of a good camera. */
const MOST_PIXELS = 60_000_000;
const LIMITS = { limitInputPixels: MOST_PIXELS, failOn: "truncated" } as const;

/** In pixels: letters of a page that is made smaller are still higher than the networks need. */
const LONGEST = 3_200;

function damaged(error: Error): never {
  const isLarge = /pixel limit/i.test(error.message);
  throw new Error(
    isLarge
      ? `The picture has more than ${MOST_PIXELS / 1_000_000} million pixels. Make it smaller.`
      : "The picture is damaged or incomplete. Save it anew.",
    { cause: error },
  );
}
