/**
 * Scores an extracted text as scrapinghub's article-extraction-benchmark does: words are runs of letters, digits and
 * underscores, and the multisets of four words in a row are compared.
 */
export function shingleScore(truth: string, text: string): { precision: number | null; recall: number | null } {
  const wanted = shingles(truth);
  const found = shingles(text);
  let both = 0;
  for (const [key, count] of found.counts) both += Math.min(count, wanted.counts.get(key) ?? 0);
  return {
    precision: found.all > 0 ? both / found.all : null,
    recall: wanted.all > 0 ? both / wanted.all : null,
  };
}

/** Mean precision and mean recall, over the pages where they are defined, and the harmonic mean of the two. */
export function averaged(scores: readonly { precision: number | null; recall: number | null }[]) {
  const mean = (values: readonly (number | null)[]) => {
    const defined = values.filter((value) => value !== null);
    return defined.length === 0 ? 0 : defined.reduce((sum, value) => sum + value, 0) / defined.length;
  };
  const precision = mean(scores.map((score) => score.precision));
  const recall = mean(scores.map((score) => score.recall));
  return { f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall), precision, recall };
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

function shingles(text: string) {
  const words = wordsOf(text);
  const counts = new Map<string, number>();
  let all = 0;
  for (let i = 0; i < Math.max(1, words.length - LENGTH + 1); i++) {
    const shingle = words.slice(i, i + LENGTH);
    if (shingle.length === 0) continue;
    const key = shingle.join(" ");
    counts.set(key, (counts.get(key) ?? 0) + 1);
    all += 1;
  }
  return { counts, all };
}

const LENGTH = 4;
