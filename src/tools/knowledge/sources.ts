import { createHash } from "node:crypto";
import type { Passage } from "../../types/evidence.js";
import type { TripleSource } from "./port.js";

/**
 * Makes the source for a passage's triples. The id depends on the passage's content: a passage that only moved within its
 * document keeps it, and a changed one gets another. The hash also depends on the reader.
 */
export function passageSource(passage: Passage, reader: string): TripleSource {
  const { documentId, title, uri, section, reviewedAt, metadata } = passage;
  const stated = Object.keys(metadata ?? {}).length > 0 ? [metadata] : [];
  const said = [passage.position === 0, title, uri, section, reviewedAt, passage.text, ...stated];
  const content = digest(JSON.stringify(said));
  return {
    id: `${PASSAGE}${documentId}#${content}`,
    documentId,
    title,
    uri,
    section,
    reviewedAt,
    hash: `${reader} ${content}`,
    ...(metadata && { metadata }),
  };
}

/** Makes the source for some lines of a file. The id depends on their title, date and text. */
export function linesSource(
  { file, title, reviewedAt }: { file: string; title: string; reviewedAt: string },
  lines: readonly string[],
): TripleSource {
  const content = digest(JSON.stringify([title, reviewedAt, ...lines]));
  return {
    id: `${LINES}${file}#${content}`,
    documentId: file,
    title: title || (file.split("/").at(-1) ?? file),
    uri: /^https?:\/\/\S+$/.test(title) ? title : file,
    section: "",
    reviewedAt,
    hash: `${LOADING} ${content}`,
  };
}

/** True for a source made by `passageSource`; false for lines of a file and for sources of other programs. */
export const isPassageSource = ({ id }: { id: string }) => id.startsWith(PASSAGE);
export const isLinesSource = ({ id }: { id: string }) => id.startsWith(LINES);

const PASSAGE = "passage:";
const LINES = "lines:";
/** Change it when the same lines are read differently. */
const LOADING = "load.1";

/** What a source is a part of: all passages of a document have the same, and all lines of a file. */
export const wholeOf = (sourceId: string) =>
  sourceId.startsWith(PASSAGE) || sourceId.startsWith(LINES) ? sourceId.slice(0, sourceId.lastIndexOf("#")) : sourceId;

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);
