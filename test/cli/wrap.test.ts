import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { wrap } from "../../src/cli/screen.js";

const ENGLISH = "Travel abroad is approved by the head of the department, and by finance above 2,000 euros [1].";
const CHINESE = "出国差旅由部门负责人审批，超过两千欧元的（含住宿）还须财务批准[1]。";

describe.each([
  ["English", ENGLISH, " "],
  ["Chinese", CHINESE, ""],
])("%s text", (_name, text, space) => {
  test("fits every width, and loses nothing", () => {
    for (let width = 14; width < 100; width++) {
      const lines = wrap(text, width).split("\n");
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join(space)).toBe(text);
    }
  });

  test("keeps its earlier line breaks when another sentence follows", () => {
    const both = [text, text].join(space);
    for (let width = 14; width < 100; width++) expect(wrap(both, width).startsWith(wrap(text, width))).toBe(true);
  });
});

test("no wrapped line begins with closing punctuation or a reference, or ends with an opening bracket", () => {
  for (let width = 14; width < 80; width++)
    for (const line of wrap(CHINESE, width).split("\n")) {
      expect(line).not.toMatch(/^[，。）\][]/);
      expect(line).not.toMatch(/（$/);
    }
});

test("wrapped lines of a list are indented under its text", () => {
  expect(wrap("1. Ask the head of the department.", 20)).toBe("1. Ask the head of\n   the department.");
  expect(wrap("[12] A title", 11)).toBe("[12] A\n     title");
});

test("a word that is longer than a line stays whole", () => {
  expect(wrap("see https://example.org/a/very/long/path now", 12)).toBe(
    "see\nhttps://example.org/a/very/long/path\nnow",
  );
});

test("piped output is not wrapped", () => {
  expect(wrap(ENGLISH, Number.POSITIVE_INFINITY)).toBe(ENGLISH);
});
