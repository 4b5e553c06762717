import { Language } from "../../../types/evidence.js";
import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import type { LanguageMeans } from "../rank.js";

/** The full-text index of all passages. */
export const TERMS_INDEX = "emend_passages";

/**
 * Each vector length and language has its own property and index: an index covers one property and one length, and each
 * language is searched separately.
 */
export const vectorIndex = (dimensions: number, language: Language) =>
  `emend_passage_vectors_${dimensions}_${language}`;
export const vectorProperty = (dimensions: number, language: Language) => `vector${dimensions}_${language}`;

/** Cypher for the vector of a passage, whatever its language. */
export const vectorOf = (variable: string, dimensions: number) =>
  `coalesce(${Language.options.map((language) => `${variable}.${vectorProperty(dimensions, language)}`).join(", ")})`;

/** The model of the stored vectors, and their mean for each language. */
export interface Vectors {
  model: string;
  dimensions: number;
  means: LanguageMeans;
}

/** Undefined if no passage was embedded yet. */
export async function storedVectors(connection: Neo4jConnection, options: RunOptions): Promise<Vectors | undefined> {
  const [record] = await connection.read(`MATCH (s:EmendState {key: 'documents'}) ${STATE}`, {}, options);
  return record && asVectors(asRow(record));
}

/** Cypher that returns a row for `asVectors`. Ignores `s.model` of older versions, whose vectors have other properties. */
export const STATE = `RETURN s.embeddings AS embeddings, s.dimensions AS dimensions, ${Language.options
  .map((language) => `s.mean_${language} AS mean_${language}`)
  .join(", ")}`;

export function asVectors({ embeddings, dimensions, ...row }: ReturnType<typeof asRow>): Vectors | undefined {
  if (typeof embeddings !== "string") return undefined;
  const means = Language.options.flatMap((language) => {
    const vector = row[`mean_${language}`];
    return Array.isArray(vector) ? [[language, vector.map(Number)] as const] : [];
  });
  return { model: embeddings, dimensions: Number(dimensions), means: new Map(means) };
}

/** Creates missing indexes, those of vectors if their length is given, and waits until they are online. */
export async function prepareIndexes(
  connection: Neo4jConnection,
  dimensions: number | undefined,
  options: RunOptions,
): Promise<void> {
  const wanted =
    dimensions === undefined ? INDEXES : Language.options.map((language) => vectorIndexOf(dimensions, language));
  const shown = await connection.read(
    "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'emend_' RETURN name, state",
    {},
    options,
  );
  const online = new Set(shown.filter((one) => one.get("state") === "ONLINE").map((one) => String(one.get("name"))));
  for (const { name, cypher } of wanted.filter((one) => !online.has(one.name))) {
    await connection.write([{ cypher }], options).catch(unlessMadeMeanwhile);
    await connection.read("CALL db.awaitIndex($name, 60)", { name }, { ...options, timeout: 70_000 });
  }
}

/** "IF NOT EXISTS" fails if another writer creates the same index between the server's check and its own creation. */
function unlessMadeMeanwhile(error: Error): void {
  if (!/equivalent (?:index|constraint) already exists/i.test(error.message)) throw error;
}

/**
 * The index holds our own terms, split at white space. Neo4j's analyzers rank the right passage first less often in both
 * languages: `cjk` does not stem English and misses single characters; `english` and `standard` index Chinese by single
 * characters only.
 */
const INDEXES = [
  unique("emend_state_key", "EmendState", "key"),
  unique("emend_document_id", "EmendDocument", "id"),
  unique("emend_passage_id", "EmendPassage", "id"),
  {
    name: "emend_passage_position",
    cypher: "CREATE INDEX emend_passage_position IF NOT EXISTS FOR (n:EmendPassage) ON (n.documentId, n.position)",
  },
  {
    name: TERMS_INDEX,
    cypher: `CREATE FULLTEXT INDEX ${TERMS_INDEX} IF NOT EXISTS FOR (n:EmendPassage) ON EACH [n.terms]
      OPTIONS {indexConfig: {\`fulltext.analyzer\`: 'whitespace', \`fulltext.eventually_consistent\`: false}}`,
  },
];

function unique(name: string, label: string, property: string) {
  return { name, cypher: `CREATE CONSTRAINT ${name} IF NOT EXISTS FOR (n:${label}) REQUIRE n.${property} IS UNIQUE` };
}

/** Without quantization, which is the default and separates close vectors less well. */
const vectorIndexOf = (dimensions: number, language: Language) => ({
  name: vectorIndex(dimensions, language),
  cypher: `CREATE VECTOR INDEX ${vectorIndex(dimensions, language)} IF NOT EXISTS FOR (n:EmendPassage) ON n.${vectorProperty(dimensions, language)}
    OPTIONS {indexConfig: {\`vector.dimensions\`: ${dimensions}, \`vector.similarity_function\`: 'cosine',
      \`vector.quantization.enabled\`: false}}`,
});
