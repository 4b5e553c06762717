import { describe, expect, test } from "vitest";
import { pagesAsMarkdown } from "../../src/text/layout/pages.js";
import type { Page, Rule, Word } from "../../src/text/layout/words.js";

/** The words of a line from `x` on; letters are half as wide as they are high. */
function line(x: number, y: number, text: string, height = 10, isBold = false): Word[] {
  let at = x;
  return text.split(" ").map((word) => {
    const width = word.length * height * (/\p{Script=Han}/u.test(word) ? 1 : 0.5);
    const placed = { text: word, x: at, y, width, height, isBold };
    at += width + height / 4;
    return placed;
  });
}
const row = (y: number, xs: readonly number[], cells: readonly string[], isBold = false) =>
  cells.flatMap((cell, i) => (cell === "" ? [] : line(xs[i] ?? 0, y, cell, 10, isBold)));
const page = (words: readonly Word[], rules: readonly Rule[] = []): Page => ({ width: 600, height: 800, words, rules });
const read = (words: readonly Word[], rules: readonly Rule[] = []) => pagesAsMarkdown([page(words, rules)])[0];

const LEFT = [
  "A guest berth costs EUR 28 a night and",
  "boats above 12 metres pay EUR 41. Here",
  "ropes are lent by the harbour master for",
  "a deposit of EUR 50 until the evening.",
];
const RIGHT = [
  "Diesel is sold from seven to noon at the",
  "west pump. Odd Lunde keeps the key, and",
  "closes the pump during storms. Every can",
  "holds at most 20 litres of fuel.",
];

describe("columns", () => {
  test.each([
    ["on the same lines", 0],
    ["half a line lower", 6],
  ])("are read one after the other, below a title over both: %s", (_, lower) => {
    const words = [
      ...line(50, 40, "Notes about the harbour and its many pumps and its berths for guests in 2026"),
      ...LEFT.flatMap((text, i) => line(50, 70 + i * 12, text)),
      ...RIGHT.flatMap((text, i) => line(310, 70 + lower + i * 12, text)),
    ];
    expect(read(words)).toBe(
      `Notes about the harbour and its many pumps and its berths for guests in 2026\n\n${LEFT.join("\n")}\n\n${RIGHT.join("\n")}`,
    );
  });

  test("three columns, and text below that runs across them", () => {
    const [a, b, c] = [0, 1, 2].map((n) => LEFT.map((text) => `${n} ${text.slice(0, 22).trim()}`));
    const words = [a, b, c].flatMap(
      (lines, n) => lines?.flatMap((text, i) => line(40 + n * 180, 40 + i * 12, text)) ?? [],
    );
    const below = "The whole page ends with this one long line, which crosses all of its three columns.";
    expect(read([...words, ...line(40, 110, below)])).toBe(
      [a, b, c]
        .map((lines) => lines?.join("\n"))
        .concat(below)
        .join("\n\n"),
    );
  });

  test("a sentence goes on in the next column", () => {
    const left = [...LEFT.slice(0, 3), "a deposit of EUR 50 until the evening"];
    const words = [
      ...left.flatMap((text, i) => line(50, 70 + i * 12, text)),
      ...["of the same day", ...RIGHT].flatMap((text, i) => line(310, 70 + i * 12, text)),
    ];
    expect(read(words)).toContain("until the evening\nof the same day");
  });

  test("a column of short lines beside running text is no table", () => {
    const side = ["Contact", "Anna Berg", "Quay 3", "Bergen"];
    const words = [
      ...[...LEFT, ...LEFT].flatMap((text, i) => line(50, 70 + i * 12, text)),
      ...side.flatMap((text, i) => line(400, 70 + i * 12, text)),
    ];
    expect(read(words)).toBe(`${[...LEFT, ...LEFT].join("\n")}\n\n${side.join("\n")}`);
  });

  test("two short lines far apart on one line are no sentence", () => {
    expect(read([...line(50, 50, "Anna keeps the key"), ...line(400, 50, "Ropes are lent")])).toBe(
      "Anna keeps the key\n\nRopes are lent",
    );
  });

  test("numbers of sections, bullets and form labels stay with what follows them", () => {
    const list = ["2.1", "2.2", "2.3"].flatMap((number, i) => row(50 + i * 12, [50, 120], [number, `Part ${i}`]));
    expect(read(list)).toBe("2.1 Part 0\n2.2 Part 1\n2.3 Part 2");
    const form = ["Name:", "Town:", "Date:"].flatMap((label, i) => row(50 + i * 12, [50, 120], [label, `value ${i}`]));
    expect(read(form)).toBe("Name: value 0\n\nTown: value 1\n\nDate: value 2");
  });
});

describe("tables without borders", () => {
  test("rows with their header; a title above and a note below are no rows", () => {
    const xs = [50, 200, 300];
    const words = [
      ...line(50, 20, "Limits in 2026"),
      ...row(50, xs, ["City", "Hotel", "Meals"]),
      ...row(65, xs, ["Oslo", "EUR 210", "EUR 80"]),
      ...row(80, xs, ["Rome", "EUR 150", ""]),
      ...line(50, 95, "Without taxes."),
    ];
    expect(read(words)).toBe(
      "Limits in 2026\n\n| City | Hotel | Meals |\n| --- | --- | --- |\n| Oslo | EUR 210 | EUR 80 |\n| Rome | EUR 150 |  |\n\nWithout taxes.",
    );
  });

  test("cells and names of several lines are joined", () => {
    const xs = [50, 160, 420];
    const words = [
      ...row(50, xs, ["", "Task", "Latest"]),
      ...row(62, xs, ["Role", "in short", "hour"]),
      ...row(80, xs, ["Skipper", "Checks the ropes and signs the log", "08:00"]),
      ...row(92, xs, ["", "before the boat leaves.", ""]),
      ...row(110, xs, ["Mate", "Fills the tanks.", "07:30"]),
    ];
    expect(read(words)).toBe(
      "| Role | Task in short | Latest hour |\n| --- | --- | --- |\n| Skipper | Checks the ropes and signs the log before the boat leaves. | 08:00 |\n| Mate | Fills the tanks. | 07:30 |",
    );
  });

  test("the first of several like rows is no header", () => {
    const words = ["Net", "Tax", "Total"].flatMap((name, i) => row(50 + i * 14, [50, 200], [name, `EUR ${i + 1}0`]));
    expect(read(words)).toBe("|  |  |\n| --- | --- |\n| Net | EUR 10 |\n| Tax | EUR 20 |\n| Total | EUR 30 |");
  });

  test("two tables, one below the other, stay apart", () => {
    const words = [
      ...["Oslo", "Rome", "Lima"].flatMap((city, i) => row(50 + i * 14, [50, 200, 300], [city, "a", "b"])),
      ...["Rope", "Buoy", "Sail"].flatMap((item, i) => row(140 + i * 14, [50, 200, 300], [item, "c", "d"])),
    ];
    expect(read(words)?.split("\n\n")).toHaveLength(2);
  });
});

/** The borders of a table at these places. */
const borders = (xs: readonly number[], ys: readonly number[]): Rule[] => {
  const [left = 0, end = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
  return [
    ...xs.map((x) => ({ x1: x, x2: x, y1: top, y2: bottom })),
    ...ys.map((y) => ({ x1: left, x2: end, y1: y, y2: y })),
  ];
};

describe("tables with borders", () => {
  const xs = [45, 150, 250, 350];
  test("each cell is one text; Chinese lines are joined without a space", () => {
    const words = [
      ...row(50, [50, 155, 255], ["岗位", "月薪", "备注"]),
      ...row(70, [50, 155, 255], ["前台", "6500元", "含餐补"]),
      ...line(255, 82, "不含交通"),
    ];
    expect(read(words, borders(xs, [45, 65, 95]))).toBe(
      "| 岗位 | 月薪 | 备注 |\n| --- | --- | --- |\n| 前台 | 6500元 | 含餐补不含交通 |",
    );
  });

  test("lines without borders between them are rows, if every column has one", () => {
    const words = [
      ...row(50, [50, 155, 255], ["City", "Hotel", "Meals"]),
      ...["Oslo", "Rome", "Lima"].flatMap((city, i) => row(70 + i * 14, [50, 155, 255], [city, `EUR ${i}`, "none"])),
    ];
    expect(read(words, borders(xs, [45, 65, 115]))).toBe(
      "| City | Hotel | Meals |\n| --- | --- | --- |\n| Oslo | EUR 0 | none |\n| Rome | EUR 1 | none |\n| Lima | EUR 2 | none |",
    );
  });

  test("a name over two columns is put before theirs, and a cell over two rows is in both", () => {
    const walls = borders(xs, [45, 65, 85, 105, 125]).filter(
      ({ x1, x2, y1 }) => !(x1 === x2 && x1 === 250) && y1 !== 105,
    );
    const rules = [...walls, { x1: 250, x2: 250, y1: 65, y2: 125 }, { x1: 150, x2: 350, y1: 105, y2: 105 }];
    const words = [
      ...row(50, [50, 200], ["Grade", "Year 2026"]),
      ...row(70, [155, 255], ["Day", "Night"]),
      ...row(95, [50], ["Senior"]),
      ...row(90, [155, 255], ["20", "30"]),
      ...row(110, [155, 255], ["22", "33"]),
    ];
    expect(read(words, rules)).toBe(
      "| Grade | Year 2026 Day | Year 2026 Night |\n| --- | --- | --- |\n| Senior | 20 | 30 |\n| Senior | 22 | 33 |",
    );
  });
});

test("a table that goes on on the next page has its header there, repeated by the page or not", () => {
  const rows = (from: number) =>
    [0, 1, 2, 3].flatMap((i) => row(50 + i * 14, [50, 200, 300], [`Part ${from + i}`, "box", `EUR ${from + i}.50`]));
  const head = (y: number) => row(y, [50, 200, 300], ["Item", "Unit", "Price"]);
  const pages = pagesAsMarkdown([
    page([...head(36), ...rows(0)]),
    page(rows(4)),
    page([...head(36), ...rows(8)]),
    page([...head(36), ...rows(12)]),
  ]);
  for (const [i, text] of pages.entries())
    expect(text).toMatch(new RegExp(`^\\| Item \\| Unit \\| Price \\|\n\\| --- .*\n\\| Part ${i * 4} \\| box`));
});

describe("raised and crossed words", () => {
  const raised = (x: number, text: string): Word => ({ text, x, y: 49.9, width: 4, height: 6 });
  test("a power is a superscript, the mark of a note of the page is left out, and what is lowered stays", () => {
    const words = [
      ...line(50, 50, "The dose is 10"),
      raised(113, "5"),
      ...line(125, 50, "per m"),
      raised(148, "2"),
      ...line(160, 50, "for guests"),
      raised(208, "2"),
      ...line(220, 50, "of H"),
      { text: "2", x: 237.5, y: 55, width: 4, height: 6 },
      ...line(241.5, 50, "O"),
      { text: "2", x: 50, y: 699, width: 3, height: 5 },
      ...line(53, 700, "Not for crews.", 8),
    ];
    expect(read(words)).toBe("The dose is 10⁵ per m² for guests of H2O\n\n2 Not for crews.");
  });

  test("words that a line crosses are struck out; underlined ones and those on a longer line are not", () => {
    const [a, b] = [line(50, 50, "EUR 90 EUR 75"), line(50, 80, "under lined")];
    const rule = (x1: number, x2: number, y: number) => ({ x1, x2, y1: y, y2: y });
    expect(read([...a, ...b], [rule(50, 77.5, 55.5), rule(50, 110, 89)])).toBe("~~EUR 90~~ EUR 75\nunder lined");
    expect(read(a, [rule(0, 500, 55.5)])).toBe("EUR 90 EUR 75");
  });
});

test("Chinese written from the top down, letter by letter, is read column by column from the right", () => {
  const columns = ["港口办公室工作日八点开门，", "五点关门。访客须在中午前付", "费。"];
  const words = columns.flatMap((column, c) =>
    [...column].map((text, i) => ({ text, x: 400 - c * 24, y: 50 + i * 15, width: 14, height: 14 })),
  );
  expect(read(words)).toBe(columns.join(""));
});

test("a comment is a block after what it stands beside, in the language of the comment", () => {
  const words = [
    ...line(50, 50, "The fee is EUR 90."),
    ...line(50, 62, "Dogs pay half."),
    ...line(50, 100, "The end."),
  ];
  const comments = [
    { x: 60, y: 52, author: "Ana Berg", text: "agreed\nby phone" },
    { x: 60, y: 104, author: "", text: "已确认" },
  ];
  expect(pagesAsMarkdown([{ ...page(words), comments }])).toEqual([
    "The fee is EUR 90.\nDogs pay half.\n\n> Comment by Ana Berg: agreed by phone\n\nThe end.\n\n> 批注：已确认",
  ]);
});

test("a page of many words in disorder takes a few seconds at most", { timeout: 60_000 }, () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const words = Array.from({ length: 40_000 }, (_, i) => ({
    text: `w${i}`,
    x: random() * 600,
    y: random() * 800,
    width: 6,
    height: 1 + random() * 30,
  }));
  expect(read(words)?.length).toBeGreaterThan(40_000);
});
