import { isoDate, metadataOf } from "../../text/metadata.js";
import { type CompoundFile, compoundFile, dateOf, inCodePage } from "./compound.js";
import { type Content, inLine, inMarkdown, type ReadInside } from "./content.js";
import { allInMarkdown, decodeHtml } from "./html.js";
import { htmlInRtf, rtfText } from "./rtf.js";

/**
 * A message of Outlook (MS-OXMSG): sender, recipients, date, text, and the attachments whose format is read.
 * @throws RangeError if it is damaged.
 */
export async function msg(bytes: Uint8Array, inside: ReadInside): Promise<Content> {
  const { text, title, date, people } = await messageIn(compoundFile(bytes), "", inside);
  return inMarkdown(text, {
    title,
    reviewedAt: isoDate(date.slice(0, 10)),
    metadata: metadataOf([...people, ["Date", date]]),
  });
}

/** The numbers of properties. */
const SUBJECT = "0037";
const BODY = "1000";
const HTML = "1013";
const RTF = "1009";
const FROM_NAME = "0c1a";
const FROM_ADDRESS = ["5d01", "0c1f"];
const TO = "0e04";
const CC = "0e03";
const SENT = 0x0039;
const RECEIVED = 0x0e06;
const FILE_NAMES = ["3707", "3704", "3001"];
const FILE = "3701";

interface Message {
  text: string;
  title: string;
  /** ISO time, or empty. */
  date: string;
  people: [name: string, people: string[]][];
}

async function messageIn(file: CompoundFile, folder: string, inside: ReadInside, depth = 0): Promise<Message> {
  const property = (id: string, place = folder) => textIn(file, place, id);
  const title = inLine(property(SUBJECT));
  const sent = times(file, folder);
  const date = sent.get(SENT) ?? sent.get(RECEIVED) ?? "";
  const address = FROM_ADDRESS.map((id) => property(id)).find((each) => each.includes("@")) ?? "";
  const name = property(FROM_NAME);
  const from = inLine(name === address ? name : [name, address].filter(Boolean).join(" "));
  const listOf = (id: string) => property(id).split(";").map(inLine).filter(Boolean);
  const people: Message["people"] = [
    ["From", from === "" ? [] : [from]],
    ["To", listOf(TO)],
    ["Cc", listOf(CC)],
  ];
  const lines = people.flatMap(([kind, those]) => (those.length === 0 ? [] : [`- ${kind}: ${those.join(", ")}`]));
  const parts = [
    `# ${title || "(no subject)"}`,
    [...lines, ...(date ? [`- Date: ${date}`] : [])].join("\n"),
    bodyOf(file, folder),
  ];
  const attached = new Set(
    file.paths.flatMap((path) => {
      const rest = path.startsWith(folder) ? path.slice(folder.length) : "";
      return /^__attach_version1\.0_#[0-9a-f]+\//i.exec(rest)?.[0] ?? [];
    }),
  );
  for (const place of [...attached].sort()) {
    const at = `${folder}${place}`;
    const fileName = inLine(FILE_NAMES.map((id) => property(id, at)).find(Boolean) ?? "attachment");
    const inner = `${at}__substg1.0_3701000D/`;
    const isMessage = file.paths.some((path) => path.startsWith(inner));
    if (isMessage && depth < DEEPEST) parts.push((await messageIn(file, inner, inside, depth + 1)).text);
    else {
      const content = file.stream(`${at}__substg1.0_${FILE}0102`);
      // A picture in the text of the message has a name in its markup, and is no attachment.
      if (content.length === 0 || property("3712", at) !== "") continue;
      const read = await inside(new Uint8Array(content), fileName).catch(() => ({ text: "(not read)" }));
      parts.push(`# ${fileName}\n\n${read.text.trim()}`);
    }
  }
  return { text: parts.filter(Boolean).join("\n\n"), title, date, people };
}

const DEEPEST = 5;

/** Returns the text of a message: its markup, since a plain text has lost struck words and tables, else its plain text. */
function bodyOf(file: CompoundFile, folder: string): string {
  const markup = file.stream(`${folder}__substg1.0_${HTML}0102`);
  const html = markup.length > 0 ? decodeHtml(markup) : textIn(file, folder, HTML);
  const shown = html === "" ? "" : allInMarkdown(html).trim();
  if (shown !== "") return shown;
  const packed = file.stream(`${folder}__substg1.0_${RTF}0102`);
  const plain = textIn(file, folder, BODY).replace(/\r\n?/g, "\n").trim();
  if (packed.length === 0) return plain;
  const rtf = unpacked(packed);
  const inside = htmlInRtf(rtf);
  return (inside === "" ? rtfText(rtf) : allInMarkdown(inside).trim()) || plain;
}

/** Returns a text property of a message, of a recipient or of an attachment. */
function textIn(file: CompoundFile, folder: string, id: string): string {
  const wide = file.stream(`${folder}__substg1.0_${id.toUpperCase()}001F`);
  if (wide.length > 0) return wide.toString("utf16le").replace(/\0+$/, "");
  const narrow = file.stream(`${folder}__substg1.0_${id.toUpperCase()}001E`);
  return inCodePage(narrow, numbers(file, folder).get(CODE_PAGE) ?? 1252).replace(/\0+$/, "");
}

const CODE_PAGE = 0x3ffd;

/** Yields the properties of fixed size: the number and type of each, and its eight bytes. */
function* fixedIn(file: CompoundFile, folder: string): Generator<{ id: number; type: number; value: Buffer }> {
  const stream = file.stream(`${folder}__properties_version1.0`);
  const header = folder === "" ? 32 : folder.endsWith("000D/") ? 24 : 8;
  for (let at = header; at + 16 <= stream.length; at += 16)
    yield { type: stream.readUInt16LE(at), id: stream.readUInt16LE(at + 2), value: stream.subarray(at + 8, at + 16) };
}

const times = (file: CompoundFile, folder: string) =>
  new Map(
    [...fixedIn(file, folder)].flatMap(({ id, type, value }) =>
      type === 0x40 ? [[id, dateOf(value.readBigUInt64LE(0))] as const] : [],
    ),
  );

const numbers = (file: CompoundFile, folder: string) =>
  new Map(
    [...fixedIn(file, folder)].flatMap(({ id, type, value }) =>
      type === 3 ? [[id, value.readInt32LE(0)] as const] : [],
    ),
  );

/** Unpacks compressed RTF (MS-OXRTFCP). */
function unpacked(packed: Buffer): Buffer {
  if (packed.length < 16) return Buffer.alloc(0);
  const size = packed.readUInt32LE(4);
  if (packed.readUInt32LE(8) === STORED) return packed.subarray(16, 16 + size);
  const window = Buffer.alloc(4_096, 0x20);
  window.write(FIRST_WORDS, "latin1");
  let at = FIRST_WORDS.length;
  const out: number[] = [];
  for (let i = 16; i < packed.length; ) {
    const control = packed[i++] ?? 0;
    for (let bit = 0; bit < 8 && i < packed.length; bit++) {
      if (control & (1 << bit)) {
        const pair = packed.readUInt16BE(i);
        i += 2;
        const from = pair >> 4;
        if (from === at % 4_096) return Buffer.from(out);
        for (let j = 0; j < (pair & 15) + 2; j++) push(window[(from + j) % 4_096] ?? 0);
      } else push(packed[i++] ?? 0);
    }
  }
  return Buffer.from(out);

  function push(byte: number): void {
    out.push(byte);
    window[at % 4_096] = byte;
    at += 1;
  }
}

const STORED = 0x414c454d;
const FIRST_WORDS =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
