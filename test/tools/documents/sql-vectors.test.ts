import { expect, test } from "vitest";
import { meansIn } from "../../../src/tools/documents/sql-vectors.js";

test("a mean is read as it was written, wherever the bytes of the client begin in its memory", () => {
  const mean = [0.5, -0.25, 2];
  const bytes = Buffer.from(new Float32Array(mean).buffer);
  for (const offset of [0, 4, 7]) {
    const shared = Buffer.alloc(64, 0xff);
    bytes.copy(shared, offset);
    const found = shared.subarray(offset, offset + bytes.length);
    expect(meansIn([{ language: "en", mean: found }]).get("en")).toEqual(mean);
  }
});
