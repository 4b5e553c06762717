import { mean, quantile } from "../../src/evaluate/statistics.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { bm25 } from "./baseline.js";
import type { CorpusLine, RetrievalItem } from "./data.js";
import { ndcgAt, recallAt, reciprocalRank } from "./metrics.js";
import { asPassage } from "./passages.js";
import type { Measured, Metrics } from "./result.js";

/**
 * Searches for each query in the store, and with plain BM25 over the same texts. Passages are compared by their corpus
 * ids.
 */
export async function retrieval(
  corpus: readonly CorpusLine[],
  queries: readonly RetrievalItem[],
  documents: Documents,
): Promise<Measured> {
  await documents.upsert(corpus.map(asPassage));
  await documents.embed?.();
  const baseline = bm25(corpus.map(({ id, title, text }) => ({ id, text: `${title}\n${text}` })));
  const found: Found[] = [];
  const expected: Found[] = [];
  for (const { id, question, relevant } of queries) {
    const started = performance.now();
    const passages = await documents.search({ text: question }, DEPTH);
    const seconds = (performance.now() - started) / 1000;
    found.push({ id, relevant: new Set(relevant), ranking: passages.map((p) => p.documentId), seconds });
    const ranking = baseline(question).slice(0, DEPTH);
    expected.push({ id, relevant: new Set(relevant), ranking: ranking.map((hit) => hit.id) });
  }
  const seconds = found.flatMap((query) => query.seconds ?? []);
  return {
    n: queries.length,
    metrics: {
      ...measures(found),
      passages: corpus.length,
      secondsP50: quantile(seconds, 0.5),
      secondsP99: quantile(seconds, 0.99),
    },
    baselines: { bm25: measures(expected) },
    items: found.map(({ id, ranking, relevant }, i) => ({
      id,
      top: ranking.slice(0, 10),
      rank: rankOf(ranking, relevant),
      bm25Rank: rankOf(expected[i]?.ranking ?? [], relevant),
    })),
  };
}

interface Found {
  id: string;
  relevant: Set<string>;
  ranking: string[];
  seconds?: number;
}

function measures(found: readonly Found[]): Metrics {
  const average = (of: (query: Found) => number) => mean(found.map(of));
  return {
    recallAt1: average((q) => recallAt(1, q.ranking, q.relevant)),
    recallAt5: average((q) => recallAt(5, q.ranking, q.relevant)),
    recallAt10: average((q) => recallAt(10, q.ranking, q.relevant)),
    mrr: average((q) => reciprocalRank(q.ranking, q.relevant)),
    ndcgAt10: average((q) => ndcgAt(10, q.ranking, q.relevant)),
  };
}

/** The place of the first relevant passage, from 1; null if it was not among those looked at. */
const rankOf = (ranking: readonly string[], relevant: ReadonlySet<string>) =>
  ranking.findIndex((id) => relevant.has(id)) + 1 || null;

/** The number of ranks that are looked at; a reciprocal rank beyond them counts as 0. */
const DEPTH = 100;
