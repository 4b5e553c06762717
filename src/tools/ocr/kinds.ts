/** A kind of picture that is read, by its first bytes. */
export type PictureKind = "png" | "jpeg" | "tiff" | "webp" | "gif" | "bmp" | "heic";

/** Returns undefined if the bytes are no picture that is read. */
export function pictureKind(bytes: Uint8Array): PictureKind | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64)).toString("latin1");
  return KINDS.find(([, pattern]) => pattern.test(start))?.[0];
}

const KINDS: readonly (readonly [PictureKind, RegExp])[] = [
  ["png", /^\x89PNG\r\n/],
  ["jpeg", /^\xff\xd8\xff/],
  ["tiff", /^(?:II[*+]\0|MM\0[*+])/],
  ["webp", /^RIFF.{4}WEBP/s],
  ["gif", /^GIF8[79]a/],
  ["bmp", /^BM.{4}\0{4}.{4}[(l|]\0\0\0/s],
  ["heic", /^.{4}ftyp(?:.{4}){0,12}(?:heic|heix|hevc|hevx|heim|heis)/s],
];

/** The extensions of pictures that are read. */
export const PICTURE_EXTENSIONS = "png jpg jpeg jfif tif tiff webp gif bmp heic heif";
