import { fromPairs } from "../../text/metadata.js";
import { type Filter, pairsIn } from "../../types/filter.js";
import type { Metadata } from "../../types/metadata.js";
import { normaliseName } from "../knowledge/names.js";
import type { TripleSource } from "../knowledge/port.js";
import type { StoredTriple, TripleReader } from "../knowledge/triples.js";
import { wholeOf } from "../store/facts.js";
import { asList, type ReadRows } from "./connection.js";

/**
 * Reads the triples of sources that meet a filter. Names come from the relations of these sources, and types are left
 * out, since a node has the names and types from all sources. Does not find misspelt names.
 */
export function neo4jReader(read: ReadRows, wanted: Filter): TripleReader {
  const filter = asFilter(wanted);
  return {
    async known(keys) {
      const rows = await read(
        `UNWIND $keys AS key
         WITH key WHERE EXISTS { (:EmendEntity {key: key}) } OR EXISTS { (:EmendAlias {key: key}) } RETURN key`,
        { keys: [...keys] },
      );
      return rows.map(({ key }) => String(key));
    },

    near: async () => [],

    async aliases(keys) {
      const rows = await read(
        `UNWIND $keys AS key CALL (key) { ${ENTITY} } WITH DISTINCT e
         MATCH (s:EmendSource)-[said:EMEND_SAYS]->(e) WHERE ${MEETS_FILTER} RETURN DISTINCT said.names AS names`,
        { keys: [...keys], filter },
      );
      const asked = new Set(keys);
      return rows.flatMap(({ names }) => {
        const [name = "", ...aliases] = asList(names).map((one) => normaliseName(String(one)));
        return [name, ...aliases].some((key) => asked.has(key)) ? aliases.map((alias) => [name, alias] as const) : [];
      });
    },

    async about(subjects, objects, { most, asked }) {
      const sides = [
        { keys: subjects, pattern: "(e)-[r]->()" },
        { keys: objects, pattern: "(e)<-[r]-()" },
      ].filter(({ keys }) => keys.length > 0);
      const found = await Promise.all(
        sides.map(async ({ keys, pattern }) => {
          const given = { keys: [...keys], filter };
          const first = await read(`${matched(pattern)} RETURN DISTINCT ${TRIPLE} LIMIT ${most}`, given);
          if (first.length < most) return first;
          // An entity with thousands of triples must not hide the relations asked for.
          const relations = await read(`${matched(pattern)} RETURN DISTINCT type(r) AS predicate`, given);
          const wanted = relations.map(({ predicate }) => String(predicate)).filter(asked);
          const more = await read(
            `${matched(pattern)} AND type(r) IN $wanted RETURN DISTINCT ${TRIPLE} LIMIT ${most}`,
            { ...given, wanted },
          );
          return [...first, ...more];
        }),
      );
      const triples = new Map(found.flat().map((row) => [String(row.id), asTriple(row)]));
      return { triples: [...triples.values()], isCut: found.some(({ length }) => length >= most) };
    },

    async others({ keys, direction, predicate, whole }) {
      const pattern = direction === "out" ? "(e)-[r]->()" : "(e)<-[r]-()";
      const rows = await read(
        `${matched(pattern)} AND type(r) = $predicate AND s.id STARTS WITH $whole RETURN DISTINCT ${TRIPLE}`,
        { keys: [...keys], filter, predicate, whole },
      );
      const [own, other] =
        direction === "out" ? (["subjectKey", "objectKey"] as const) : (["objectKey", "subjectKey"] as const);
      // A node may have more names than the sources that meet the filter use.
      const triples = rows.map(asTriple).filter((one) => keys.includes(one[own]) && wholeOf(one.sourceId) === whole);
      return new Set(triples.map((one) => one[other]));
    },

    async sources(ids) {
      if (ids.length === 0) return [];
      const rows = await read("MATCH (s:EmendSource) WHERE s.id IN $ids RETURN s { .*, relations: null } AS source", {
        ids: [...ids],
      });
      return rows.map(({ source }) => asSource(source));
    },
  };
}

/** Matches the triples of entities in sources that meet the filter. */
const matched = (pattern: string) =>
  `UNWIND $keys AS key CALL (key) { ${ENTITY} } WITH DISTINCT e
   MATCH ${pattern} WHERE r.source IS NOT NULL
   MATCH (s:EmendSource {id: r.source}) WHERE ${MEETS_FILTER}`;

const TRIPLE = `elementId(r) AS id, s.id AS source, type(r) AS predicate, r.subject AS subject, r.object AS object,
  r.quote AS quote`;

/** Matches the entity that a key belongs to. */
const ENTITY = `MATCH (e:EmendEntity {key: key}) RETURN e
  UNION MATCH (:EmendAlias {key: key})-[:EMEND_NAMES]->(e:EmendEntity) RETURN e`;

function asTriple(row: Record<string, unknown>): StoredTriple {
  const text = (name: string) => String(row[name] ?? "");
  const [subject, object] = [text("subject"), text("object")];
  return {
    sourceId: text("source"),
    subject,
    subjectKey: normaliseName(subject),
    subjectType: "",
    predicate: text("predicate"),
    object,
    objectKey: normaliseName(object),
    objectType: "",
    quote: text("quote"),
  };
}

/** Converts a stored source. Its metadata is a list of pairs, since properties cannot hold maps. */
export function asSource(stored: unknown): TripleSource {
  const { id, documentId, title, uri, section, reviewedAt, hash, metadata } = stored as Omit<
    TripleSource,
    "metadata"
  > & {
    metadata?: string[] | null;
  };
  const known: Metadata | undefined = metadata ? fromPairs(metadata) : undefined;
  return { id, documentId, title, uri, section, reviewedAt, hash, ...(known && { metadata: known }) };
}

/** A condition: the source `s` meets the parameter `filter`. A source without metadata meets no filter. */
const MEETS_FILTER = `s.metadata IS NOT NULL AND
  all(one IN $filter WHERE any(pair IN s.metadata WHERE pair IN one.pairs) <> one.not)`;

/** Converts a filter to a parameter. Nodes store their metadata as a list of `key=value`. */
const asFilter = (filter: Filter) =>
  filter.map((condition) => ({ pairs: pairsIn(condition), not: condition.not ?? false }));
