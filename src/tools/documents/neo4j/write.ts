import { z } from "zod";
import { Language, Passage } from "../../../types/evidence.js";
import { pairsOf } from "../../../types/metadata.js";
import type { RunInside } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import { languageMeans } from "../rank.js";
import { passageTerms, passageText } from "../terms.js";
import { asVectors, STATE, type Vectors, vectorOf, vectorProperty } from "./schema.js";

/**
 * Replaces whole documents inside a transaction. A text that its document contained before keeps its vector. Old passages
 * leave the indexes but stay stored for a while, for searches that have just been given them by an index.
 * @param edition unique to this write.
 */
export async function storePassages(run: RunInside, passages: readonly Passage[], edition: string): Promise<void> {
  const vectors = await takeTurn(run);
  const documents = new Map(passages.map((passage) => [passage.documentId, passage]));
  const known = vectors && (await vectorsByText(run, [...documents.keys()], vectors.dimensions));
  await retire(run, [...documents.keys()], passages);
  await inBatches([...documents.values()], (batch) =>
    run("UNWIND $rows AS row MERGE (d:EmendDocument {id: row.id}) SET d += row", { rows: batch.map(asDocument) }),
  );
  const rows = passages.map((passage) => ({
    passage: {
      ...passage,
      metadata: passage.metadata ? pairsOf(passage.metadata) : null,
      terms: passageTerms(passage).join(" "),
      edition,
    },
    property: vectors ? vectorProperty(vectors.dimensions, passage.language) : null,
    vector: known?.get(passageText(passage)) ?? null,
  }));
  await inBatches(rows, (batch) => run(CREATE, { rows: batch }));
}

const CREATE = `UNWIND $rows AS row
  MATCH (d:EmendDocument {id: row.passage.documentId})
  CREATE (p:EmendPassage)-[:EMEND_PART_OF]->(d) SET p = row.passage
  WITH p, row WHERE row.vector IS NOT NULL CALL db.create.setNodeVectorProperty(p, row.property, row.vector)`;

async function vectorsByText(run: RunInside, ids: string[], dimensions: number): Promise<Map<string, number[]>> {
  const found = await run(
    `UNWIND $ids AS id MATCH (:EmendDocument {id: id})<-[:EMEND_PART_OF]-(p)
     WITH p, ${vectorOf("p", dimensions)} AS vector WHERE vector IS NOT NULL
     RETURN p.title AS title, p.section AS section, p.text AS text, vector`,
    { ids },
  );
  const embedded = z.array(Embedded).parse(found.map(asRow));
  return new Map(embedded.map(({ vector, ...text }) => [passageText(text), vector]));
}

const Embedded = z.object({ title: z.string(), section: z.string(), text: z.string(), vector: z.array(z.number()) });

/** A passage to embed. */
export interface Pending extends Pick<Passage, "id" | "language" | "title" | "section" | "text"> {
  edition: string;
}

/**
 * Stores vectors inside a transaction, skips passages that have changed meanwhile, and deletes vectors of another model or
 * length.
 */
export async function storeVectors(
  run: RunInside,
  passages: readonly Pending[],
  vectors: readonly (readonly number[])[],
  model: string,
): Promise<void> {
  const dimensions = vectors[0]?.length ?? 0;
  const there = await takeTurn(run);
  if (there?.model !== model || there.dimensions !== dimensions) await startOver(run, model, dimensions);
  const rows = passages.map(({ id, edition, language }, i) => ({
    id,
    edition,
    property: vectorProperty(dimensions, language),
    vector: [...(vectors[i] ?? [])],
  }));
  await run(
    `UNWIND $rows AS row MATCH (p:EmendPassage {id: row.id}) WHERE p.edition = row.edition
     CALL db.create.setNodeVectorProperty(p, row.property, row.vector)`,
    { rows },
  );
}

/** Deletes all vectors and records the model of those to come. */
async function startOver(run: RunInside, model: string, dimensions: number): Promise<void> {
  const [state] = await run("MATCH (s:EmendState {key: 'documents'}) RETURN s.dimensions AS dimensions");
  const before = Number(state?.get("dimensions") ?? dimensions);
  // Older versions had one property for all languages.
  const properties = [`vector${before}`, ...Language.options.map((language) => vectorProperty(before, language))];
  await run(`MATCH (p:EmendPassage) REMOVE ${properties.map((property) => `p.${property}`).join(", ")}`);
  await run(
    `MATCH (s:EmendState {key: 'documents'}) SET s.embeddings = $model, s.dimensions = $dimensions
     REMOVE s.model, ${Language.options.map((language) => `s.mean_${language}`).join(", ")}`,
    { model, dimensions },
  );
}

/** Stores the mean vector of each language, estimated from a sample, for searches to compare with. */
export async function storeMeans(run: RunInside): Promise<void> {
  const vectors = await takeTurn(run);
  if (!vectors) return;
  const found = await run(
    `MATCH (p:EmendPassage) WITH p.language AS language, ${vectorOf("p", vectors.dimensions)} AS vector
     WHERE vector IS NOT NULL RETURN language, vector ORDER BY rand() LIMIT ${SAMPLE}`,
  );
  const means = languageMeans(z.array(Sampled).parse(found.map(asRow)));
  for (const [language, mean] of means)
    await run(`MATCH (s:EmendState {key: 'documents'}) SET s.mean_${language} = [x IN $mean | toFloat(x)]`, {
      mean: [...mean],
    });
}

const Sampled = z.object({ language: Language, vector: z.array(z.number()) });
const SAMPLE = 512;

const asDocument = (passage: Passage) => ({ id: passage.documentId, ...OfDocument.parse(passage) });
const OfDocument = Passage.pick({ hash: true, title: true, uri: true, language: true, reviewedAt: true });

/** Waits for other writers by locking one node. Returns what vectors are stored. */
async function takeTurn(run: RunInside): Promise<Vectors | undefined> {
  const [state] = await run(
    `MERGE (s:EmendState {key: 'documents'}) SET s.version = coalesce(s.version, 0) + 1 ${STATE}`,
  );
  return state && asVectors(asRow(state));
}

/** Takes the old passages of these documents, and others with the same ids, out of the indexes. */
async function retire(run: RunInside, documents: readonly string[], passages: readonly Passage[]): Promise<void> {
  await run(`MATCH (old:EmendRetiredPassage) WHERE old.retired < timestamp() - ${LONGEST_READING} DELETE old`);
  await inBatches(documents, (ids) =>
    run(`UNWIND $ids AS id MATCH (d:EmendDocument {id: id})<-[:EMEND_PART_OF]-(p) ${RETIRE}`, { ids }),
  );
  // Any of these that still exist belonged to other documents.
  await inBatches(passages, (batch) =>
    run(
      `UNWIND $ids AS id MATCH (p:EmendPassage {id: id}) OPTIONAL MATCH (p)-[:EMEND_PART_OF]->(d) ${RETIRE}
       WITH DISTINCT d WHERE NOT EXISTS { (d)<-[:EMEND_PART_OF]-() } DETACH DELETE d`,
      { ids: batch.map(({ id }) => id) },
    ),
  );
}

const RETIRE = `OPTIONAL MATCH (p)-[r]-() DELETE r
  WITH DISTINCT p, d REMOVE p:EmendPassage SET p:EmendRetiredPassage, p.retired = timestamp()`;

/** Removes documents with their passages inside a transaction. Returns the number of passages. */
export async function removeDocuments(run: RunInside, ids: readonly string[]): Promise<number> {
  await run("MATCH (s:EmendState {key: 'documents'}) SET s.version = s.version + 1");
  let count = 0;
  await inBatches([...new Set(ids)], async (batch) => {
    const [removed] = await run(
      "UNWIND $ids AS id MATCH (:EmendDocument {id: id})<-[:EMEND_PART_OF]-(p) DETACH DELETE p RETURN count(*) AS passages",
      { ids: batch },
    );
    count += removed ? Number(asRow(removed).passages) : 0;
    await run("UNWIND $ids AS id MATCH (d:EmendDocument {id: id}) DETACH DELETE d", { ids: batch });
  });
  return count;
}

/** Deletes old passages, which only searches still under way could ask for. */
export const REMOVE_RETIRED = "MATCH (old:EmendRetiredPassage) DELETE old";

/** Milliseconds. The server ends any search that takes longer. */
const LONGEST_READING = 10_000;

export async function inBatches<T>(all: readonly T[], work: (batch: T[]) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < all.length; i += BATCH) await work(all.slice(i, i + BATCH));
}

/** A message with this many vectors of common length takes a few megabytes. */
const BATCH = 500;
