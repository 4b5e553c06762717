import { metadataOf } from "../text/metadata.js";
import { isDelivered, unstamped } from "../tools/documents/document-id.js";
import type { WebPage } from "../tools/web/port.js";
import { cutInOwnProcess } from "./chunk.js";
import { keepingFacts, withFacts } from "./facts/keep-facts.js";
import type { Content } from "./formats/content.js";
import { countKept, type IngestOptions, nothingIngested } from "./ingest.js";
import { hashOf } from "./load.js";
import { isStampedWith, mustBeRead, restamp, type Stamp, stamped, stamping } from "./stamp.js";

export interface PageStoreOptions
  extends Pick<IngestOptions, "documents" | "knowledge" | "facts" | "signal" | "onOutcome"> {
  /** As in `IngestOptions`, by the addresses of pages. */
  stamp?: Stamp | ((address: string) => Stamp) | undefined;
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
  const stampOf = await stamping(options.stamp, stored, documents);
  const restamped = new Set<string>();
  /** Brings the stamps of pages up to date, before they are read. */
  const restampAll = async (ids: readonly string[]) => {
    const isOurs = (id: string) => stored.has(id) && !isDelivered(stored.get(id) ?? "");
    const wanted = ids.filter(isOurs).map((id) => [id, stampOf(id, id)] as const);
    for (const id of await restamp(wanted, stored, { documents, knowledge, signal })) restamped.add(id);
  };
  const tell = (outcome: "added" | "changed" | "unchanged" | "restamped", id: string) => {
    summary[outcome] += 1;
    onOutcome?.(outcome, id);
    onKept?.(countKept(summary));
  };
  const tellKnown = (id: string) => tell(restamped.has(id) ? "restamped" : "unchanged", id);
  return {
    /** The hashes of the stored documents by their ids. */
    stored,
    summary,
    restamp: restampAll,
    /** True if the document in the store has this hash and needs no other stamp. */
    isAs: (id: string, hash: string) => {
      const known = stored.get(id) ?? "";
      return unstamped(known).hash === hash && !mustBeRead(known, stampOf(id, id));
    },
    /** Counts a document that is in the store as it is now. */
    same: tellKnown,
    /** Stores a document unless it is unchanged. Returns its hash, without its stamp. */
    async write(id: string, { format, text, places, ...about }: Content): Promise<string> {
      const hash = hashOf(JSON.stringify([about, text]));
      // The page may have been found under another address.
      await restampAll([id]);
      const stamp = stampOf(id, id);
      const known = stored.get(id);
      if (known !== undefined && unstamped(known).hash === hash && isStampedWith(known, stamp)) {
        tellKnown(id);
        return hash;
      }
      const document = { documentId: id, uri: id, ...about, format, text, ...(places && { places }), hash };
      const { passages, tables } = stamped(await cutInOwnProcess(document, signal), stamp);
      await withFacts(
        documents,
        () => documents.upsert(passages, { tables, ...(signal && { signal }) }),
        () => keepFacts({ written: passages }),
      );
      stored.set(id, passages[0]?.hash ?? hash);
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
