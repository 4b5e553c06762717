import { StoreUnavailableError } from "../errors.js";
import { restated } from "../text/metadata.js";
import { dot, inverseFrequency } from "../text/similarity.js";
import { hasWords, terms } from "../text/tokens.js";
import type { Documents } from "../tools/documents/port.js";
import { candidatesFor, favourPhrases, fuse, languageMeans } from "../tools/documents/rank.js";
import { passageTerms, passageText, queryTerms } from "../tools/documents/terms.js";
import type { Embeddings } from "../tools/encoder/port.js";
import type { Passage } from "../types/evidence.js";
import { meets } from "../types/filter.js";
import type { Language } from "../types/language.js";

/** Keeps documents in memory, for tests. Searches them as the store on disk does. */
export function inMemoryDocuments(
  initial: readonly Passage[] = [],
  { embeddings }: { embeddings?: Embeddings | undefined } = {},
): Documents {
  let stored = new Map(initial.map((passage) => [passage.id, analysed(passage)]));
  /** By passage text. */
  const vectors = new Map<string, readonly number[]>();
  const vectorOf = ({ passage }: Analysed) => vectors.get(passageText(passage));

  return {
    async upsert(passages, { signal } = {}) {
      signal?.throwIfAborted();
      const documents = new Set(passages.map(({ documentId }) => documentId));
      const others = [...stored.values()].filter(({ passage }) => !documents.has(passage.documentId));
      stored = new Map([...others, ...passages.map(analysed)].map((one) => [one.passage.id, one]));
    },

    async restate(changes) {
      const byId = new Map(changes.map((change) => [change.documentId, change]));
      for (const one of stored.values()) {
        const change = byId.get(one.passage.documentId);
        if (!change) continue;
        const metadata = restated(one.passage.metadata, change.metadata);
        stored.set(one.passage.id, { ...one, passage: { ...one.passage, hash: change.hash, metadata } });
      }
    },

    async embed({ signal, onProgress } = {}) {
      if (!embeddings) return;
      const pending = [...stored.values()].filter((one) => !vectorOf(one)).map(({ passage }) => passageText(passage));
      onProgress?.(0, pending.length);
      const found = await embeddings.embed(pending, { as: "passage", signal });
      if (found.length !== pending.length) throw new StoreUnavailableError("The model gave too few vectors.");
      for (const [i, text] of pending.entries()) vectors.set(text, found[i] ?? []);
      onProgress?.(pending.length, pending.length);
    },

    async remove(documentIds) {
      const before = stored.size;
      const gone = new Set(documentIds);
      stored = new Map([...stored].filter(([, { passage }]) => !gone.has(passage.documentId)));
      return before - stored.size;
    },

    async search({ text, mode = "hybrid", exclude = [], filter = [] }, limit, { signal } = {}) {
      const candidates = candidatesFor(limit);
      signal?.throwIfAborted();
      const all = [...stored.values()];
      if (!hasWords(text) || all.length === 0) return [];
      const isWanted = ({ passage }: Analysed) => !exclude.includes(passage.id) && meets(passage.metadata, filter);
      const embedded = all.flatMap((one) => {
        const vector = vectorOf(one);
        return vector ? [{ ...one, vector, language: one.passage.language }] : [];
      });
      const asked = mode !== "fullText" && embeddings && embedded.length > 0;
      const [vector = []] = asked ? await embeddings.embed([text], { as: "question", signal }) : [];
      const cosines = new Map(embedded.map((one) => [one.passage.id, dot(vector, one.vector)]));
      const scored = ({ passage }: Analysed, score: number) => ({ ...passage, score, cosine: cosines.get(passage.id) });
      const found = bm25(queryTerms(text), all).filter(isWanted).slice(0, candidates);
      const words = favourPhrases(
        terms(text),
        found.map((one) => ({ ...scored(one, one.score), terms: one.terms.join(" ") })),
      );
      const best = asked
        ? fuse({
            question: text,
            vector,
            words: mode === "vector" ? [] : words,
            meanings: embedded.filter(isWanted).map((one) => scored(one, 0)),
            means: languageMeans(embedded),
          })
        : words;
      return best.slice(0, limit).map(({ id, score }) => ({ ...(stored.get(id)?.passage as Passage), score }));
    },

    get: async (ids, { filter = [] } = {}) =>
      ids.flatMap((id) => stored.get(id)?.passage ?? []).filter(({ metadata }) => meets(metadata, filter)),

    async neighbours(id, distance = 1, { filter = [] } = {}) {
      const middle = stored.get(id)?.passage;
      return [...stored.values()]
        .map(({ passage }) => passage)
        .filter((p) => p.documentId === middle?.documentId && p.id !== id && meets(p.metadata, filter))
        .filter((p) => Math.abs(p.position - (middle?.position ?? 0)) <= distance)
        .sort((a, b) => a.position - b.position);
    },

    embedded: async (ids) =>
      ids.filter((id) => {
        const one = stored.get(id);
        return one && vectorOf(one);
      }),

    isEmpty: async () => stored.size === 0,

    async list() {
      const documents = Map.groupBy(stored.values(), ({ passage }) => passage.documentId);
      return [...documents]
        .map(([documentId, all]) => ({ documentId, hash: all[0]?.passage.hash ?? "", passages: all.length }))
        .sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
    },

    async heads() {
      const all = [...stored.values()].map(({ passage }) => passage);
      return all.filter(({ position }) => position === 0);
    },

    async describe() {
      const all = [...stored.values()];
      const inLanguage = (language: Language) => all.filter(({ passage }) => passage.language === language).length;
      const embedded = all.filter(vectorOf).length;
      return {
        languages: { en: inLanguage("en"), zh: inLanguage("zh"), other: inLanguage("other") },
        embedded,
        embeddedByOthers: 0,
        writtenAt: "",
      };
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

/** Ranks by Okapi BM25 with k1 = 1.2 and b = 0.75, best first. Leaves out passages without any of the terms. */
function bm25(query: readonly string[], all: readonly Analysed[]): (Analysed & { score: number })[] {
  const mean = all.reduce((sum, { terms }) => sum + terms.length, 0) / all.length;
  const weight = inverseFrequency(all.map(({ terms }) => terms));
  const scoreOf = ({ terms, frequency }: Analysed) =>
    query.reduce((sum, term) => {
      const times = frequency.get(term) ?? 0;
      return sum + (weight(term) * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * terms.length) / mean));
    }, 0);
  return all
    .map((one) => ({ ...one, score: scoreOf(one) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}
