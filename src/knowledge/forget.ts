import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Passage } from "../types/evidence.js";
import { isPassageSource, passageSource } from "./source.js";

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
