import { createHash } from "node:crypto";
import { z } from "zod";
import { CollectionName } from "../collections.js";
import { exactly, type OptionsOf } from "../options.js";
import { restated } from "../text/metadata.js";
import { passageId, passageIds, stampedHash, unstamped } from "../tools/documents/document-id.js";
import type { Documents, Restatement } from "../tools/documents/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import { isPassageSource, passageSourceId } from "../tools/store/facts.js";
import type { Passage } from "../types/evidence.js";
import { COLLECTION, type Metadata, READERS, valuesOf } from "../types/metadata.js";
import { aReader } from "../types/reader.js";
import type { CutDocument } from "./chunk.js";
import { removeDocuments, withFacts } from "./facts/keep-facts.js";

/** What is said of a document whatever it says of itself: its collection, and who may read it. */
export interface Stamp {
  /** Default: it belongs to none. */
  collection?: string | undefined;
  /** `everyone`, `user:NAME` or `group:NAME`. Empty: nobody. Default: what the document says itself. */
  readers?: readonly string[] | undefined;
}

/** Documents carry their readers, besides what else is known of them. */
const MOST_CHARACTERS = 3_000;

/** Who may read all documents of a source that does not say it itself. */
export const Readers = z
  .array(aReader, { error: 'must be a list, such as ["group:hr"]' })
  .max(200)
  .refine((readers) => readers.join("").length <= MOST_CHARACTERS, {
    error: "must have 3,000 characters at most: name a group",
  });
export const aStamp = exactly({
  collection: CollectionName.optional(),
  readers: Readers.optional(),
} satisfies OptionsOf<Stamp>);

/** Returns the metadata that a stamp sets. An empty value removes its key. */
const metadataOfStamp = ({ collection = "", readers }: Stamp): Metadata => ({
  [COLLECTION]: collection,
  ...(readers && { [READERS]: inOrder(readers).join("\n") }),
});

const inOrder = (readers: readonly string[]) => [...new Set(readers)].sort();

/** Returns a stamp as hashes keep it: its collection, and a digest of its readers. */
function textOf({ collection = "", readers }: Stamp): string {
  const digest = readers && createHash("sha256").update(inOrder(readers).join("\n")).digest("hex").slice(0, 16);
  return collection === "" && digest === undefined ? "" : `${collection}/${digest ?? ""}`;
}

export const isSameStamp = (one: Stamp, other: Stamp) => textOf(one) === textOf(other);

/** True if a stamp, as hashes keep it, says who may read. */
const saysReaders = (text: string) => /\/./.test(text);

/** Returns a document with its stamp. */
export function stamped({ passages, tables }: CutDocument, stamp: Stamp): CutDocument {
  const changes = metadataOfStamp(stamp);
  const made = new Map<Metadata | undefined, Metadata>();
  const of = (own: Metadata | undefined): Metadata => {
    const metadata = made.get(own) ?? restated(own, changes);
    made.set(own, metadata);
    return metadata;
  };
  return {
    passages: passages.map((passage) => ({
      ...passage,
      metadata: of(passage.metadata),
      hash: stampedHash(passage.hash, textOf(stamp)),
    })),
    tables: tables.map((table) => ({ ...table, metadata: of(table.metadata) })),
  };
}

/** Returns the readers that documents with a stamp lack, since there is no room for all of them. */
export function readersLeftOut(stamp: Stamp): string[] {
  const kept = new Set(valuesOf(restated(undefined, metadataOfStamp(stamp)), READERS));
  return inOrder(stamp.readers ?? []).filter((reader) => !kept.has(reader));
}

interface StampOptions {
  documents: Documents;
  knowledge?: KnowledgeGraph | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Brings the stamps of stored documents up to date without reading them again, so that a document is restricted even if
 * it can no longer be read. In a store that cannot do that, they are removed, to be stored anew.
 * @param wanted the stamps by the ids of documents. Those that are not stored are ignored.
 * @param stored the hashes of documents by their ids, which are updated.
 * @returns the documents that have another stamp now.
 */
export async function restamp(
  wanted: Iterable<readonly [id: string, stamp: Stamp]>,
  stored: Map<string, string>,
  { documents, knowledge, signal }: StampOptions,
): Promise<Set<string>> {
  const changes: Restatement[] = [];
  for (const [documentId, stamp] of wanted) {
    const known = stored.get(documentId);
    if (known === undefined || isStampedWith(known, stamp) || mustBeRead(known, stamp)) continue;
    const hash = stampedHash(unstamped(known).hash, textOf(stamp));
    changes.push({ documentId, hash, metadata: metadataOfStamp(stamp) });
  }
  const ids = changes.map(({ documentId }) => documentId);
  if (!documents.restate) {
    await removeDocuments(ids, { documents, knowledge, signal });
    for (const id of ids) stored.delete(id);
    return new Set();
  }
  for (let start = 0; start < changes.length; start += AT_ONCE) {
    signal?.throwIfAborted();
    const some = changes.slice(start, start + AT_ONCE);
    const facts = await factsOf(some, { documents, knowledge });
    await withFacts(
      documents,
      async () => documents.restate?.(some, signal && { signal }),
      async () => {
        if (facts.length === 0) return;
        if (knowledge?.restate) await knowledge.restate(facts, signal && { signal });
        // Without it, they would still state who was allowed to read them.
        else
          await knowledge?.remove(
            facts.map(({ before }) => passageSourceId(before)),
            signal && { signal },
          );
      },
    );
    for (const { documentId, hash } of some) stored.set(documentId, hash);
  }
  return new Set(ids);
}

/** The number of documents that are restated in one transaction. */
const AT_ONCE = 500;

/** Returns the passages with facts, as they are and as they will be. */
async function factsOf(
  changes: readonly Restatement[],
  { documents, knowledge }: StampOptions,
): Promise<{ before: Passage; after: Passage }[]> {
  const sources = (await knowledge?.sources())?.filter(isPassageSource) ?? [];
  if (sources.length === 0) return [];
  const having = new Set(sources.map(({ documentId }) => documentId));
  const changed = new Map(changes.map((change) => [change.documentId, change.metadata]));
  const listed = (await documents.list()).filter(({ documentId }) => having.has(documentId) && changed.has(documentId));
  const passages = await documents.get(listed.flatMap(passageIds));
  return passages.map((before) => ({
    before,
    after: { ...before, metadata: restated(before.metadata, changed.get(before.documentId) ?? {}) },
  }));
}

/** True if a stored document is stamped so. */
export const isStampedWith = (hash: string, stamp: Stamp) => unstamped(hash).stamp === textOf(stamp);

/**
 * True if a document must be read to get a stamp. What it says itself about its readers is not known as long as its stamp
 * says it.
 */
export const mustBeRead = (hash: string, stamp: Stamp) =>
  stamp.readers === undefined && saysReaders(unstamped(hash).stamp);

/**
 * Returns a function that returns the stamp of a document.
 * @param given the stamp of all of them, or of each by its path or address. Undefined, also by that function: the stamp
 * that it has.
 */
export async function stamping(
  given: Stamp | ((place: string) => Stamp | undefined) | undefined,
  stored: ReadonlyMap<string, string>,
  documents: Pick<Documents, "get">,
): Promise<(place: string, documentId: string) => Stamp> {
  if (given && typeof given !== "function") return () => given;
  const had = await stampsOf(stored, documents);
  return (place, documentId) => given?.(place) ?? had.get(documentId) ?? {};
}

async function stampsOf(stored: ReadonlyMap<string, string>, documents: Pick<Documents, "get">) {
  const having = [...stored].filter(([, hash]) => unstamped(hash).stamp !== "");
  const found = new Map<string, Stamp>();
  for (let start = 0; start < having.length; start += AT_ONCE) {
    const firsts = await documents.get(having.slice(start, start + AT_ONCE).map(([id]) => passageId(id, 0)));
    for (const { documentId, metadata } of firsts)
      found.set(documentId, {
        collection: valuesOf(metadata, COLLECTION)[0],
        ...(saysReaders(unstamped(stored.get(documentId) ?? "").stamp) && { readers: valuesOf(metadata, READERS) }),
      });
  }
  // A document whose first passage is damaged is for nobody until its source is synced.
  for (const [id] of having) if (!found.has(id)) found.set(id, { readers: [] });
  return found;
}
