import { UsageError } from "../errors.js";
import { dot } from "../language/similarity.js";
import { hasWords, terms } from "../language/tokens.js";
import { fuse, languageMeans } from "../tools/documents/fusion.js";
import type { Documents } from "../tools/documents/port.js";
import { CANDIDATES, favourPhrases } from "../tools/documents/rank.js";
import { passageTerms, passageText, queryTerms } from "../tools/documents/terms.js";
import type { Embeddings } from "../tools/encoder/port.js";
import type { Passage } from "../types/evidence.js";

/** Documents that live as long as the program, for tests. They are searched as in the store on disk. */
export function inMemoryDocuments(
  initial: readonly Passage[] = [],
  { embeddings }: { embeddings?: Embeddings | undefined } = {},
): Documents {
  let stored = new Map(initial.map((passage) => [passage.id, analysed(passage)]));
  /** By the text that each stands for. */
  const vectors = new Map<string, readonly number[]>();
  const vectorOf = ({ passage }: Analysed) => vectors.get(passageText(passage));

  return {
    async upsert(passages, { signal } = {}) {
      signal?.throwIfAborted();
      const documents = new Set(passages.map(({ documentId }) => documentId));
      const others = [...stored.values()].filter(({ passage }) => !documents.has(passage.documentId));
      stored = new Map([...others, ...passages.map(analysed)].map((one) => [one.passage.id, one]));
    },

    async embed({ signal, onProgress } = {}) {
      if (!embeddings) return;
      const pending = [...stored.values()].filter((one) => !vectorOf(one)).map(({ passage }) => passageText(passage));
      onProgress?.(0, pending.length);
      const found = await embeddings.embed(pending, { as: "passage", signal });
      for (const [i, text] of pending.entries()) vectors.set(text, found[i] ?? []);
      onProgress?.(pending.length, pending.length);
    },

    async remove(documentIds) {
      const before = stored.size;
      const gone = new Set(documentIds);
      stored = new Map([...stored].filter(([, { passage }]) => !gone.has(passage.documentId)));
      return before - stored.size;
    },

    async search({ text, mode = "hybrid", exclude = [] }, limit, { signal } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 200)
        throw new UsageError(`A search returns 1 to 200 passages, not ${limit}.`);
      signal?.throwIfAborted();
      const all = [...stored.values()];
      if (!hasWords(text) || all.length === 0) return [];
      const isWanted = ({ id }: Passage) => !exclude.includes(id);
      const candidates = Math.max(limit, CANDIDATES);
      const byMeaning = mode !== "fullText" && embeddings && all.some(vectorOf);
      const [vector = []] = byMeaning ? await embeddings.embed([text], { as: "question", signal }) : [];
      const near = all.flatMap((one) => {
        const own = vectorOf(one);
        const cosine: number | undefined = own && dot(vector, own);
        return own && isWanted(one.passage) ? [{ ...one.passage, cosine, score: 0 }] : [];
      });
      const cosines = new Map(near.map(({ id, cosine }) => [id, cosine]));
      const byWords = () =>
        favourPhrases(terms(text), bm25(queryTerms(text), all, isWanted).slice(0, candidates)).map((one) => ({
          ...one,
          cosine: cosines.get(one.id),
        }));
      const best = byMeaning
        ? fuse({
            question: text,
            vector,
            words: mode === "vector" ? [] : byWords(),
            meanings: near,
            means: languageMeans(
              all.flatMap((one) => {
                const own = vectorOf(one);
                return own ? [{ language: one.passage.language, vector: own }] : [];
              }),
            ),
          })
        : byWords();
      return best.slice(0, limit).map(({ id, score }) => ({ ...(stored.get(id)?.passage as Passage), score }));
    },

    async get(ids) {
      return ids.flatMap((id) => stored.get(id)?.passage ?? []);
    },

    async neighbours(id, distance = 1) {
      const middle = stored.get(id)?.passage;
      return [...stored.values()]
        .map(({ passage }) => passage)
        .filter((p) => p.documentId === middle?.documentId && p.id !== id)
        .filter((p) => Math.abs(p.position - (middle?.position ?? 0)) <= distance)
        .sort((a, b) => a.position - b.position);
    },

    isEmpty: async () => stored.size === 0,

    async list() {
      const documents = Map.groupBy(stored.values(), ({ passage }) => passage.documentId);
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
}

function analysed(passage: Passage): Analysed {
  const found = passageTerms(passage);
  const frequency = new Map<string, number>();
  for (const term of found) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  return { passage, terms: found, frequency };
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
