import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { codeOf } from "../errors.js";
import { hasWords } from "../text/tokens.js";
import { sentenceSet } from "../tools/documents/distinct.js";
import { documentIdOf, hasScheme, isDelivered, passageIds, unstamped } from "../tools/documents/document-id.js";
import type { Documents } from "../tools/documents/port.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import { isPassageSource, passageSourceId } from "../tools/store/facts.js";
import type { Passage } from "../types/evidence.js";
import { contradictionsOf } from "./contradictions.js";
import { isReadable, NO_TEXT } from "./formats/registry.js";
import { loadCutInOwnProcess } from "./load.js";

export type Care =
  | "stale"
  | "duplicate"
  | "contradicting"
  | "empty"
  | "unreadable"
  | "changed"
  | "orphaned"
  | "leftover"
  | "unembedded"
  | "damaged";

/** A document or a file that needs care. */
export interface CareNeeded {
  kind: Care;
  document: string;
  said: string;
}

interface CheckOptions {
  documents: Documents;
  /** The folder that document ids are relative to. */
  cwd: string;
  /** An ISO date. A document last reviewed before it is stale. */
  staleBefore: string;
  /** True if the document with this id holds now. Others are not checked for contradictions. Default: all hold. */
  holds?: (documentId: string) => boolean;
  /** Finds contradictions in different words. Default: only those in nearly the same words are found. */
  encoder?: Encoder | undefined;
  /** Where facts of documents that are gone are looked for. Default: nowhere. */
  knowledge?: Pick<KnowledgeGraph, "sources"> | undefined;
  /** True if passages should have vectors. Default false. */
  embeds?: boolean | undefined;
  signal?: AbortSignal;
  /** Called before each document, with the number of documents done. */
  onProgress?: (done: number, total: number, document: string) => void;
}

/**
 * Finds the documents that need care, and files beside them that cannot be read. A document without a review date is
 * never stale. Reads every passage and every file; writes nothing.
 * @throws StoreUnavailableError if the store fails; the signal's reason if aborted.
 */
export async function checkDocuments(options: CheckOptions): Promise<CareNeeded[]> {
  const {
    documents,
    cwd,
    staleBefore,
    holds = () => true,
    encoder,
    knowledge,
    embeds = false,
    signal,
    onProgress,
  } = options;
  const all = await documents.list();
  const found: CareNeeded[] = [];
  /** The first document that has each sentence, by a hash of the sentence. */
  const seen = new Map<string, string>();
  const reported = new Set<string>();
  const folders = new Set<string>();
  const facts = Map.groupBy((await knowledge?.sources())?.filter(isPassageSource) ?? [], (one) => one.documentId);
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const some = all.slice(start, start + AT_ONCE);
    const passages = Map.groupBy(await documents.get(some.flatMap(passageIds)), ({ documentId }) => documentId);
    const ids = [...passages.values()].flat().map(({ id }) => id);
    const vectors = new Set(embeds && documents.embedded ? await documents.embedded(ids) : ids);
    for (const [i, { documentId, hash, passages: stored }] of some.entries()) {
      onProgress?.(start + i, all.length, documentId);
      signal?.throwIfAborted();
      const own = passages.get(documentId) ?? [];
      const damaged = stored - own.length;
      if (damaged > 0) {
        const said = `The store changed ${damaged} of its ${stored} passages: they are not as ingested. Answers leave them out.`;
        found.push({ kind: "damaged", document: documentId, said });
      }
      found.push(...leftover(documentId, facts.get(documentId), damaged > 0 ? undefined : own));
      facts.delete(documentId);
      const wordsOnly = own.filter(({ id }) => !vectors.has(id)).length;
      if (wordsOnly > 0) {
        const said = `${wordsOnly} of its ${own.length} passages have no vector: they are found by words alone.`;
        found.push({ kind: "unembedded", document: documentId, said });
      }
      found.push(...inStore(documentId, own, seen, staleBefore));
      if (holds(documentId)) found.push(...(await againstOthers(own, documents, { holds, encoder, signal }, reported)));
      if (hasScheme(documentId) || isDelivered(hash) || !isReadable(documentId)) continue;
      const path = resolve(cwd, documentId);
      const file = await inFile(path, documentId, unstamped(hash).hash, signal);
      if (file) found.push(file);
      if (file?.kind !== "orphaned") folders.add(dirname(path));
    }
  }
  for (const [documentId, sources] of facts) found.push(...leftover(documentId, sources, []));
  const known = new Set(all.map(({ documentId }) => documentId));
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const id = documentIdOf(path, cwd);
      if (known.has(id) || name.startsWith(".") || !isReadable(name) || !(await isFile(path))) continue;
      signal?.throwIfAborted();
      const file = await inFile(path, id, undefined, signal);
      if (file) found.push({ ...file, said: `${file.said} It is not in the store.` });
    }
  }
  return found;
}

/**
 * Finds facts from passages that a document no longer has.
 * @param own the passages of the document; undefined if they are not all known.
 */
function leftover(
  document: string,
  sources: readonly { id: string; triples: number }[] = [],
  own: readonly Passage[] | undefined,
): CareNeeded[] {
  const there = new Set(own?.map(passageSourceId));
  const facts = sources.reduce((sum, { id, triples }) => sum + (own && !there.has(id) ? triples : 0), 0);
  const gone = own?.length === 0 ? "It is gone" : "Passages of it are gone";
  const said = `${gone}, but facts from there (${facts}) are still in the graph, and may be answered and cited.`;
  return facts > 0 ? [{ kind: "leftover", document, said }] : [];
}

/** The number of documents whose passages are read in one query: each query scans the ids of the whole store. */
const AT_ONCE = 200;

/** Judges a document by its passages, and adds their sentences to those seen. */
export function inStore(
  document: string,
  passages: readonly Passage[],
  seen: Map<string, string>,
  staleBefore: string,
): CareNeeded[] {
  const found: CareNeeded[] = [];
  const reviewedAt = passages.find((passage) => passage.reviewedAt !== "")?.reviewedAt ?? "";
  if (reviewedAt !== "" && reviewedAt < staleBefore)
    found.push({ kind: "stale", document, said: `It was last reviewed on ${reviewedAt}.` });
  if (passages.length > 0 && !passages.some(({ text }) => hasWords(text)))
    found.push({ kind: "empty", document, said: NO_TEXT });
  const firsts = passages.flatMap(({ text }) => firstOf(text, document, seen) ?? []);
  for (const [first, stands] of Map.groupBy(firsts, ({ document: one }) => one)) {
    const { length } = stands;
    const share =
      length === passages.length ? "All of it stands" : `${length} of its ${passages.length} passages stand`;
    const nearly = stands.every(({ isWhole }) => isWhole) ? "" : "nearly ";
    const place = first === document ? "another part of it" : first;
    found.push({ kind: "duplicate", document, said: `${share} ${nearly}word for word in ${place}.` });
  }
  return found;
}

/**
 * Compares a document with the others that hold now. Adds each pair of sentences found to `reported`, so that it is
 * reported once.
 */
async function againstOthers(
  passages: readonly Passage[],
  documents: Documents,
  options: Parameters<typeof contradictionsOf>[2],
  reported: Set<string>,
): Promise<CareNeeded[]> {
  const found: CareNeeded[] = [];
  for (const passage of passages) {
    for (const { sentence, other, otherSentence } of await contradictionsOf(passage, documents, options)) {
      const pair = [sentence, otherSentence].toSorted().join("\n");
      if (reported.has(pair)) continue;
      reported.add(pair);
      const said = `It says “${sentence}”${dateOf(passage)}, and ${other.documentId} says “${otherSentence}”${dateOf(other)}.`;
      found.push({ kind: "contradicting", document: passage.documentId, said });
    }
  }
  return found;
}

const dateOf = ({ reviewedAt }: Passage) => (reviewedAt === "" ? "" : ` (${reviewedAt})`);

/**
 * Returns the document that already has all or nearly all sentences of a passage, and adds new sentences to those seen.
 */
function firstOf(text: string, document: string, seen: Map<string, string>) {
  const keys = [...sentenceSet(text)].map((sentence) =>
    createHash("sha256").update(sentence).digest("base64").slice(0, 16),
  );
  const firsts = Map.groupBy(
    keys.flatMap((key) => seen.get(key) ?? []),
    (one) => one,
  );
  for (const key of keys) if (!seen.has(key)) seen.set(key, document);
  const [first, { length }] = [...firsts].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? ["", []];
  return length > 0 && length >= NEARLY_ALL * keys.length
    ? { document: first, isWhole: length === keys.length }
    : undefined;
}

const NEARLY_ALL = 0.8;

/** Returns what is wrong with the file of a document; undefined if nothing is. */
async function inFile(
  path: string,
  document: string,
  hash: string | undefined,
  signal: AbortSignal | undefined,
): Promise<CareNeeded | undefined> {
  const code = await stat(path).then(() => "", codeOf);
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "orphaned", document, said: "Its file is gone." };
  const cut = await loadCutInOwnProcess([path, document, hash], { signal }).catch((error: Error) => error);
  signal?.throwIfAborted();
  if (cut instanceof Error) {
    const kind = cut.message === NO_TEXT ? "empty" : "unreadable";
    return { kind, document, said: cut.message };
  }
  if (cut?.passages.length === 0) return { kind: "empty", document, said: NO_TEXT };
  if (cut && hash !== undefined) return { kind: "changed", document, said: CHANGED };
  return undefined;
}

/** A hash does not tell which of them it was, since it covers the file and how files are read. */
const CHANGED = "Its file has changed since it was ingested, or another version of emend ingested it.";

const isFile = (path: string) =>
  stat(path).then(
    (it) => it.isFile(),
    () => false,
  );
