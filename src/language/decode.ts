import { isUtf8 } from "node:buffer";
import { detectAll } from "jschardet";

/**
 * The text of a file or page in whatever encoding it is: by its byte order mark, else UTF-8 where it is that, else the
 * first encoding it is declared to be in that fits, else the likeliest. A few broken bytes become U+FFFD.
 * @param declared labels such as `gb2312`, the most trusted first; one that is unknown or cannot be counts for nothing.
 * @throws Error whose message says why the bytes are no text, or that their encoding cannot be told.
 */
export function decode(bytes: Uint8Array, declared: readonly string[] = []): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))?.[1];
  if (marked) return new TextDecoder(marked).decode(bytes);
  const controls = controlsIn(bytes);
  if (controls <= bytes.length / 50) {
    const utf8 = new TextDecoder().decode(bytes);
    if (isUtf8(bytes) || isDamagedOnly(utf8)) return utf8;
  }
  for (const label of [...declared, ...likeliest(bytes)]) {
    const text = fitting(label, bytes);
    if (text !== undefined) return text;
  }
  const what = controls > bytes.length / 50 ? "The file is binary, or its" : "The file's";
  throw new Error(`${what} encoding cannot be told. Save it as UTF-8.`);
}

const MARKS: readonly (readonly [mark: readonly number[], label: string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];
const ESCAPE = 27;

/**
 * The text without what nobody sees: control characters, zero-width and direction marks, tags, soft hyphens. They would
 * carry hidden instructions to a model, hide words from search and turn quotes around. Kept are the joiners inside
 * emoji and inside scripts that need them. Form feeds and their like become line ends.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (mark, at: number) => {
    if (LINE_ENDS.has(mark)) return "\n";
    const before = JOINERS.has(mark) ? text.slice(Math.max(0, at - 2), at) : "";
    return JOINING.test(before) ? mark : "";
  });
}

const UNSEEN = /(?![\t\n\r])\p{Cc}|\p{Default_Ignorable_Code_Point}/gu;
const LINE_ENDS = new Set(["\v", "\f", "\u0085"]);
const JOINERS = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"]);
const JOINING =
  /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|\p{Script=Arabic}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Malayalam}|\p{Script=Sinhala})$/u;

const brokenIn = (text: string) => text.match(/\ufffd/g)?.length ?? 0;

/** Whether a few bytes are broken. Anything else read as UTF-8 breaks at most of its characters. */
const isDamagedOnly = (text: string) => (text.match(/[\u0080-\ufffc]/g)?.length ?? 0) > brokenIn(text) * 10;

/** The text in this encoding, where hardly any of it is broken. */
function fitting(label: string, bytes: Uint8Array): string | undefined {
  const decoder = decoderOf(label);
  if (!decoder || (isWestern(decoder.encoding) && standInRuns(bytes))) return undefined;
  const text = decoder.decode(bytes);
  return brokenIn(text) <= text.length / 200 && controlsIn(text) <= text.length / 50 ? text : undefined;
}

function decoderOf(label: string) {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** What the bytes could be, the likeliest first. */
function likeliest(bytes: Uint8Array): string[] {
  // The library would believe a declaration wherever it stands: "charset=", "coding:".
  const sample = bytes.slice(0, SAMPLE).map((byte) => (byte === EQUALS || byte === COLON ? SPACE : byte));
  return detectAll(sample).flatMap(({ encoding, confidence }) =>
    encoding === null || confidence < LEAST ? [] : [OTHER_NAMES[encoding.toLowerCase()] ?? encoding],
  );
}

const [EQUALS, COLON, SPACE] = [0x3d, 0x3a, 0x20];
const SAMPLE = 50_000;
/** The library names something for any bytes; below this it is not meant. */
const LEAST = 0.01;
/** Names that the standard for encodings on the web has not. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "utf-16-le": "utf-16le",
  "utf-16-be": "utf-16be",
  cp949: "euc-kr",
  cp932: "shift_jis",
};

/** Western labels are what servers and editors say by default, also of Chinese; those bytes stand in long runs. */
const isWestern = (encoding: string) => /^(?:windows-125[0248]|iso-8859-(?:2|15))$/.test(encoding);

function standInRuns(bytes: Uint8Array): boolean {
  let [foreign, paired] = [0, 0];
  for (let i = 0; i < Math.min(bytes.length, SAMPLE); i++) {
    if ((bytes[i] ?? 0) < 0x80) continue;
    foreign += 1;
    if ((bytes[i + 1] ?? 0) >= 0x80 || (bytes[i - 1] ?? 0) >= 0x80) paired += 1;
  }
  return paired >= foreign * 0.7 && foreign > 0;
}

/** How many control characters there are; text has hardly any. Half the bytes of English in UTF-16 are NUL. */
function controlsIn(codes: Uint8Array | string): number {
  let count = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = typeof codes === "string" ? codes.charCodeAt(i) : (codes[i] ?? 0);
    if (code < 9 || (code > 13 && code < 32 && code !== ESCAPE)) count += 1;
  }
  return count;
}
