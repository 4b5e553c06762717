import { deflateSync } from "node:zlib";

/** A PDF of these objects in file syntax, numbered from 1: the first is the catalogue, the last is the information. */
function pdfOf(objects: readonly (string | Uint8Array)[]): Uint8Array {
  const pieces: Uint8Array[] = [Buffer.from("%PDF-1.4\n")];
  let at = 9;
  const add = (piece: string | Uint8Array) => {
    const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
    pieces.push(bytes);
    at += bytes.length;
  };
  const starts = objects.map((object, i) => {
    const start = at;
    add(`${i + 1} 0 obj\n`);
    add(object);
    add("\nendobj\n");
    return start;
  });
  const table = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  add(
    `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${at}\n%%EOF\n`,
  );
  return Buffer.concat(pieces);
}

const CATALOGUE = "<< /Type /Catalog /Pages 2 0 R >>";
const ABOUT = "<< /Title (Ferry timetable) /Author (Ann Field) /CreationDate (D:20240305101500Z) >>";
const HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
const PAGE = (contents: string, more = "") =>
  `<< /Type /Page /Parent 2 0 R ${more} /MediaBox [0 0 600 800] /Contents ${contents} /Resources << /Font << /F1 3 0 R >> >> >>`;
const ONE_PAGE = "<< /Type /Pages /Kids [4 0 R] /Count 1 >>";

const stream = (drawn: string) => `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`;
const drawn = (...lines: readonly string[]) =>
  stream(`BT /F1 12 Tf 40 700 Td ${lines.map((line) => `${line} Tj`).join(" 0 -14 Td ")} ET`);

/** A PDF of these pages, each of a line or of lines. */
export function pdf(pages: readonly (string | readonly string[])[]): Uint8Array {
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(" ");
  return pdfOf([
    CATALOGUE,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    HELVETICA,
    ...pages.flatMap((lines, i) => [PAGE(`${5 + i * 2} 0 R`), drawn(...[lines].flat().map((line) => `(${line})`))]),
    ABOUT,
  ]);
}

/**
 * A PDF with one page of these drawing operators and the font F1.
 * @param more entries of the page, such as its annotations.
 */
export const pdfDrawn = (operators: string, more = ""): Uint8Array =>
  pdfOf([CATALOGUE, ONE_PAGE, HELVETICA, PAGE("5 0 R", more), stream(operators), ABOUT]);

/**
 * A line in a font that is not embedded and uses the codes of a predefined character map, as East Asian word processors
 * write it. `hex` is the line in the encoding of the map.
 */
export function pdfByMap(map: string, ordering: string, hex: string): Uint8Array {
  const descendant = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 0 >> /DW 1000 /FontDescriptor << /Type /FontDescriptor /FontName /Song /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >> >>`;
  const font = `<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${map} /DescendantFonts [${descendant}] >>`;
  return pdfOf([CATALOGUE, ONE_PAGE, font, PAGE("5 0 R"), drawn(`<${hex}>`), ABOUT]);
}

/** Files that slow a reader down, each in a different way. */
export const HOSTILE: Readonly<Record<string, () => Uint8Array>> = {
  "72 KB of objects that never end": () => unended(72_000),
  "900 KB of objects that never end": () => unended(900_000),
  "a page that is drawn 200,000 times": () =>
    pdfOf([
      CATALOGUE,
      ONE_PAGE,
      HELVETICA,
      PAGE(`[${"5 0 R ".repeat(200_000)}]`),
      drawn("(The ferry leaves at six.)"),
      ABOUT,
    ]),
  "forms inside forms, 10 of each, 9 deep": () => nestedForms(10, 9),
  "a stream that unpacks to 4 GB": () => bomb(4),
  "widths of 100 million letters": () => composite("/W [0 100000000 500]"),
  "a map of 100 times 16 million letters": () =>
    composite(
      "/DW 500",
      Array.from({ length: 100 }, (_, i) => `<${hex(i)}000000> <${hex(i)}FFFFFE> <0041>`),
    ),
};

const hex = (n: number) => n.toString(16).padStart(2, "0");

/** A page in a composite font with these widths and this character map. */
function composite(widths: string, ranges: readonly string[] = []): Uint8Array {
  const map = `begincmap\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n${ranges.length} beginbfrange\n${ranges.join("\n")}\nendbfrange\nendcmap`;
  return pdfOf([
    CATALOGUE,
    ONE_PAGE,
    `<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [7 0 R] ${ranges.length > 0 ? "/ToUnicode 8 0 R" : ""} >>`,
    PAGE("5 0 R"),
    stream("BT /F1 12 Tf 40 700 Td <00410042> Tj ET"),
    ABOUT,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> ${widths} /FontDescriptor 9 0 R >>`,
    stream(map),
    "<< /Type /FontDescriptor /FontName /A /Flags 4 /FontBBox [0 0 1000 1000] /Ascent 800 /Descent -200 /ItalicAngle 0 /CapHeight 700 /StemV 80 >>",
  ]);
}

const unended = (size: number) => Buffer.from(`%PDF-1.4\n${"1 0 obj<<".repeat(size / 9)}`);

/** Each form draws the next one `times` times. */
function nestedForms(times: number, depth: number): Uint8Array {
  const form = (inner: string, next: number) =>
    `<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> /XObject << /X ${next} 0 R >> >> /Length ${inner.length} >>\nstream\n${inner}\nendstream`;
  const again = "/X Do ".repeat(times);
  const forms = Array.from({ length: depth }, (_, i) => form(again, 7 + i));
  const text = "BT /F1 12 Tf 40 700 Td (The ferry leaves at six.) Tj ET";
  return pdfOf([
    CATALOGUE,
    ONE_PAGE,
    HELVETICA,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> >>`,
    stream(again),
    ...forms,
    `<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Length ${text.length} >>\nstream\n${text}\nendstream`,
    ABOUT,
  ]);
}

/** A page whose content is compressed twice, to a millionth of its size. */
function bomb(gigabytes: number): Uint8Array {
  const once = deflateSync(Buffer.alloc(gigabytes * 250_000_000, " "), { level: 9 });
  const packed = deflateSync(once, { level: 9 });
  const head = `<< /Length ${packed.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`;
  const object = Buffer.concat([Buffer.from(head), packed, Buffer.from("\nendstream")]);
  return pdfOf([CATALOGUE, ONE_PAGE, HELVETICA, PAGE(`[${"5 0 R ".repeat(4)}]`), object, ABOUT]);
}
