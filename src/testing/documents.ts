import { UsageError } from "../errors.js";
import { hasWords, terms } from "../text/tokens.js";
import { fuse } from "../tools/documents/fusion.js";
import type { Documents, ScoredPassage } from "../tools/documents/port.js";
import { CANDIDATES, favourPhrases } from "../tools/documents/rank.js";
import { passageTerms, passageText, queryTerms } from "../tools/documents/terms.js";
import type { Embeddings } from "../tools/embeddings/port.js";
import type { Passage } from "../types/evidence.js";

/** Documents that live as long as the program, for tests. They are searched as in the store on disk. */
export function inMemoryDocuments(
  initial: readonly Passage[] = [],
  { embeddings }: { embeddings?: Embeddings } = {},
): Documents {
  let stored = new Map<string, Analysed>();
  let prepared: Promise<void> | undefined;

  async function replace(given: readonly Passage[], signal?: AbortSignal) {
    const vectors = await embeddings?.embed(given.map(passageText), signal && { signal });
    const documents = new Set(given.map(({ documentId }) => documentId));
    const others = [...stored.values()].filter(({ passage }) => !documents.has(passage.documentId));
    const added = given.map((passage, i) => analysed(passage, vectors?.[i]));
    stored = new Map([...others, ...added].map((one) => [one.passage.id, one]));
  }
  const ready = async () => {
    prepared ??= initial.length > 0 ? replace(initial) : Promise.resolve();
    await prepared;
    return stored;
  };

  return {
    async upsert(passages, { signal } = {}) {
      await ready();
      signal?.throwIfAborted();
      await replace(passages, signal);
    },

    async remove(documentIds) {
      const before = (await ready()).size;
      const gone = new Set(documentIds);
      stored = new Map([...stored].filter(([, { passage }]) => !gone.has(passage.documentId)));
      return before - stored.size;
    },

    async search({ text, mode = "hybrid", exclude = [] }, limit, { signal } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 200)
        throw new UsageError(`A search returns 1 to 200 passages, not ${limit}.`);
      const all = [...(await ready()).values()];
      signal?.throwIfAborted();
      if (!hasWords(text) || all.length === 0) return [];
      const by = embeddings ? mode : "fullText";
      const [vector] = by === "fullText" ? [] : ((await embeddings?.embed([text], signal && { signal })) ?? []);
      const isWanted = ({ id }: Passage) => !exclude.includes(id);
      const candidates = Math.max(limit, CANDIDATES);
      const words =
        by === "vector" ? [] : favourPhrases(terms(text), bm25(queryTerms(text), all, isWanted).slice(0, candidates));
      const meanings = vector ? byVector(vector, all, isWanted).slice(0, candidates) : [];
      const best =
        by === "hybrid" ? fuse(words.map(scored), meanings, candidates) : [...words.map(scored), ...meanings];
      return best.slice(0, limit);
    },

    async get(ids) {
      const all = await ready();
      return ids.flatMap((id) => all.get(id)?.passage ?? []);
    },

    async neighbours(id, distance = 1) {
      const all = await ready();
      const middle = all.get(id)?.passage;
      return [...all.values()]
        .map(({ passage }) => passage)
        .filter((p) => p.documentId === middle?.documentId && p.id !== id)
        .filter((p) => Math.abs(p.position - (middle?.position ?? 0)) <= distance)
        .sort((a, b) => a.position - b.position);
    },

    async list() {
      const documents = Map.groupBy((await ready()).values(), ({ passage }) => passage.documentId);
      return [...documents]
        .map(([documentId, all]) => ({ documentId, hash: all[0]?.passage.hash ?? "", passages: all.length }))
        .sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
    },

    async close() {},
  };
}

interface Analysed {
  passage: Passage;
  terms: readonly string[];
  frequency: ReadonlyMap<string, number>;
  vector: readonly number[] | undefined;
}

function analysed(passage: Passage, vector: readonly number[] | undefined): Analysed {
  const found = passageTerms(passage);
  const frequency = new Map<string, number>();
  for (const term of found) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  return { passage, terms: found, frequency, vector };
}

/** Okapi BM25 with k1 = 1.2 and b = 0.75, best first; passages without any of the terms are left out. */
function bm25(query: readonly string[], all: readonly Analysed[], isWanted: (passage: Passage) => boolean) {
  const mean = all.reduce((sum, { terms }) => sum + terms.length, 0) / all.length;
  const weights = query.map((term) => {
    const n = all.filter(({ frequency }) => frequency.has(term)).length;
    return { term, weight: Math.log(1 + (all.length - n + 0.5) / (n + 0.5)) };
  });
  return all
    .filter(({ passage }) => isWanted(passage))
    .map(({ passage, terms, frequency }) => ({
      ...passage,
      terms: terms.join(" "),
      score: weights.reduce((sum, { term, weight }) => {
        const times = frequency.get(term) ?? 0;
        return sum + (weight * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * terms.length) / mean));
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

function byVector(vector: readonly number[], all: readonly Analysed[], isWanted: (passage: Passage) => boolean) {
  return all
    .filter(({ passage }) => isWanted(passage))
    .map(({ passage, vector: own }) => ({ ...passage, score: dot(vector, own ?? []) }))
    .sort((a, b) => b.score - a.score);
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

const scored = ({ terms: _, ...passage }: ScoredPassage & { terms: string }): ScoredPassage => passage;
