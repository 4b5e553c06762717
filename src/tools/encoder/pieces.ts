import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";

/** A text as the model reads it: numbers of word pieces, each with where it stands in the text (UTF-16 units). */
export interface Pieces {
  ids: readonly number[];
  starts: readonly number[];
  ends: readonly number[];
}

/**
 * Cuts texts into the pieces of a tokenizer.json (Unigram, pieces never reach across white space). Markers of the model
 * ("<s>") are text like any other here: whoever writes them into a document cannot end a passage with them.
 */
export function cutter(path: string): (text: string) => Pieces {
  const json: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
  const tokenizer = new Tokenizer({ ...json, added_tokens: [] }, {});
  const known = new Map<string, Pieces>();
  const cutWord = (word: string): Pieces => {
    const { ids, tokens }: { ids: number[]; tokens: string[] } = tokenizer.encode(word, { add_special_tokens: false });
    const at = places(word, tokens.join("").replaceAll(SPACE, "").length);
    let read = 0;
    const ends = tokens.map((token) => {
      read += token.replaceAll(SPACE, "").length;
      return at(read);
    });
    return {
      ids: ids.map((id) => (id < MARKS ? UNKNOWN : id)),
      starts: ends.map((_, i) => (i === 0 ? 0 : (ends[i - 1] ?? 0))),
      ends,
    };
  };
  return (text) => {
    const all = { ids: [] as number[], starts: [] as number[], ends: [] as number[] };
    for (const { 0: word, index } of text.matchAll(RUN)) {
      let cut = known.get(word);
      if (!cut) {
        cut = cutWord(word);
        if (word.length <= KEPT_LENGTH) known.set(word, cut);
        if (known.size > KEPT) known.delete(known.keys().next().value ?? "");
      }
      for (const id of cut.ids) all.ids.push(id);
      for (const start of cut.starts) all.starts.push(index + start);
      for (const end of cut.ends) all.ends.push(index + end);
    }
    return all;
  };
}

/** A run without white space; a very long one is cut, since the time it takes grows with its length. */
const RUN = /\S{1,1000}/gu;
/** The first pieces are marks of the model: begin, padding, end. */
const MARKS = 3;
const UNKNOWN = 3;
/** Stands for the white space before a word. */
const SPACE = "▁";
const KEPT = 20_000;
const KEPT_LENGTH = 24;

/**
 * From a place in the normalised word (NFKC, as good as what the tokenizer does) to one in the word as it is written.
 * Where the lengths show that they differ, places are spread evenly.
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
 * The word table of the model, kept in 4 bits (Q4_0: blocks of 32 weights: a 16-bit scale, then 16 bytes; byte j holds
 * weight j in its low half and weight j + 16 in its high half, each plus 8). What it returns writes the row of a piece
 * into `to` from `offset` on.
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

/** A 16-bit float (IEEE 754). Scales are finite. */
function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
