import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { decode } from "../../src/text/decode.js";

/**
 * `npx tsx research/eval/charsets.ts <texts.txt>:<encoding>,<encoding> ...`: encodes pieces of texts (UTF-8, one text
 * per line) in these encodings, without a byte order mark or a declaration. It prints how many pieces of each length
 * are read correctly, refused, or read as something else, of at most 200 per row.
 */
const LENGTHS = [50, 200, 1_000, 5_000];
const MOST = 200;

console.log("| texts | encoding | bytes | n | right | refused | wrong |\n|-|-|-|-|-|-|-|");
for (const argument of process.argv.slice(2)) {
  const [path = "", encodings = ""] = argument.split(":");
  const lines = readFileSync(path, "utf8").split("\n");
  for (const label of encodings.split(",")) {
    const encode = encoder(label);
    for (const length of LENGTHS) {
      const pieces = piecesOf(lines, length, encode);
      const read = pieces.map(({ text, bytes }) => outcome(text, bytes));
      const count = (what: string) => read.filter((each) => each === what).length;
      const counts = `${count("right")} | ${count("refused")} | ${count("wrong")}`;
      console.log(`| ${basename(path, ".txt")} | ${label} | ${length} | ${pieces.length} | ${counts} |`);
    }
  }
}

function outcome(text: string, bytes: Uint8Array): "right" | "refused" | "wrong" {
  try {
    return decode(bytes) === text ? "right" : "wrong";
  } catch {
    return "refused";
  }
}

/** Cuts the texts into pieces of up to `length` bytes. Pieces of ASCII alone are left out. */
function piecesOf(lines: readonly string[], length: number, encode: (text: string) => number[]) {
  const pieces: { text: string; bytes: Uint8Array }[] = [];
  let text = "";
  let bytes: number[] = [];
  for (const character of lines.join("\n")) {
    const more = encode(character);
    if (more.length === 0) continue;
    if (bytes.length + more.length > length) {
      if (/[^\p{ASCII}]/u.test(text)) pieces.push({ text, bytes: Uint8Array.from(bytes) });
      if (pieces.length === MOST) break;
      text = "";
      bytes = [];
    }
    text += character;
    bytes.push(...more);
  }
  return pieces;
}

/**
 * Returns a function that gives the bytes of a character, or none if the encoding lacks it. The table comes from
 * decoding every one or two bytes.
 */
function encoder(label: string): (character: string) => number[] {
  if (label === "utf-8") return (character) => [...Buffer.from(character)];
  if (label === "utf-16le") return (character) => [...Buffer.from(character, "utf16le")];
  if (label === "utf-16be") return (character) => [...Buffer.from(character, "utf16le").swap16()];
  const decoder = new TextDecoder(label);
  const known = new Map<string, number[]>();
  const learn = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== "\ufffd" && !known.has(text)) known.set(text, bytes);
  };
  for (let first = 0; first < 256; first++) learn(first);
  for (let first = 0x81; first < 255; first++) for (let second = 0x40; second < 255; second++) learn(first, second);
  return (character) => known.get(character) ?? [];
}
