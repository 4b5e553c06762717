import { READING } from "../thresholds.js";
import type { Evidence } from "../types/evidence.js";

// The messages of a mail are parts of one document that have their own dates. An undated one is the oldest.

/** Puts the newer parts of a document before its older ones. All other pieces keep their places. */
export function newestFirst<T extends { evidence: Evidence }>(pieces: readonly T[]): T[] {
  const ordered = new Map(
    [...Map.groupBy(pieces, documentOf)].map(([document, parts]) => [document, parts.toSorted(byDate).values()]),
  );
  return pieces.map((piece) => ordered.get(documentOf(piece))?.next().value ?? piece);
}

/** Leaves out what an older part of a document says if a newer part of it answers nearly as well. */
export function withoutOlder<T extends { evidence: Evidence; answers: number }>(found: readonly T[]): T[] {
  const parts = Map.groupBy(found, documentOf);
  return found.filter((one) => {
    const least = one.answers * READING.besideAnAnswer;
    return !parts
      .get(documentOf(one))
      ?.some((other) => other.answers >= least && other.answers > 0 && byDate(one, other) > 0);
  });
}

const documentOf = ({ evidence: { source, uri, id } }: { evidence: Evidence }) => (source === "document" ? uri : id);

const byDate = (a: { evidence: Evidence }, b: { evidence: Evidence }): number =>
  a.evidence.reviewedAt === b.evidence.reviewedAt ? 0 : a.evidence.reviewedAt > b.evidence.reviewedAt ? -1 : 1;
