import type { Neo4jConnection, RunOptions } from "../neo4j/connection.js";
import { asRow } from "../neo4j/values.js";
import type { VectorKind } from "./vector-kind.js";

/** The full-text index over the terms of all passages. */
export const TERMS_INDEX = "emend_passages";

/** Vectors of each length have an index and a property of their own: an index is for one length, and one property. */
export const vectorIndex = (dimensions: number) => `emend_passage_vectors_${dimensions}`;
export const vectorProperty = (dimensions: number) => `vector${dimensions}`;

/** What the passages there are were stored with; undefined where there is none, also before anything was ever stored. */
export async function storedKind(
  connection: Neo4jConnection,
  options: RunOptions,
): Promise<{ vectors: VectorKind | undefined } | undefined> {
  const [record] = await connection.read(
    "MATCH (s:EmendState {key: 'documents'}) WHERE EXISTS { (:EmendPassage) } RETURN s.model AS model, s.dimensions AS dimensions",
    {},
    options,
  );
  return record && { vectors: asKind(asRow(record)) };
}

export const asKind = ({ model, dimensions }: ReturnType<typeof asRow>): VectorKind | undefined =>
  typeof model === "string" ? { model, dimensions: Number(dimensions) } : undefined;

/** Makes the indexes that are not there yet, and waits until they can be used. */
export async function prepareIndexes(
  connection: Neo4jConnection,
  dimensions: number | undefined,
  options: RunOptions,
): Promise<void> {
  const wanted = dimensions === undefined ? INDEXES : [...INDEXES, vectors(dimensions)];
  const shown = await connection.read(
    "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'emend_' RETURN name, state",
    {},
    options,
  );
  const online = new Set(shown.filter((one) => one.get("state") === "ONLINE").map((one) => String(one.get("name"))));
  for (const { name, cypher } of wanted.filter((one) => !online.has(one.name))) {
    await connection.write([{ cypher }], options);
    await connection.read("CALL db.awaitIndex($name, 60)", { name }, { ...options, timeout: 70_000 });
  }
}

/**
 * Terms are cut by the project and stand in the index as they are, split at white space: of Neo4j's analyzers `cjk`
 * does not stem English and misses single characters, `english` and `standard` know Chinese by single characters alone;
 * all of them found the right passage first less often, in both languages.
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

/** Whole numbers instead of fractions, the default, tell vectors that are near each other apart less well. */
const vectors = (dimensions: number) => ({
  name: vectorIndex(dimensions),
  cypher: `CREATE VECTOR INDEX ${vectorIndex(dimensions)} IF NOT EXISTS FOR (n:EmendPassage) ON n.${vectorProperty(dimensions)}
    OPTIONS {indexConfig: {\`vector.dimensions\`: ${dimensions}, \`vector.similarity_function\`: 'cosine',
      \`vector.quantization.enabled\`: false}}`,
});
