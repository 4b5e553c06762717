import { expect, test } from "vitest";
import { readScore } from "../../../src/tools/entailment/port.js";

test("reads a score by its thresholds: each belongs to what lies above it", () => {
  const thresholds = { acceptAt: 0.8, rejectBelow: 0.2, decideAt: 0.5 };
  const read = [0, 0.19, 0.2, 0.5, 0.79, 0.8, 1].map((score) => readScore(score, thresholds));
  expect(read).toEqual(["unsupported", "unsupported", "doubtful", "doubtful", "doubtful", "likely", "likely"]);
});
