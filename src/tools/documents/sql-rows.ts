import { posix } from "node:path";
import { z } from "zod";
import { StoreUnavailableError } from "../../errors.js";
import type { Passage } from "../../types/evidence.js";
import { Language } from "../../types/language.js";
import { Metadata, valuesOf } from "../../types/metadata.js";
import { checksumOf, metadataIn } from "../store/metadata.js";
import type { Database, Row } from "../store/port.js";
import type { DocumentHead } from "./port.js";

/** The columns of a passage, and the tables that hold them. */
export const COLUMNS = `p.id, d.id AS document, p.position, p.title, p.uri, p.section, p.text, p.language, p.reviewed,
  d.hash, s.pairs, p.checksum`;
export const TABLES = `emend.passages p JOIN emend.documents d ON d.n = p.document
  LEFT JOIN emend.stated s ON s.n = p.stated`;

const Stored = z.object({
  id: z.string(),
  document: z.string(),
  position: z.number(),
  title: z.string(),
  uri: z.string(),
  section: z.string(),
  text: z.string(),
  language: Language,
  reviewed: z.string(),
  hash: z.string(),
  pairs: z.string().nullable(),
  checksum: z.string(),
});

/** Returns the passage of a row, or nothing if it does not match its checksum. */
export function passageOf(row: Row): Passage[] {
  const parsed = Stored.safeParse(row);
  if (!parsed.success) return [];
  const { document, reviewed, pairs, checksum, ...rest } = parsed.data;
  const passage: Passage = { ...rest, documentId: document, reviewedAt: reviewed };
  return checksum === passageChecksum(passage, pairs) ? [{ ...passage, ...metadataIn(pairs) }] : [];
}

/** Returns what `passageText` takes of a row. */
export const titledText = ({ title, section, text }: Row) => ({
  title: `${title}`,
  section: `${section}`,
  text: `${text}`,
});

/**
 * Computes the checksum of all that an answer may quote or cite, and of what decides who may see it.
 * @param pairs the metadata as it is stored.
 */
export const passageChecksum = (passage: Omit<Passage, "metadata">, pairs: string | null): string => {
  const { id, documentId, position, title, uri, section, text, language, reviewedAt } = passage;
  return checksumOf([id, documentId, position, title, uri, section, text, language, reviewedAt, pairs]);
};

/** Returns the file name of a document, by which other documents refer to it. */
export const lastPart = (name: string) => posix.basename(name.replaceAll("\\", "/"));

/** Finds the documents that may be valid only for a time, without reading the others. */
export async function headsOf(database: Database): Promise<DocumentHead[]> {
  const { isOneOf } = database.dialect;
  const select = `SELECT d.id, p.title, s.pairs, s.checksum FROM emend.documents d
    JOIN emend.passages p ON p.document = d.n AND p.position = 0 LEFT JOIN emend.stated s ON s.n = p.stated`;
  const [dated = [], stating = []] = await database.read([
    { sql: `${select} WHERE d.dated = 1` },
    {
      sql: `${select} WHERE p.stated IN (SELECT stated FROM emend.pairs WHERE ${isOneOf("key", "$1")})`,
      values: [["supersedes", "valid_from", "valid_until"]],
    },
  ]);
  const heads = [...dated, ...stating].map(headIn);
  const names = heads.flatMap(({ metadata }) => valuesOf(metadata, "supersedes").map(lastPart));
  if (names.length > 0) {
    const [superseded = []] = await database.read([
      { sql: `${select} WHERE ${isOneOf("d.name", "$1")}`, values: [[...new Set(names)]] },
    ]);
    heads.push(...superseded.map(headIn));
  }
  return [...new Map(heads.map((head) => [head.documentId, head])).values()];
}

const headIn = ({ id, title, pairs, checksum }: Row): DocumentHead => {
  const stored = typeof pairs === "string" ? pairs : null;
  // Without it, a document that has been superseded would seem to hold.
  if (stored !== null && checksum !== checksumOf([stored]))
    throw new StoreUnavailableError(
      `The metadata of ${id} is damaged in the store. Put a backup in its place, or delete it and ingest the documents again.`,
    );
  const { metadata } = metadataIn(stored);
  return { documentId: `${id}`, title: `${title}`, metadata: metadata && Metadata.parse(metadata) };
};
