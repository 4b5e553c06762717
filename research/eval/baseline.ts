/**
 * The baselines: plain BM25 and plain word overlap, as short as possible. They share no code with the product, so that
 * a mistake cannot cancel itself out.
 */

/** Words and numbers, and the character pairs of runs without spaces (a single character stands for itself). */
export function terms(text: string): string[] {
  const runs = text.normalize("NFKC").toLowerCase().match(RUN) ?? [];
  return runs.flatMap((run) => (IS_UNSPACED.test(run) && run.length > 1 ? pairs([...run]) : [run]));
}

const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Thai}";
const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
const RUN = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])\\p{L})+|\\p{N}+`, "gu");

const pairs = (characters: string[]) => characters.slice(1).map((character, i) => `${characters[i]}${character}`);

/**
 * Ranks texts for a query with BM25 (Robertson and Zaragoza 2009; Anserini's k1 and b); texts that share no term with
 * it are left out.
 */
export function bm25(texts: readonly { id: string; text: string }[], k1 = 0.9, b = 0.4) {
  const lengths = new Map<string, number>();
  const postings = new Map<string, Map<string, number>>();
  for (const { id, text } of texts) {
    const found = terms(text);
    lengths.set(id, found.length);
    for (const term of found) {
      const posting = postings.get(term) ?? new Map<string, number>();
      posting.set(id, (posting.get(id) ?? 0) + 1);
      postings.set(term, posting);
    }
  }
  const average = Math.max(1, [...lengths.values()].reduce((sum, length) => sum + length, 0) / texts.length);

  return (query: string): { id: string; score: number }[] => {
    const scores = new Map<string, number>();
    for (const term of terms(query)) {
      const posting = postings.get(term) ?? new Map<string, number>();
      const idf = Math.log(1 + (texts.length - posting.size + 0.5) / (posting.size + 0.5));
      for (const [id, times] of posting) {
        const norm = k1 * (1 - b + (b * (lengths.get(id) ?? 0)) / average);
        scores.set(id, (scores.get(id) ?? 0) + (idf * times * (k1 + 1)) / (times + norm));
      }
    }
    return [...scores].map(([id, score]) => ({ id, score })).sort((x, y) => y.score - x.score);
  };
}

/** The share of the words of `text` that `sources` hold, 0 to 1. */
export function coverage(text: string, sources: readonly string[]): number {
  const wanted = new Set(terms(text));
  return wanted.size === 0 ? 0 : wanted.intersection(new Set(sources.flatMap(terms))).size / wanted.size;
}
