import { expect, test } from "vitest";
import { wordsOf } from "../../../src/ingest/formats/scans.js";
import { pagesAsMarkdown } from "../../../src/text/layout/pages.js";

/** A scan of a table whose lines fall by 1 in 90 to the right, as they do after a page was straightened. */
function tilted(rows: readonly (readonly string[])[], title = "") {
  const word = (text: string, x: number, y: number, height = 24) => ({
    text,
    x,
    y: y - x / 90,
    width: text.length * 12,
    height,
    confidence: 0.99,
  });
  const cells = rows.flatMap((row, i) =>
    // A box may be taller than its letters.
    row.map((text, c) => [
      word(text, 190 + 300 * c, 400 + 70 * i + (i === 2 && c === 0 ? 8 : 0), i === 2 && c === 0 ? 33 : 24),
    ]),
  );
  return {
    width: 1654,
    height: 2339,
    lines: [...(title ? [[word(title, 190, 300, 46)], [word("(2025)", 490, 303)]] : []), ...cells],
  };
}

const ROOMS = [
  ["Room", "Beds", "Weekday", "Weekend"],
  ["Alder", "2", "EUR 84", "EUR 112"],
  ["Cedar", "3", "EUR 97", "EUR 131"],
  ["Elm", "6", "EUR 164", "EUR 219"],
];
const table = [
  "Room | Beds | Weekday | Weekend",
  "--- | --- | --- | ---",
  ...ROOMS.slice(1).map((row) => row.join(" | ")),
]
  .map((line) => `| ${line} |`)
  .join("\n");

test("the cells of a table that was scanned askew stay in their rows", () => {
  expect(pagesAsMarkdown([wordsOf(tilted(ROOMS))])).toEqual([table]);
});

test("a title in larger letters above some of the columns is no row", () => {
  expect(pagesAsMarkdown([wordsOf(tilted(ROOMS, "Rates"))])[0]).toContain(table);
});
