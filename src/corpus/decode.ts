/**
 * The text of a file: UTF-16 where a byte order mark says so, else UTF-8, else the encoding the file declares, else
 * GB18030 (or windows-1252 where accents stand alone between letters, which no Chinese encoding has).
 * @throws Error whose message says why the bytes are no text.
 */
export function decode(bytes: Uint8Array, declared = ""): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (isBinary(bytes)) throw new Error("The file is binary, or UTF-16 without a byte order mark. Save it as UTF-8.");
  const text =
    strictly("utf-8", bytes) ??
    damaged(bytes) ??
    (declared === "" ? undefined : strictly(declared, bytes)) ??
    strictly(accentsStandAlone(bytes) ? "windows-1252" : "gb18030", bytes);
  if (text === undefined) throw new Error("The file is neither UTF-8 nor GB18030 text. Save it as UTF-8.");
  return text;
}

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

function strictly(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** UTF-8 with a few broken bytes; they become U+FFFD. Anything else read as UTF-8 breaks at most of its characters. */
function damaged(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const sound = text.match(/[\u0080-\ufffc]/g)?.length ?? 0;
  return sound > broken * 10 ? text : undefined;
}

/** Text has hardly any control characters; half the bytes of unmarked UTF-16 are NUL. */
function isBinary(bytes: Uint8Array): boolean {
  let controls = 0;
  for (const byte of bytes) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) controls += 1;
  return controls > bytes.length / 50;
}

function accentsStandAlone(bytes: Uint8Array): boolean {
  let alone = 0;
  let runs = 0;
  for (let i = 0; i < bytes.length; i++) {
    const start = i;
    while ((bytes[i] ?? 0) >= 0x80) i += 1;
    if (i === start) continue;
    runs += 1;
    if (i - start === 1) alone += 1;
  }
  return alone > runs / 2;
}
