import { z } from "zod";
import { terms } from "../../../language/tokens.js";
import { Language, Passage } from "../../../types/evidence.js";
import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import type { ScoredPassage } from "../port.js";
import { favourPhrases } from "../rank.js";
import { queryTerms } from "../terms.js";
import { storedVectors, TERMS_INDEX, vectorIndex, vectorOf } from "./schema.js";
import type { Pending } from "./write.js";

export interface Wanted {
  /** Left out: not by words. */
  text?: string | undefined;
  /** Left out: not by meaning. */
  vector?: readonly number[] | undefined;
  /** How many by each. */
  limit: number;
  exclude: ReadonlySet<string>;
}

/** A passage with how near it is to the question in meaning, where it has a vector. */
export type FoundPassage = ScoredPassage & { cosine: number | undefined };

/** The passages with the query's words, and those whose vectors are nearest in each language; each best first. */
export async function findPassages(
  connection: Neo4jConnection,
  { text, vector, limit, exclude }: Wanted,
  options: RunOptions,
): Promise<{ words: (FoundPassage & { terms: string })[]; meanings: FoundPassage[] }> {
  const cypher = [
    ...(text ? [byWords(vector?.length)] : []),
    ...(vector ? Language.options.map((language) => byVector(vectorIndex(vector.length, language))) : []),
  ].join("\nUNION ALL\n");
  const parameters = {
    ...(text && { text: luceneQuery(text) }),
    ...(vector && { vector: [...vector] }),
    most: limit + exclude.size,
  };
  const ask = async () => {
    const records = await connection.read(cypher, parameters, options);
    return z
      .array(Found)
      .parse(records.map(asRow))
      .filter(({ passage }) => !exclude.has(passage.id));
  };
  let found = await ask();
  // The two indexes do not change at the same moment.
  for (let tries = 1; tries < TRIES && isMixed(found); tries++) found = await ask();
  const words = found
    .filter(({ by }) => by === "words")
    .sort(bestFirst)
    .slice(0, limit)
    .map(({ passage: { edition: _, terms: joined = "", ...passage }, score, similarity }) => ({
      ...passage,
      score,
      cosine: similarity === null ? undefined : cosineOf(similarity),
      terms: joined,
    }));
  const meanings = found
    .filter(({ by }) => by === "meaning")
    .sort(bestFirst)
    .map(({ passage: { edition: _, ...passage }, score }) => {
      const cosine = cosineOf(score);
      return { ...passage, score: cosine, cosine };
    });
  return { words: favourPhrases(terms(text ?? ""), words), meanings };
}

const TRIES = 10;

/** Neo4j gives similarities from 0 to 1. */
const cosineOf = (similarity: number) => 2 * similarity - 1;

/** Whether there are passages of a document as it was beside some as it is. */
function isMixed(found: readonly Found[]): boolean {
  const editions = new Map(found.map(({ passage }) => [passage.documentId, passage.edition]));
  return found.some(({ passage }) => editions.get(passage.documentId) !== passage.edition);
}

const bestFirst = (a: Found, b: Found) => b.score - a.score || (a.passage.id < b.passage.id ? -1 : 1);

/** Each term in quotation marks, inside which only they and the backslash mean anything to Lucene. */
const luceneQuery = (text: string) =>
  queryTerms(text)
    .map((term) => `"${term.replace(/[\\"]/g, "\\$&")}"`)
    .join(" ");

const FIELDS = Object.keys(Passage.shape)
  .map((key) => `.${key}`)
  .join(", ");

/** A passage of a query's variable, as it was stored. */
export const passageOf = (variable: string) => `${variable} { ${FIELDS} }`;

// Where nothing is stored there may be no index either.
const WHERE_STORED = "MATCH (:EmendState {key: 'documents'}) WHERE EXISTS { (:EmendPassage) } WITH 1 AS stored";

const byWords = (dimensions: number | undefined) => `${WHERE_STORED}
CALL db.index.fulltext.queryNodes('${TERMS_INDEX}', $text, {limit: $most}) YIELD node, score
RETURN 'words' AS by, score, node { ${FIELDS}, .edition, .terms } AS passage,
  ${dimensions ? `vector.similarity.cosine(${vectorOf("node", dimensions)}, $vector)` : "null"} AS similarity`;

const byVector = (index: string) => `${WHERE_STORED}
CALL db.index.vector.queryNodes('${index}', $most, $vector) YIELD node, score
RETURN 'meaning' AS by, score, node { ${FIELDS}, .edition } AS passage, score AS similarity`;

const Found = z.object({
  by: z.enum(["words", "meaning"]),
  score: z.number(),
  similarity: z.number().nullable(),
  passage: Passage.extend({ edition: z.string(), terms: z.string().optional() }),
});
type Found = z.infer<typeof Found>;

/** At most `limit` passages without a vector of this model, and how many there are in all. */
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
    { timeout: LONGEST_COUNTING, ...options },
  );
  return Unembedded.parse(records[0] && asRow(records[0]));
}

/** Milliseconds. */
const LONGEST_COUNTING = 60_000;

const Unembedded = z.object({
  total: z.number(),
  passages: z.array(
    Passage.pick({ id: true, language: true, title: true, section: true, text: true }).extend({ edition: z.string() }),
  ),
});
