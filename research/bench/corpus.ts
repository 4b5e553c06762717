import { randomFrom } from "../../src/evaluate/statistics.js";
import type { Passage } from "../../src/types/evidence.js";

/**
 * Generates passages of the usual length, half English and half Chinese, and questions made of their words. The same
 * seed gives the same text.
 */
export function generatedCorpus(seed = 1) {
  const random = randomFrom(seed);
  const english = zipf(
    Array.from({ length: 40_000 }, (_, i) => englishWord(i)),
    random,
  );
  const chinese = zipf(
    Array.from({ length: 30_000 }, (_, i) => chineseWord(i, random)),
    random,
  );
  const sentences = (word: () => string, count: number, words: number, between: string, end: string) =>
    Array.from({ length: count }, () => Array.from({ length: words }, word).join(between) + end).join(between);
  const textOf = (language: Passage["language"]) =>
    language === "en" ? sentences(english, 14, 16, " ", ".") : sentences(chinese, 14, 15, "", "。");

  /** `count` passages from the `first` on, ten per document. */
  function passages(first: number, count: number): Passage[] {
    return Array.from({ length: count }, (_, i) => {
      const number = first + i;
      const documentId = `doc-${Math.floor(number / 10)}`;
      const language = Math.floor(number / 10) % 2 === 0 ? "en" : "zh";
      return {
        id: `${documentId}#${number % 10}`,
        documentId,
        position: number % 10,
        title: language === "en" ? `${english()} ${english()}` : chinese() + chinese(),
        uri: `${documentId}.md`,
        section: "",
        text: textOf(language),
        language,
        reviewedAt: "",
        hash: `${number}`,
        metadata: {},
      };
    });
  }

  /** Ten words from the middle of a passage, in a row: both common and rare ones. */
  function question({ text, language }: Passage): string {
    if (language === "zh") return `${text.slice(120, 140)}？`;
    return `${text.split(" ").slice(60, 70).join(" ")}?`;
  }

  return { passages, question, random };
}

function englishWord(rank: number): string {
  const syllables = ["ba", "co", "di", "fe", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "ve", "wa"];
  const word: string[] = [];
  for (let n = rank + 16; n > 0; n = Math.floor(n / 16)) word.push(syllables[n % 16] ?? "");
  return word.join("");
}

/**
 * Frequent words have one character, most have two, some have three. Words share characters, as in the real language.
 */
function chineseWord(rank: number, random: () => number): string {
  const length = rank < 200 ? 1 : random() < 0.8 ? 2 : 3;
  return String.fromCodePoint(...Array.from({ length }, () => 0x4e00 + Math.floor(random() ** 2 * 3_500)));
}

/** Draws words with the frequency that their rank has in a language (Zipf's law). */
function zipf(words: readonly string[], random: () => number): () => string {
  const upTo = new Float64Array(words.length);
  let total = 0;
  for (const i of words.keys()) {
    total += 1 / (i + 2.7);
    upTo[i] = total;
  }
  return () => {
    const wanted = random() * total;
    let low = 0;
    let high = words.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return words[low] ?? "";
  };
}
