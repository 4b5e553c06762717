import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../src/evaluate/statistics.js";
import { cosineOf, packed, signsOf, unpacked } from "../../../src/tools/store/signs.js";

const DIMENSIONS = 384;
const ENGLISH = 0;

describe("the nearest by signs", () => {
  const next = randomFrom(3);
  const normal = () => next() + next() + next() + next() - 2;
  const directions = Array.from({ length: 30 }, () => Array.from({ length: DIMENSIONS }, normal));
  // Like vectors of texts: on one side of the sphere, with far fewer directions than dimensions.
  const drawn = () => {
    const weights = directions.map(normal);
    const sum = Array.from({ length: DIMENSIONS }, (_, i) =>
      directions.reduce((total, direction, d) => total + (weights[d] ?? 0) * (direction[i] ?? 0), 4),
    );
    const length = Math.hypot(...sum);
    return sum.map((x) => x / length);
  };
  const vectors = Array.from({ length: 3_000 }, drawn);
  const mean = Array.from(
    { length: DIMENSIONS },
    (_, i) => vectors.reduce((sum, vector) => sum + (vector[i] ?? 0), 0) / vectors.length,
  );

  test("include over 95% of the ten nearest vectors in a dense crowd", () => {
    const signs = signsOf(DIMENSIONS, [mean]);
    const stored = vectors.map(packed);
    for (const [i, vector] of stored.entries())
      signs.add({ n: i, language: ENGLISH, stated: 0, ...(unpacked(vector) ?? { values: [], scale: 0 }) });
    let found = 0;
    for (let i = 0; i < 40; i++) {
      const question = drawn();
      const exact = stored
        .map((vector, n) => ({ n, cosine: cosineOf(vector, question) ?? 0 }))
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, 10);
      const candidates = new Set(signs.nearest(question, ENGLISH, 60));
      expect(candidates.size).toBe(60);
      found += exact.filter(({ n }) => candidates.has(n)).length;
    }
    expect(found / 400).toBeGreaterThan(0.95);
  });

  test("include only vectors of the given language", () => {
    const signs = signsOf(2, []);
    signs.add({ n: 1, language: 0, stated: 0, values: [1, 0], scale: 1 });
    signs.add({ n: 2, language: 1, stated: 0, values: [1, 0], scale: 1 });
    expect(signs.nearest([1, 0], 1, 5)).toEqual([2]);
  });
});

test("a stored vector is accurate to half a 30,000th of its largest value, at any byte offset", () => {
  const vector = [0.5, -0.25, 0.000_02, 0];
  const bytes = new Uint8Array(packed(vector).length + 1);
  bytes.set(packed(vector), 1);
  for (const stored of [packed(vector), bytes.subarray(1)]) {
    const { values, scale } = unpacked(stored) ?? { values: [], scale: 0 };
    expect(values).toHaveLength(4);
    for (const [i, x] of vector.entries()) expect(Math.abs((values[i] ?? 0) * scale - x)).toBeLessThan(0.5 / 30_000);
  }
});

test("a stored vector with a flipped bit is not read", () => {
  const stored = packed([0.5, -0.25, 0.000_02, 0]);
  for (let bit = 0; bit < stored.length * 8; bit++) {
    const flipped = stored.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
    expect(unpacked(flipped)).toBeUndefined();
    expect(cosineOf(flipped, [1, 0, 0, 0])).toBeUndefined();
  }
});
