import {
  CheckBox,
  CommentRangeEnd,
  CommentRangeStart,
  CommentReference,
  Document,
  Math as Equation,
  type FileChild,
  Footer,
  Header,
  type ISectionOptions,
  MathFraction,
  MathRun,
  MathSuperScript,
  Packer,
  PageNumber,
  Paragraph,
  SymbolRun,
  Tab,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from "docx";
import { describe, expect, test } from "vitest";
import type { Content } from "../../../src/ingest/formats/content.js";
import { withPictures } from "../../../src/ingest/formats/content.js";
import { docx as readDocx } from "../../../src/ingest/formats/docx.js";
import { contentOf } from "../../../src/ingest/formats/registry.js";
import { openDocument, utf8, zip } from "./writers.js";

const textOf = async (name: string, bytes: Uint8Array) => (await contentOf(bytes, name)).text;

/** A Word document that is written by the package `docx`. */
const written = async (
  children: FileChild[],
  section: Partial<ISectionOptions> = {},
  options: Partial<ConstructorParameters<typeof Document>[0]> = {},
) => new Uint8Array(await Packer.toBuffer(new Document({ ...options, sections: [{ ...section, children }] })));

/** A Word document with this body and other parts by their names. */
const wordOf = (body: string, parts: Record<string, string> = {}) =>
  zip({
    "word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`,
    ...Object.fromEntries(Object.entries(parts).map(([name, xml]) => [`word/${name}`, xml])),
  });
const p = (...runs: string[]) => `<w:p>${runs.join("")}</w:p>`;
const r = (text: string, properties = "") => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
const related = (...parts: (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships>${parts.map(([id, type, target]) => `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`).join("")}</Relationships>`;
const row = (...cells: string[]) =>
  new TableRow({ children: cells.map((cell) => new TableCell({ children: [new Paragraph(cell)] })) });

describe("Word: what is struck out is marked", () => {
  test("by its run, single and double, as one piece", async () => {
    const file = await written([
      new Paragraph({
        children: [
          new TextRun("A meal costs "),
          new TextRun({ text: "EUR ", strike: true }),
          new TextRun({ text: "6.20", doubleStrike: true, bold: true }),
          new TextRun(" EUR 7.10."),
        ],
      }),
    ]);
    expect(await textOf("a.docx", file)).toBe("A meal costs ~~EUR 6.20~~ EUR 7.10.");
  });

  test("by a style of letters or of the paragraph, which a run can switch off", async () => {
    const styles = `<w:styles><w:style w:styleId="Old"><w:rPr><w:strike/></w:rPr></w:style><w:style w:styleId="Older"><w:basedOn w:val="Old"/></w:style></w:styles>`;
    const body = `${p(r("20:00", '<w:rStyle w:val="Older"/>'), r(" 21:00", '<w:rStyle w:val="Old"/><w:strike w:val="0"/>'))}<w:p><w:pPr><w:pStyle w:val="Old"/></w:pPr>${r("Dogs are allowed.")}</w:p>`;
    expect(await textOf("a.docx", wordOf(body, { "styles.xml": styles }))).toBe(
      "~~20:00~~ 21:00\n\n~~Dogs are allowed.~~",
    );
  });

  test("a tracked deletion is left out, and an insertion is text", async () => {
    const change = `<w:del>${r("three")}</w:del><w:ins>${r("six")}</w:ins>`;
    expect(await textOf("a.docx", wordOf(p(r("Notice: "), change, r(" months"))))).toBe("Notice: six months");
  });
});

test("Word: powers stay powers, also by a style; ordinals and CO2 stay as they are; no digit joins a number", async () => {
  const up = '<w:vertAlign w:val="superscript"/>';
  const down = '<w:vertAlign w:val="subscript"/>';
  const note =
    '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>1</w:t></w:r>';
  const styles = `<w:styles><w:style w:styleId="Up"><w:rPr>${up}</w:rPr></w:style></w:styles>`;
  const body = p(
    ...[r("10"), r("5", up), r(" per m"), r("2", '<w:rStyle w:val="Up"/>'), r(", the 2"), r("nd", up), r(", x")],
    ...[r("a+", up), r("b", up), r(", CO"), r("2", down), r(", 101"), r("2", down), r(", since 1990"), note],
  );
  expect(await textOf("a.docx", wordOf(body, { "styles.xml": styles }))).toBe(
    "10⁵ per m², the 2nd, x^(a+b), CO2, 101₂, since 1990",
  );
});

test("Word: check boxes are read as they are set, and a line that begins with one is a task", async () => {
  const box = (checked: boolean) => new CheckBox({ checked });
  const sign = (char: string) => new SymbolRun(char);
  const file = await written([
    new Paragraph({
      children: [new TextRun("Trailer: "), box(true), new TextRun(" Yes "), box(false), new TextRun(" No")],
    }),
    new Paragraph({ children: [box(false), new TextRun(" The review is approved")] }),
    new Paragraph({ children: [sign("F0FE"), new TextRun(" Fire drill held")] }),
    new Paragraph("☐ Alarm tested"),
    new Paragraph("性别：□男 ■女"),
  ]);
  expect(await textOf("a.docx", file)).toBe(
    "Trailer: [x] Yes [ ] No\n\n- [ ] The review is approved\n- [x] Fire drill held\n- [ ] Alarm tested\n\n性别：[ ] 男 [x] 女",
  );
});

test("Word: a form has its check boxes and choices, but no prompt", async () => {
  const field = (data: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const checked = field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>');
  const open = field('<w:checkBox><w:default w:val="0"/></w:checkBox>');
  const list = field(
    '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Sales"/><w:listEntry w:val="Finance"/></w:ddList>',
  );
  const prompt = `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${r("Click to enter text.")}</w:sdtContent></w:sdt>`;
  const cell = `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="0"/></w14:checkbox></w:sdtPr><w:sdtContent><w:tc>${p(r("☒"))}</w:tc></w:sdtContent></w:sdt>`;
  const file = wordOf(
    `${p(r("Parking: "), checked, r(" needed "), open, r(" not needed"))}${p(r("Department: "), list)}${p(r("Name: "), prompt)}<w:tbl><w:tr><w:tc>${p(r("Task"))}</w:tc><w:tc>${p(r("Done"))}</w:tc></w:tr><w:tr><w:tc>${p(r("Lift"))}</w:tc>${cell}</w:tr></w:tbl>`,
  );
  expect(await textOf("a.docx", file)).toBe(
    "Parking: [x] needed [ ] not needed\n\nDepartment: Finance\n\nName:\n\n| Task | Done |\n| --- | --- |\n| Lift | [ ] |",
  );
});

test("Word: symbols are the characters that they show", async () => {
  const symbol = (font: string, char: string) => `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`;
  const body = p(
    r("Load "),
    symbol("Symbol", "F0A3"),
    r(" 40 kg, 30"),
    symbol("Symbol", "F0B0"),
    symbol("Wingdings", "F04A"),
  );
  expect(await textOf("a.docx", wordOf(body))).toBe("Load ≤ 40 kg, 30°");
});

describe("Word: headers and footers", () => {
  const line = (...children: (TextRun | string)[]) =>
    new Paragraph({ children: children.map((child) => (typeof child === "string" ? new TextRun(child) : child)) });
  const page = new TextRun({ children: ["Page ", PageNumber.CURRENT, " of ", PageNumber.TOTAL_PAGES] });

  test("stand before the text, each line once, without page numbers", async () => {
    const tab = new TextRun({ children: [new Tab()] });
    const file = await written([new Paragraph("Text.")], {
      properties: { titlePage: true },
      headers: {
        default: new Header({ children: [line("Effective 1 March 2026", tab, page)] }),
        first: new Header({ children: [line("Approved by the board"), line("Effective 1 March 2026")] }),
        even: new Header({ children: [line("Not shown")] }),
      },
      footers: {
        default: new Footer({
          children: [line("Owner:", new TextRun({ children: [new Tab()] }), "Ana Berg"), line(page)],
        }),
      },
    });
    const text = await textOf("a.docx", file);
    expect(text.split("\n\n").toSorted()).toEqual(
      ["Approved by the board", "Effective 1 March 2026", "Owner: Ana Berg", "Text."].toSorted(),
    );
    expect(text.endsWith("Text.")).toBe(true);
  });

  test("that are new in a section stand before that section", async () => {
    const section = (words: string, header: string) => ({
      children: [new Paragraph(words)],
      headers: { default: new Header({ children: [line(header)] }) },
    });
    const document = new Document({ sections: [section("One.", "Rules 2024"), section("Two.", "Rules 2025")] });
    const file = new Uint8Array(await Packer.toBuffer(document));
    expect(await textOf("a.docx", file)).toBe("Rules 2024\n\nOne.\n\nRules 2025\n\nTwo.");
  });
});

test("Word: a comment stands after its paragraph or table, with its author, its row and whether it is resolved", async () => {
  const comments = [
    { id: 0, author: "Ana Berg", children: [new Paragraph("agreed by phone")] },
    { id: 1, author: "王芳", children: [new Paragraph("已经电话确认")] },
  ];
  const about = (id: number, words: string) =>
    new Paragraph({
      children: [
        new CommentRangeStart(id),
        new TextRun(words),
        new CommentRangeEnd(id),
        new TextRun({ children: [new CommentReference(id)] }),
      ],
    });
  const table = new Table({
    rows: [
      row("Item", "Price"),
      new TableRow({
        children: [
          new TableCell({ children: [about(1, "Ticket")] }),
          new TableCell({ children: [new Paragraph("7")] }),
        ],
      }),
      row("Locker", "2"),
    ],
  });
  const file = await written([about(0, "The lease is signed."), table], {}, { comments: { children: comments } });
  expect(await textOf("a.docx", file)).toBe(
    "The lease is signed.\n\n> Comment by Ana Berg: agreed by phone\n\n| Item | Price |\n| --- | --- |\n| Ticket | 7 |\n| Locker | 2 |\n\n> 批注（王芳）：已经电话确认（Ticket, 7）",
  );
  const resolved = wordOf(p(r("a"), '<w:r><w:commentReference w:id="3"/></w:r>'), {
    "comments.xml": `<w:comments><w:comment w:id="3" w:author="Ana"><w:p w14:paraId="A1">${r("done")}</w:p></w:comment></w:comments>`,
    "commentsExtended.xml": '<w15:commentsEx><w15:commentEx w15:paraId="A1" w15:done="1"/></w15:commentsEx>',
  });
  expect(await textOf("a.docx", resolved)).toBe("a\n\n> Resolved comment by Ana: done");
});

describe("Word: tables", () => {
  test("in a table become tables of their own, after the words of their row", async () => {
    const inner = new Table({ rows: [row("Gate", "Opens"), row("South", "06:30")] });
    const outer = new Table({
      rows: [
        row("Annex", "Content"),
        new TableRow({
          children: [
            new TableCell({ children: [new Paragraph("Gates")] }),
            new TableCell({ children: [inner, new Paragraph("")] }),
          ],
        }),
      ],
    });
    expect(await textOf("a.docx", await written([outer]))).toBe(
      "| Annex | Content |\n| --- | --- |\n| Gates |  |\n\nGates:\n\n| Gate | Opens |\n| --- | --- |\n| South | 06:30 |",
    );
  });

  test("a wide cell counts for each of its columns, a header of two rows is one, and a title stands above", async () => {
    const wide = (text: string, columnSpan: number) => new TableCell({ columnSpan, children: [new Paragraph(text)] });
    const cell = (text: string, rowSpan = 1) => new TableCell({ rowSpan, children: [new Paragraph(text)] });
    const table = new Table({
      rows: [
        new TableRow({ children: [wide("Tickets 2026", 4)] }),
        new TableRow({ children: [cell("Line", 2), wide("Price", 2), cell("Note", 2)] }),
        new TableRow({ children: [cell("adult"), cell("child")] }),
        new TableRow({ children: [cell("A"), wide("closed", 2), cell("in May")] }),
        new TableRow({ children: [cell("B"), cell("7"), cell("3"), cell("")] }),
      ],
    });
    expect(await textOf("a.docx", await written([table]))).toBe(
      "Tickets 2026\n\n| Line | Price adult | Price child | Note |\n| --- | --- | --- | --- |\n| A | closed | closed | in May |\n| B | 7 | 3 |  |",
    );
  });

  test("a row of data below a wide heading is no header", async () => {
    const table = `<w:tbl><w:tr><w:tc>${p(r("Name"))}</w:tc><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${p(r("Contact"))}</w:tc></w:tr><w:tr><w:tc>${p(r("Ann"))}</w:tc><w:tc>${p(r("desk"))}</w:tc><w:tc>${p(r("gate"))}</w:tc></w:tr></w:tbl>`;
    expect(await textOf("a.docx", wordOf(table))).toBe(
      "| Name | Contact | Contact |\n| --- | --- | --- |\n| Ann | desk | gate |",
    );
  });
});

test("Word: an equation is on one line", async () => {
  const file = await written([
    new Paragraph({
      children: [
        new TextRun("The area is "),
        new Equation({
          children: [
            new MathFraction({ numerator: [new MathRun("a+b")], denominator: [new MathRun("2")] }),
            new MathRun("⋅"),
            new MathSuperScript({ children: [new MathRun("x")], superScript: [new MathRun("2")] }),
          ],
        }),
        new TextRun("."),
      ],
    }),
  ]);
  expect(await textOf("a.docx", file)).toBe("The area is (a+b)/2⋅x².");
});

const bars = (axis: string, points: string, more = "") =>
  `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>${more}<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>2026</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${points}</c:numCache></c:numRef></c:val></c:ser><c:axId val="1"/><c:axId val="2"/></c:barChart><c:catAx><c:axId val="1"/></c:catAx><c:valAx><c:axId val="2"/>${axis}</c:valAx></c:plotArea></c:chart></c:chartSpace>`;
const charted = (xml: string) =>
  wordOf(p('<w:r><w:drawing><c:chart r:id="rId9"/></w:drawing></w:r>'), {
    "_rels/document.xml.rels": related(["rId9", "chart", "charts/chart1.xml"]),
    "charts/chart1.xml": xml,
  });

describe("a chart becomes a table", () => {
  const points =
    '<c:formatCode>0.0%</c:formatCode><c:pt idx="0"><c:v>0.125</c:v></c:pt><c:pt idx="1"><c:v>0.5</c:v></c:pt>';
  test("with its title, its categories and its values as they are shown", async () => {
    expect(await textOf("a.docx", charted(bars("", points)))).toBe(
      "Sales\n\n|  | 2026 |\n| --- | --- |\n| North | 12.5% |\n| South | 50.0% |",
    );
  });

  test("in the unit of its axis, which may divide the values", async () => {
    const axis = `<c:title><c:tx><c:rich><a:p><a:r><a:t>EUR</a:t></a:r></a:p></c:rich></c:tx></c:title><c:dispUnits><c:builtInUnit val="thousands"/><c:dispUnitsLbl/></c:dispUnits>`;
    const values = '<c:pt idx="0"><c:v>12000</c:v></c:pt><c:pt idx="1"><c:v>500</c:v></c:pt>';
    expect(await textOf("a.docx", charted(bars(axis, values)))).toBe(
      "Sales\n\n|  | 2026 (EUR, thousands) |\n| --- | --- |\n| North | 12 |\n| South | 0.5 |",
    );
  });

  test("without the format of an axis that counts shares", async () => {
    const axis = '<c:numFmt formatCode="0%" sourceLinked="0"/>';
    const values = '<c:pt idx="0"><c:v>40</c:v></c:pt><c:pt idx="1"><c:v>10</c:v></c:pt>';
    const text = await textOf("a.docx", charted(bars(axis, values, '<c:grouping val="percentStacked"/>')));
    expect(text).toContain("| North | 40 |");
  });

  test("of points, with a table for each series that has its own places", async () => {
    const series = (name: string, x: number, y: number) =>
      `<c:ser><c:tx><c:v>${name}</c:v></c:tx><c:xVal><c:numLit><c:pt idx="0"><c:v>${x}</c:v></c:pt></c:numLit></c:xVal><c:yVal><c:numLit><c:pt idx="0"><c:v>${y}</c:v></c:pt></c:numLit></c:yVal></c:ser>`;
    const xml = `<c:chartSpace><c:chart><c:plotArea><c:scatterChart>${series("A", 1, 2)}${series("B", 3, 4)}</c:scatterChart></c:plotArea></c:chart></c:chartSpace>`;
    expect(await textOf("a.docx", charted(xml))).toBe(
      "|  | A |\n| --- | --- |\n| 1 | 2 |\n\n|  | B |\n| --- | --- |\n| 3 | 4 |",
    );
  });
});

test("a diagram (SmartArt) becomes a list in its order", async () => {
  const point = (id: string, text: string) =>
    `<dgm:pt modelId="${id}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const under = (from: string, to: string, order: number) =>
    `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${order}"/>`;
  const model = `<dgm:dataModel><dgm:ptLst><dgm:pt modelId="0" type="doc"/>${point("3", "Ship")}${point("1", "Plan")}${point("2", "Ask Ana")}</dgm:ptLst><dgm:cxnLst>${under("0", "3", 1)}${under("0", "1", 0)}${under("1", "2", 0)}</dgm:cxnLst></dgm:dataModel>`;
  const file = wordOf(p('<w:r><w:drawing><dgm:relIds r:dm="rId9"/></w:drawing></w:r>'), {
    "_rels/document.xml.rels": related(["rId9", "diagramData", "diagrams/data1.xml"]),
    "diagrams/data1.xml": model,
  });
  expect(await textOf("a.docx", file)).toBe("- Plan\n   - Ask Ana\n- Ship");
});

describe("pictures", () => {
  const drawing =
    '<w:drawing><wp:inline><wp:docPr descr="Plan of the port"/><a:blip r:embed="rId9"/></wp:inline></w:drawing>';
  const file = wordOf(`${p(r("Before."), `<w:r>${drawing}</w:r>`)}${p(`<w:r>${drawing}</w:r>`)}`, {
    "_rels/document.xml.rels": related(["rId9", "image", "media/a.png"]),
    "media/a.png": "bytes",
  });

  test("have their alternative text in the text", async () => {
    expect(await textOf("a.docx", file)).toBe("Before. Plan of the port\n\nPlan of the port");
  });

  test("are handed over once, and their text stands where they are", async () => {
    const content: Content = await readDocx(file, "a.docx");
    const { text } = await withPictures(content, async (picture) => ({
      name: "",
      text: Buffer.from(await picture.bytes()).toString(),
    }));
    expect(text).toBe("Before. Plan of the port\n\nbytes\n\nPlan of the port");
  });

  test("leave no part without text, and places move along", async () => {
    const [mark] = ["\ufdd00\ufdd1"];
    const picture = { mark, bytes: async () => utf8("") };
    const parts = {
      text: `${mark}\n\nend`,
      places: [
        { start: 0, name: "p. 1" },
        { start: 5, name: "p. 2" },
      ],
    };
    const content: Content = { title: "", reviewedAt: "", format: "markdown", pictures: [picture], ...parts };
    expect(await withPictures(content, () => undefined)).toMatchObject({
      text: "end",
      places: [{ start: 0, name: "p. 2" }],
    });
    const words = await withPictures(content, (_, name) => ({ name: `${name} (scan)`, text: "A long text." }));
    expect(words).toMatchObject({
      text: "A long text.\n\nend",
      places: [
        { start: 0, name: "p. 1 (scan)" },
        { start: 14, name: "p. 2" },
      ],
    });
  });
});

describe("Excel", () => {
  const book = (sheet: string, parts: Record<string, string> = {}) =>
    zip({
      "xl/workbook.xml": '<workbook><sheets><sheet name="S" r:id="r"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels": related(
        ["r", "worksheet", "worksheets/s.xml"],
        ["p", "person", "persons/person.xml"],
      ),
      "xl/worksheets/s.xml": `<worksheet>${sheet}</worksheet>`,
      ...Object.fromEntries(Object.entries(parts).map(([name, xml]) => [`xl/${name}`, xml])),
    });
  const cell = (at: string, value: string | number, more = "") =>
    typeof value === "number"
      ? `<c r="${at}"${more}><v>${value}</v></c>`
      : `<c r="${at}" t="inlineStr"${more}><is><t>${value}</t></is></c>`;
  /** Rows of cells from A1 on; an empty text is an empty cell. */
  const grid = (...rows: (string | number)[][]) =>
    `<sheetData>${rows.map((values, i) => `<row r="${i + 1}">${values.map((value, j) => (value === "" ? "" : cell(`${"ABCDEFGH"[j]}${i + 1}`, value))).join("")}</row>`).join("")}</sheetData>`;
  const sheetOf = async (file: Uint8Array) => (await textOf("a.xlsx", file)).replace("## S\n\n", "");

  test("strikes and powers of cells and of parts of a text", async () => {
    const styles =
      '<styleSheet><fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts><cellXfs><xf fontId="0"/><xf fontId="1" numFmtId="2"/><xf fontId="2"/></cellXfs></styleSheet>';
    const rich = `<si><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>5</t></r><r><rPr><strike/></rPr><t> in May</t></r><r><rPr/><t> in June</t></r></si>`;
    const sheet = `<sheetData><row r="1">${cell("A1", "Limit")}${cell("B1", "Price")}</row><row r="2"><c r="A2" t="s"><v>0</v></c>${cell("B2", 6.2, ' s="1"')}</row><row r="3">${cell("A3", "now")}${cell("B3", 7, ' s="2"')}</row></sheetData>`;
    expect(await sheetOf(book(sheet, { "styles.xml": styles, "sharedStrings.xml": `<sst>${rich}</sst>` }))).toBe(
      "| Limit | Price |\n| --- | --- |\n| 10⁵ ~~in May~~ in June | ~~6.20~~ |\n| now | 7 |",
    );
  });

  test("a formula without a value is told as such, as is one that Excel has yet to calculate", async () => {
    const sheet = `<sheetData><row r="1">${cell("A1", "Total")}<c r="B1"><f>SUM(B2:B3)</f><v></v></c><c r="C1" t="str"><f>""</f><v></v></c></row></sheetData>`;
    expect(await sheetOf(book(sheet))).toContain("| Total | (not calculated: =SUM(B2:B3)) |");
    const zero = `<sheetData><row r="1">${cell("A1", "Total")}<c r="B1"><f>SUM(B2:B3)</f><v>0</v></c></row></sheetData>`;
    expect(await sheetOf(book(zero))).toContain("| Total | 0 |");
    const made = book(zero, {
      "workbook.xml": '<workbook><sheets><sheet name="S" r:id="r"/></sheets><calcPr fullCalcOnLoad="1"/></workbook>',
    });
    expect(await sheetOf(made)).toContain("| Total | (not calculated: =SUM(B2:B3)) |");
  });

  test("a header of two rows becomes one, and a wide cell counts for each of its columns", async () => {
    const rows = grid(
      ["Item", "Price", "", "Note"],
      ["", "adult", "child", ""],
      ["Ticket", 7, 3, "daily"],
      ["Pool", "closed", "", ""],
    );
    const merged = ["A1:A2", "B1:C1", "D1:D2", "B4:C4"].map((ref) => `<mergeCell ref="${ref}"/>`).join("");
    expect(await sheetOf(book(`${rows}<mergeCells>${merged}</mergeCells>`))).toBe(
      "| Item | Price adult | Price child | Note |\n| --- | --- | --- | --- |\n| Ticket | 7 | 3 | daily |\n| Pool | closed | closed |  |",
    );
  });

  test("tables beside and below each other are tables of their own", async () => {
    const rows = grid(
      ["Item", "Price", "", "Dock", "Depth"],
      ["Ticket", 7, "", "North", 4],
      ["Locker", 2, "", "South", 6],
      [],
      ["Desk", "Phone"],
      ["Gate", 555],
      [],
      ["Prices include VAT."],
    );
    expect(await sheetOf(book(rows))).toBe(
      [
        "| Item | Price |\n| --- | --- |\n| Ticket | 7 |\n| Locker | 2 |",
        "| Desk | Phone |\n| --- | --- |\n| Gate | 555 |",
        "Prices include VAT.",
        "| Dock | Depth |\n| --- | --- |\n| North | 4 |\n| South | 6 |",
      ].join("\n\n"),
    );
  });

  test("an empty row or column within a table cuts nothing", async () => {
    const rows = grid(["Item", "Q1", "Q2", "", "Sum"], ["Ticket", 7, 8, "", 15], [], ["Locker", 2, 3, "", 5]);
    expect(await sheetOf(book(rows))).toBe(
      "| Item | Q1 | Q2 | Sum |\n| --- | --- | --- | --- |\n| Ticket | 7 | 8 | 15 |\n| Locker | 2 | 3 | 5 |",
    );
  });

  test("dates have the parts that are shown, and long numbers all their digits", async () => {
    const formats = ["mmm yyyy", "yyyy", "d mmm yyyy", "[Red]h:mm", "#,##0.00 [$€-407]", "General"];
    const styles = `<styleSheet><numFmts>${formats.map((code, i) => `<numFmt numFmtId="${170 + i}" formatCode="${code}"/>`).join("")}</numFmts><cellXfs>${formats.map((_, i) => `<xf numFmtId="${170 + i}"/>`).join("")}</cellXfs></styleSheet>`;
    const values = [46243, 46243, 46243, 0.25, 1250, 491701234567];
    const sheet = `<sheetData><row r="1">${values.map((value, i) => cell(`${"ABCDEF"[i]}1`, value, ` s="${i}"`)).join("")}</row></sheetData>`;
    expect(await sheetOf(book(sheet, { "styles.xml": styles }))).toContain(
      "| 2026-08 | 2026 | 2026-08-09 | 6:00 | 1,250.00 € | 491701234567 |",
    );
  });

  test("comments name their author and cell, and threads replace the notes in their place", async () => {
    const parts = {
      "worksheets/_rels/s.xml.rels": related(
        ["a", "comments", "../comments1.xml"],
        ["b", "threadedComment", "../threadedComments/t.xml"],
      ),
      "comments1.xml": `<comments><authors><author>Ana Berg</author><author>tc={1}</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Ana Berg:</t></r><r><t>\nagreed by phone</t></r></text></comment><comment ref="A2" authorId="1"><text><t>[Threaded comment]</t></text></comment></commentList></comments>`,
      "threadedComments/t.xml": `<ThreadedComments><threadedComment ref="A2" personId="{p}" id="1" done="1"><text>Still sold?</text></threadedComment><threadedComment ref="A2" personId="{p}" id="2" parentId="1"><text>Yes.</text></threadedComment></ThreadedComments>`,
      "persons/person.xml": '<personList><person displayName="Ole" id="{p}"/></personList>',
    };
    expect(await sheetOf(book(grid(["Item", "Price"], ["Ticket", 7]), parts))).toBe(
      "| Item | Price |\n| --- | --- |\n| Ticket | 7 |\n\n> Comment by Ana Berg: agreed by phone (Ticket, B2: 7)\n\n> Resolved comment by Ole: Still sold? (A2: Ticket)\n\n> Resolved comment by Ole: Yes. (A2: Ticket)",
    );
  });

  test("print headers, charts, text boxes and check boxes on a sheet", async () => {
    const parts = {
      "worksheets/_rels/s.xml.rels": related(
        ["a", "drawing", "../drawings/drawing1.xml"],
        ["b", "vmlDrawing", "../drawings/vml.vml"],
      ),
      "drawings/drawing1.xml": `<wsDr><sp><txBody><a:p><a:r><a:t>Audited in May.</a:t></a:r></a:p></txBody></sp><graphicFrame><cNvPr descr="Sales by region"/><c:chart r:id="c"/></graphicFrame></wsDr>`,
      "drawings/_rels/drawing1.xml.rels": related(["c", "chart", "../charts/chart1.xml"]),
      "charts/chart1.xml": bars("", '<c:pt idx="0"><c:v>1</c:v></c:pt>'),
      "drawings/vml.vml":
        '<xml><v:shape><v:textbox><div>Lift repaired</div></v:textbox><x:ClientData ObjectType="Checkbox"><x:Checked>1</x:Checked></x:ClientData></v:shape><v:shape><v:textbox><div>Alarm tested</div></v:textbox><x:ClientData ObjectType="Checkbox"/></v:shape></xml>',
    };
    const frames =
      '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"Effective 1 March 2026&amp;RPage &amp;P of &amp;N</oddHeader><evenHeader>Not shown</evenHeader></headerFooter>';
    expect(await sheetOf(book(grid(["Item", "Price"], ["Ticket", 7]) + frames, parts))).toBe(
      "Effective 1 March 2026\n\n| Item | Price |\n| --- | --- |\n| Ticket | 7 |\n\nAudited in May.\n\nSales by region\n\nSales\n\n|  | 2026 |\n| --- | --- |\n| North | 1 |\n| South |  |\n\n- [x] Lift repaired\n- [ ] Alarm tested",
    );
  });
});

test("PowerPoint: strikes, powers, boxes, wide cells, charts, footers once, comments, and alternative texts", async () => {
  const said = (text: string, properties = "") => `<a:r><a:rPr ${properties}/><a:t>${text}</a:t></a:r>`;
  const shape = (kind: string, ...paragraphs: string[]) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs.map((one) => `<a:p>${one}</a:p>`).join("")}</p:txBody></p:sp>`;
  const frame = (data: string) =>
    `<p:graphicFrame><a:graphic><a:graphicData>${data}</a:graphicData></a:graphic></p:graphicFrame>`;
  const cell = (text: string, more = "") => `<a:tc ${more}><a:txBody><a:p>${said(text)}</a:p></a:txBody></a:tc>`;
  const table = frame(
    `<a:tbl><a:tr>${cell("Item")}${cell("Price", 'gridSpan="2"')}${cell("", 'hMerge="1"')}</a:tr><a:tr>${cell("")}${cell("adult")}${cell("child")}</a:tr><a:tr>${cell("Ticket")}${cell("7")}${cell("3")}</a:tr></a:tbl>`,
  );
  const footer = shape("ftr", said("Owner: Ana Berg")) + shape("sldNum", '<a:fld type="slidenum"><a:t>1</a:t></a:fld>');
  const body = shape(
    "body",
    said("EUR 6", 'strike="sngStrike"') + said(" EUR 7 for 10", 'strike="noStrike"') + said("5", 'baseline="30000"'),
    said("☐ Review"),
  );
  const picture = '<p:pic><p:nvPicPr><p:cNvPr descr="Map of the docks"/></p:nvPicPr></p:pic>';
  const slide = (shapes: string) => `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
  const file = zip({
    "ppt/presentation.xml": '<p:presentation><p:sldId r:id="a"/><p:sldId r:id="b"/></p:presentation>',
    "ppt/_rels/presentation.xml.rels": related(["a", "slide", "slides/s1.xml"], ["b", "slide", "slides/s2.xml"]),
    "ppt/slides/s1.xml": slide(body + picture + table + footer),
    "ppt/slides/s2.xml": slide(frame('<c:chart r:id="c"/>') + footer),
    "ppt/slides/_rels/s1.xml.rels": related(
      ["d", "comments", "../comments/c1.xml"],
      ["e", "comments", "../comments/c2.xml"],
    ),
    "ppt/slides/_rels/s2.xml.rels": related(["c", "chart", "../charts/chart1.xml"]),
    "ppt/charts/chart1.xml": bars("", '<c:pt idx="0"><c:v>1</c:v></c:pt>'),
    "ppt/commentAuthors.xml": '<p:cmAuthorLst><p:cmAuthor id="0" name="Ana Berg"/></p:cmAuthorLst>',
    "ppt/authors.xml": '<p188:authorLst><p188:author id="{1}" name="Ole"/></p188:authorLst>',
    "ppt/comments/c1.xml": '<p:cmLst><p:cm authorId="0"><p:text>agreed by phone</p:text></p:cm></p:cmLst>',
    "ppt/comments/c2.xml": `<p188:cmLst><p188:cm authorId="{1}" status="resolved"><p188:replyLst><p188:reply authorId="{1}"><p188:txBody><a:p>${said("Yes.")}</a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p>${said("Right?")}</a:p></p188:txBody></p188:cm></p188:cmLst>`,
  });
  const { text, places } = await contentOf(file, "a.pptx");
  expect(text).toBe(
    [
      "- ~~EUR 6~~ EUR 7 for 10⁵\n- [ ] Review",
      "Map of the docks",
      "| Item | Price adult | Price child |\n| --- | --- | --- |\n| Ticket | 7 | 3 |",
      "Owner: Ana Berg",
      "> Comment by Ana Berg: agreed by phone",
      "> Resolved comment by Ole: Right?",
      "> Comment by Ole: Yes.",
      "Sales\n\n|  | 2026 |\n| --- | --- |\n| North | 1 |\n| South |  |",
    ].join("\n\n"),
  );
  expect(places?.[1]?.start).toBe(text.indexOf("Sales"));
});

describe("OpenDocument", () => {
  const style = (name: string, properties: string, more = "") =>
    `<style:style style:name="${name}"${more}><style:text-properties ${properties}/></style:style>`;
  const span = (name: string, text: string) => `<text:span text:style-name="${name}">${text}</text:span>`;

  test("strikes and powers, also by a style's parent, of cells and switched off", async () => {
    const styles =
      style("X", 'style:text-line-through-style="solid"') +
      style("Y", "", ' style:parent-style-name="X"') +
      style("N", 'style:text-line-through-style="none"') +
      style("U", 'style:text-position="super 58%"');
    const body = `<text:p>A meal costs ${span("Y", "EUR 6")} EUR 7, 10${span("U", "5")} of them, ${span("X", `old ${span("N", "new")}`)}</text:p><table:table><table:table-row><table:table-cell table:style-name="X"><text:p>7</text:p></table:table-cell><table:table-cell><text:p>8</text:p></table:table-cell></table:table-row></table:table>`;
    expect(await textOf("a.odt", openDocument(`<office:text>${body}</office:text>`, styles))).toBe(
      "A meal costs ~~EUR 6~~ EUR 7, 10⁵ of them, ~~old~~ new\n\n| ~~7~~ | 8 |\n| --- | --- |",
    );
  });

  test("forms, headers and footers, wide cells, tables in tables, and alternative texts", async () => {
    const cell = (inner: string, more = "") => `<table:table-cell${more}>${inner}</table:table-cell>`;
    const line = (text: string) => `<text:p>${text}</text:p>`;
    const row = (...cells: string[]) => `<table:table-row>${cells.join("")}</table:table-row>`;
    const inner = `<table:table>${row(cell(line("Gate")), cell(line("Opens")))}${row(cell(line("South")), cell(line("06:30")))}</table:table>`;
    const table = `<table:table>${row(cell(line("Item")), cell(line("Price"), ' table:number-columns-spanned="2"'), "<table:covered-table-cell/>")}${row(cell(""), cell(line("adult")), cell(line("child")))}${row(cell(line("Ticket")), cell(line("7")), cell(line("3")))}${row(cell(line("Gates")), cell(inner), cell(""))}</table:table>`;
    const forms = `<office:forms><form:form><form:checkbox form:id="c1" form:label="Trailer" form:current-state="checked"/><form:checkbox form:id="c2" form:label="Tent"/><form:text form:id="c3" form:current-value="Ana"/></form:form></office:forms>`;
    const control = (id: string) => `<draw:control draw:control="${id}"/>`;
    const content = `<office:document-content><office:body><office:text>${forms}${line(`Name:${control("c3")}`)}${line(control("c1") + control("c2"))}${line(control("c2"))}${table}${line('<draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:title>a</svg:title><svg:desc>Plan of the port</svg:desc></draw:frame>')}</office:text></office:body></office:document-content>`;
    const master = `<office:document-styles><office:master-styles><style:master-page><style:header>${line("Effective 1 March 2026")}</style:header><style:footer>${line("Page <text:page-number>1</text:page-number>")}${line("Owner: Ana Berg")}</style:footer></style:master-page></office:master-styles></office:document-styles>`;
    expect(await textOf("a.odt", zip({ "content.xml": content, "styles.xml": master }))).toBe(
      [
        "Effective 1 March 2026",
        "Owner: Ana Berg",
        "Name: Ana",
        "[x] Trailer [ ] Tent",
        "- [ ] Tent",
        "| Item | Price adult | Price child |\n| --- | --- | --- |\n| Ticket | 7 | 3 |\n| Gates |  |  |",
        "Gates:",
        "| Gate | Opens |\n| --- | --- |\n| South | 06:30 |",
        "Plan of the port",
      ].join("\n\n"),
    );
  });

  test("a chart becomes a table, and a formula stays as it is typed", async () => {
    const cells = (...texts: string[]) =>
      `<table:table-row>${texts.map((text) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`).join("")}</table:table-row>`;
    const chart = `<office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title><table:table>${cells("", "2026")}${cells("North", "4")}</table:table></chart:chart></office:chart>`;
    const object = (path: string) => `<text:p><draw:frame><draw:object xlink:href="./${path}"/></draw:frame></text:p>`;
    const file = zip({
      "content.xml": `<office:body><office:text>${object("Object 1")}${object("Object 2")}</office:text></office:body>`,
      "Object 1/content.xml": chart,
      "Object 2/content.xml":
        '<math><semantics><mi>x</mi><annotation encoding="StarMath 5.0">x^2 over 3</annotation></semantics></math>',
    });
    expect(await textOf("a.odt", file)).toBe("Sales\n\n|  | 2026 |\n| --- | --- |\n| North | 4 |\n\nx^2 over 3");
  });
});
