import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import { memoize } from "../../text/memoize.js";

/** The tokens of a text: their ids, and their offsets in the text (UTF-16 units). */
export interface Pieces {
  ids: readonly number[];
  starts: readonly number[];
  ends: readonly number[];
}

/**
 * Loads a tokenizer.json (Unigram, whose tokens never span white space). Special tokens such as "<s>" are read as plain
 * text, so that a document cannot end a passage with them.
 */
export function tokenizer(path: string): (text: string) => Pieces {
  const json: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
  const unigram = new Tokenizer({ ...json, added_tokens: [] }, {});
  const tokeniseWord = memoize((word): Pieces => {
    const { ids, tokens }: { ids: number[]; tokens: string[] } = unigram.encode(word, { add_special_tokens: false });
    const at = places(word, tokens.join("").replaceAll(SPACE, "").length);
    let read = 0;
    const ends = tokens.map((token) => {
      read += token.replaceAll(SPACE, "").length;
      return at(read);
    });
    return {
      ids: ids.map((id) => (id < SPECIAL ? UNKNOWN : id)),
      starts: ends.map((_, i) => ends[i - 1] ?? 0),
      ends,
    };
  });
  return (text) => {
    const all = { ids: [] as number[], starts: [] as number[], ends: [] as number[] };
    for (const { 0: word, index } of text.matchAll(RUN)) {
      const { ids, starts, ends } = tokeniseWord(word);
      all.ids.push(...ids);
      for (const start of starts) all.starts.push(index + start);
      for (const end of ends) all.ends.push(index + end);
    }
    return all;
  };
}

/** A run without white space. Very long runs are cut, which bounds the time. */
const RUN = /\S{1,1000}/gu;
/** Lower ids are special tokens: begin, padding, end. */
const SPECIAL = 3;
const UNKNOWN = 3;
/** The tokenizer's mark for white space before a word. */
const SPACE = "▁";

/**
 * Maps offsets in the normalised word (NFKC, which is close to what the tokenizer does) to offsets in the original. If
 * the lengths show that the tokenizer normalised differently, offsets are spread evenly.
 */
function places(word: string, length: number): (normalised: number) => number {
  const ends = [0];
  let at = 0;
  for (const character of word) {
    at += character.length;
    for (let i = character.normalize("NFKC").length; i > 0; i--) ends.push(at);
  }
  return ends.length === length + 1
    ? (place) => ends[place] ?? word.length
    : (place) => Math.round((place / Math.max(1, length)) * word.length);
}

/**
 * Loads the model's word embeddings, quantized to 4 bits (Q4_0: blocks of 32 weights, each a 16-bit scale and 16 bytes;
 * byte j holds weight j in its low half and weight j + 16 in its high half, each plus 8). Returns a function that
 * writes the row of a token into `to`, starting at `offset`.
 */
export function wordTable(path: string, width: number): (piece: number, to: Float32Array, offset: number) => void {
  const bytes = readFileSync(path);
  const rowBytes = (width / BLOCK) * BLOCK_BYTES;
  return (piece, to, offset) => {
    let at = piece * rowBytes;
    for (let from = offset; from < offset + width; from += BLOCK, at += BLOCK_BYTES) {
      const scale = half(bytes.readUInt16LE(at));
      for (let j = 0; j < HALF_BLOCK; j++) {
        const pair = bytes[at + 2 + j] ?? 0;
        to[from + j] = ((pair & 15) - 8) * scale;
        to[from + j + HALF_BLOCK] = ((pair >> 4) - 8) * scale;
      }
    }
  };
}

const BLOCK = 32;
const HALF_BLOCK = BLOCK / 2;
const BLOCK_BYTES = 2 + HALF_BLOCK;

/** Decodes a finite 16-bit float (IEEE 754). */
function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
