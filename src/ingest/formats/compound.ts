// Compound files (MS-CFB), which hold the streams of old Office files and of Outlook messages.

/** The streams of a compound file. */
export interface CompoundFile {
  /** The paths of the streams, such as "WordDocument" or "ObjectPool/_1/CONTENTS". */
  paths: readonly string[];
  /** Returns the bytes of a stream; empty if there is none. */
  stream(path: string): Buffer;
}

/** @throws RangeError if it is damaged. */
export function compoundFile(bytes: Uint8Array): CompoundFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = 1 << within(file.readUInt16LE(30), 7, 16);
  const miniSize = 1 << within(file.readUInt16LE(32), 2, 12);
  const sector = (number: number) => {
    const start = (number + 1) * size;
    if (start >= file.length) throw new RangeError("A sector is missing.");
    return file.subarray(start, start + size);
  };
  const numbersIn = (part: Buffer) =>
    Array.from({ length: Math.floor(part.length / 4) }, (_, i) => part.readUInt32LE(4 * i));

  /** Returns the numbers of a chain of sectors. */
  const chain = (first: number, next: readonly number[]) => {
    const found: number[] = [];
    for (let at = first; at <= LAST_SECTOR; at = next[at] ?? END) {
      found.push(at);
      if (found.length > next.length) throw new RangeError("A chain of sectors has no end.");
    }
    return found;
  };

  const tables = numbersIn(file.subarray(76, 512)).filter((number) => number <= LAST_SECTOR);
  const most = file.length / size;
  for (let at = file.readUInt32LE(68), seen = 0; at <= LAST_SECTOR && seen < most; seen++) {
    const numbers = numbersIn(sector(at));
    tables.push(...numbers.slice(0, -1).filter((number) => number <= LAST_SECTOR));
    at = numbers.at(-1) ?? END;
  }
  if (tables.length > most) throw new RangeError("It has more tables than sectors.");
  const next = tables.flatMap((number) => numbersIn(sector(number)));
  const whole = (first: number) => Buffer.concat(chain(first, next).map(sector));
  const entries = entriesOf(whole(file.readUInt32LE(48)));
  const miniNext = numbersIn(whole(file.readUInt32LE(60)));
  const cutoff = file.readUInt32LE(56);
  let mini: Buffer | undefined;
  return {
    paths: [...entries].flatMap(([path, { isStream }]) => (isStream ? [path] : [])),
    stream(path) {
      const { first, length } = entries.get(path) ?? { first: END, length: 0 };
      if (length >= cutoff) return whole(first).subarray(0, length);
      mini ??= whole(entries.get("")?.first ?? END);
      const parts = chain(first, miniNext).map((number) => mini?.subarray(number * miniSize, (number + 1) * miniSize));
      return Buffer.concat(parts.filter((part) => part !== undefined)).subarray(0, length);
    },
  };
}

const END = 0xffff_fffe;
const LAST_SECTOR = 0xffff_fffa;

function within(value: number, least: number, most: number): number {
  if (value < least || value > most) throw new RangeError("A size is impossible.");
  return value;
}

interface Entry {
  isStream: boolean;
  first: number;
  length: number;
}

/** Returns the entries of the directory by their paths. The root, which holds the small streams, has an empty path. */
function entriesOf(directory: Buffer): Map<string, Entry> {
  const found = new Map<string, Entry>();
  const seen = new Set<number>();
  const ahead: [number: number, folder: string][] = [[0, ""]];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const [number, folder] = next;
    const at = number * ENTRY;
    if (seen.has(number) || at + ENTRY > directory.length) continue;
    seen.add(number);
    const nameLength = Math.min(64, directory.readUInt16LE(at + 64));
    const name = directory.toString("utf16le", at, at + Math.max(0, nameLength - 2));
    const path = number === 0 ? "" : `${folder}${name}`;
    const type = directory[at + 66];
    if (type === STREAM || number === 0)
      found.set(path, {
        isStream: type === STREAM,
        first: directory.readUInt32LE(at + 116),
        length: directory.readUInt32LE(at + 120),
      });
    for (const beside of [68, 72]) ahead.push([directory.readUInt32LE(at + beside), folder]);
    ahead.push([directory.readUInt32LE(at + 76), number === 0 ? "" : `${path}/`]);
  }
  return found;
}

const ENTRY = 128;
const STREAM = 2;

/** Returns what the summary of an old Office file states: its title, its author and when it was saved. */
export function summaryOf(file: CompoundFile): { title: string; saved: string; stated: [string, string][] } {
  const named = propertiesIn(file.stream("\u0005SummaryInformation"));
  const stated = Object.entries({ subject: 3, author: 4, keywords: 5 }).map(([name, id]): [string, string] => [
    name,
    named.get(id) ?? "",
  ]);
  return { title: named.get(2) ?? "", saved: named.get(13) ?? "", stated };
}

/** Returns the texts and times (ISO dates) of the first set of properties, by their ids (MS-OLEPS). */
function propertiesIn(stream: Buffer): Map<number, string> {
  const found = new Map<number, string>();
  if (stream.length < 48) return found;
  const set = stream.readUInt32LE(44);
  const count = Math.min(100, stream.readUInt32LE(set + 4));
  const places = Array.from({ length: count }, (_, i) => {
    const at = set + 8 + 8 * i;
    return { id: stream.readUInt32LE(at), at: set + stream.readUInt32LE(at + 4) };
  });
  const [page] = places.filter(({ id }) => id === 1).map(({ at }) => stream.readUInt16LE(at + 4));
  for (const { id, at } of places) {
    const type = stream.readUInt16LE(at);
    const length = type === 0x1e || type === 0x1f ? stream.readUInt32LE(at + 4) : 0;
    const text = stream.subarray(at + 8, at + 8 + length * (type === 0x1f ? 2 : 1));
    if (type === 0x1e) found.set(id, inCodePage(text, page ?? 1252).replace(/\0.*$/s, ""));
    else if (type === 0x1f) found.set(id, text.toString("utf16le").replace(/\0.*$/s, ""));
    else if (type === 0x40) found.set(id, dateOf(stream.readBigUInt64LE(at + 4)));
  }
  return found;
}

/** Returns the ISO date of a time in Windows' count, of 100 ns since 1601; empty for none. */
export function dateOf(time: bigint): string {
  const date = new Date(Number(time / 10_000n) - 11_644_473_600_000);
  return time === 0n || Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

/** Decodes text in a code page of Windows. */
export function inCodePage(text: Uint8Array, page: number): string {
  const label = CODE_PAGES[page] ?? `windows-${page}`;
  try {
    return new TextDecoder(label).decode(text);
  } catch {
    return new TextDecoder("windows-1252").decode(text);
  }
}

const CODE_PAGES: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gb18030",
  949: "euc-kr",
  950: "big5",
  1200: "utf-16le",
  10000: "macintosh",
  10007: "x-mac-cyrillic",
  20866: "koi8-r",
  28591: "iso-8859-1",
  28592: "iso-8859-2",
  54936: "gb18030",
  65001: "utf-8",
};
