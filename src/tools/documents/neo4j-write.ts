import type { Passage } from "../../types/evidence.js";
import type { RunInside } from "../neo4j/connection.js";
import { asRow } from "../neo4j/values.js";
import { asKind, vectorProperty } from "./neo4j-schema.js";
import { passageTerms } from "./terms.js";
import type { VectorKind } from "./vector-kind.js";

export interface NewPassages {
  passages: readonly Passage[];
  /** One a passage, of the kind given. */
  vectors: readonly (readonly number[])[] | undefined;
  kind: VectorKind | undefined;
  /** Tells this writing from every other. */
  edition: string;
  /** Throws where passages of this kind are there already, and of another kind than these. */
  check: (stored: VectorKind | undefined) => void;
}

/**
 * Replaces documents whole, inside one transaction. The passages there were stay as they are, but out of every index,
 * for as long as somebody may still be reading what an index gave them a moment ago.
 */
export async function storePassages(run: RunInside, given: NewPassages): Promise<void> {
  const { passages, kind, vectors, edition } = given;
  await takeTurn(run, given);
  const documents = new Map(passages.map((passage) => [passage.documentId, passage]));
  await retire(run, documents, passages);
  await inBatches([...documents.values()], (batch) =>
    run("UNWIND $rows AS row MERGE (d:EmendDocument {id: row.id}) SET d += row", { rows: batch.map(asDocument) }),
  );
  const rows = passages.map((passage, i) => ({
    passage: { ...passage, terms: passageTerms(passage).join(" "), edition },
    vector: [...(vectors?.[i] ?? [])],
  }));
  await inBatches(rows, (batch) =>
    run(kind ? `${CREATE} ${WITH_VECTOR}` : CREATE, {
      rows: batch,
      ...(kind && { property: vectorProperty(kind.dimensions) }),
    }),
  );
}

const CREATE = `UNWIND $rows AS row
  MATCH (d:EmendDocument {id: row.passage.documentId})
  CREATE (p:EmendPassage)-[:EMEND_PART_OF]->(d) SET p = row.passage`;
const WITH_VECTOR = "WITH p, row CALL db.create.setNodeVectorProperty(p, $property, row.vector)";

const asDocument = ({ documentId: id, hash, title, uri, language, reviewedAt }: Passage) => ({
  id,
  hash,
  title,
  uri,
  language,
  reviewedAt,
});

/** Waits for other writers, by the lock on one node, and says of what kind the vectors are from now on. */
async function takeTurn(run: RunInside, { kind, check }: NewPassages): Promise<void> {
  const [state] = await run(
    `MERGE (s:EmendState {key: 'documents'}) SET s.version = coalesce(s.version, 0) + 1
     RETURN s.model AS model, s.dimensions AS dimensions, EXISTS { (:EmendPassage) } AS isFilled`,
  );
  if (state?.get("isFilled")) check(asKind(asRow(state)));
  await run("MATCH (s:EmendState {key: 'documents'}) SET s.model = $model, s.dimensions = $dimensions", {
    model: kind?.model ?? null,
    dimensions: kind?.dimensions ?? null,
  });
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
