import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Document, Packer, Paragraph, Table, TableCell, TableRow } from "docx";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cutDocument } from "../../src/ingest/chunk.js";
import { deliver } from "../../src/ingest/deliver.js";
import { contentOf } from "../../src/ingest/formats/registry.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { pageContent, pageStore } from "../../src/ingest/page-store.js";
import { unpacked } from "../../src/tables/packed.js";
import { inMemoryDocuments } from "../../src/testing/documents.js";
import type { PackedTable } from "../../src/types/table.js";
import { utf8 } from "./formats/writers.js";

async function cutIn(name: string, bytes: Uint8Array) {
  const content = await contentOf(bytes, name);
  const { passages, tables } = cutDocument({ documentId: name, uri: name, hash: "", ...content });
  return { passages, tables: allUnpacked(tables) };
}

const tablesIn = async (name: string, bytes: Uint8Array) => (await cutIn(name, bytes)).tables;

const allUnpacked = (tables: readonly PackedTable[]) => tables.flatMap((table) => unpacked(table) ?? []);

const file = (name: string) => readFileSync(new URL(`./formats/files/${name}`, import.meta.url));

const columnsOf = (table: Awaited<ReturnType<typeof tablesIn>>[number] | undefined) =>
  table?.columns.map(({ name, type, unit }) => [name, type, unit].join(" ").trim());

describe("the tables of a file", () => {
  test.each(["budget.xlsx", "budget.ods", "budget.xls"])(
    "of %s: titles, merged cells, totals, two in a sheet",
    async (name) => {
      const [budget, items, people] = await tablesIn(name, file(name));
      expect(budget).toMatchObject({ name: "Budget 2026", section: "Budget", rows: 4 });
      expect(columnsOf(budget)).toEqual([
        "Region text",
        "City text",
        "Cost (EUR) money EUR",
        "Share share %",
        "Date date",
      ]);
      expect(budget?.values).toEqual([
        ["Europe", "Paris", 1204.5, 12, "2026-05-01"],
        ["Europe", "Rome", 1200, 13, "2026-05-02"],
        ["Asia", "Tokyo", -5, 50, "2026-05-03"],
        ["Asia", "Seoul", 80, 25, null],
      ]);
      expect(budget?.notes).toEqual([
        "Status: 1 May 2026",
        "Total | 2,479.50 | 100%",
        "Prices without VAT. See the appendix.",
      ]);
      expect(items).toMatchObject({ name: "Budget", section: "Budget", rows: 3 });
      expect(columnsOf(items)).toEqual(["Item text", "Count number", "Fresh yes/no"]);
      expect(people).toMatchObject({ name: "Sheet2", rows: 3 });
      expect(people?.columns.map(({ type }) => type)).toEqual(Array(6).fill("text"));
    },
  );

  test("of a PDF, over several pages", async () => {
    const [jobs, ...others] = await tablesIn("jobs.pdf", file("jobs.pdf"));
    expect(others).toEqual([]);
    expect(jobs).toMatchObject({ name: "Jobs", section: "Jobs › p. 1", rows: 100 });
    expect(columnsOf(jobs)).toEqual(["Job text", "State text", "Hours duration h", "Cost number"]);
    expect(jobs?.cells.at(-1)).toEqual(["Job 100", "open", "3 h", "1,250.00"]);
    expect(jobs?.passages.at(-1)).toBeGreaterThan(jobs?.passages[0] ?? 0);
  });

  test("of Word, with merged cells and German numbers", async () => {
    const cell = (text: string, rowSpan = 1) => new TableCell({ rowSpan, children: [new Paragraph(text)] });
    const rows = [
      [cell("Who"), cell("What"), cell("Amount")],
      [cell("Ann", 2), cell("Train"), cell("€ 120,50")],
      [cell("Hotel"), cell("€ 1.250,00")],
      [cell("Bo"), cell("Taxi"), cell("€ 25,00")],
      [cell("Sum"), cell(""), cell("€ 1.395,50")],
    ].map((children) => new TableRow({ children }));
    const document = new Document({
      sections: [
        { children: [new Paragraph("We spent this."), new Paragraph("Table 1: Spending"), new Table({ rows })] },
      ],
    });
    expect(await tablesIn("a.docx", new Uint8Array(await Packer.toBuffer(document)))).toMatchObject([
      {
        name: "Table 1: Spending",
        values: [
          ["Ann", "Train", 120.5],
          ["Ann", "Hotel", 1250],
          ["Bo", "Taxi", 25],
        ],
        notes: ["Sum | € 1.395,50"],
      },
    ]);
  });

  test("of HTML, with a caption, a header of two rows, and merged cells", async () => {
    const html = `<h1>Prices</h1><p>We sell furniture.</p><table><caption>Furniture</caption><tr><th rowspan=2>Item</th><th colspan=2>Price</th></tr>
      <tr><th>net</th><th>gross</th></tr><tr><td>Chair</td><td>$10.00</td><td>$11.90</td></tr><tr><td>Desk</td><td colspan=2>$100.00</td></tr><tr><td>Lamp</td><td>n/a</td><td>$5</td></tr></table>`;
    const [table] = await tablesIn("a.html", utf8(html));
    expect(table?.name).toBe("Furniture");
    expect(columnsOf(table)).toEqual(["Item text", "Price net money USD", "Price gross money USD"]);
    expect(table?.values).toEqual([
      ["Chair", 10, 11.9],
      ["Desk", 100, 100],
      ["Lamp", null, 5],
    ]);
  });

  test("of CSV, with a title, in Chinese, and longer than one part", async () => {
    const [costs] = await tablesIn("费用.csv", utf8("2026年费用\n城市,金额（万元）\n北京,3.5\n上海,12\n合计,15.5\n"));
    expect(costs).toMatchObject({ name: "2026年费用", language: "zh", rows: 2, notes: ["合计 | 15.5"] });
    const rows = Array.from({ length: 1_700 }, (_, i) => `J${i},${i}`);
    const [jobs] = await tablesIn("a.csv", utf8(`Job,Hours\n${rows.join("\n")}\n`));
    expect(jobs).toMatchObject({ rows: 1_700, section: "" });
    expect(jobs?.values.at(-1)).toEqual(["J1699", 1699]);
  });

  test("of a CSV with 60 columns, whose rows are words in its passages", async () => {
    const names = Array.from({ length: 60 }, (_, i) => (i === 0 ? "Issue key" : `Custom field (${i})`));
    const rows = Array.from({ length: 600 }, (_, i) =>
      names.map((_, at) => (at === 0 ? `OPS-${i}` : at < 4 ? "x y" : "")),
    );
    const csv = [names, ...rows].map((row) => row.join(",")).join("\n");
    const { passages, tables } = await cutIn("jira.csv", utf8(csv));
    expect(tables).toMatchObject([{ rows: 600 }]);
    expect(tables[0]?.cells[599]?.slice(0, 3)).toEqual(["OPS-599", "x y", "x y"]);
    expect(passages[tables[0]?.passages[599] ?? 0]?.text).toContain("Issue key: OPS-599; Custom field (1): x y; ");
  });

  test("the sum of mixed cells is that of their values", async () => {
    const csv = `What;Cost\nA;"EUR 1.204,50"\nB;"€ 12,50"\nC;"(100,00 €)"\nD;"EUR 1.000,00"\nE;0,60 €\nF;n/a\nG;"€ -0,00"\n`;
    const [table] = await tablesIn("a.csv", utf8(csv));
    const values = table?.values.map(([, cost]) => cost);
    expect(values?.reduce<number>((sum, value) => sum + Number(value), 0)).toBeCloseTo(2117.6);
  });
});

describe("tables are written with their documents", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "emend-"));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  const csv = "Job,Hours\nRoof,3 h\nDoor,45 min\n";
  const markdown = "| Job | Hours |\n| --- | --- |\n| Roof | 3 h |\n| Door | 45 min |";
  const spied = () => {
    const documents = inMemoryDocuments();
    const upsert = vi.spyOn(documents, "upsert");
    return {
      documents,
      passages: () => upsert.mock.calls.flatMap(([passages]) => passages),
      written: () => upsert.mock.calls.flatMap(([, options]) => allUnpacked(options?.tables ?? [])),
    };
  };

  test("of files", async () => {
    writeFileSync(join(cwd, "jobs.csv"), csv);
    const { documents, written } = spied();
    await ingestFiles(["."], { documents, cwd });
    expect(written()).toMatchObject([{ id: "jobs.csv#table0", name: "jobs", rows: 2, passages: [0, 0] }]);
  });

  test("of pages", async () => {
    const { documents, written } = spied();
    const store = await pageStore({ documents });
    const page = { url: "https://a.org/jobs", title: "Jobs", published: "", modified: "", language: "en", markdown };
    await store.write(page.url, pageContent(page as Parameters<typeof pageContent>[0]));
    expect(written()).toMatchObject([{ id: "https://a.org/jobs#table0", name: "Jobs", rows: 2 }]);
  });

  test("of deliveries, whose parts become one document", async () => {
    const { documents, written, passages } = spied();
    const part = (pageContent: string) => ({
      pageContent,
      metadata: { source: "wiki/jobs", title: "Jobs", team: "red" },
    });
    const long = `${"Some words about jobs. ".repeat(300)}\n\n${markdown}`;
    await deliver([part("Before."), part(" "), part(markdown), part(long)], { documents });
    const [first, second] = written();
    expect(written()).toHaveLength(2);
    expect(first).toMatchObject({
      id: "wiki/jobs#table0",
      documentId: "wiki/jobs",
      passages: [1, 1],
      metadata: { team: "red" },
    });
    expect(second?.id).toBe("wiki/jobs#table1");
    for (const position of second?.passages ?? []) expect(passages()[position]?.text).toContain("| Roof |");
  });
});
