import { describe, expect, test } from "vitest";
import { quoteBoxes } from "../../../src/text/layout/quote-boxes.js";
import type { Page } from "../../../src/text/layout/words.js";

/** A page of 100 by 100 with lines of words, each ten high; a letter is one wide. */
function page(lines: readonly (readonly [x: number, y: number, text: string])[]): Page {
  const words = lines.flatMap(([x, y, text]) =>
    [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
      text: word,
      x: x + index,
      y,
      width: word.length,
      height: 2,
    })),
  );
  return { width: 100, height: 100, words };
}

/** Boxes in whole hundredths: x, y, width, height. */
const boxes = (...given: Parameters<typeof quoteBoxes>) =>
  quoteBoxes(...given).map((box) => [box.x, box.y, box.width, box.height].map((share) => Math.round(share * 100)));

describe("the boxes of a quote", () => {
  test("are one for each line that it stands on", () => {
    const text = "The ferry leaves at six. It returns at ten.";
    const read = page([
      [10, 10, "The ferry leaves"],
      [10, 13, "at six. It returns at ten."],
    ]);
    expect(boxes(read, text, ["The ferry leaves at six."])).toEqual([
      [10, 10, 16, 2],
      [10, 13, 7, 2],
    ]);
  });

  test("leave out hyphens at line ends, bullets and the marks of Markdown", () => {
    const read = page([
      [10, 10, "• The timeta-"],
      [10, 13, "ble is printed"],
    ]);
    const quote = "- The **timetable** is printed";
    expect(boxes(read, quote, [quote])).toEqual([
      [12, 10, 11, 2],
      [10, 13, 14, 2],
    ]);
  });

  test("are those of the place whose words before it are the same", () => {
    const read = page([
      [10, 10, "Adults: two days."],
      [10, 13, "Pupils: two days."],
    ]);
    expect(boxes(read, "Pupils: two days.", ["two days."])).toEqual([[18, 13, 9, 2]]);
  });

  test("are found in pieces where the words are drawn in another order", () => {
    const read = page([
      [10, 10, "The harbour master"],
      [60, 10, "large cans need a permit"],
      [10, 13, "lends out ropes"],
    ]);
    const quote = "The harbour master lends out ropes";
    expect(boxes(read, quote, [quote])).toEqual([
      [10, 10, 18, 2],
      [10, 13, 15, 2],
    ]);
  });

  test("are found for a part of a Chinese line, and of a line that is known as a whole", () => {
    const read: Page = {
      width: 100,
      height: 100,
      words: [{ text: "首班渡轮六点开。末班十点开。", x: 0, y: 0, width: 28, height: 2 }],
    };
    expect(boxes(read, "首班渡轮六点开。末班十点开。", ["末班十点开。"])).toEqual([[16, 0, 12, 2]]);
  });

  test("of the value of a form field are the field, wherever the value is read", () => {
    const value = { text: "Ann", x: 16, y: 10, width: 3, height: 2, shownAt: { x1: 50, y1: 9, x2: 80, y2: 13 } };
    const read: Page = { width: 100, height: 100, words: [...page([[10, 10, "Name:"]]).words, value] };
    expect(boxes(read, "Name: Ann", ["Name: Ann"])).toEqual([
      [10, 10, 5, 2],
      [50, 9, 30, 4],
    ]);
  });

  test.each([
    [90, [88, 10, 2, 9]],
    [180, [81, 88, 9, 2]],
    [270, [10, 81, 2, 9]],
  ] as const)("are turned back on a page whose words run at %d degrees", (degrees, box) => {
    expect(boxes({ ...page([[10, 10, "The ferry"]]), degrees }, "The ferry", ["The ferry"])).toEqual([box]);
  });

  test("are found in the words of a margin", () => {
    const turned = [{ ...page([[10, 10, "Printed in Lisbon"]]), degrees: 90 }];
    expect(boxes({ ...page([[0, 0, "Text"]]), turned }, "Printed in Lisbon", ["Printed in Lisbon"])).toHaveLength(1);
  });

  test.each(["The bridge opened in 1998.", "", "…", "(.*)+["])("are none for %j, which is not there", (quote) => {
    expect(quoteBoxes(page([[10, 10, "The ferry leaves at six."]]), "", [quote])).toEqual([]);
  });

  test("are found at once among very many repeated letters", () => {
    const read = page(Array.from({ length: 400 }, (_, i) => [0, i, "a".repeat(90)] as const));
    expect(quoteBoxes(read, "", ["ab".repeat(2_500)])).toEqual([]);
    expect(quoteBoxes(read, "", [`${"a".repeat(4_000)}b`]).length).toBeGreaterThan(0);
  });
});
