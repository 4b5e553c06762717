import { crc32 } from "node:zlib";
import { LANGUAGES } from "./port.js";

/**
 * The signs of a store's vectors in memory: one bit per dimension, 48 bytes for 384 dimensions. A bit tells whether the
 * number is above the mean of its language, which preserves most of the direction (random hyperplanes, Charikar 2002).
 * First the signs are compared with those of the question; then the best of them with the question's numbers, which is
 * more exact (asymmetric distances, Gordo and Perronnin 2011). The results are candidates: callers order them by the
 * stored vectors.
 */
export interface Signs {
  readonly size: number;
  /** The highest `n` that was added. */
  readonly newest: number;
  add(vector: SignedVector): void;
  /** Removes the vectors with these `n`. */
  drop(stale: ReadonlySet<number>): void;
  /** Returns the `n` of the nearest vectors of one language, at most `limit`, nearest first. */
  nearest(question: readonly number[], language: number, limit: number, isIn?: (stated: number) => boolean): number[];
}

export interface SignedVector {
  /** The `n` of the stored vector. */
  n: number;
  /** The index in LANGUAGES. */
  language: number;
  /** The `n` of its metadata in `stated`; 0 if unknown. */
  stated: number;
  values: ArrayLike<number>;
  /** The factor for `values`. */
  scale: number;
}

/** @param means the mean vector of each language, in the order of LANGUAGES; undefined stands for zeros. */
export function signsOf(dimensions: number, means: readonly (ArrayLike<number> | undefined)[]): Signs {
  const words = Math.ceil(dimensions / 32);
  const zero = new Float32Array(dimensions);
  const centers = LANGUAGES.map((_, i) => means[i] ?? zero);
  let size = 0;
  let newest = 0;
  let codes = new Int32Array(FIRST * words);
  let ns = new Float64Array(FIRST);
  let languages = new Uint8Array(FIRST);
  let stated = new Float64Array(FIRST);

  const write = (to: Int32Array, at: number, values: ArrayLike<number>, scale: number, center: ArrayLike<number>) => {
    for (let word = 0; word < words; word++) {
      let bits = 0;
      const end = Math.min(dimensions, word * 32 + 32);
      for (let i = word * 32; i < end; i++) if ((values[i] ?? 0) * scale > (center[i] ?? 0)) bits |= 1 << (i & 31);
      to[at + word] = bits;
    }
  };

  const grow = () => {
    const room = ns.length * 2;
    const grown = <T extends Int32Array | Float64Array | Uint8Array>(into: T, from: T) => {
      into.set(from);
      return into;
    };
    codes = grown(new Int32Array(room * words), codes);
    ns = grown(new Float64Array(room), ns);
    languages = grown(new Uint8Array(room), languages);
    stated = grown(new Float64Array(room), stated);
  };

  return {
    get size() {
      return size;
    },
    get newest() {
      return newest;
    },

    add({ n, language, stated: what, values, scale }) {
      if (size === ns.length) grow();
      write(codes, size * words, values, scale, centers[language] ?? zero);
      ns[size] = n;
      languages[size] = language;
      stated[size] = what;
      newest = Math.max(newest, n);
      size++;
    },

    drop(stale) {
      let kept = 0;
      for (let i = 0; i < size; i++) {
        if (stale.has(ns[i] ?? 0)) continue;
        if (kept < i) {
          codes.copyWithin(kept * words, i * words, (i + 1) * words);
          ns[kept] = ns[i] ?? 0;
          languages[kept] = languages[i] ?? 0;
          stated[kept] = stated[i] ?? 0;
        }
        kept++;
      }
      size = kept;
    },

    nearest(question, language, limit, isIn) {
      const asked = new Int32Array(words);
      write(asked, 0, question, 1, centers[language] ?? zero);
      // Counts how many vectors have each distance, which finds the nearest without sorting them all.
      const distances = new Uint16Array(size).fill(NONE);
      const counts = new Uint32Array(dimensions + 1);
      for (let i = 0; i < size; i++) {
        if (languages[i] !== language || (isIn && !isIn(stated[i] ?? 0))) continue;
        let distance = 0;
        for (let word = 0, at = i * words; word < words; word++, at++) {
          let x = (codes[at] as number) ^ (asked[word] as number);
          x -= (x >>> 1) & 0x55555555;
          x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
          distance += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
        }
        distances[i] = distance;
        counts[distance] = (counts[distance] ?? 0) + 1;
      }
      let most = 0;
      for (let found = 0; most <= dimensions; most++) {
        found += counts[most] ?? 0;
        if (found >= limit * WIDER) break;
      }
      const scoreAt = scoring(question, centers[language] ?? zero);
      const found: { n: number; score: number }[] = [];
      for (let i = 0; i < size; i++)
        if ((distances[i] ?? NONE) <= most) found.push({ n: ns[i] ?? 0, score: scoreAt(codes, i * words) });
      return found
        .sort((a, b) => b.score - a.score || a.n - b.n)
        .slice(0, limit)
        .map(({ n }) => n);
    },
  };
}

const FIRST = 1024;
const NONE = 0xffff;
/** Candidates compared with the question's numbers, as a multiple of the limit. */
const WIDER = 10;

/**
 * Returns a function that scores the code at an index: the sum of the question's differences from the mean, each with
 * the code's sign. Uses a table with the sums of eight signs at a time.
 */
function scoring(question: readonly number[], center: ArrayLike<number>): (codes: Int32Array, at: number) => number {
  const bytes = Math.ceil(question.length / 32) * 4;
  const sums = new Float32Array(bytes * 256);
  for (let byte = 0; byte < bytes; byte++)
    for (let bits = 0; bits < 256; bits++) {
      let sum = 0;
      for (let i = 0; i < 8; i++) {
        const number = (question[byte * 8 + i] ?? 0) - (center[byte * 8 + i] ?? 0);
        sum += (bits >> i) & 1 ? number : -number;
      }
      sums[byte * 256 + bits] = sum;
    }
  return (codes, at) => {
    let sum = 0;
    for (let byte = 0; byte < bytes; byte++) {
      const bits = ((codes[at + (byte >> 2)] as number) >>> ((byte & 3) * 8)) & 255;
      sum += sums[byte * 256 + bits] as number;
    }
    return sum;
  };
}

/**
 * Encodes a vector as SQLite stores it: a scale, each number in two bytes, and a CRC-32 of both. With one byte for a
 * number, a fiftieth of the ten nearest were wrong.
 */
export function packed(vector: readonly number[]): Uint8Array {
  const scale = vector.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / 32_767 || 1;
  const bytes = new Uint8Array(4 + 2 * vector.length + 4);
  const view = new DataView(bytes.buffer);
  view.setFloat32(0, scale, true);
  const values = new Int16Array(bytes.buffer, 4, vector.length);
  vector.forEach((x, i) => {
    values[i] = Math.round(x / scale);
  });
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
  return bytes;
}

/** Returns the numbers of a stored vector, and the factor for them. Undefined if it is damaged. */
export function unpacked(stored: unknown): { values: Int16Array; scale: number } | undefined {
  if (!(stored instanceof Uint8Array) || stored.length < 8) return undefined;
  // An Int16Array must begin at an even offset.
  const { buffer, byteOffset, length } = stored.byteOffset % 2 === 0 ? stored : stored.slice();
  const view = new DataView(buffer, byteOffset, length);
  if (view.getUint32(length - 4, true) !== crc32(stored.subarray(0, -4))) return undefined;
  return { values: new Int16Array(buffer, byteOffset + 4, (length - 8) >> 1), scale: view.getFloat32(0, true) };
}

/** Returns the cosine of a stored vector and a question, both of unit length. Undefined if it is damaged. */
export function cosineOf(stored: unknown, question: ArrayLike<number>): number | undefined {
  const vector = unpacked(stored);
  if (!vector) return undefined;
  const { values, scale } = vector;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] as number) * (question[i] as number);
  return sum * scale;
}

/** Reads numbers of 32 bits. A copy: a `Buffer`, as Postgres's client gives it, may begin anywhere in memory that it shares. */
export const floatsIn = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
