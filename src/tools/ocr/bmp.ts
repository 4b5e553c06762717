/** Pixels of three bytes: red, green, blue. */
export interface Bitmap {
  width: number;
  height: number;
  data: Uint8Array;
}

/**
 * Reads a BMP that is not compressed: 1, 4 or 8 bits with a palette, or 24 or 32 bits.
 * @param most the most pixels.
 * @throws Error with a message for the user if it is of another kind, cut off, or larger.
 */
export function readBmp(bytes: Uint8Array, most: number): Bitmap {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 54) throw new Error(CUT_OFF);
  const [start, header] = [view.getUint32(10, true), view.getUint32(14, true)];
  const [width, signed] = [view.getInt32(18, true), view.getInt32(22, true)];
  const [bits, packing, listed] = [view.getUint16(28, true), view.getUint32(30, true), view.getUint32(46, true)];
  const height = Math.abs(signed);
  if (header < 40 || ![1, 4, 8, 24, 32].includes(bits) || (packing !== 0 && !(packing === 3 && bits === 32)))
    throw new Error("It is a compressed or old kind of BMP. Save it as PNG.");
  if (width <= 0 || height === 0 || width * height > most)
    throw new Error(`It has ${width} × ${height} pixels, which is more than are read. Make it smaller.`);
  const stride = Math.ceil((width * bits) / 32) * 4;
  if (start + stride * height > bytes.length) throw new Error(CUT_OFF);
  const palette = 14 + header;
  const last = Math.min(2 ** Math.min(bits, 8), listed || 256) - 1;
  const data = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    // Rows go upwards unless the height is negative.
    const from = start + stride * (signed < 0 ? row : height - 1 - row);
    for (let column = 0; column < width; column++) {
      let at = from + (column * bits) / 8;
      if (bits <= 8) {
        const byte = bytes[Math.floor(at)] ?? 0;
        const value = (byte >> (8 - bits - ((column * bits) % 8))) & (2 ** bits - 1);
        at = palette + 4 * Math.min(value, last);
      }
      for (let colour = 0; colour < 3; colour++)
        data[(row * width + column) * 3 + colour] = bytes[at + 2 - colour] ?? 0;
    }
  }
  return { width, height, data };
}

const CUT_OFF = "It is cut off. Save it anew.";
