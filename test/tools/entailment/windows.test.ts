import { expect, test } from "vitest";
import { windows } from "../../../src/tools/entailment/windows.js";

test("leaves a short text whole", () => {
  expect(windows("The office opens at nine. It closes at five.", 20)).toEqual([
    "The office opens at nine. It closes at five.",
  ]);
  expect(windows("办公室九点开门。五点关门。", 20)).toEqual(["办公室九点开门。五点关门。"]);
});

test("gives nothing for a text without words", () => {
  expect(windows(" \n… ", 20)).toEqual([]);
});

test("lets a window begin with the end of the one before it", () => {
  const text = Array.from({ length: 9 }, (_, i) => `Sentence number ${i}.`).join(" ");
  const found = windows(text, 9);
  expect(found[0]).toBe("Sentence number 0. Sentence number 1. Sentence number 2.");
  expect(found[1]).toBe("Sentence number 2. Sentence number 3. Sentence number 4.");
  expect(found.at(-1)).toMatch(/number 8\.$/);
});

test("ends whatever the size of sentences and windows", () => {
  const text = `${"word ".repeat(2_000)}. Short. ${"字".repeat(3_000)}。`;
  for (const most of [0, 1, 7, 500]) expect(windows(text, most).length).toBeGreaterThan(2);
});
