import { z } from "zod";
import { terms } from "../../../language/tokens.js";
import { Language, Passage } from "../../../types/evidence.js";
import type { Filter } from "../../../types/filter.js";
import { fromPairs } from "../../../types/metadata.js";
import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import { asFilter, meetsFilter } from "../../store/neo4j/filter.js";
import { asRow } from "../../store/neo4j/values.js";
import { bestFirst, favourPhrases } from "../rank.js";
import { queryTerms } from "../terms.js";
import { storedVectors, TERMS_INDEX, vectorIndex, vectorOf, vectorProperty } from "./schema.js";
import type { Pending } from "./write.js";

interface Wanted {
  /** Undefined: no full-text search. */
  text?: string | undefined;
  /** Undefined: no vector search. */
  vector?: readonly number[] | undefined;
  /** The number of results by words, and by vectors in each language. */
  limit: number;
  exclude: ReadonlySet<string>;
  filter: Filter;
}

/** Searches by words, and by vectors in each language. Returns both results, best first. */
export async function findPassages(
  connection: Neo4jConnection,
  { text, vector, limit, exclude, filter }: Wanted,
  options: RunOptions,
) {
  const isFiltered = filter.length > 0;
  const nearest = (language: Language) =>
    isFiltered
      ? byEveryVector(vectorProperty(vector?.length ?? 0, language))
      : byVector(vectorIndex(vector?.length ?? 0, language));
  const cypher = [
    ...(text ? [byWords(vector?.length, isFiltered)] : []),
    ...(vector ? Language.options.map(nearest) : []),
  ].join("\nUNION ALL\n");
  const parameters = {
    ...(text && { text: luceneQuery(text) }),
    ...(vector && { vector: [...vector] }),
    most: limit + exclude.size,
    ...(isFiltered && { filter: asFilter(filter) }),
  };
  const ask = async () => {
    const records = await connection.read(cypher, parameters, { timeout: LONGEST_SEARCH, ...options });
    return z
      .array(Found)
      .parse(records.map(asRow))
      .filter(({ passage }) => !exclude.has(passage.id));
  };
  let found = await ask();
  // The two indexes do not change at the same moment.
  for (let tries = 1; tries < TRIES && isMixed(found); tries++) found = await ask();
  const passages = found
    .map(({ by, score, similarity, passage: { edition: _, terms = "", ...passage } }) => {
      // Neo4j's similarities are 0 to 1.
      const cosine = similarity === null ? undefined : 2 * similarity - 1;
      return { ...passage, by, terms, cosine, score: by === "words" ? score : (cosine ?? 0) };
    })
    .sort(bestFirst);
  const { words = [], meaning: meanings = [] } = Object.groupBy(passages, ({ by }) => by);
  return { words: favourPhrases(terms(text ?? ""), words.slice(0, limit)), meanings };
}

const TRIES = 10;
/** In milliseconds. A model's Cypher gets less; a busy server took more than five seconds for a search with new indexes. */
const LONGEST_SEARCH = 30_000;

/** True if the results contain passages of two editions of a document. */
function isMixed(found: readonly z.infer<typeof Found>[]): boolean {
  const editions = new Map(found.map(({ passage }) => [passage.documentId, passage.edition]));
  return found.some(({ passage }) => editions.get(passage.documentId) !== passage.edition);
}

/** Quotes each term. Inside quotes, only the quote and the backslash are special to Lucene. */
const luceneQuery = (text: string) =>
  queryTerms(text)
    .map((term) => `"${term.replace(/[\\"]/g, "\\$&")}"`)
    .join(" ");

const FIELDS = Object.keys(Passage.shape)
  .map((key) => `.${key}`)
  .join(", ");

/** A passage as it is stored: a property holds lists but no maps, and is missing if an older version stored it. */
export const StoredPassage = Passage.extend({
  metadata: z
    .array(z.string())
    .nullish()
    .transform((pairs) => (pairs ? fromPairs(pairs) : undefined)),
});

/** Cypher that returns the passage in this variable. */
export const passageOf = (variable: string) => `${variable} { ${FIELDS} }`;

// Without passages there may be no index, and querying it would fail.
const WHERE_STORED = "MATCH (:EmendState {key: 'documents'}) WHERE EXISTS { (:EmendPassage) } WITH 1 AS stored";

/** With a filter the index gives all that has the words: a limit would count what is then left out. */
const byWords = (dimensions: number | undefined, isFiltered: boolean) => `${WHERE_STORED}
CALL db.index.fulltext.queryNodes('${TERMS_INDEX}', $text${isFiltered ? "" : ", {limit: $most}"}) YIELD node, score
${isFiltered ? `WITH node, score WHERE ${meetsFilter("node")} WITH node, score ORDER BY score DESC LIMIT $most` : ""}
RETURN 'words' AS by, score, node { ${FIELDS}, .edition, .terms } AS passage,
  ${dimensions ? `vector.similarity.cosine(${vectorOf("node", dimensions)}, $vector)` : "null"} AS similarity`;

const byVector = (index: string) => `${WHERE_STORED}
CALL db.index.vector.queryNodes('${index}', $most, $vector) YIELD node, score
RETURN 'meaning' AS by, score, node { ${FIELDS}, .edition } AS passage, score AS similarity`;

/** Compares every passage that meets the filter, since an index gives only what is nearest of all. */
const byEveryVector = (property: string) => `${WHERE_STORED}
MATCH (node:EmendPassage) WHERE node.${property} IS NOT NULL AND ${meetsFilter("node")}
WITH node, vector.similarity.cosine(node.${property}, $vector) AS score ORDER BY score DESC LIMIT $most
RETURN 'meaning' AS by, score, node { ${FIELDS}, .edition } AS passage, score AS similarity`;

const Found = z.object({
  by: z.enum(["words", "meaning"]),
  score: z.number(),
  similarity: z.number().nullable(),
  passage: StoredPassage.extend({ edition: z.string(), terms: z.string().optional() }),
});

/** Returns at most `limit` passages without a vector of this model, and the number of all such passages. */
export async function unembedded(
  connection: Neo4jConnection,
  model: string,
  limit: number,
  options: RunOptions,
): Promise<{ total: number; passages: Pending[] }> {
  const stored = await storedVectors(connection, options);
  const isPending = stored?.model === model ? `${vectorOf("p", stored.dimensions)} IS NULL` : "true";
  const records = await connection.read(
    `MATCH (p:EmendPassage) WHERE ${isPending} WITH collect(p) AS pending
     RETURN size(pending) AS total, [p IN pending[..$limit] | p { .id, .language, .title, .section, .text, .edition }] AS passages`,
    { limit },
    { timeout: 60_000, ...options },
  );
  return Unembedded.parse(records[0] && asRow(records[0]));
}

const Unembedded = z.object({
  total: z.number(),
  passages: z.array(
    Passage.pick({ id: true, language: true, title: true, section: true, text: true }).extend({ edition: z.string() }),
  ),
});
