import { expect, test } from "vitest";
import { inPassages, packed, unpacked } from "../../src/tables/packed.js";
import { fakeTable, JOBS } from "../../src/testing/tables-sample.js";

const LONG = fakeTable(
  "long#table0",
  [{ name: "部门" }, { name: "Cost", type: "money", unit: "EUR" }],
  Array.from({ length: 500 }, (_, i) => [`行 \ud800 ${i}`, i % 7 === 0 ? [null, "n/a"] : [i / 4, `${i / 4} €`]]),
);

test.each([
  ["short", JOBS],
  ["long", LONG],
])("a %s table comes back as it was packed, unless a bit of it flipped", (_, table) => {
  const whole = packed(table);
  expect(unpacked(whole)).toEqual(table);
  for (let i = 0; i < whole.content.length; i += whole.content.length > 1_000 ? 37 : 1) {
    const content = Uint8Array.from(whole.content);
    content[i] = (content[i] ?? 0) ^ (1 << (i % 8));
    // Gzip has bytes of its own that say nothing about the text.
    expect([undefined, i > 9 ? undefined : table]).toContainEqual(unpacked({ ...whole, content }));
  }
  expect(unpacked({ ...whole, rows: table.rows + 1 })).toBeUndefined();
});

test("a table can be put into other passages", () => {
  expect(unpacked(inPassages(packed(JOBS), (position) => position + 3))).toEqual({ ...JOBS, passages: [3, 3, 4, 4] });
});
