import { expect, test } from "vitest";
import { sourcesAsEvidence } from "../../src/checking/verify.js";
import { closeUp, placesIn, windowsOf } from "../../src/checking/windows.js";
import { piecesIn } from "../../src/text/token-count.js";

const filler = Array.from({ length: 60 }, (_, i) => `word${i}`).join(" ");
const text = `# Museum

## Boats

The hall has ${filler}.

## Workshop

It lies under the roof. Katarzyna Wrona heads it.`;
const evidence = [sourcesAsEvidence({ text, title: "Guide" }, 0)];

test("a window begins with its title and all its headings, and not with the heading of the previous section", () => {
  const last = windowsOf(evidence).at(-1)?.text;
  expect(last?.split("\n")[0]).toBe("Guide - Museum");
  expect(last).toMatch(/Museum\nWorkshop\s+It lies/);
});

test("a close-up of a sentence has its headings and the sentence before it, but no sentence of another section", () => {
  const short = [sourcesAsEvidence({ text: text.replace(filler, "boats"), title: "Guide" }, 0)];
  const windows = windowsOf(short);
  expect(windows.flatMap(placesIn).map((place) => closeUp(place).text)).toEqual([
    "Guide - Museum - Boats\nThe hall has boats.",
    "Guide - Museum - Workshop\nIt lies under the roof.",
    "Guide - Museum - Workshop\nIt lies under the roof. Katarzyna Wrona heads it.",
  ]);
});

test.each([
  ["digits", "8467120395"],
  ["one letter", "a"],
  ["base64", "ScOAk9xQmZ4vT7"],
])("a window of a source of %s has no more than two of its longest sentences", (_name, part) => {
  const odd = sourcesAsEvidence({ text: part.repeat(100_000 / part.length) }, 0);
  for (const window of windowsOf([odd])) expect(piecesIn(window.text)).toBeLessThan(1_200);
});
