import { expect, test } from "vitest";
import { wholeSentences } from "../../src/nodes/read-pages.js";

test.each([
  ["whole ones stay", "It opened in 1998. It was closed again.", "It opened in 1998. It was closed again."],
  ["a last one that is cut goes", "It grew. The deal was worth $6", "It grew."],
  ["also before an ellipsis", "It grew. The deal was worth $6 ...", "It grew."],
  ["and a first one after it", "It grew. … to anyone. It fell.", "It grew.\n\nIt fell."],
  ["a number may go on after its point", "It grew. It cost $1.", "It grew."],
  ["but not a year", "It opened in 1998.", "It opened in 1998."],
  ["nor one in the middle", "It cost $1. It grew.", "It cost $1. It grew."],
  ["nothing whole leaves nothing", "The deal was worth $6", ""],
  ["quotation marks may close it", "She said: “It opened.” And then it", "She said: “It opened.”"],
  ["Chinese", "大桥于1998年通车。总造价为6", "大桥于1998年通车。"],
  ["Chinese after an ellipsis", "大桥通车。……不收费。全长十二公里。", "大桥通车。\n\n全长十二公里。"],
  ["nothing", "", ""],
])("the complete sentences of an excerpt: %s", (_, excerpt, whole) => expect(wholeSentences(excerpt)).toBe(whole));

test("a long excerpt of only ellipses is read without delay", () => {
  expect(wholeSentences("... ".repeat(50_000))).toBe("");
  expect(wholeSentences(`${" ".repeat(100_000)}x`)).toBe("");
});
