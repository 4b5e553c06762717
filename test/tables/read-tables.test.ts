import { describe, expect, test } from "vitest";
import { chunk, cutDocument } from "../../src/ingest/chunk.js";
import { unpacked } from "../../src/tables/packed.js";
import type { SourceDocument } from "../../src/types/evidence.js";
import { markdown } from "../ingest/documents.js";

function cut(document: SourceDocument) {
  const { passages, tables } = cutDocument(document);
  return { passages, tables: tables.flatMap((table) => unpacked(table) ?? []) };
}

const tablesOf = (text: string, title = "") => cut(markdown(text, title)).tables;

/** A Markdown table; rows are lines, and cells are separated by bars. */
const table = (rows: string) => {
  const [head = "", ...others] = rows.trim().split("\n");
  const line = (row: string) => `| ${row.trim()} |`;
  const ruler = `|${" --- |".repeat(head.split(/(?<!\\)\|/).length)}`;
  return [line(head), ruler, ...others.map(line)].join("\n");
};

const rowsOf = (text: string) => tablesOf(text).map(({ cells }) => cells.map((row) => row.join("/")));

describe("a table", () => {
  const text = `# Jobs\n\n## Open jobs\n\nWe look after them.\n\n${table("Job | Cost (EUR)\nRoof | 1,200.50\nDoor | 80")}\n`;

  test("has its rows as they are written, and their values", () => {
    expect(tablesOf(text, "Jobs")).toEqual([
      {
        id: "docs/a.md#table0",
        documentId: "docs/a.md",
        name: "Open jobs",
        title: "Jobs",
        uri: "docs/a.md",
        section: "Open jobs",
        reviewedAt: "2024-05-01",
        language: "en",
        columns: [
          {
            name: "Job",
            type: "text",
            unit: "",
            empty: 0,
            odd: 0,
            values: ["Roof", "Door"],
            isWhole: true,
            different: 2,
          },
          {
            name: "Cost (EUR)",
            type: "money",
            unit: "EUR",
            empty: 0,
            odd: 0,
            values: ["1,200.50", "80"],
            range: [80, 1200.5],
            isWhole: true,
            different: 2,
          },
        ],
        rows: 2,
        firstRows: [
          ["Roof", "1,200.50"],
          ["Door", "80"],
        ],
        struck: 0,
        notes: [],
        metadata: {},
        cells: [
          ["Roof", "1,200.50"],
          ["Door", "80"],
        ],
        values: [
          ["Roof", 1200.5],
          ["Door", 80],
        ],
        passages: [0, 0],
      },
    ]);
  });

  test("has the scope of its document, and the date of its page", () => {
    const [first, second] = cut({
      ...markdown(`${table("a | b\n1 | 2\n3 | 4")}\n\n${table("c | d\n1 | 2\n3 | 4")}`),
      metadata: { team: "red" },
      places: [
        { start: 0, name: "Sheet1", reviewedAt: "2026-01-01" },
        { start: 41, name: "Stock", reviewedAt: "" },
      ],
    }).tables;
    expect(first).toMatchObject({ section: "Sheet1", reviewedAt: "2026-01-01", metadata: { team: "red" } });
    expect(second).toMatchObject({ name: "Stock", section: "Stock", reviewedAt: "" });
  });

  test("says in which passage each of its rows begins", () => {
    const rows = Array.from({ length: 300 }, (_, i) => `Job ${i} | a part of the roof of house ${i} | ${i}`);
    const { passages, tables } = cut(
      markdown(`# Jobs\n\nSome words.\n\n${table(`Job | What | Cost\n${rows.join("\n")}`)}\n\nThe end of it.`),
    );
    const [one] = tables;
    expect(passages.length).toBeGreaterThan(5);
    for (const [i, [job = ""]] of (one?.cells ?? []).entries())
      expect(passages[one?.passages[i] ?? -1]?.text).toContain(`| ${job} |`);
  });

  test("whose parts follow each other is one", () => {
    const part = (from: number) => table(`Job | Cost\n${[0, 1, 2].map((i) => `J${from + i} | 5`).join("\n")}`);
    expect(rowsOf(`${part(0)}\n\n${part(3)}\n\n${part(6)}`).map((rows) => rows.length)).toEqual([9]);
    expect(rowsOf(`${part(0)}\n\nIn May:\n\n${part(3)}`).map((rows) => rows.length)).toEqual([3, 3]);
    const pages = { ...markdown(`${part(0)}\n\n${part(3)}`), places: [0, part(0).length + 2] };
    const places = pages.places.map((start, i) => ({ start, name: `p. ${i + 1}` }));
    expect(cut({ ...pages, places }).tables).toMatchObject([{ rows: 6, section: "p. 1" }]);
  });

  test("in a quotation or with bars in its cells is read", () => {
    expect(rowsOf("> | a | b |\n> | --- | --- |\n> | x | 2 |\n> | y | 4 |")).toEqual([["x/2", "y/4"]]);
    expect(rowsOf(table("a | b\nx \\| z | 2\ny | 4"))).toEqual([["x | z/2", "y/4"]]);
  });

  test("has headings that differ, also if the document repeats one", () => {
    const [one] = tablesOf(table("Name | Cost | name\nx | 1 | 2\ny | 3 | 4"));
    expect(one?.columns.map(({ name }) => name)).toEqual(["Name (1)", "Cost", "name (2)"]);
  });

  test.each([
    ["with one row", table("a | b\n1 | 2")],
    ["with one column", table("a\nx\ny")],
    ["without a header", table(" | \nx | 1\ny | 2")],
    ["whose first row is data", table("Roof | 12.50\nDoor | 80.00\nWall | 5.20")],
    [
      "whose first row is data with dates",
      table("2026-05-01 | Roof | a\n2026-05-02 | Door | b\n2026-05-03 | Wall | c"),
    ],
    ["of names and values", table("Owner | Ann\nPhone | 0123 45\nSince | 2026-05-12\nFee | EUR 5")],
    ["of names with colons", table("Owner: | Ann\nDeputy: | Bo\nClerk: | Cy")],
    [
      "that arranges a text",
      table(`a | b\n${"some words ".repeat(40)} | ${"more words ".repeat(40)}\n${"and more ".repeat(40)} | x`),
    ],
    ["in code", `\`\`\`\n${table("a | b\n1 | 2\n3 | 4")}\n\`\`\``],
  ])("%s is none", (_, text) => expect(tablesOf(text)).toEqual([]));

  test("whose columns are years, months or numbers of days has a header", () => {
    expect(rowsOf(table("Line | 2024 | 2025\nA | 1 | 2\nB | 3 | 4"))).toHaveLength(1);
    expect(rowsOf(table("Name | 1 | 2 | 3\nA | 5 | 6 | 7\nB | 8 | 9 | 10"))).toHaveLength(1);
  });
});

describe("a table is called", () => {
  const rows = table("a | b\nx | 2\ny | 4");
  test.each([
    ["by the line above it", `# T\n\n## Costs\n\nTravel 2026\n\n${rows}`, "Travel 2026"],
    ["by its caption", `# T\n\nThe table shows it.\n\nTable 3: Travel\n\n${rows}`, "Table 3: Travel"],
    ["by its heading, if a sentence stands above it", `# T\n\n## Costs\n\nThis is what we spent.\n\n${rows}`, "Costs"],
    ["by its heading, if a line of data stands above it", `# T\n\n## Costs\n\nOwner: Ann\n\n${rows}`, "Costs"],
    ["by its document", `# T\n\n${rows}`, "T"],
  ])("%s", (_, text, name) => expect(tablesOf(text, "T")[0]?.name).toBe(name));

  test("and lines between its name and its header are notes, as are those below it", () => {
    const text = `## Costs\n\nTravel 2026\n\nAs of: 1 May\n\n${rows}\n\nSource: the ledger\n\nThe rest is prose.`;
    expect(tablesOf(text)[0]).toMatchObject({ name: "Travel 2026", notes: ["As of: 1 May", "Source: the ledger"] });
  });
});

describe("rows that are no data are notes", () => {
  const notesOf = (rows: string) => tablesOf(table(rows)).map(({ notes, rows: count }) => [count, ...notes]);

  test("totals, by their label and their sum", () => {
    expect(notesOf("City | Nights | Cost\nRome | 2 | 300\nKiel | 1 | 80\n**Total** | 3 | 380")).toEqual([
      [2, "**Total** | 3 | 380"],
    ]);
    expect(notesOf("城市 | 晚数 | 费用\n罗马 | 2 | 300\n基尔 | 1 | 80\n合 计 | 3 | 380")).toEqual([
      [2, "合 计 | 3 | 380"],
    ]);
    expect(notesOf("City | Cost\nRome | 300\nKiel | 80\nAverage | 190")).toEqual([[2, "Average | 190"]]);
    expect(notesOf("City | Cost\nTotal | 380\nRome | 300\nKiel | 80")).toEqual([[2, "Total | 380"]]);
  });

  test("totals whose sum does not agree, if they are set apart", () => {
    expect(notesOf("City | Cost\nRome | 300\nKiel | 80\nTotal (all cities) | 900")).toEqual([
      [2, "Total (all cities) | 900"],
    ]);
  });

  test("subtotals, and the sum below them", () => {
    expect(
      notesOf(
        "Area | City | Cost\nSouth | Rome | 300\nSouth | Bari | 80\nSubtotal South | | 380\nNorth | Kiel | 5\nNorth total | | 5\nTotal | | 385",
      ),
    ).toEqual([[3, "Subtotal South | 380", "North total | 5", "Total | 385"]]);
  });

  test("a last row of sums without a label", () => {
    expect(notesOf("City | Nights | Cost\nRome | 2 | 300\nKiel | 1 | 80\n | 3 | 380")).toEqual([[2, "3 | 380"]]);
    expect(notesOf("City | Nights | Cost\nRome | 2 | 300\nKiel | 1 | 80\n | 3 | 100")).toEqual([[3]]);
  });

  test("but a customer that is called so is data", () => {
    expect(notesOf("Customer | Cost\nAcme | 300\nTotal Energies | 80\nZeta | 5")).toEqual([[3]]);
    expect(notesOf("Customer | Cost\nAcme | 300\nZeta | 5\nTotal Energies | 80")).toEqual([[3]]);
    expect(notesOf("Customer | City | Cost\nAcme | Rome | 300\nTotal | Paris | 80\nZeta | Kiel | 5")).toEqual([[3]]);
    expect(notesOf("Customer | Cost\nAcme | 300\nSumitomo | 300\nMeanwhile | 600")).toEqual([[3]]);
  });

  test("notes at the end, titles of groups, and headers that are repeated", () => {
    expect(notesOf("City | Nights | Cost\nRome | 2 | 300\nKiel | 1 | 80\nWithout VAT. | | ")).toEqual([
      [2, "Without VAT."],
    ]);
    expect(
      notesOf(
        "City | Nights | Cost\nSouth | | \nRome | 2 | 300\nNorth | | \nKiel | 1 | 80\nCity | Nights | Cost\nOslo | 1 | 7",
      ),
    ).toEqual([[3, "South", "North"]]);
  });

  test("but a row with only a name is data", () => {
    expect(notesOf("City | Nights | Cost\nRome | 2 | 300\nBari | | \nKiel | 1 | 80")).toEqual([[3]]);
  });
});

test("a total does not decide the type of a column", () => {
  const [one] = tablesOf(table("Opened | Cost\n2026-05-01 | 5\n2026-05-02 | 6\nTotal | 11"));
  expect(one?.columns.map(({ type, odd }) => [type, odd])).toEqual([
    ["date", 0],
    ["number", 0],
  ]);
});

describe("a table whose header is too long to be repeated", () => {
  const heads = Array.from({ length: 60 }, (_, i) => `Field ${i} of the form`);
  const row = (n: number) => heads.map((_, i) => (i % 3 === 0 ? `value ${n}-${i}` : "")).join(" | ");
  const text = `# Jobs\n\nBefore.\n\n${table(`${heads.join(" | ")}\n${row(1)}\n${row(2)}`)}\n\nAfter.`;

  test("is a table, and its rows are words in the passages", () => {
    const { passages, tables } = cut(markdown(text, "Jobs"));
    expect(tables).toMatchObject([{ rows: 2, name: "Jobs" }]);
    const whole = passages.map((passage) => passage.text).join("\n");
    expect(whole).toContain("Field 0 of the form: value 1-0; Field 3 of the form: value 1-3; ");
    expect(whole).not.toContain("---");
    expect(whole).toMatch(/^# Jobs\n\nBefore\.[\s\S]*After\.$/);
    for (const [i, position] of (tables[0]?.passages ?? []).entries())
      expect(passages[position]?.text).toContain(`value ${i + 1}-0`);
  });

  test("keeps the places of the text behind it", () => {
    const places = [
      { start: 0, name: "p. 1" },
      { start: text.indexOf("After."), name: "p. 2" },
    ];
    expect(chunk({ ...markdown(text), places }).at(-1)).toMatchObject({ section: "Jobs › p. 2", text: "After." });
  });
});

describe("a hostile table is left out or read in time", () => {
  test("with more than a million cells", () => {
    const rows = `${"1 | ".repeat(99)}1\n`.repeat(10_001);
    const { passages, tables } = cut(markdown(table(`${"a | ".repeat(99)}a\n${rows}`)));
    expect(tables).toEqual([]);
    expect(passages.length).toBeGreaterThan(100);
  });

  test.each([
    ["of 100,000 columns", table(`${"a | ".repeat(99_999)}a\n${"1 | ".repeat(99_999)}1\n${"2 | ".repeat(99_999)}2`)],
    ["of totals", table(`a | b\n${"Total | 1\n".repeat(50_000)}`)],
    ["of headers", `${table("a | b\nx | y")}\n\n`.repeat(20_000)],
    ["of long digits", table(`a | b\n${`${"1,".repeat(5_000)} | ${"9".repeat(5_000)}\n`.repeat(100)}`)],
    ["of brackets", table(`a | b\n${`${"[".repeat(2_000)} | ${"~".repeat(2_000)}\n`.repeat(100)}`)],
  ])("%s", (_, text) => {
    for (const { cells, values, passages, rows } of tablesOf(text)) {
      expect([values.length, passages.length, rows]).toEqual([cells.length, cells.length, cells.length]);
    }
  });
});

test("a row that is struck out is counted apart, and a last row of sums is none whatever it is called", () => {
  const [table] = tablesOf(
    "| Shop | Region | Jan | Feb |\n|-|-|-|-|\n| A | North | £10 | £20 |\n| ~~B~~ | ~~South~~ | ~~£5~~ | ~~£6~~ |\n| C | West | £30 | £5 |\n| All shops | | £40 | £25 |",
  );
  expect(table).toMatchObject({ rows: 2, struck: 1, notes: ["All shops | £40 | £25"] });
});

test("a heading may hold the word half, and a caption a colon in brackets", () => {
  const [table] = tablesOf("销售额（单位：万元）\n\n| Shop | Half-year |\n|-|-|\n| A | 10 |\n| B | 20 |");
  expect(table).toMatchObject({ name: "销售额（单位：万元）", rows: 2 });
});
