import { isUtf8 } from "node:buffer";
import { createRequire } from "node:module";
import type * as Jschardet from "jschardet";
import { toError, UsageError } from "../errors.js";

/**
 * Decodes a file or page: by its byte order mark, else as UTF-8 if it is valid, else by the first declared encoding
 * that fits, else by the likeliest. A few invalid bytes become U+FFFD.
 * @param declared labels such as `gb2312`, the most trusted first; unknown and impossible ones are ignored.
 * @throws Error if the bytes are binary or no encoding fits.
 */
export function decode(bytes: Uint8Array, declared: readonly string[] = []): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))?.[1];
  if (marked) return new TextDecoder(marked).decode(bytes);
  const isBinary = controlsIn(bytes) > bytes.length * MOST_CONTROLS;
  if (!isBinary) {
    const utf8 = new TextDecoder().decode(bytes);
    if (isUtf8(bytes) || isDamagedOnly(utf8)) return utf8;
  }
  for (const label of [...declared, ...likeliest(bytes)]) {
    const text = fitting(label, bytes);
    if (text !== undefined) return text;
  }
  const what = isBinary ? "The file is binary, or its" : "The file's";
  throw new Error(`${what} encoding cannot be determined. Save it as UTF-8.`);
}

const MARKS: readonly (readonly [mark: readonly number[], label: string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];
const ESCAPE = 27;
/** Text has at most these shares of control and broken characters. Set by hand. */
const MOST_CONTROLS = 1 / 50;
const MOST_BROKEN = 1 / 200;

/**
 * Removes invisible characters: controls, zero-width and direction marks, tags, soft hyphens. They could carry hidden
 * instructions to a model, hide words from search and reverse quotes. Joiners inside emoji, and inside scripts that
 * need them, stay. Form feeds, vertical tabs and U+0085 become line ends.
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

/**
 * True if only a few bytes are invalid. Text in another encoding, read as UTF-8, is invalid at most of its characters.
 */
const isDamagedOnly = (text: string) => (text.match(/[\u0080-\ufffc]/g)?.length ?? 0) > brokenIn(text) * 10;

/** Returns the text in this encoding, or undefined if too much of it is invalid. */
function fitting(label: string, bytes: Uint8Array): string | undefined {
  const decoder = decoderOf(label);
  if (!decoder || (isWestern(decoder.encoding) && standInRuns(bytes))) return undefined;
  const text = decoder.decode(bytes);
  const fits = brokenIn(text) <= text.length * MOST_BROKEN && controlsIn(text) <= text.length * MOST_CONTROLS;
  return fits ? text : undefined;
}

function decoderOf(label: string) {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** Returns the encodings that the bytes could have, the likeliest first. */
function likeliest(bytes: Uint8Array): string[] {
  // jschardet believes a declaration anywhere in the text: "charset=", "coding:".
  const sample = bytes.slice(0, SAMPLE).map((byte) => (byte === EQUALS || byte === COLON ? SPACE : byte));
  const { detectAll } = require("jschardet") as typeof Jschardet;
  return detectAll(sample).flatMap(({ encoding, confidence }) =>
    encoding === null || confidence < LEAST_CONFIDENCE ? [] : [WEB_NAMES[encoding.toLowerCase()] ?? encoding],
  );
}

/** Loads jschardet when it is needed, since most text is UTF-8. */
const require = createRequire(import.meta.url);

const [EQUALS, COLON, SPACE] = [0x3d, 0x3a, 0x20];
const SAMPLE = 50_000;
/** jschardet names an encoding for any bytes. Below this confidence it is a mere guess. */
const LEAST_CONFIDENCE = 0.01;
/** The WHATWG names of encodings that jschardet names differently. */
const WEB_NAMES: Readonly<Record<string, string>> = {
  "utf-16-le": "utf-16le",
  "utf-16-be": "utf-16be",
  cp949: "euc-kr",
  cp932: "shift_jis",
};

/** Servers and editors declare Western encodings by default, even for Chinese text, whose bytes come in long runs. */
const isWestern = (encoding: string) => /^(?:windows-125[0248]|iso-8859-(?:2|15))$/.test(encoding);

/** From this share of non-ASCII bytes next to another one, a text is not Western. Set by hand. */
const IN_RUNS = 0.7;

function standInRuns(bytes: Uint8Array): boolean {
  let [foreign, paired] = [0, 0];
  for (let i = 0; i < Math.min(bytes.length, SAMPLE); i++) {
    if ((bytes[i] ?? 0) < 0x80) continue;
    foreign += 1;
    if ((bytes[i + 1] ?? 0) >= 0x80 || (bytes[i - 1] ?? 0) >= 0x80) paired += 1;
  }
  return paired >= foreign * IN_RUNS && foreign > 0;
}

/** Counts control characters, which text hardly has. Of English text in UTF-16, half the bytes are NUL. */
function controlsIn(codes: Uint8Array | string): number {
  let count = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = typeof codes === "string" ? codes.charCodeAt(i) : (codes[i] ?? 0);
    if (code < 9 || (code > 13 && code < 32 && code !== ESCAPE)) count += 1;
  }
  return count;
}

/** Parses the JSON of a file. @throws UsageError that names the file if it is not JSON. */
export function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${toError(error).message}`);
  }
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
