import { createHash } from "node:crypto";
import type { Passage } from "../../types/evidence.js";
import type { Dialect, Writing } from "./port.js";

const PASSAGE = "passage:";
const LINES = "lines:";

/** Returns the id of the source of a passage's facts: a passage that only moved within its document keeps its id. */
export const passageSourceId = (passage: Passage) => `${PASSAGE}${passage.documentId}#${contentHash(passage)}`;

/** Returns a hash that changes with what a passage says and with what it is cited as. */
export function contentHash({ position, title, uri, section, reviewedAt, metadata, text }: Passage): string {
  const stated = Object.keys(metadata ?? {}).length > 0 ? [metadata] : [];
  return digest([position === 0, title, uri, section, reviewedAt, text, ...stated]);
}

/** Returns the hash of a passage's facts for a passage with other metadata: the reader, and the passage's content. */
export const restatedHash = (hash: string, passage: Passage) =>
  `${hash.slice(0, hash.lastIndexOf(" ") + 1)}${contentHash(passage)}`;

/** Returns the id of the source of some lines of a loaded file. */
export const linesSourceId = (file: string, content: string) => `${LINES}${file}#${content}`;

export const digest = (said: readonly unknown[]) =>
  createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 32);

/** True for the source of a passage; false for lines of a loaded file and for sources of other programs. */
export const isPassageSource = ({ id }: { id: string }) => id.startsWith(PASSAGE);
/** True for lines of a file that was loaded into the graph, which is no document. */
export const isLinesSource = ({ id }: { id: string }) => id.startsWith(LINES);

/** Returns an id for the whole that a source is a part of: a document or a loaded file. */
export const wholeOf = (id: string) =>
  isPassageSource({ id }) || isLinesSource({ id }) ? id.slice(0, id.lastIndexOf("#")) : id;

/** Deletes the facts of documents, except those of loaded files. Returns how many sources had them. */
export async function deleteFactsOf(to: Writing, dialect: Dialect, documents: readonly string[]): Promise<number> {
  const rows = await to.all(`SELECT id FROM emend.sources WHERE ${dialect.isOneOf("document", "$1")}`, [documents]);
  return deleteFacts(
    to,
    dialect,
    rows.map(({ id }) => `${id}`).filter((id) => !isLinesSource({ id })),
  );
}

/** Deletes the facts of passages that are no longer in these documents. */
export async function deleteOutdatedFacts(to: Writing, dialect: Dialect, passages: readonly Passage[]): Promise<void> {
  const wholes = [...new Set(passages.map(({ documentId }) => `${PASSAGE}${documentId}`))];
  const rows = await to.all(`SELECT id FROM emend.sources WHERE ${dialect.isOneOf("whole", "$1")}`, [wholes]);
  if (rows.length === 0) return;
  const kept = new Set(passages.map(passageSourceId));
  await deleteFacts(
    to,
    dialect,
    rows.map(({ id }) => `${id}`).filter((id) => !kept.has(id)),
  );
}

/** Deletes sources with their triples, and the entities that no other source has. Returns how many sources. */
export async function deleteFacts(to: Writing, dialect: Dialect, sourceIds: readonly string[]): Promise<number> {
  if (sourceIds.length === 0) return 0;
  await to.lock("graph");
  const { removed, touched } = await deleteSources(to, dialect, [...new Set(sourceIds)]);
  await deleteUnused(to, dialect, touched);
  return removed;
}

/** Deletes sources with their triples and aliases. Returns how many, and the entities in them. */
export async function deleteSources(to: Writing, { isOneOf }: Dialect, ids: readonly string[]) {
  const rows = await to.all(`SELECT n FROM emend.sources WHERE ${isOneOf("id", "$1")}`, [ids]);
  if (rows.length === 0) return { removed: 0, touched: [] };
  const ns = rows.map(({ n }) => Number(n));
  const of = (column: string, table: string) =>
    `SELECT ${column} AS n FROM emend.${table} WHERE ${isOneOf("source", "$1")}`;
  const touched = await to.all(
    [of("subject", "triples"), of("object", "triples"), of("entity", "aliases"), of("alias", "aliases")].join(
      " UNION ",
    ),
    [ns],
  );
  await to.all(`DELETE FROM emend.sources WHERE ${isOneOf("n", "$1")}`, [ns]);
  return { removed: ns.length, touched: touched.map(({ n }) => Number(n)) };
}

/** Deletes those of these entities that no source has. */
export async function deleteUnused(to: Writing, { isOneOf }: Dialect, entities: readonly number[]): Promise<void> {
  if (entities.length === 0) return;
  const used = [
    ["triples", "subject"],
    ["triples", "object"],
    ["aliases", "entity"],
    ["aliases", "alias"],
  ].map(([table, column]) => `NOT EXISTS (SELECT 1 FROM emend.${table} u WHERE u.${column} = emend.entities.n)`);
  await to.all(`DELETE FROM emend.entities WHERE ${isOneOf("n", "$1")} AND ${used.join(" AND ")}`, [entities]);
}
