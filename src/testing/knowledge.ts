import { lookUp } from "../tools/knowledge/look-up.js";
import { normaliseName } from "../tools/knowledge/names.js";
import type { Entity, KnowledgeGraph } from "../tools/knowledge/port.js";
import {
  checkedGiven,
  type Given,
  schemaOfTriples,
  storedTriple,
  type TripleReader,
} from "../tools/knowledge/triples.js";
import { meets } from "../types/filter.js";

/** Keeps a knowledge graph in memory, for tests. Finds the same facts as the graph on disk. */
export function inMemoryKnowledge(initial: readonly Given[] = []): KnowledgeGraph {
  let stored = new Map<string, Given>();
  const store = (given: readonly Given[]) => {
    stored = new Map([...stored, ...checkedGiven(given).map((one) => [one.source.id, one] as const)]);
  };
  store(initial);

  return {
    async schema({ signal } = {}) {
      signal?.throwIfAborted();
      return schemaOfTriples([...stored.values()].flatMap(({ triples }) => triples));
    },

    facts(entities, question, options) {
      const visible = [...stored].filter(([, { source }]) => meets(source.metadata, options?.filter ?? []));
      return lookUp(readerOf(new Map(visible)), entities, question, options);
    },

    async upsert(given, { signal } = {}) {
      signal?.throwIfAborted();
      store(given);
    },

    async remove(sourceIds) {
      const gone = new Set(sourceIds);
      const before = stored.size;
      stored = new Map([...stored].filter(([id]) => !gone.has(id)));
      return before - stored.size;
    },

    async sources() {
      return [...stored.values()].map(({ source: { id, documentId, hash }, triples }) => ({
        id,
        documentId,
        hash,
        triples: triples.length,
      }));
    },

    async close() {},
  };
}

function readerOf(stored: ReadonlyMap<string, Given>): TripleReader {
  const given = [...stored.values()].flatMap(({ source, triples }) => triples.map((triple) => ({ source, triple })));
  const triples = given.map(({ source, triple }) => storedTriple(source.id, triple));
  const aliases = given.flatMap(({ triple: { subject, object } }) => [subject, object].flatMap(pairs));
  const keys = new Set([...triples.flatMap((one) => [one.subjectKey, one.objectKey]), ...aliases.flat()]);
  return {
    known: async (wanted) => wanted.filter((key) => keys.has(key)),
    near: async () => [...keys],
    aliases: async (wanted) => aliases.filter((pair) => pair.some((key) => wanted.includes(key))),
    about: async (subjects, objects) => ({
      triples: triples.filter((one) => subjects.includes(one.subjectKey) || objects.includes(one.objectKey)),
      isCut: false,
    }),
    others: async () => new Set(),
    sources: async (ids) => ids.flatMap((id) => stored.get(id)?.source ?? []),
  };
}

const pairs = ({ name, aliases }: Entity) =>
  aliases.map((alias) => [normaliseName(name), normaliseName(alias)] as const);
