import { expect, test } from "vitest";
import { sourcesAsEvidence } from "../../src/checking/verify.js";
import { closeUps, windowsOf } from "../../src/checking/windows.js";

const filler = Array.from({ length: 60 }, (_, i) => `word${i}`).join(" ");
const text = `# Museum

## Boats

The hall has ${filler}.

## Workshop

It lies under the roof. Katarzyna Wrona heads it.`;
const evidence = [sourcesAsEvidence({ text, title: "Guide" }, 0)];

test("a window stands under its title and all headings above it, and not under that of the section before", () => {
  const last = windowsOf(evidence).at(-1)?.text;
  expect(last?.split("\n")[0]).toBe("Guide › Museum");
  expect(last).toMatch(/Museum\nWorkshop\s+It lies/);
});

test("a close look at a sentence takes the one before it, under their headings, but none of another section", () => {
  const short = [sourcesAsEvidence({ text: text.replace(filler, "boats"), title: "Guide" }, 0)];
  expect(
    windowsOf(short)
      .flatMap(closeUps)
      .map((window) => window.text),
  ).toEqual([
    "Guide › Museum › Boats\nThe hall has boats.",
    "Guide › Museum › Workshop\nIt lies under the roof.",
    "Guide › Museum › Workshop\nIt lies under the roof. Katarzyna Wrona heads it.",
  ]);
});
