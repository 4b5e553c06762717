import { Document, HeadingLevel, LevelFormat, Packer, Paragraph, Table, TableCell, TableRow, TextRun } from "docx";
import { strToU8, zipSync } from "fflate";
import writeExcelFile from "write-excel-file/node";

// Files of many formats, written with libraries if there are small ones.

export const utf8 = (text: string): Uint8Array => strToU8(text);

/** An archive of files with these contents. */
export const zip = (files: Record<string, string | Uint8Array>, level: 0 | 6 = 6): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [name, typeof content === "string" ? utf8(content) : content]),
    ),
    { level },
  );

interface DocxParts {
  title?: string;
  /** Numbered by Word: "1.", "1.1". */
  headings?: readonly (readonly [level: 1 | 2, text: string])[];
  text?: string;
  hidden?: string;
  rows?: readonly (readonly string[])[];
}

export async function docx({
  title,
  headings = [],
  text = "",
  hidden = "",
  rows = [],
}: DocxParts): Promise<Uint8Array> {
  const levels = [0, 1].map((level) => ({
    level,
    format: LevelFormat.DECIMAL,
    text: level === 0 ? "%1." : "%1.%2",
  }));
  const document = new Document({
    ...(title && { title }),
    numbering: { config: [{ reference: "sections", levels }] },
    sections: [
      {
        children: [
          ...headings.map(
            ([level, words]) =>
              new Paragraph({
                text: words,
                heading: level === 1 ? HeadingLevel.HEADING_1 : HeadingLevel.HEADING_2,
                numbering: { reference: "sections", level: level - 1 },
              }),
          ),
          new Paragraph({ children: [new TextRun(text), new TextRun({ text: hidden, vanish: true })] }),
          new Paragraph({ text: "a first point", bullet: { level: 0 } }),
          new Paragraph({ text: "a point below it", bullet: { level: 1 } }),
          ...(rows.length === 0 ? [] : [tableOf(rows)]),
        ],
      },
    ],
  });
  return new Uint8Array(await Packer.toBuffer(document));
}

const tableOf = (rows: readonly (readonly string[])[]) =>
  new Table({
    rows: rows.map(
      (cells) => new TableRow({ children: cells.map((cell) => new TableCell({ children: [new Paragraph(cell)] })) }),
    ),
  });

type Cell = { value: string | number | Date; type?: typeof String | typeof Number | typeof Date; format?: string };

export async function xlsx(sheets: Readonly<Record<string, Cell[][]>>): Promise<Uint8Array> {
  const given = Object.entries(sheets).map(([sheet, data]) => ({ sheet, data }));
  return new Uint8Array(await writeExcelFile(given).toBuffer());
}

export const cells = (...values: string[]): Cell[] => values.map((value) => ({ value, type: String }));

/** Slides with a title, lines and speaker notes. */
export function pptx(
  slides: readonly { title: string; lines: readonly string[]; notes?: string; hidden?: boolean }[],
): Uint8Array {
  const shape = (kind: string, lines: readonly string[]) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.map((line) => `<a:p><a:r><a:rPr lang="en"/><a:t>${line}</a:t></a:r></a:p>`).join("")}</p:txBody></p:sp>`;
  const slide = (name: string, shapes: string, shown = "1") =>
    `<?xml version="1.0"?><p:${name} xmlns:p="p" xmlns:a="a" show="${shown}"><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${name}>`;
  const relations = (type: string, targets: readonly string[]) =>
    `<Relationships>${targets.map((target, i) => `<Relationship Id="rId${i + 1}" Type="http://x/${type}" Target="${target}"/>`).join("")}</Relationships>`;
  const files: Record<string, string> = {
    // In the order of the slide list, not of the file names.
    "ppt/presentation.xml": `<p:presentation><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="rId${i + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(
      "slide",
      slides.map((_, i) => `slides/slide${slides.length - i}.xml`),
    ),
  };
  slides.forEach(({ title, lines, notes, hidden }, i) => {
    const number = slides.length - i;
    files[`ppt/slides/slide${number}.xml`] = slide(
      "sld",
      shape("title", [title]) + shape("body", lines),
      hidden ? "0" : "1",
    );
    files[`ppt/slides/_rels/slide${number}.xml.rels`] = relations("notesSlide", [
      `../notesSlides/notesSlide${number}.xml`,
    ]);
    files[`ppt/notesSlides/notesSlide${number}.xml`] = slide("notes", shape("body", notes ? [notes] : []));
  });
  return zip(files);
}

/** An OpenDocument file with this body, `<office:text>…`, and these styles. */
export const openDocument = (body: string, styles = ""): Uint8Array =>
  zip({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
  });

export function epub(title: string, chapters: readonly string[]): Uint8Array {
  const items = chapters.map((_, i) => `<item id="c${i}" href="text/c%20${i}.xhtml"/>`).join("");
  const spine = chapters.map((_, i) => `<itemref idref="c${i}"/>`).join("");
  return zip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    "OEBPS/book.opf": `<package><metadata><dc:title>${title}</dc:title><dc:date>2024-05-01</dc:date></metadata><manifest>${items}</manifest><spine>${spine}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((chapter, i) => [
        `OEBPS/text/c ${i}.xhtml`,
        `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${chapter}</body></html>`,
      ]),
    ),
  });
}

/** The bytes of a text in an encoding, by inverting the decoder for every one or two bytes. */
export function encoded(text: string, label: string): Uint8Array {
  if (label === "utf-16le") return Buffer.from(text, "utf16le");
  if (label === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  const decoder = new TextDecoder(label);
  const known = new Map<string, number[]>();
  const learn = (...bytes: number[]) => {
    const character = decoder.decode(Uint8Array.from(bytes));
    if ([...character].length === 1 && !known.has(character)) known.set(character, bytes);
  };
  for (let first = 0; first < 256; first++) learn(first);
  for (let first = 0x81; first < 255; first++) for (let second = 0x40; second < 255; second++) learn(first, second);
  return Uint8Array.from([...text].flatMap((character) => known.get(character) ?? [0x3f]));
}
