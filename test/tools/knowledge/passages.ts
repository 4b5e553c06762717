import { chunk } from "../../../src/ingest/chunk.js";
import type { Triple } from "../../../src/tools/knowledge/port.js";
import type { Passage } from "../../../src/types/evidence.js";

/** The passages of a Markdown page, as ingesting makes them. */
export const passagesOf = (
  documentId: string,
  text: string,
  rest: Partial<{ title: string; reviewedAt: string; metadata: Record<string, string> }> = {},
): Passage[] =>
  chunk({
    documentId,
    uri: documentId,
    title: documentId,
    reviewedAt: "",
    format: "markdown",
    hash: text,
    text,
    ...rest,
  });

/** A triple as one line. */
export const line = ({ subject, predicate, object }: Pick<Triple, "subject" | "predicate" | "object">) =>
  `${subject.name} | ${predicate} | ${object.name}`;
