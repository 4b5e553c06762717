import { expect, test } from "vitest";
import { underOthers } from "../../src/reading/headings.js";
import { unitsOf } from "../../src/reading/units.js";
import { task } from "./local-evidence.js";

const CHANGES =
  "# Changes\n\nAll are free.\n\n## 3.1.2\n\n### Fixed\n\n- A leak.\n\n## 3.1.0\n\n### Added\n\n- Dark mode.\n- Replaces 3.1.2.";
const OFFICES = "## Leeds\n\nIt opens at nine.\n\n## Bergen\n\nIt opens at ten. Leeds opens later.";
const DEPOTS = "## 郑州仓\n\n负责人：韩雪\n\n## 南京仓\n\n负责人：李敏";

/** What the question names and each sentence lacks: names, amounts. */
function lacking(question: string, text: string, rest: { title?: string; section?: string } = {}) {
  const [evidence] = task(question, text).evidence;
  if (!evidence) throw new Error("no evidence");
  const lacks = underOthers(question);
  return unitsOf({ ...evidence, ...rest })
    .filter(({ states }) => states)
    .map((unit) => Object.values(lacks(unit)).join(" "));
}

test("a sentence under another heading lacks the version, the place or the person that its neighbour's heading names", () => {
  expect(lacking("What was fixed in 3.1.2?", CHANGES)).toEqual(["0 0", "0 0", "1 0", "0 0"]);
  expect(lacking("What is new in 3.1.0?", CHANGES)).toEqual(["0 0", "1 0", "0 0", "0 0"]);
  expect(lacking("When does the Leeds office open?", OFFICES)).toEqual(["0 0", "1 0", "0 0"]);
  expect(lacking("郑州仓的负责人是谁？", DEPOTS)).toEqual(["0 0", "1 0"]);
});

test("a sentence with one of several names of the question lacks none", () => {
  expect(lacking("Do Leeds and Bergen open at nine?", OFFICES)).toEqual(["0 0", "0 0", "0 0"]);
  expect(lacking("What changed between 3.1.0 and 3.1.2?", CHANGES)).toEqual(["0 0", "0 0", "0 0", "0 0"]);
});

test("a sentence lacks nothing if no heading names what the question does", () => {
  expect(lacking("When does the York office open?", OFFICES)).toEqual(["0 0", "0 0", "0 0"]);
  expect(lacking("What is new?", CHANGES)).toEqual(["0 0", "0 0", "0 0", "0 0"]);
});

test("a sentence lacks nothing that is above all of its passage", () => {
  expect(lacking("When does the Leeds office open?", OFFICES, { title: "Leeds and Bergen" })).toEqual([
    "0 0",
    "0 0",
    "0 0",
  ]);
  expect(lacking("When does the Leeds office open?", OFFICES, { section: "Offices › Leeds" })).toEqual([
    "0 0",
    "0 0",
    "0 0",
  ]);
});

test("the number of a heading is not what it is about", () => {
  const rules = "## 1. Values\n\nThey are trust, care and time.\n\n## 3. Hiring\n\nTwo people decide.";
  expect(lacking("What are the 3 values?", rules)).toEqual(["0 0", "0 0"]);
  const chinese = "## 一、价值观\n\n它们是信任、关怀和时间。\n\n## 三、招聘\n\n由两人决定。";
  expect(lacking("3条价值观是什么？", chinese)).toEqual(["0 0", "0 0"]);
});
