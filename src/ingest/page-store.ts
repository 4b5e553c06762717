import { metadataOf } from "../text/metadata.js";
import type { WebPage } from "../tools/web/port.js";
import { cutInOwnProcess } from "./chunk.js";
import { keepingFacts, withFacts } from "./facts/keep-facts.js";
import type { Content } from "./formats/content.js";
import { type IngestOptions, nothingIngested } from "./ingest.js";
import { hashOf } from "./load.js";

export interface PageStoreOptions
  extends Pick<IngestOptions, "documents" | "knowledge" | "facts" | "signal" | "onOutcome"> {
  /** Called after each page that is now up to date in the store, with the number of such pages. */
  onKept?: ((pages: number) => void) | undefined;
}

/** Returns a page of the web as content. */
export const pageContent = ({ url, title, published, modified, markdown }: WebPage): Content => ({
  title: title || url,
  reviewedAt: modified || published,
  metadata: metadataOf(Object.entries({ published, modified })),
  format: "markdown",
  text: markdown,
});

/** Writes pages into the store, one by one, and counts what became of them. */
export async function pageStore(options: PageStoreOptions) {
  const { documents, knowledge, facts, signal, onOutcome, onKept } = options;
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  const keepFacts = keepingFacts(knowledge, { facts, signal });
  const summary = nothingIngested();
  const tell = (outcome: "added" | "changed" | "unchanged", id: string) => {
    summary[outcome] += 1;
    onOutcome?.(outcome, id);
    onKept?.(summary.added + summary.changed + summary.unchanged);
  };
  return {
    /** The hashes of the stored documents by their ids. */
    stored,
    summary,
    /** Counts a document that is in the store as it is now. */
    same: (id: string) => tell("unchanged", id),
    /** Stores a document unless it is unchanged. Returns its hash. */
    async write(id: string, { format, text, places, ...about }: Content): Promise<string> {
      const hash = hashOf(JSON.stringify([about, text]));
      const known = stored.get(id);
      if (known === hash) {
        tell("unchanged", id);
        return hash;
      }
      const document = { documentId: id, uri: id, ...about, format, text, ...(places && { places }), hash };
      const { passages, tables } = await cutInOwnProcess(document, signal);
      await withFacts(
        documents,
        () => documents.upsert(passages, { tables, ...(signal && { signal }) }),
        () => keepFacts({ written: passages }),
      );
      stored.set(id, hash);
      summary.passages += passages.length;
      tell(known === undefined ? "added" : "changed", id);
      return hash;
    },
    /** Removes documents from the store. */
    async remove(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await withFacts(
        documents,
        async () => void (await documents.remove(ids, signal && { signal })),
        () => keepFacts({ gone: ids }),
      );
      summary.removed += ids.length;
      for (const id of ids) onOutcome?.("removed", id);
    },
    /** Finishes what a killed writer left undone. */
    tidy: () => Promise.all([documents.tidy?.(), summary.passages > 0 && knowledge?.tidy?.()]),
  };
}
