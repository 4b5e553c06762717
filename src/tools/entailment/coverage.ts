import type { Claim, Token } from "./claim.js";
import type { Ground } from "./ground.js";

/** How much of a claim each of its terms is found to stand in the sources: 1 as it is, less where only like it. */
export type Match = (term: string) => number;

/** How much of the claim the sources have: all together, in their best sentences, clause by clause. */
export function coverageSigns(claim: Claim, ground: Ground, match: Match): Record<string, number> {
  const wanted = new Map<string, number>();
  for (const { term } of claim.tokens) wanted.set(term, ground.weight(term));
  const all = total(wanted);
  const missing = [...wanted].filter(([term]) => match(term) === 0);
  const best = bestSentences(wanted, ground, 3);
  const window = bestWindow(wanted, ground);
  const clauses = claim.clauses.map((clause) => {
    const weights = new Map(clause.map(({ term }) => [term, ground.weight(term)]));
    return {
      found: bestSentences(weights, ground, 1)[0] ?? 0,
      anywhere: covered(weights, match),
      weight: total(weights),
    };
  });
  const mean = (pick: (clause: (typeof clauses)[number]) => number) =>
    clauses.reduce((sum, clause) => sum + pick(clause) * clause.weight, 0) /
    (clauses.reduce((n, c) => n + c.weight, 0) || 1);
  return {
    covered: [...wanted.keys()].filter((term) => ground.places.has(term)).length / Math.max(1, wanted.size),
    coveredWeighed: all === 0 ? 0 : 1 - total(new Map(missing)) / all,
    alike: covered(wanted, match),
    one: best[0] ?? 0,
    two: best[1] ?? best[0] ?? 0,
    three: best[2] ?? best[1] ?? best[0] ?? 0,
    window,
    spread: covered(wanted, match) - (best[0] ?? 0),
    missing: Math.min(12, missing.length),
    missingShare: missing.length / Math.max(1, wanted.size),
    heaviestMissing: Math.max(0, ...missing.map(([, weight]) => weight)),
    runs: share(claim.runs, (run) => ground.runs.has(run)),
    leastClause: Math.min(...clauses.map((clause) => clause.found)),
    leastClauseAnywhere: Math.min(...clauses.map((clause) => clause.anywhere)),
    meanClause: mean((clause) => clause.found),
  };
}

const total = (weights: ReadonlyMap<string, number>) => [...weights.values()].reduce((sum, weight) => sum + weight, 0);

const share = <T>(some: readonly T[], has: (one: T) => boolean) =>
  some.length === 0 ? 1 : some.filter(has).length / some.length;

function covered(weights: ReadonlyMap<string, number>, match: Match): number {
  let met = 0;
  for (const [term, weight] of weights) met += weight * match(term);
  return met / (total(weights) || 1);
}

/** The share of the weights that the best sentence has, the best two, and so on: each adds the one that adds most. */
function bestSentences(weights: ReadonlyMap<string, number>, ground: Ground, most: number): number[] {
  const all = total(weights) || 1;
  const open = new Map(weights);
  const shares: number[] = [];
  let met = 0;
  for (let n = 0; n < most; n++) {
    const sums = new Float64Array(ground.sentences.length);
    for (const [term, weight] of open)
      for (const sentence of sentencesWith(ground, term)) sums[sentence] = (sums[sentence] ?? 0) + weight;
    const best = sums.reduce((a, value, i) => (value > (sums[a] ?? 0) ? i : a), 0);
    met += sums[best] ?? 0;
    shares.push(met / all);
    for (const term of ground.sentences[best]?.terms ?? []) open.delete(term);
  }
  return shares;
}

/** The same for the best three sentences in a row. */
function bestWindow(weights: ReadonlyMap<string, number>, ground: Ground): number {
  const sums = new Float64Array(ground.sentences.length);
  for (const [term, weight] of weights) {
    let from = 0;
    for (const sentence of sentencesWith(ground, term)) {
      for (let i = Math.max(from, sentence - 2); i <= sentence; i++) sums[i] = (sums[i] ?? 0) + weight;
      from = sentence + 1;
    }
  }
  return Math.max(0, ...chunkedMax(sums)) / (total(weights) || 1);
}

/** A spread of a hundred thousand arguments would overflow the stack. */
const chunkedMax = (values: Float64Array) => [values.reduce((a, b) => Math.max(a, b), 0)];

export function sentencesWith(ground: Ground, term: string): number[] {
  const found: number[] = [];
  for (const place of ground.places.get(term) ?? []) {
    const sentence = ground.sentenceOf[place] ?? 0;
    if (found.at(-1) !== sentence) found.push(sentence);
  }
  return found;
}

/** The sentence with most of these terms, by weight; undefined where none has any. */
export function nearestSentence(tokens: readonly Token[], ground: Ground): number | undefined {
  const sums = new Float64Array(ground.sentences.length);
  for (const term of new Set(tokens.map((token) => token.term)))
    for (const sentence of sentencesWith(ground, term)) sums[sentence] = (sums[sentence] ?? 0) + ground.weight(term);
  const best = sums.reduce((a, value, i) => (value > (sums[a] ?? 0) ? i : a), 0);
  return (sums[best] ?? 0) > 0 ? best : undefined;
}
