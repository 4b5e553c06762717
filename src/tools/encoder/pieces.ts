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
