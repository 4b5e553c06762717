import { z } from "zod";
import { Language, type Passage } from "../../../types/evidence.js";
import type { RunInside } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import { languageMeans } from "../fusion.js";
import { passageTerms, passageText } from "../terms.js";
import { asVectors, STATE, type Vectors, vectorOf, vectorProperty } from "./schema.js";

/**
 * Replaces documents whole, inside one transaction; a text that stood in one of them before keeps its vector. The passages
 * there were stay as they are, but out of every index, for as long as somebody may still be reading what an index gave
 * them a moment ago.
 * @param edition tells this writing from every other.
 */
export async function storePassages(run: RunInside, passages: readonly Passage[], edition: string): Promise<void> {
  const vectors = await takeTurn(run);
  const documents = new Map(passages.map((passage) => [passage.documentId, passage]));
  const known = vectors ? await vectorsByText(run, [...documents.keys()], vectors.dimensions) : new Map();
  await retire(run, documents, passages);
  await inBatches([...documents.values()], (batch) =>
    run("UNWIND $rows AS row MERGE (d:EmendDocument {id: row.id}) SET d += row", { rows: batch.map(asDocument) }),
  );
  const rows = passages.map((passage) => ({
    passage: { ...passage, terms: passageTerms(passage).join(" "), edition },
    property: vectors ? vectorProperty(vectors.dimensions, passage.language) : null,
    vector: known.get(passageText(passage)) ?? null,
  }));
  await inBatches(rows, (batch) => run(CREATE, { rows: batch }));
}

const CREATE = `UNWIND $rows AS row
  MATCH (d:EmendDocument {id: row.passage.documentId})
  CREATE (p:EmendPassage)-[:EMEND_PART_OF]->(d) SET p = row.passage
  WITH p, row WHERE row.vector IS NOT NULL CALL db.create.setNodeVectorProperty(p, row.property, row.vector)`;

async function vectorsByText(
  run: RunInside,
  ids: readonly string[],
  dimensions: number,
): Promise<Map<string, number[]>> {
  const found = await run(
    `UNWIND $ids AS id MATCH (:EmendDocument {id: id})<-[:EMEND_PART_OF]-(p)
     WITH p, ${vectorOf("p", dimensions)} AS vector WHERE vector IS NOT NULL
     RETURN p.title AS title, p.section AS section, p.text AS text, vector`,
    { ids: [...ids] },
  );
  return new Map(found.map(asRow).map((row) => [passageText(Embedded.parse(row)), Embedded.parse(row).vector]));
}

const Embedded = z.object({ title: z.string(), section: z.string(), text: z.string(), vector: z.array(z.number()) });

/** A passage to be embedded, as it was when it was read. */
export interface Pending extends Pick<Passage, "id" | "language" | "title" | "section" | "text"> {
  edition: string;
}

/**
 * Gives passages their vectors, inside one transaction. Those that have changed meanwhile are left out; vectors of
 * another model, or of another length, go.
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

/** Takes every vector away and says of which model they are from now on. */
async function startOver(run: RunInside, model: string, dimensions: number): Promise<void> {
  const [state] = await run("MATCH (s:EmendState {key: 'documents'}) RETURN s.dimensions AS dimensions");
  const before = Number(state?.get("dimensions") ?? dimensions);
  // A version before this one had one property for all languages.
  const properties = [`vector${before}`, ...Language.options.map((language) => vectorProperty(before, language))];
  await run(`MATCH (p:EmendPassage) REMOVE ${properties.map((property) => `p.${property}`).join(", ")}`);
  await run(
    `MATCH (s:EmendState {key: 'documents'}) SET s.embeddings = $model, s.dimensions = $dimensions
     REMOVE s.model, ${Language.options.map((language) => `s.mean_${language}`).join(", ")}`,
    { model, dimensions },
  );
}

/** Keeps the mean vector of each language, by some of its passages, for searches to compare with. */
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

const asDocument = ({ documentId: id, hash, title, uri, language, reviewedAt }: Passage) => ({
  id,
  hash,
  title,
  uri,
  language,
  reviewedAt,
});

/** Waits for other writers, by the lock on one node, and says what vectors there are. */
async function takeTurn(run: RunInside): Promise<Vectors | undefined> {
  const [state] = await run(
    `MERGE (s:EmendState {key: 'documents'}) SET s.version = coalesce(s.version, 0) + 1 ${STATE}`,
  );
  return state && asVectors(asRow(state));
}

async function retire(
  run: RunInside,
  documents: ReadonlyMap<string, Passage>,
  passages: readonly Passage[],
): Promise<void> {
  await run(`MATCH (old:EmendRetiredPassage) WHERE old.retired < timestamp() - ${LONGEST_READING} DELETE old`);
  await inBatches([...documents.keys()], (ids) =>
    run(`UNWIND $ids AS id MATCH (d:EmendDocument {id: id})<-[:EMEND_PART_OF]-(p) ${RETIRE}`, { ids }),
  );
  // What is left of these belonged to other documents.
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

/** Removes documents with their passages, inside one transaction, and says how many passages there were. */
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

/** Deletes what only a reading that is still under way could ask for. */
export const REMOVE_RETIRED = "MATCH (old:EmendRetiredPassage) DELETE old";

/** Milliseconds; no search takes longer, or the server ends it. */
const LONGEST_READING = 10_000;

async function inBatches<T>(all: readonly T[], work: (batch: T[]) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < all.length; i += BATCH) await work(all.slice(i, i + BATCH));
}

/** A message with as many vectors of a usual length takes a few megabytes. */
const BATCH = 500;
