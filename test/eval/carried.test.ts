import { expect, test } from "vitest";
import { carried, statementsIn } from "../../research/eval/carried.js";

const text = "The Lisbon office opens at eight and has 1,200 desks. 上海办公室早上9点开门。";

test.each([
  ["In Lisbon the office opens at eight.", true],
  ["The Lisbon office has 1200 desks.", true],
  ["The Lisbon office has 1300 desks.", false],
  ["The Porto warehouse employs forty people.", false],
  ["上海办公室9点开门。", true],
  ["上海办公室8点开门。", false],
  ["北京仓库由李雷负责。", false],
])("%s: %s", (statement, expected) => expect(carried(statement, text)).toBe(expected));

test("an answer is split into statements without markers and list marks", () => {
  expect(
    statementsIn("It opens at eight [1]. It closes at six [2].\n- Desks: 1,200\n办公室九点开门[1]。晚上六点关门。"),
  ).toEqual(["It opens at eight.", "It closes at six.", "Desks: 1,200", "办公室九点开门。", "晚上六点关门。"]);
});
