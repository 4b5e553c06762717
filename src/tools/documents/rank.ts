/** How many of the best are ranked again or fused: with more the order of the first ten no longer changes. */
export const CANDIDATES = 30;

/**
 * Candidates again, those first where words of the query also stand side by side. BM25 counts words wherever they are;
 * each pair of neighbouring terms that a passage has adds once the inverse frequency, among the candidates, of the commoner
 * of the two (sequential dependence, Metzler and Croft, SIGIR 2005). Ties go by id, so that a result is the same twice.
 */
export function favourPhrases<T extends Candidate>(query: readonly string[], candidates: readonly T[]): T[] {
  const looked = query.slice(0, LOOKED_AT);
  const pairs = new Map(
    looked.slice(1).map((second, i) => [`${looked[i]} ${second}`, [looked[i] ?? "", second] as const]),
  );
  // Looked for as text: cutting thirty passages into their terms takes longer than all else.
  const texts = candidates.map(({ terms }) => `${terms} `);
  const there = texts.map((text) => new Set([...new Set(looked)].filter((term) => holds(text, term))));
  const weights = new Map(
    looked.map((term) => {
      const n = there.filter((terms) => terms.has(term)).length;
      // As in BM25, over the candidates: a term that all of them have tells nothing about their order.
      return [term, Math.log(1 + (texts.length - n + 0.5) / (n + 0.5))];
    }),
  );
  const phraseScore = (text: string, terms: ReadonlySet<string>) => {
    let score = 0;
    for (const [pair, [first, second]] of pairs)
      if (terms.has(first) && terms.has(second) && holds(text, pair))
        score += Math.min(weights.get(first) ?? 0, weights.get(second) ?? 0);
    return score;
  };
  return candidates
    .map((candidate, i) => ({
      ...candidate,
      score: candidate.score + phraseScore(texts[i] ?? "", there[i] ?? new Set()),
    }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** Terms of the query: enough for a page of text. */
const LOOKED_AT = 256;

/** Whether these terms stand in the text as whole ones, in a row. */
function holds(text: string, terms: string): boolean {
  const wanted = `${terms} `;
  let at = text.indexOf(wanted);
  while (at > 0 && text[at - 1] !== " ") at = text.indexOf(wanted, at + 1);
  return at >= 0;
}

interface Candidate {
  id: string;
  score: number;
  /** In the order of the text, with a space between any two. */
  terms: string;
}
