import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ingestFiles } from "../../../src/ingest/ingest.js";
import { inMemoryDocuments } from "../../../src/testing/documents.js";
import { endIdle } from "../../../src/tools/process/own-process.js";
import { pdf, pdfByMap } from "../../tools/web/pdfs.js";
import { cells, docx, encoded, epub, openDocument, pptx, utf8, xlsx } from "./writers.js";

vi.setConfig({ testTimeout: 120_000 });

const ENGLISH = "The first ferry leaves at six and costs five euros.";
const CHINESE = "第一班渡轮六点开出，票价五元，宠物免费乘船，末班船晚上十一点返回码头。";
const TRADITIONAL = "第一班渡輪六點開出，票價五元，寵物免費乘船，末班船晚上十一點返回碼頭。";
const GERMAN = "Die erste Fähre fährt um sechs Uhr und kostet fünf Euro, für Schüler gibt es Ermäßigung.";
const FRENCH = "Le premier bateau part à six heures et coûte cinq euros, le dernier est à onze heures précises.";

/** Text formats, as functions of their content. */
const WRITTEN: Record<string, (words: string) => string> = {
  md: (words) => `# Ferry\n\n${words}\n`,
  rst: (words) => `Ferry\n=====\n\n${words}\n`,
  adoc: (words) => `= Ferry\n\n${words}\n`,
  org: (words) => `* Ferry\n${words}\n`,
  txt: (words) => words,
  html: (words) => `<h1>Ferry</h1><p>${words}</p>`,
  csv: (words) => `Kind,Words\nferry,"${words}"\n`,
  tsv: (words) => `Kind\tWords\nferry\t${words}\n`,
  json: (words) => JSON.stringify({ ferry: words }),
  jsonl: (words) => `${JSON.stringify({ ferry: words })}\n`,
  ipynb: (words) => JSON.stringify({ cells: [{ cell_type: "markdown", source: [words] }] }),
  srt: (words) => `1\n00:00:01,000 --> 00:00:09,000\n${words}\n`,
  vtt: (words) => `WEBVTT\n\n00:01.000 --> 00:09.000\n${words}\n`,
  eml: (words) => `Subject: Ferry\nContent-Type: text/plain; charset=utf-8\n\n${words}\n`,
  py: (words) => `def ferry():\n    # ${words}\n    pass\n`,
  ts: (words) => `/** ${words} */\nexport function ferry() {}\n`,
  go: (words) => `// ${words}\nfunc Ferry() {}\n`,
  java: (words) => `/** ${words} */\nclass Ferry {}\n`,
  sql: (words) => `-- ${words}\ncreate table ferry (id int);\n`,
  yaml: (words) => `ferry: ${words}\n`,
  toml: (words) => `ferry = "${words}"\n`,
};

const PACKED: Record<string, (words: string) => Uint8Array | Promise<Uint8Array>> = {
  docx: (text) => docx({ text }),
  xlsx: (words) => xlsx({ Ferry: [cells("Kind", "Words"), cells("ferry", words)] }),
  pptx: (words) => pptx([{ title: "Ferry", lines: [words] }]),
  odt: (words) => openDocument(`<office:text><text:p>${words}</text:p></office:text>`),
  ods: (words) =>
    openDocument(
      `<office:spreadsheet><table:table table:name="Ferry"><table:table-row><table:table-cell><text:p>${words}</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`,
    ),
  odp: (words) =>
    openDocument(
      `<office:presentation><draw:page><draw:frame><draw:text-box><text:p>${words}</text:p></draw:text-box></draw:frame></draw:page></office:presentation>`,
    ),
  epub: (words) => epub("Ferry", [`<p>${words}</p>`]),
};

const ENCODED: readonly (readonly [label: string, words: string])[] = [
  ["gb18030", CHINESE],
  ["big5", TRADITIONAL],
  ["utf-16le", CHINESE],
  ["utf-16be", CHINESE],
  ["windows-1252", GERMAN],
  ["iso-8859-15", FRENCH],
];

async function files(): Promise<[name: string, bytes: Uint8Array, words: string][]> {
  const found: [string, Uint8Array, string][] = [];
  for (const [language, words] of [
    ["en", ENGLISH],
    ["zh", CHINESE],
  ] as const) {
    for (const [extension, write] of Object.entries(WRITTEN))
      found.push([`${language}.${extension}`, utf8(write(words)), words]);
    for (const [extension, write] of Object.entries(PACKED))
      found.push([`${language}.${extension}`, await write(words), words]);
  }
  found.push(["en.pdf", pdf([ENGLISH]), ENGLISH]);
  found.push([
    "zh.pdf",
    pdfByMap("UniGB-UCS2-H", "GB1", Buffer.from(CHINESE, "utf16le").swap16().toString("hex")),
    CHINESE,
  ]);
  // A byte order mark identifies UTF-16 in a file of any length.
  const marks: Record<string, string> = { "utf-16le": "\ufeff", "utf-16be": "\ufeff" };
  for (const [label, words] of ENCODED)
    for (const extension of ["txt", "csv"])
      found.push([
        `${label}.${extension}`,
        encoded((marks[label] ?? "") + (WRITTEN[extension]?.(words) ?? ""), label),
        words,
      ]);
  return found;
}

test("more than sixty files in thirty formats and encodings are all read, found by their words, and not read again", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "sixty-"));
  const given = await files();
  expect(given.length).toBeGreaterThanOrEqual(60);
  for (const [name, bytes] of given) await writeFile(join(cwd, name), bytes);
  const documents = inMemoryDocuments();
  expect(await ingestFiles(["."], { documents, cwd })).toMatchObject({
    added: given.length,
    failures: [],
    skipped: {},
  });
  const found = await documents.search({ text: [ENGLISH, CHINESE, GERMAN, FRENCH].join(" ") }, 200);
  const missing = given.filter(([name, , words]) => {
    const text = found.filter(({ documentId }) => documentId === name).map((passage) => passage.text);
    return !text.join("\n").includes(words);
  });
  expect(missing.map(([name]) => name)).toEqual([]);
  expect(await ingestFiles(["."], { documents, cwd })).toMatchObject({ added: 0, unchanged: given.length });
  endIdle();
  await rm(cwd, { recursive: true });
});
