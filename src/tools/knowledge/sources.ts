import { createHash } from "node:crypto";
import type { Passage } from "../../types/evidence.js";
import type { KnowledgeGraph, TripleSource } from "./port.js";

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

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

/**
 * Removes from a graph what was read in documents that are about to be removed or changed; of changed ones only what came
 * from passages that they will no longer have. Reads the list of sources once, at the first call with documents.
 */
export function forgetting(knowledge: KnowledgeGraph, signal?: AbortSignal) {
  let stored: ReturnType<KnowledgeGraph["sources"]> | undefined;
  return async ({ gone = [], changed = [] }: { gone?: readonly string[]; changed?: readonly Passage[] }) => {
    if (gone.length + changed.length === 0) return;
    stored ??= knowledge.sources();
    const staying = new Set(changed.map((passage) => passageSource(passage, "").id));
    const documents = new Set([...gone, ...changed.map(({ documentId }) => documentId)]);
    const stale = (await stored)
      .filter((source) => isPassageSource(source) && documents.has(source.documentId) && !staying.has(source.id))
      .map(({ id }) => id);
    if (stale.length > 0) await knowledge.remove(stale, signal && { signal });
  };
}
