import { describe, expect, test } from "vitest";
import { type Box, boxesIn } from "../../../src/tools/ocr/boxes.js";

/** A map in which these rectangles are text. */
function mapOf(width: number, height: number, boxes: readonly Box[], likely = 0.9): Float32Array {
  const map = new Float32Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (const box of boxes) {
        const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)];
        const [dx, dy] = [x + 0.5 - box.x, y + 0.5 - box.y];
        const along = Math.abs(dx * cos + dy * sin);
        const across = Math.abs(dy * cos - dx * sin);
        if (along <= box.width / 2 && across <= box.height / 2) map[y * width + x] = likely;
      }
  return map;
}

describe("boxes of lines", () => {
  test("are found one by one, turned as their lines are, and larger than the cores that the network marks", () => {
    const lines = [
      { x: 100, y: 40, width: 120, height: 10, angle: 0.1 },
      { x: 100, y: 90, width: 80, height: 10, angle: -0.2 },
    ];
    const found = boxesIn(mapOf(200, 130, lines), 200, 130).toSorted((a, b) => a.y - b.y);
    expect(found).toHaveLength(2);
    for (const [i, box] of found.entries()) {
      expect(box.x).toBeCloseTo(lines[i]?.x ?? 0, -0.5);
      expect(box.y).toBeCloseTo(lines[i]?.y ?? 0, -0.5);
      expect(box.angle).toBeCloseTo(lines[i]?.angle ?? 0, 1);
      expect(box.height).toBeGreaterThan(18);
      expect(box.width).toBeGreaterThan((lines[i]?.width ?? 0) + 5);
    }
  });

  test("leave out specks and what is hardly likely to be text", () => {
    const speck = { x: 20, y: 20, width: 2, height: 2, angle: 0 };
    const faint = { x: 100, y: 60, width: 80, height: 10, angle: 0 };
    expect(boxesIn(mapOf(200, 100, [speck]), 200, 100)).toEqual([]);
    expect(boxesIn(mapOf(200, 100, [faint], 0.4), 200, 100)).toEqual([]);
  });
});
