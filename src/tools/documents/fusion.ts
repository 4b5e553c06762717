/**
 * What was found by words and what was found by meaning, as one ranking: a third of the score is that of the words as a
 * share of the best, two thirds the cosine. Where many passages have the words about as well, meaning decides; where all
 * are about as near in meaning, as with a model that does not know the language, words do. Of a ranking that was cut
 * off, what it does not show counts as the last it shows. (A convex combination of scores: Bruch et al., arXiv
 * 2210.11934. Ranks alone, as in reciprocal rank fusion, would not tell a good model from a useless one.)
 */
export function fuse<T extends Found>(words: readonly T[], meanings: readonly T[], cutAt: number): T[] {
  const best = words[0]?.score ?? 1;
  const byWords = new Map(words.map(({ id, score }) => [id, score / best]));
  const byMeaning = new Map(meanings.map(({ id, score }) => [id, score]));
  const unseenWords = words.length < cutAt ? 0 : (words.at(-1)?.score ?? 0) / best;
  const unseenMeaning = meanings.at(-1)?.score ?? 0;
  const found = new Map([...words, ...meanings].map((item) => [item.id, item]));
  return [...found.values()]
    .map((item) => {
      const word = byWords.get(item.id) ?? unseenWords;
      const meaning = byMeaning.get(item.id) ?? unseenMeaning;
      return { ...item, score: WORDS * word + (1 - WORDS) * meaning };
    })
    .sort((a, b) => b.score - a.score);
}

/** Cosines of good and bad lie closer together than shares of a BM25 score, so they get more than half. */
const WORDS = 1 / 3;

interface Found {
  id: string;
  score: number;
}
