import { readFileSync } from "node:fs";

/**
 * The word table of the model, kept in 4 bits (Q4_0: blocks of 32 weights: a 16-bit scale, then 16 bytes; byte j holds
 * weight j in its low half and weight j + 16 in its high half, each plus 8). What it returns writes the row of a piece
 * into `to` from `offset` on.
 */
export function wordTable(path: string, width: number): (piece: number, to: Float32Array, offset: number) => void {
  const bytes = readFileSync(path);
  const rowBytes = (width / BLOCK) * BLOCK_BYTES;
  return (piece, to, offset) => {
    let at = piece * rowBytes;
    for (let from = offset; from < offset + width; from += BLOCK, at += BLOCK_BYTES) {
      const scale = half(bytes.readUInt16LE(at));
      for (let j = 0; j < HALF_BLOCK; j++) {
        const pair = bytes[at + 2 + j] ?? 0;
        to[from + j] = ((pair & 15) - 8) * scale;
        to[from + j + HALF_BLOCK] = ((pair >> 4) - 8) * scale;
      }
    }
  };
}

const BLOCK = 32;
const HALF_BLOCK = BLOCK / 2;
const BLOCK_BYTES = 2 + HALF_BLOCK;

/** A 16-bit float (IEEE 754). Scales are finite. */
function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
