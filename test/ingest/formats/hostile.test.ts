import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ingestFiles } from "../../../src/ingest/ingest.js";
import { type Stopped, stoppedIn } from "../../../src/ingest/load.js";
import { inMemoryDocuments } from "../../../src/testing/documents.js";
import { endIdle } from "../../../src/tools/process/own-process.js";
import { HOSTILE, pdf } from "../../tools/web/pdfs.js";
import { cells, docx, epub, openDocument, pptx, utf8, xlsx, zip } from "./writers.js";

vi.setConfig({ testTimeout: 300_000 });

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "hostile-"));
});
afterEach(async () => {
  endIdle();
  await rm(cwd, { recursive: true, force: true });
});

const word = (body: string, more: Record<string, string> = {}) =>
  zip({ "word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`, ...more });
const said = (words: string) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`;
const END = said("the end");

/** Overwrites bytes at an offset from each entry of an archive's directory. */
function patched(bytes: Uint8Array, offset: number, ...values: number[]): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf("PK\x01\x02"); at >= 0; at = copy.indexOf("PK\x01\x02", at + 1))
    copy.set(values, at + offset);
  return copy;
}

/** The first bytes of an OLE file and the name of a stream in it. */
const ole = (name: string) =>
  Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(512), Buffer.from(name, "utf16le")]);
const lockedPdf = () =>
  Buffer.from(
    Buffer.from(pdf(["secret"]))
      .toString("latin1")
      .replace(
        "trailer\n<< ",
        `trailer\n<< /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"ab".repeat(32)}> /U <${"cd".repeat(32)}> >> /ID [<01> <01>] `,
      ),
    "latin1",
  );
const sheets = (count: number) => {
  const names = Array.from({ length: count }, (_, i) => i + 1);
  return zip(
    {
      "xl/workbook.xml": `<workbook><sheets>${names.map((n) => `<sheet name="S${n}" r:id="r${n}"/>`).join("")}</sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": `<Relationships>${names.map((n) => `<Relationship Id="r${n}" Type="x/worksheet" Target="worksheets/s${n}.xml"/>`).join("")}</Relationships>`,
      ...Object.fromEntries(
        names.map((n) => [
          `xl/worksheets/s${n}.xml`,
          `<sheetData><row><c t="str"><v>cell ${n}</v></c></row></sheetData>`,
        ]),
      ),
    },
    0,
  );
};

const claims = `<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576" spans="1:16384"><c r="XFD1048576" t="str"><v>the end</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`;
const LAUGHS = `<!DOCTYPE l [<!ENTITY a "ha">${[..."bcdefghij"].map((name, i) => `<!ENTITY ${name} "${`&${"abcdefghij"[i]};`.repeat(10)}">`).join("")}]>`;

const book = (sheet: string, string = "") =>
  zip({
    "xl/workbook.xml": '<workbook><sheets><sheet name="S" r:id="r"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="r" Type="x" Target="worksheets/s.xml"/></Relationships>',
    "xl/sharedStrings.xml": `<sst><si><t>${string}</t></si></sst>`,
    "xl/worksheets/s.xml": sheet,
  });
const sharing = (rows: number) =>
  `<sheetData>${Array.from({ length: rows }, (_, i) => `<row r="${i + 1}"><c r="A${i + 1}" t="s"><v>0</v></c></row>`).join("")}</sheetData>`;
const repeatedCell =
  '<table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1000"><text:p>a cell of some words</text:p></table:table-cell></table:table-row>';
const notesInBoxes = (depth: number): string =>
  depth === 0
    ? "<text:p>the end</text:p>"
    : `<text:p>a<draw:text-box><text:p>b<text:note>${notesInBoxes(depth - 1)}</text:note></text:p></draw:text-box></text:p>`;
const points = Array.from({ length: 3_000 }, (_, i) => `<c:pt idx="${i * 1e6}"><c:v>${i}</c:v></c:pt>`).join("");
const chart = `<c:chartSpace><c:chart><c:plotArea><c:barChart><c:ser><c:val><c:numRef><c:numCache><c:ptCount val="4000000000"/>${points}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
const figures = (element: string, count: number, type: string, file: string, xml: string) =>
  word(`<w:p><w:r>${element.repeat(count)}</w:r></w:p>${END}`, {
    "word/_rels/document.xml.rels": `<Relationships><Relationship Id="r" Type="x/${type}" Target="${file}"/></Relationships>`,
    [`word/${file}`]: xml,
  });
const chain = (length: number) => {
  const numbers = Array.from({ length }, (_, i) => i);
  return `<dgm:dataModel><dgm:ptLst>${numbers.map((i) => `<dgm:pt modelId="${i}"><dgm:t><a:p><a:r><a:t>a</a:t></a:r></a:p></dgm:t></dgm:pt>`).join("")}</dgm:ptLst><dgm:cxnLst>${numbers.map((i) => `<dgm:cxn srcId="${i}" destId="${(i + 1) % length}"/>`).join("")}</dgm:cxnLst></dgm:dataModel>`;
};
const apart = (rows: number, columns: number) =>
  `<sheetData>${Array.from({ length: rows }, (_, i) => `<row r="${i * 2 + 1}">${'<c/><c t="str"><v>a</v></c>'.repeat(columns)}</row>`).join("")}<row r="1000000"><c t="str"><v>the end</v></c></row></sheetData>`;
const GROWS = /bytes become more than .* characters.*as CSV or plain text/;

/** Files that are refused, each with its reason, and files that are read to the end. */
const files = async (): Promise<[name: string, bytes: Uint8Array, outcome: RegExp | string][]> => [
  ["bomb.docx", patched(word(END), 24, 0xff, 0xff, 0xff, 0xee), /Unpacked it takes more than 200 MB/],
  ["liar.docx", patched(word(END), 24, 5, 0, 0, 0), /damaged/],
  ["locked-entry.docx", patched(word(END), 8, 1), /encrypted/],
  [
    "many.docx",
    zip(Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`f${i}`, ""])), 0),
    /more than 20000 files/,
  ],
  ["climbing.docx", zip({ "../../word/document.xml": END }), /damaged/],
  ["archive.docx", zip({ "a.txt": "words" }), /archive/],
  ["old.docx", ole("WordDocument"), /damaged/],
  ["locked.xlsx", ole("EncryptedPackage"), /encrypted/],
  ["picture.pdf", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0", "latin1"), /The picture is damaged/],
  ["program.txt", Buffer.from("\x7fELF\x02\x01", "latin1"), /a program/],
  ["rich.docx", utf8("{\\rtf1 words}"), "words"],
  ["page.pdf", utf8("<html>404</html>"), /not PDF/],
  ["blank.pdf", pdf(["", ""]), /no text/],
  ["locked.pdf", lockedPdf(), /encrypted/],
  ["big.md", new Uint8Array(21 * 1024 * 1024).fill(0x61), /Larger than 20 MB/],
  ["broken.json", utf8('{"a":'), /not valid JSON/],
  [
    "tags.srt",
    utf8(`1\n00:00:01,000 --> 00:00:02,000\n<v${" ".repeat(400_000)}${"<".repeat(400_000)}> the end`),
    "the end",
  ],
  ["mark.rst", utf8(`\`${" ".repeat(400_000)}${":a".repeat(200_000)} the end`), "the end"],
  ["deep.json", utf8("[".repeat(200_000)), /not valid JSON/],
  ["deeper.json", utf8("[".repeat(200_000) + "]".repeat(200_000)), /nested too deeply/],
  ["lines.jsonl", utf8('{"a":1}\nnothing\n'), /line 2/],
  ["no.ipynb", utf8("{}"), /no cells/],
  ["no.srt", utf8("1\n00:00:01,000 --> 00:00:02,000\n\n"), /no text/],
  [
    "drm.epub",
    zip({
      "META-INF/container.xml": '<rootfile full-path="b.opf"/>',
      "b.opf": '<item id="a" href="a.html"/><itemref idref="a"/>',
      "META-INF/encryption.xml": '<CipherReference URI="a.html"/>',
    }),
    /encrypted/,
  ],
  ["no-book.epub", zip({ "META-INF/container.xml": "<container/>" }), /no text/],
  [
    "locked.odt",
    zip({ "content.xml": "x", "META-INF/manifest.xml": "<m><file-entry><encryption-data/></file-entry></m>" }),
    /encrypted/,
  ],
  [
    "entities.docx",
    zip({ "word/document.xml": `${LAUGHS}<w:document><w:body>${said("&j;")}${END}</w:body></w:document>` }),
    "the end",
  ],
  ["deep.docx", word(`${"<w:p>".repeat(10_000)}${"</w:p>".repeat(10_000)}${END}`), "the end"],
  ["unclosed.docx", word(`${END}<w:tbl><w:tr><w:tc>`), "the end"],
  [
    "loop.docx",
    word(`<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr></w:p>${END}`, {
      "word/styles.xml": '<w:style w:styleId="a"><w:basedOn w:val="a"/></w:style>',
    }),
    "the end",
  ],
  ["word.pdf", word(END), "the end"],
  ["named.docx", pdf(["the end"]), "the end"],
  [
    "claims.xlsx",
    zip({
      "xl/workbook.xml": '<workbook><sheets><sheet name="S" r:id="r"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels":
        '<Relationships><Relationship Id="r" Type="x" Target="worksheets/s.xml"/></Relationships>',
      "xl/worksheets/s.xml": claims,
    }),
    "the end",
  ],
  ["sheets.xlsx", sheets(2_000), "cell 2000"],
  [
    "repeated.ods",
    openDocument(`<office:spreadsheet><table:table>${repeatedCell}</table:table></office:spreadsheet>`),
    GROWS,
  ],
  ["shared.xlsx", book(sharing(2_000), "word ".repeat(6_000)), GROWS],
  ["merged.xlsx", book(`${sharing(1_000)}<mergeCells>${'<mergeCell ref="A1:A1000"/>'.repeat(300_000)}`, "a"), GROWS],
  ["chart.docx", figures('<c:chart r:id="r"/>', 1, "chart", "charts/chart1.xml", chart), "the end"],
  ["charts.docx", figures('<c:chart r:id="r"/>', 3_000, "chart", "charts/chart1.xml", chart), GROWS],
  ["diagram.docx", figures('<dgm:relIds r:dm="r"/>', 1, "diagramData", "diagrams/data1.xml", chain(30_000)), "the end"],
  ["apart.xlsx", book(apart(300, 30)), "the end"],
  ["notes.odt", openDocument(`<office:text>${notesInBoxes(24)}</office:text>`), "the end"],
  ["head.csv", utf8(`${"h".repeat(50_000)},b\n${"1,2\n".repeat(200_000)}`), "| 1 | 2 |"],
  ...["[[", "link:a[", "https://a[", "<<a", "image:a[", `= a${" ".repeat(150_000)}b\n`].map(
    (mark, i): [string, Uint8Array, string] => [
      `${i}.adoc`,
      utf8(`${mark.repeat(Math.ceil(150_000 / mark.length))}\nthe end`),
      "the end",
    ],
  ),
  ["spaces.org", utf8(`* a${" ".repeat(150_000)}b\nthe end`), "the end"],
  [
    "deep.eml",
    utf8(
      `${Array.from({ length: 500 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join("")}\nthe end`,
    ),
    /cannot be read as mail.*nesting/,
  ],
  ["wide.csv", utf8(`${"a,".repeat(100_000)}b\n${"1,".repeat(100_000)}the end\n`), "the end"],
  ["quote.csv", utf8('a,b\n"never closed,the end\n'), "the end"],
  [
    "notes.rst",
    utf8(`${Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}.. note::\n`).join("")}\nthe end\n`),
    "the end",
  ],
  ["fences.adoc", utf8(`${"----\n....\n".repeat(20_000)}the end\n`), "the end"],
  ["blocks.org", utf8(`${"#+BEGIN_SRC\n:PROPERTIES:\n".repeat(20_000)}the end\n`), "the end"],
];

test("each hostile file is read or refused with a reason, and none ends the run", async () => {
  const given = await files();
  for (const [name, bytes] of given) await writeFile(join(cwd, name), bytes);
  const documents = inMemoryDocuments();
  const upsert = vi.spyOn(documents, "upsert");
  const { added, failures, empty } = await ingestFiles(["."], { documents, cwd });
  const passages = upsert.mock.calls.flatMap(([written]) => written);
  for (const [name, , outcome] of given) {
    const reason = empty.includes(name) ? "There is no text." : failures.find(({ path }) => path === name)?.reason;
    const text = passages.filter(({ documentId }) => documentId === name).map((passage) => passage.text);
    if (typeof outcome === "string")
      expect([name, reason, text.join("\n")]).toEqual([name, undefined, expect.stringContaining(outcome)]);
    else expect([name, reason]).toEqual([name, expect.stringMatching(outcome)]);
  }
  expect(added + failures.length + empty.length).toBe(given.length);
});

test("files that are empty, truncated or random are read or refused with a reason", async () => {
  const whole: Record<string, Uint8Array> = {
    docx: await docx({ text: "Words of a document." }),
    xlsx: await xlsx({ A: [cells("a", "b"), cells("1", "2")] }),
    pptx: pptx([{ title: "Title", lines: ["a line"] }]),
    odt: openDocument("<office:text><text:p>Words.</text:p></office:text>"),
    epub: epub("Book", ["<p>Words.</p>"]),
    pdf: pdf(["Words of a page."]),
  };
  const text = "rst adoc org csv tsv json jsonl ipynb srt vtt eml html md txt py".split(" ");
  let count = 0;
  const add = (name: string, bytes: Uint8Array) => {
    count += 1;
    return writeFile(join(cwd, name), bytes);
  };
  const noise = Uint8Array.from({ length: 3_000 }, (_, i) => (i * i * 31 + i * 7) % 256);
  const kinds = [...Object.keys(whole), ...text];
  for (const extension of kinds) {
    await add(`empty.${extension}`, new Uint8Array());
    await add(`noise.${extension}`, noise);
  }
  for (const [extension, bytes] of Object.entries(whole))
    for (const part of [0.1, 0.5, 0.9]) await add(`cut-${part}.${extension}`, bytes.subarray(0, bytes.length * part));
  const { added, failures, empty } = await ingestFiles(["."], { documents: inMemoryDocuments(), cwd });
  expect(added + failures.length + empty.length).toBe(count);
  expect(failures.every(({ reason }) => /^[A-Z].*[.)]$/.test(reason))).toBe(true);
  expect(empty).toEqual(kinds.map((kind) => `empty.${kind}`).sort());
  expect(failures.filter(({ path }) => path.startsWith("cut-") && !path.endsWith(".pdf"))).toHaveLength(15);
});

test("what was given up is not remembered in a folder that cannot be made, which is no error", async () => {
  await writeFile(join(cwd, "taken"), "");
  for (const path of [join(cwd, "taken", "unread.txt"), join(cwd, "taken", "store", "unread.txt")]) {
    await stoppedIn(path).add("0".repeat(64), "It took too long.");
    expect(await stoppedIn(path).reasonOf("0".repeat(64))).toBeUndefined();
  }
});

test("a file that was given up is reported again, and retried only after it changes", async () => {
  const stopped = stoppedIn(join(cwd, "store", "unread.txt"));
  const file = join(cwd, "a.pdf");
  const read = async (memory: Stopped) =>
    (await ingestFiles([file], { documents: inMemoryDocuments(), cwd, stopped: memory })).failures[0]?.reason;
  await writeFile(file, HOSTILE["72 KB of objects that never end"]?.() ?? "");
  expect(await read(stopped)).toMatch(/stopped after 5\.1 s.*in parts/);
  const again = await read(stoppedIn(join(cwd, "store", "unread.txt")));
  expect(again).toMatch(/stopped after 5\.1 s.*not changed since.*delete .*unread\.txt/);
  await writeFile(file, pdf(["Words of a page."]));
  expect(await read(stopped)).toBeUndefined();
});
