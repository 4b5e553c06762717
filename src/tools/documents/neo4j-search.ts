import { z } from "zod";
import { terms } from "../../text/tokens.js";
import { Passage } from "../../types/evidence.js";
import type { Neo4jConnection, RunOptions } from "../neo4j/connection.js";
import { asRow } from "../neo4j/values.js";
import { TERMS_INDEX, vectorIndex } from "./neo4j-schema.js";
import type { ScoredPassage } from "./port.js";
import { favourPhrases } from "./rank.js";
import { queryTerms } from "./terms.js";

export interface Wanted {
  /** Left out: not by words. */
  text?: string | undefined;
  /** Left out: not by meaning. */
  vector?: readonly number[] | undefined;
  /** How many by each. */
  limit: number;
  exclude: ReadonlySet<string>;
}

/** The passages with the query's words, and those whose vectors are nearest, by their cosine; each best first. */
export async function findPassages(
  connection: Neo4jConnection,
  { text, vector, limit, exclude }: Wanted,
  options: RunOptions,
): Promise<{ words: ScoredPassage[]; meanings: ScoredPassage[] }> {
  const cypher = [...(text ? [BY_WORDS] : []), ...(vector ? [BY_VECTOR] : [])].join("\nUNION ALL\n");
  const parameters = {
    ...(text && { text: luceneQuery(text) }),
    ...(vector && { vector: [...vector], index: vectorIndex(vector.length) }),
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
    .map(({ passage: { edition: _, terms: joined = "", ...passage }, score }) => ({
      ...passage,
      score,
      terms: joined,
    }));
  const meanings = found
    .filter(({ by }) => by === "meaning")
    .sort(bestFirst)
    .slice(0, limit)
    .map(({ passage: { edition: _, ...passage }, score }) => ({ ...passage, score: 2 * score - 1 }));
  return { words: favourPhrases(terms(text ?? ""), words).map(({ terms: _, ...passage }) => passage), meanings };
}

const TRIES = 10;

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

const BY_WORDS = `${WHERE_STORED}
CALL db.index.fulltext.queryNodes('${TERMS_INDEX}', $text, {limit: $most}) YIELD node, score
RETURN 'words' AS by, score, node { ${FIELDS}, .edition, .terms } AS passage`;

const BY_VECTOR = `${WHERE_STORED}
CALL db.index.vector.queryNodes($index, $most, $vector) YIELD node, score
RETURN 'meaning' AS by, score, node { ${FIELDS}, .edition } AS passage`;

const Found = z.object({
  by: z.enum(["words", "meaning"]),
  score: z.number(),
  passage: Passage.extend({ edition: z.string(), terms: z.string().optional() }),
});
type Found = z.infer<typeof Found>;
