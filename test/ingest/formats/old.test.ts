import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { contentOf } from "../../../src/ingest/formats/registry.js";
import { utf8 } from "./writers.js";

vi.setConfig({ testTimeout: 60_000 });

// The files were written by LibreOffice, and messages by hand.
const file = (name: string) => readFileSync(new URL(`files/${name}`, import.meta.url));
const read = (name: string) => contentOf(file(name), name);
const rtf = async (text: string) => (await contentOf(utf8(`{\\rtf1\\ansi\\ansicpg1252 ${text}}`), "a.rtf")).text;

const RULES = `Effective 3 March 2025. Owner: Ines Roth

# Rules of the harbour

The fee is ~~EUR 20~~ EUR 25 per night. At most 10⁵ cells per litre, area 12 m². ~~double~~

## Prices

| Region | City | Limit |
| --- | --- | --- |
| Europe | Paris | 250 |
| Europe | Rome | ~~150~~ |
| Asia |  | 90 |

1. Bring a rope
2. Sign the book
- bullet one
- bullet two

港口晚上十点关闭。请带好钥匙。

## Night

The gate closes at 22:30.

Norrland Freight, internal`;

const REVIEW = `| 城市 |  | 上限 |
| --- | --- | --- |
| 上海 | 浦东 | 900 |
| 北京 | 海淀 朝阳 | 950 |

See

the link text after.`;

const LIST = "- § 1 General\n   - 1.a) Scope\n   - 1.b) Names\n- § 2 Money";

test("Word 97: headings, lists, tables, strikes and powers are kept, and hidden text is not", async () => {
  expect(await read("rules.doc")).toMatchObject({ title: "Boat rules", metadata: { author: "Ana Berg" }, text: RULES });
});

test("Word 97: deleted text is left out, and notes, comments, boxes and numbers are where they belong", async () => {
  const { text } = await read("review.doc");
  expect(text).toBe(
    `# 住宿规定

酒店上限为800元。需事先批准。

> 批注（Ana Berg）：电话已同意

实习生的上限为500元。

${REVIEW}

[x] Trailer wanted

[ ] Driver wanted

[x] signed

${LIST}`,
  );
});

test("Excel 97: cells are what Excel shows, in rows under their header", async () => {
  const { text, places } = await read("prices.xls");
  expect(text).toBe(
    `## Prices

| City | Limit | From | Share | Sum | Open |
| --- | --- | --- | --- | --- | --- |
| ~~Oslo~~ | 210 | 2025-03-01 | 12.5% | 420 | TRUE |
| Rome | 150.50 | 2025-04-01 | 50% | Rome! |  |
| 北京 | 99999999 |  |  |  |  |
| Merged | 1 |  |  |  |  |
| Merged | 2 |  |  |  |  |

> Comment: agreed by phone (~~Oslo~~, B2: 210)

## Old (hidden)

| secret | x |
| --- | --- |
| y | 3 |`,
  );
  expect(places?.map(({ name }) => name)).toEqual(["Prices", "Old (hidden)"]);
  expect((await read("limits.xls")).text).toContain(
    "| 上海 | 1,234.50 EUR | 2025-03-01 10:30 | now ~~EUR 20~~ EUR 25, 10⁵ cells |",
  );
});

test("PowerPoint 97: a slide has its title, its points, its table and its notes", async () => {
  const { text, places } = await read("plan.ppt");
  expect(text).toBe(
    "## Boat plan\n\n- First point\n- Second point\n\nSay hello to Odd Lunde\n\n## 价格\n\n| City | Limit |\n| --- | --- |\n| Oslo | 210 |\n| Rome | 150 |\n\nThe limit is 10⁵ old",
  );
  expect(places?.map(({ name }) => name)).toEqual(["slide 1", "slide 2"]);
});

test("Outlook: a message has its people, its date, its text as it is shown, and its attachments", async () => {
  const { text, title, reviewedAt, metadata } = await read("heater.msg");
  expect([title, reviewedAt, metadata]).toEqual([
    "Heater 暖气",
    "2025-03-03",
    { from: "Ana Berg ana@example.org", to: "Odd Lunde\nInes Roth", cc: "张三", date: "2025-03-03T10:00:00.000Z" },
  ]);
  expect(text).toContain("| City | Limit |\n| --- | --- |\n| Oslo | 210 |");
  expect(text).toContain("# prices.csv\n\n| City | Price |\n| --- | --- |\n| Rome | 150 |");
  expect(text).toContain("# Inner mail\n\n- Date: 2025-02-01T10:00:00.000Z\n\nThe inner text.");
});

test("Outlook: HTML that is packed into RTF is read as HTML", async () => {
  const { text } = await read("fees.msg");
  expect(text).toBe("# Fees\n\nThe fee is EUR 25 café 気& more\n\nOslo: 210\n\nRome: 150");
});

test("RTF by LibreOffice is read like the Word file", async () => {
  const { text } = await read("review.rtf");
  expect(text).toContain("酒店上限为800元。需事先批准。\n\n实习生的上限为500元。\n\n> 批注（Ana Berg）：电话已同意");
  expect(text).toContain(REVIEW);
  expect(text).toContain(`[x] signed\n\n${LIST}`);
  expect(text).not.toMatch(/秘密|500元。\s*需/);
});

test("RTF: strikes, powers, and what is hidden or deleted", async () => {
  expect(
    await rtf("Fee {\\strike EUR 20} EUR 25, 10{\\super 5} cells, {\\striked1 old}{\\v secret}{\\deleted gone}."),
  ).toBe("Fee ~~EUR 20~~ EUR 25, 10⁵ cells, ~~old~~.");
});

test("RTF: text in the code page of its font, and in Unicode with stand-ins", async () => {
  expect(
    await rtf(
      "{\\fonttbl{\\f1\\fcharset134 SimSun;}}{\\f1 \\'c4\\'ea\\'bc\\'d9}{\\uc2 \\u24180\\'c4\\'ea\\u20551\\'bc\\'d9}",
    ),
  ).toBe("年假年假");
});

test("RTF: signs of symbol fonts are the signs that the fonts show", async () => {
  const fonts = "{\\fonttbl{\\f1\\fcharset2 Symbol;}{\\f2\\fcharset2 Wingdings;}}";
  expect(await rtf(`${fonts}Load {\\f1 \\'a3} 5 t, {\\f2\\u-3842\\'fe} signed {\\f2\\'a8} paid`)).toBe(
    "Load ≤ 5 t, [x] signed [ ] paid",
  );
});

test("RTF: headings by style and by level, and tables by their edges", async () => {
  const head = "{\\stylesheet{\\s1 heading 1;}{\\s2 Body;}}";
  const row = (cells: string, edges: string) => `\\trowd ${edges} ${cells}\\row `;
  const table = [
    row("\\intbl Region\\cell City\\cell Limit\\cell", "\\cellx1000\\cellx2000\\cellx3000"),
    row("\\intbl Europe\\cell Paris\\cell 250\\cell", "\\clvmgf\\cellx1000\\cellx2000\\cellx3000"),
    row("\\intbl\\cell Rome\\cell 150\\cell", "\\clvmrg\\cellx1000\\cellx2000\\cellx3000"),
    row("\\intbl Elsewhere\\cell 90\\cell", "\\cellx2000\\cellx3000"),
  ];
  expect(
    await rtf(`${head}\\pard\\s1 Travel\\par\\pard\\outlinelevel1 Limits\\par\\pard ${table.join("")}\\pard End.\\par`),
  ).toBe(
    "# Travel\n\n## Limits\n\n| Region | City | Limit |\n| --- | --- | --- |\n| Europe | Paris | 250 |\n| Europe | Rome | 150 |\n| Elsewhere |  | 90 |\n\nEnd.",
  );
});

test("RTF: check boxes of forms, comments with their author, notes and headers", async () => {
  const box = (state: number) =>
    `{\\field{\\*\\fldinst {FORMCHECKBOX{\\*\\formfield{\\fftype1\\ffres${state}\\ffdefres0}}}}{\\fldrslt }}`;
  expect(
    await rtf(
      `{\\header\\pard Valid from May\\par}Trailer: ${box(1)} Yes ${box(0)} No{\\*\\atnauthor Ana Berg}{\\*\\annotation agreed by phone}{\\footnote Ask first.}\\par Next.\\par`,
    ),
  ).toBe("Valid from May\n\nTrailer: [x] Yes [ ] No\n\n> Comment by Ana Berg: agreed by phone\n\nAsk first.\n\nNext.");
});

test.each([
  [
    "a page that is named .doc",
    "a.doc",
    "<html><body><h1>Rules</h1><p>The fee is EUR 25.</p></body></html>",
    "The fee is EUR 25.",
  ],
  ["a table that is named .xls", "a.xls", "City\tLimit\nOslo\t210\n", "| Oslo | 210 |"],
  [
    "a sheet of Excel 2003",
    "a.xls",
    '<?xml version="1.0"?><Workbook xmlns:ss="x"><Worksheet ss:Name="S"><Table><Row><Cell><Data>City</Data></Cell><Cell ss:Index="3"><Data>Limit</Data></Cell></Row><Row><Cell><Data>Oslo</Data></Cell><Cell ss:Index="3"><Data>210</Data></Cell></Row></Table></Worksheet></Workbook>',
    "| Oslo | 210 |",
  ],
])("what other programs write under an old name is read: %s", async (_name, name, text, expected) => {
  expect((await contentOf(utf8(text), name)).text).toContain(expected);
});

test("a file that is cut anywhere is read or refused with a reason", async () => {
  for (const name of ["rules.doc", "prices.xls", "plan.ppt", "heater.msg", "review.rtf"]) {
    const whole = file(name);
    for (let part = 1; part < 20; part++) {
      const cut = whole.subarray(0, Math.floor((whole.length * part) / 20));
      const reason = await contentOf(cut, name).then(
        () => "",
        (error: Error) => error.message,
      );
      expect([name, part, reason]).toEqual([name, part, expect.stringMatching(/^$|^[A-Z].*\.$/)]);
    }
  }
});

test("a file with any byte changed is read or refused with a reason", async () => {
  for (const name of ["review.doc", "limits.xls", "heater.msg"]) {
    const whole = file(name);
    for (let at = 0; at < whole.length; at += 37) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const reason = await contentOf(changed, name).then(
        () => "",
        (error: Error) => error.message,
      );
      expect([name, at, reason]).toEqual([name, at, expect.stringMatching(/^$|^[A-Z].*\.$/s)]);
    }
  }
});
