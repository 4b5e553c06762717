import { createHash } from "node:crypto";
import type { Passage } from "../../types/evidence.js";
import type { KnowledgeGraph, TripleSource } from "./port.js";

/**
 * What a passage's triples are stored under. The id goes by the passage's content, so that one which only moved within
 * its document is known again, and a changed one is another; the hash adds who read it.
 */
export function passageSource(passage: Passage, reader: string): TripleSource {
  const { documentId, title, uri, section, reviewedAt } = passage;
  const content = digest(JSON.stringify([passage.position === 0, title, uri, section, reviewedAt, passage.text]));
  return {
    id: `${PASSAGE}${documentId}#${content}`,
    documentId,
    title,
    uri,
    section,
    reviewedAt,
    hash: `${reader} ${content}`,
  };
}

/** What some lines of a file are stored under, also by their content: who says it, when, and in which words. */
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

/** Whether triples were read out of a document's passage, and not loaded from a file or stored by another program. */
export const isPassageSource = ({ id }: { id: string }) => id.startsWith(PASSAGE);
export const isLinesSource = ({ id }: { id: string }) => id.startsWith(LINES);

const PASSAGE = "passage:";
const LINES = "lines:";
/** Raise it when the same lines are read differently. */
const LOADING = "load.1";

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

/**
 * Takes out of a graph what was read in documents that are about to go or to change: all of it for those that go, and of
 * the others what came from passages that they will no longer have. Asks the graph once, at the first call with documents.
 */
export function forgetting(knowledge: KnowledgeGraph, signal?: AbortSignal) {
  let stored: Promise<Map<string, string[]>> | undefined;
  return async ({ gone = [], changed = [] }: { gone?: readonly string[]; changed?: readonly Passage[] }) => {
    if (gone.length + changed.length === 0) return;
    stored ??= passageIds(knowledge);
    const ids = await stored;
    const staying = new Set(changed.map((passage) => passageSource(passage, "").id));
    const documents = [...gone, ...new Set(changed.map(({ documentId }) => documentId))];
    const stale = documents.flatMap((documentId) => ids.get(documentId) ?? []).filter((id) => !staying.has(id));
    if (stale.length > 0) await knowledge.remove(stale, signal && { signal });
  };
}

/** What is stored, by document. */
async function passageIds(knowledge: KnowledgeGraph): Promise<Map<string, string[]>> {
  const sources = (await knowledge.sources()).filter(isPassageSource);
  return new Map(
    [...Map.groupBy(sources, ({ documentId }) => documentId)].map(([documentId, all]) => [
      documentId,
      all.map(({ id }) => id),
    ]),
  );
}
